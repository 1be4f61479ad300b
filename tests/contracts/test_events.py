from __future__ import annotations

import json
from typing import Annotated

import pytest
from pydantic import Field, TypeAdapter, ValidationError

from elowire.contracts.events import (
    Entrant,
    GameResult,
    GameStatus,
    PublishedRating,
    ReportedChange,
    Result,
    Side,
    Tournament,
)
from elowire.contracts.faults import field_faults
from tests.contracts.records import SCHEMAS, read


def data_of(name):
    return read(SCHEMAS / f"examples/valid/{name}.json").data


TOURNAMENT = data_of("tournament-minimal")
ENTRANT = data_of("entrant-rated")
GAME = data_of("game-played")
PUBLISHED = data_of("published-list")
REPORTED = data_of("reported-change")


def parsed(model, data, **changes):
    return model.model_validate_json(json.dumps({**data, **changes}))


def faults(model, data, **changes):
    with pytest.raises(ValidationError) as caught:
        parsed(model, data, **changes)

    return field_faults(caught.value)


def test_tournament_defaults_follow_from_its_days():
    tournament = parsed(Tournament, TOURNAMENT)

    assert tournament.rated is True
    assert tournament.edition_in_force().id == "2025-10"
    assert tournament.list_in_force() == "2025-10"
    assert tournament.period() == "2025-11"


def test_tournament_says_otherwise():
    tournament = parsed(
        Tournament, TOURNAMENT, edition="2009-draft", rating_list="2025-09", rated_in="2026-01"
    )

    assert tournament.edition_in_force().id == "2009-draft"
    assert tournament.list_in_force() == "2025-09"
    assert tournament.period() == "2026-01"


def test_tournament_of_one_day_is_a_tournament():
    assert parsed(Tournament, TOURNAMENT, ends_on=TOURNAMENT["starts_on"]).period() == "2025-11"


@pytest.mark.parametrize(
    ("model", "data", "field", "values"),
    [
        (Tournament, TOURNAMENT, "revision", [0, 1, 2**63 - 1]),
        (Tournament, TOURNAMENT, "starts_on", ["2002-07-01"]),
        (Tournament, TOURNAMENT, "ends_on", ["2199-12-31"]),
        (Tournament, TOURNAMENT, "tournament_id", ["a", "x" * 128, "lichess:abc", "r1.b2-c_d~e"]),
        (Tournament, TOURNAMENT, "name", ["a", "Ö" * 256, "北京公开赛"]),
        (Tournament, TOURNAMENT, "edition", ["2003", "2009-draft", "2025-10", None]),
        (Entrant, ENTRANT, "player_id", ["1", "2020009", "rank:12", "uscf:A/B".replace("/", "-")]),
        (Entrant, ENTRANT, "rating", [1, 4000, None]),
        (Entrant, ENTRANT, "k", [1, 80, None]),
        (Entrant, ENTRANT, "birth_year", [1850, 2199, None]),
        (GameResult, GAME, "game_id", ["a", "x" * 128, "r1/b2", "https://example.org/1"]),
        (GameResult, GAME, "round", [1, 1000, None]),
        (GameResult, GAME, "result", ["1-0", "0-1", "1/2-1/2", "0-0", "1/2-0", "0-1/2"]),
        (ReportedChange, REPORTED, "sum_change", ["0", "0.5", "-2.60", "9999.99"]),
        (ReportedChange, REPORTED, "games", [0, None]),
    ],
)
def test_value_at_the_edge_is_taken(model, data, field, values):
    for value in values:
        assert str(getattr(parsed(model, data, **{field: value}), field)) == str(value)


@pytest.mark.parametrize(
    ("model", "data", "field", "values"),
    [
        (Tournament, TOURNAMENT, "revision", [-1, 2**63, 10**30, 1.0, "1", True, None]),
        (
            Tournament,
            TOURNAMENT,
            "starts_on",
            ["2002-06-30", "2025-02-29", "2025-10-12T00:00:00", 20251012, None],
        ),
        (Tournament, TOURNAMENT, "ends_on", ["2200-01-01"]),
        (Tournament, TOURNAMENT, "tournament_id", ["", "x" * 129, "a b", "a/b", "a\u0000", "ä", None, 5]),
        (Tournament, TOURNAMENT, "name", ["", " a", "x" * 257, "a\u0007", "a\u0085", None]),
        (Tournament, TOURNAMENT, "edition", ["2025", "2025-11", "", 2025]),
        (Tournament, TOURNAMENT, "rating_list", ["2025-00", "2025-13", "2025-1", "25-10", "٢٠٢٥-10"]),
        (
            Entrant,
            ENTRANT,
            "player_id",
            ["", "0", "012", "12a", "Rank:1", ":1", "rank:", "rank:a b", "1" * 13],
        ),
        (Entrant, ENTRANT, "rating", [0, -1, 4001, 2789.5]),
        (Entrant, ENTRANT, "k", [0, -10, 81, "10"]),
        (Entrant, ENTRANT, "federation", ["usa", "US", "USAA"]),
        (GameResult, GAME, "game_id", ["", "x" * 129, "a b", "a\n"]),
        (GameResult, GAME, "url", ["ftp://a", "https://", "https://a b", "https://" + "a" * 2048]),
        (GameResult, GAME, "result", ["½-½", "1-1", "1/2", "", "+-", None]),
        (GameResult, GAME, "rated", ["false", 0, None]),
        (PublishedRating, PUBLISHED, "list", ["2025", "2025-10-01", "2200-01", None]),
        (
            ReportedChange,
            REPORTED,
            "sum_change",
            [-0.26, "+1", ".5", "1.234", "1,5", "", "10000", "1e3", "NaN"],
        ),
    ],
)
def test_value_beyond_the_edge_is_refused_at_its_field(model, data, field, values):
    for value in values:
        assert {fault.field for fault in faults(model, data, **{field: value})} == {field}, value


