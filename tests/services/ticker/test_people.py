"""Who is shown: filters, search, and whom tournaments introduce."""

from __future__ import annotations

from datetime import date

import orjson
import pytest

from elowire.contracts.envelope import input_record
from elowire.domain import TimeControl
from elowire.runtime.kafka import Record
from elowire.ticker.asides import Asides
from elowire.ticker.board import Board
from elowire.ticker.players import Filter
from elowire.ticker.search import folded
from elowire.ticker.views import facets_view, player_view, ranking_view, search_view
from tests.oracle.events import entrant, tournament
from tests.services.ticker.records import figures, game, line, listed, live

STANDARD = TimeControl.STANDARD


def board_of(*values):
    board = Board()
    for value in values:
        board.apply("rating-lists", value)
    return board


def person(player, rating, **facts):
    return listed(player, standard=rating, **facts)


PEOPLE = (
    person("1", 2700, name="Dvořák, Matěj", federation="CZE", title="GM", birth_year=1990, sex="M"),
    person("2", 2600, name="Køhler, Ida", federation="DEN", title="WGM", birth_year=2006, sex="F"),
    person("3", 2500, name="Kohler, Otto", federation="GER", title="GM", birth_year=1970),
    person("4", 2400, name="Weiß, Ann", federation="GER", birth_year=2015, sex="F"),
)


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ({}, ["1", "2", "3", "4"]),
        ({"title": "GM"}, ["1", "3"]),
        ({"title": "GM", "federation": "GER"}, ["3"]),
        ({"age": "u20"}, ["2", "4"]),
        ({"age": "u10"}, ["4"]),
        ({"age": "s50"}, ["3"]),
        ({"sex": "F"}, ["2", "4"]),
        ({"sex": "M"}, ["1"]),
        ({"sex": "F", "age": "u12"}, ["4"]),
    ],
)
def test_a_list_of_some_keeps_the_worlds_ranks(chosen, found):
    view = ranking_view(board_of(*PEOPLE), STANDARD, 10, Filter(**chosen, year=2025))

    assert [row["player_id"] for row in view["players"]] == found
    assert [row["rank"] for row in view["players"]] == [int(player) for player in found]


def test_a_list_goes_on_where_the_last_page_ended():
    view = ranking_view(board_of(*PEOPLE), STANDARD, 2, offset=1)

    assert [row["player_id"] for row in view["players"]] == ["2", "3"]
    assert [
        row["player_id"]
        for row in ranking_view(board_of(*PEOPLE), STANDARD, 1, Filter(title="GM"), offset=1)["players"]
    ] == ["3"]


def test_facets_say_what_there_is():
    facets = facets_view(board_of(*PEOPLE))

    assert facets["federations"] == {"CZE": 1, "DEN": 1, "GER": 2}
    assert facets["titles"] == {"GM": 2, "WGM": 1}
    assert facets["sexes"] == ["F", "M"]
    assert "s50" in facets["ages"]


def test_what_no_list_has_said_cannot_be_filtered_by():
    facets = facets_view(board_of(person("1", 2700)))

    assert (facets["sexes"], facets["ages"]) == ([], [])


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("kohler", ["2", "3"]),
        ("KØHLER", ["2", "3"]),
        ("ida koh", ["2"]),
        ("weiss", ["4"]),
        ("dvorak", ["1"]),
        ("4", ["4"]),
        ("nobody", []),
    ],
)
def test_a_search_minds_neither_marks_nor_case(words, found):
    view = search_view(board_of(*PEOPLE), words, STANDARD, 10)

    assert [row["player_id"] for row in view["players"]] == found


def test_a_search_stops_at_its_limit_and_sees_names_that_came_later():
    board = board_of(*PEOPLE)
    assert len(search_view(board, "kohler", STANDARD, 1)["players"]) == 1
    board.apply("rating-lists", person("5", 2300, name="Kohler, Zoe"))

    assert len(search_view(board, "kohler", STANDARD, 9)["players"]) == 3


def test_folding_leaves_letters():
    assert folded("  Łuczak,  ÁKOS-ßen ") == "luczak akos-ssen"


def aside(event, number=1):
    record = input_record(event, event_id=f"e{number}", source="tests")
    return Record(record.topic, 0, number, 0, record.key, record.value, record.headers)


@pytest.mark.parametrize("first", ["figures", "entry"])
def test_a_tournament_introduces_whom_no_list_knows(first):
    board = Board()
    asides = Asides(board)
    said = aside(entrant("77", 2000, name="New, Kit", federation="ENG", title="CM"))
    if first == "entry":
        asides.take(said)
    board.apply("live-ratings", live("77", standard=figures(2000)))
    if first == "figures":
        asides.take(said)
    view = player_view(board, "77")

    assert (view["name"], view["federation"], view["title"]) == ("New, Kit", "ENG", "CM")


def test_a_list_outranks_what_a_tournament_says_of_a_person():
    board = board_of(person("1", 2700, name="Right, Name", federation="NOR"))
    Asides(board).take(aside(entrant("1", 2700, name="Rihgt, Name", federation="SWE")))

    assert player_view(board, "1")["name"] == "Right, Name"
    assert ranking_view(board, STANDARD, 9, Filter(federation="SWE"))["players"] == []


def test_a_tournament_that_runs_again_after_its_end_is_reopened():
    board = Board()
    asides = Asides(board)
    states = []
    for revision, status in enumerate(("announced", "running", "finished", "running", "finished"), 1):
        asides.take(aside(tournament("open", revision=revision, status=status), revision))
        states.append(board.notes.state("open"))

    assert states == ["announced", "running", "finished", "reopened", "finished"]


def test_a_ticker_lets_tournaments_go_that_are_over():
    board = Board()
    asides = Asides(board)
    asides.take(aside(tournament("old", ends_on="2025-10-24", status="finished"), 1))
    asides.take(aside(tournament("new", ends_on="2025-12-24"), 2))
    asides.take(aside(entrant("77", 2000, tournament_id="old", name="New, Kit"), 3))
    for name in ("old", "new", "nameless", "recent"):
        at = 1_764_600_000_000 if name == "recent" else 1_760_000_000_000
        board.apply("tournament-ratings", line("1", tournament=name), at)
    board.forget(date(2025, 12, 1))

    assert sorted(board.lines.tables()) == ["new", "recent"]
    assert (board.notes.tournament("old"), board.notes.person("77")) == (None, None)


def test_a_tournament_that_is_over_stays_while_its_games_wait_for_a_list():
    board = Board()
    Asides(board).take(aside(tournament("open", ends_on="2025-10-24", status="finished")))
    board.apply("tournament-ratings", line("1"), 1)
    board.apply("rated-games", orjson.dumps(game("1", 1)), 1)
    board.forget(date(2025, 12, 1))

    assert list(board.lines.tables()) == ["open"]
