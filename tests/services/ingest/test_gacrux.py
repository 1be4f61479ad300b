"""Tournament reports are read as FIDE's technical commission's own program (`gacrux`) reads them."""

from __future__ import annotations

import pytest
from gacrux.trf2json import trf2json

from elowire.contracts.vocabulary import GameStatus
from elowire.ingest.readers.files import read_event

FILES = ["events/swiss-open-2005.trf", "trf/generated-swiss.trf", "trf/generated-round-robin.trf"]
LETTERS = {100: "W", 50: "D", 0: "L"}


@pytest.fixture(params=FILES)
def path(request, events):
    return events.parent / request.param


@pytest.fixture
def theirs(path):
    reader = trf2json()
    reader.parse_file(path.read_text(), verbose=False)
    return reader.chessjson["event"]["tournaments"][0]


@pytest.fixture
def ours(path):
    return read_event(path)


def test_games_that_are_rated(ours, theirs):
    ranks = {entrant.entrant_id: rank for rank, entrant in enumerate(ours.entrants, start=1)}
    mine = set()
    for game in ours.games:
        if game.status is GameStatus.PLAYED and game.rated:
            white, black = (LETTERS[points] for points in game.result.points)
            mine.add((game.round, ranks[game.white], white, ranks[game.black], black))
    expected = {
        (
            game["round"],
            game["white"]["cid"],
            game["white"]["result"],
            game["black"]["cid"],
            game["black"]["result"],
        )
        for game in theirs["gameList"]
        if game["rated"]
    }

    assert len(mine) > 50
    assert mine == expected


def test_rounds_that_are_not(ours, theirs):
    """A forfeit is one pairing here and, in the report of 2005, two single results there."""
    ranks = {entrant.entrant_id: rank for rank, entrant in enumerate(ours.entrants, start=1)}
    mine = {
        (game.round, ranks[player])
        for game in ours.games
        if game.status is not GameStatus.PLAYED
        for player in (game.white, game.black)
        if player is not None
    }
    expected = {
        (game["round"], game[colour]["cid"])
        for game in theirs["gameList"]
        if not game["rated"]
        for colour in ("white", "black")
        if game[colour] and game[colour]["cid"]
    }

    assert mine == expected


def test_players_and_their_ratings(ours, theirs):
    expected = {one["cid"]: (one["rating"] or {"rating": 0})["rating"] for one in theirs["competitors"]}

    assert {rank: e.rating or 0 for rank, e in enumerate(ours.entrants, start=1)} == expected