def test_fault_in_a_side_is_named_by_its_path():
    found = faults(GameResult, GAME, white={"player_id": "02", "k": 0}, black={"rating": -1})

    assert [fault.field for fault in found] == ["white.player_id", "white.k", "black.rating"]


def test_whole_event_of_another_kind_has_no_field():
    with pytest.raises(ValidationError) as caught:
        GameResult.model_validate_json("5")

    assert [(fault.field, fault.problem) for fault in field_faults(caught.value)] == [("", "the event is 5")]


def test_fault_that_has_no_words_yet_keeps_the_validators():
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(Annotated[int, Field(multiple_of=2)]).validate_python(3)

    (fault,) = field_faults(caught.value)
    assert fault.expected == "Input should be a multiple of 2"


def test_day_outside_the_editions_is_told_from_a_bad_day():
    (early,) = faults(GameResult, GAME, played_on="1972-07-11")
    (bad,) = faults(GameResult, GAME, played_on="11.07.1972")

    assert early.expected == "a day from 2002-07-01 to 2199-12-31"
    assert "no edition" in early.advice
    assert bad.expected == "a day as YYYY-MM-DD"


def test_entry_is_named_by_the_player_where_it_has_no_id():
    assert parsed(Entrant, ENTRANT).identity == "2020009"
    assert parsed(Entrant, ENTRANT, entrant_id="7").identity == "7"
    assert Side(player_id="5").identity == "5"
    assert Side(entrant_id="7", player_id="5").identity == "7"


def test_entry_id_may_not_be_the_other_sides_player():
    (fault,) = faults(GameResult, GAME, white={"entrant_id": "5"}, black={"player_id": "5"})

    assert fault.field == "black"


@pytest.mark.parametrize("status", [status for status in GameStatus if status is not GameStatus.PLAYED])
def test_only_a_played_game_needs_its_result(status):
    assert parsed(GameResult, GAME, status=status, result="*").result is Result.UNKNOWN


@pytest.mark.parametrize("status", ["bye", "unplayed"])
@pytest.mark.parametrize("colour", ["white", "black"])
def test_bye_and_unplayed_may_lack_a_player(status, colour):
    game = parsed(GameResult, GAME, status=status, **{colour: None})

    assert getattr(game, colour) is None


@pytest.mark.parametrize("status", ["played", "forfeit", "annulled", "ongoing"])
@pytest.mark.parametrize("colour", ["white", "black"])
def test_everything_else_needs_both_players(status, colour):
    result = "*" if status == "ongoing" else "1-0"
    (fault,) = faults(GameResult, GAME, status=status, result=result, **{colour: None})

    assert fault.field == colour


@pytest.mark.parametrize(
    ("result", "points"),
    [
        ("1-0", (100, 0)),
        ("0-1", (0, 100)),
        ("1/2-1/2", (50, 50)),
        ("0-0", (0, 0)),
        ("1/2-0", (50, 0)),
        ("0-1/2", (0, 50)),
        ("*", None),
    ],
)
def test_result_scores_as_written(result, points):
    assert Result(result).points == points


def test_zero_in_a_list_is_unrated():
    published = parsed(PublishedRating, PUBLISHED, standard={"rating": 0}, rapid={}, blitz=None)

    assert [(name, figures.rating) for name, figures in published.ratings()] == [
        ("standard", None),
        ("rapid", None),
    ]


def test_reported_change_is_exact():
    reported = parsed(ReportedChange, REPORTED)

    assert reported.sum_change_hundredths == -26
    assert reported.period() == "2025-11"
    assert parsed(ReportedChange, REPORTED, rated_in="2025-12").period() == "2025-12"


def test_event_cannot_be_changed_after_it_was_read():
    with pytest.raises(ValidationError, match="frozen"):
        parsed(GameResult, GAME).revision = 5
