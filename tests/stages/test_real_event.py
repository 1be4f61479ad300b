"""A real event of 605 games fed twice, shuffled, and with thirty results corrected and back ends the same."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest

from tests.oracle.events import game, tournament
from tests.oracle.oracle import expect
from tests.oracle.promises import broken_promises
from tests.oracle.readings import differences, figures
from tests.oracle.winners import Given
from tests.stages.driver import Lane

EVENT = Path(__file__).parents[1] / "data" / "events" / "womens-world-rapid-2024.csv"
OTHER = {"1-0": "0-1", "0-1": "1-0", "1/2-1/2": "1-0"}


def events():
    rows = list(csv.DictReader(EVENT.read_text().splitlines()))
    days = {"starts_on": "2024-12-26", "ends_on": "2024-12-28"}
    told = [Given("t", tournament(time_control="rapid", **days, rounds=11))]
    for place, row in enumerate(rows):
        white, black = (
            {"player_id": row[f"{colour}_fide_id"], "rating": int(row[f"{colour}_rating"] or 0) or None}
            for colour in ("white", "black")
        )
        number = f"g{place}"
        told.append(Given(number, game(number, white, black, row["result"], round=int(row["round"]))))
    return told


def revised(given, revision, result):
    event = given.event.model_copy(update={"revision": revision, "result": type(given.event.result)(result)})
    return Given(f"{given.event_id}-{revision}", event)


def corrected_and_back(told):
    games = random.Random(30).sample(told[1:], 30)
    there = [revised(g, 2, OTHER[g.event.result]) for g in games]
    return there, [revised(g, 3, g.event.result) for g in games]


@pytest.fixture(scope="module")
def once():
    return figures(Lane().feed(events()).read())


def test_there_are_605_games_of_110_players(once):
    assert len(events()) == 606
    assert len(once) > 100


@pytest.mark.parametrize("seed", range(3))
def test_fed_twice_shuffled_and_corrected_and_back(once, seed):
    told = events()
    there, back = corrected_and_back(told)
    fed = [*told, *told, *there, *back]
    random.Random(seed).shuffle(fed)
    lane = Lane(seed=seed).feed(fed)
    assert figures(lane.read()) == once
    found = [*differences(lane.read(), expect(fed)), *broken_promises(lane.read(), 1)]
    assert [sentence for _, sentence in found] == []
