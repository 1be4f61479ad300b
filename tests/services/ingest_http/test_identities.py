"""Who is who: listed, proposed by an explicit rule, said by an operator - and never anybody twice."""

from __future__ import annotations

import pytest

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.events import Entrant, GameResult, Side
from elowire.contracts.vocabulary import GameStatus, Result
from elowire.ingest.book import BookLine, Figures
from elowire.ingest.corrections import CorrectionRefusedError
from elowire.ingest.identities import (
    Stated,
    entries_of,
    found_entry,
    identified,
    proposals,
    unresolved,
    with_player,
)

NOTHING = Stated()


def told(number, data):
    return Decoded(f"e-{number}", "x", "test", None, data)


def entrant(entrant_id, player_id=None, revision=1, **facts):
    return Entrant(
        tournament_id="open", entrant_id=entrant_id, player_id=player_id, revision=revision, **facts
    )


def game(game_id, white, black, revision=1):
    return GameResult(
        tournament_id="open",
        game_id=game_id,
        revision=revision,
        status=GameStatus.PLAYED,
        result=Result.WHITE_WINS,
        white=white,
        black=black,
    )


SMITH = entrant("name:smith", name="Smith, John", federation="ENG", birth_year=1990)
WORLD = [
    told(1, entrant("7", "7", name="Somebody")),
    told(2, SMITH),
    told(3, entrant("rank:4", "local:open.4", name="Numbered")),
    told(4, game("1", Side(entrant_id="name:smith"), Side(entrant_id="7", player_id="7"))),
    told(5, game("2", Side(entrant_id="name:smith"), Side(entrant_id="name:ghost", name="Ghost"))),
    told(6, game("2", Side(entrant_id="name:smith"), Side(entrant_id="name:ghost"), revision=2)),
    told(7, game("3", Side(player_id="9"), Side(player_id="7"))),
]


def entries(*more):
    return entries_of([*WORLD, *(told(100 + n, data) for n, data in enumerate(more))])


def test_who_waits_is_listed_with_the_number_of_games():
    found = {entry.entrant_id: (entry.games, entry.name) for entry in unresolved(entries())}

    assert found == {
        "name:smith": (2, "Smith, John"),
        "name:ghost": (1, None),
        "rank:4": (0, "Numbered"),
    }


def line(player, name="Smith, John", federation="ENG", birth_year=1990):
    none = Figures(None, None, None, None)
    return BookLine(player, name, federation, "m", None, birth_year, none, none, none, 1, "list")


@pytest.mark.parametrize(
    ("lines", "ids"),
    [
        ([line(1)], ["1"]),
        ([line(1), line(2)], ["1", "2"]),
        ([line(1, name="Smith, Johnny")], []),
        ([line(1, name="SMITH, JOHN")], []),
        ([line(1, federation="SCO")], []),
        ([line(1, birth_year=1991)], []),
        ([line(1, birth_year=None)], []),
    ],
    ids=["exact", "two", "name", "case", "federation", "year", "no-year"],
)
def test_a_proposal_needs_exact_name_federation_and_year(lines, ids):
    assert proposals(found_entry(entries(), "open", "name:smith"), lines) == ids


def test_without_federation_or_year_there_is_no_proposal():
    known = entries(entrant("name:x", name="Smith, John", federation="ENG"))

    assert proposals(found_entry(known, "open", "name:x"), [line(1, birth_year=None)]) == []


def say(entrant_id, player_id, *more, stated=NOTHING):
    known = entries(*more)
    return identified(found_entry(known, "open", entrant_id), player_id, known, stated=stated, revision=99)


def test_an_identity_keeps_what_the_source_said_and_adds_who_he_is():
    said = say("name:smith", "1503014")

    assert said == SMITH.model_copy(update={"player_id": "1503014", "revision": 99})


def test_an_entrant_may_be_named_by_his_name():
    assert say("Smith, John", "1503014").entrant_id == "name:smith"


def test_who_is_known_from_games_alone_gets_an_entry():
    said = say("name:ghost", "1503014")

    assert (said.entrant_id, said.player_id, said.rating, said.unrated) == (
        "name:ghost",
        "1503014",
        None,
        False,
    )


def test_figures_of_somebody_elses_list_go_and_those_of_the_source_stay():
    listed = entrant("8", "8", rating=2500, k=10, rating_list="2025-10", source="list")
    own = entrant("8", "8", rating=2500, k=10, source="file:x")

    assert (say("8", "80", listed).rating, say("8", "80", listed).rating_list) == (None, None)
    assert (say("8", "80", own).rating, say("8", "80", own).k) == (2500, 10)


def test_stated_figures_outrank_the_list():
    said = say("name:smith", "1503014", stated=Stated(rating=2100, k=20))

    assert (said.rating, said.k, said.override, said.source) == (2100, 20, True, "operator")
    assert say("name:smith", "1503014", stated=Stated(unrated=True)).unrated


def test_nobody_gets_two_entries_of_one_tournament():
    with pytest.raises(CorrectionRefusedError, match="player 7 is entrant 7 of tournament open already"):
        say("name:smith", "7")


@pytest.mark.parametrize(("tournament", "who"), [("open", "name:nobody"), ("other", "name:smith")])
def test_who_is_not_there_cannot_be_identified(tournament, who):
    with pytest.raises(CorrectionRefusedError):
        found_entry(entries(), tournament, who)


def test_everything_of_an_id_is_found_also_from_games_alone():
    found = with_player(entries(), "9")

    assert [entry.entrant_id for entry in found["open"]] == ["9"]
