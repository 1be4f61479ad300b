"""Whole rating periods as FIDE published them, and live ratings in between."""

from __future__ import annotations

import csv
import json
from itertools import accumulate
from pathlib import Path

import pytest

from elowire.domain import (
    EDITIONS,
    LiveFigures,
    PeriodChange,
    TimeControl,
    cut_k,
    edition_by_id,
    hundredths,
    live_figures,
    period_change,
    previous_period,
    rate_game,
    round_change,
    tenths_text,
)

CASES = Path(__file__).parent.parent / "data" / "cases"
PERIODS = json.loads((CASES / "fide-published-periods.json").read_text(encoding="utf-8"))
CHAMPIONSHIP = json.loads((CASES / "us-championship-2025.json").read_text(encoding="utf-8"))
POINTS = {"1-0": (100, 0), "1/2-1/2": (50, 50), "0-1": (0, 100)}


def deltas(event, edition):
    return [
        rate_game(
            own=event["own_rating_used"],
            opponent=game["opponent"],
            points=hundredths(game["points"]),
            edition=edition,
            time_control=TimeControl.STANDARD,
        )
        for game in event["games"]
    ]


@pytest.mark.parametrize("case", PERIODS, ids=lambda case: f"2025-8.3.4-{case['id']}")
def test_published_period(case):
    """Official: every game, every event sum, the K used, the total and the list."""
    edition = edition_by_id(case["edition"])
    games = sum(len(event["games"]) for event in case["events"])
    k = cut_k(case["k_on_previous_list"], games, edition)
    parts = []
    for event in case["events"]:
        changes = deltas(event, edition)
        assert [change.delta for change in changes] == [hundredths(game["change"]) for game in event["games"]]
        # The page prints a capped opponent at the cap already.
        assert [abs(change.counted_difference) == 400 for change in changes] == [
            game["capped_on_page"] for game in event["games"]
        ]
        total = sum(change.delta for change in changes)
        assert total == hundredths(event["sum_change"])
        assert k == event["k_used"]
        assert k * total == hundredths(event["k_times_sum"])
        parts.append(k * total)

    base = case["published"][previous_period(case["rating_period"])]
    change = period_change(parts, edition)
    assert change.exact == hundredths(case["total"])
    assert base + change.rounded == case["published"][case["rating_period"]]


@pytest.mark.parametrize(
    ("events", "live"),
    [(1, "2082.8"), (2, "2105.6"), (3, "2152.4"), (4, "2168.2"), (5, "2146.5")],
)
def test_w5_2025_8_3_3_the_cut_of_k_reaches_back_over_the_period(events, live):
    """Computed between the events, official at the end: 28.8, 51.6, 98.4, 114.2, then 92.48."""
    case = next(case for case in PERIODS if case["id"] == "F-P05")
    edition = edition_by_id("2025-10")
    done = [change.delta for event in case["events"][:events] for change in deltas(event, edition)]
    figures = live_figures(2054, 20, [(len(done), sum(done))], edition)

    assert tenths_text(figures.live) == live
    assert (figures.k_used, figures.cut) == ((17, True) if events == 5 else (20, False))


@pytest.mark.parametrize("player", CHAMPIONSHIP["players"], ids=lambda player: f"2025-W6-{player['fide_id']}")
def test_w6_us_championship_ends_in_fides_list(player):
    """Official: the sum, the total with the other events, and the list of November 2025."""
    edition = edition_by_id("2025-10")
    total = sum(championship_deltas(player["fide_id"]))
    parts = [player["k"] * total]
    assert total == hundredths(player["sum_change"])
    assert parts[0] == hundredths(player["k_times_sum"])

    parts += [hundredths(event["k_times_sum"]) for event in player["other_events"]]
    change = period_change(parts, edition)
    assert change.exact == hundredths(player["period_total"])
    assert player["published_rating"] + change.rounded == player["next_list_rating"]


def championship_deltas(fide_id):
    """ΔR of the player's games in the order of the rounds."""
    ratings = {player["fide_id"]: player["published_rating"] for player in CHAMPIONSHIP["players"]}
    found = []
    for game in sorted(CHAMPIONSHIP["games"], key=lambda game: game["round"]):
        for side, other, place in (("white", "black", 0), ("black", "white", 1)):
            if game[side] == fide_id:
                change = rate_game(
                    own=ratings[fide_id],
                    opponent=ratings[game[other]],
                    points=POINTS[game["result"]][place],
                    edition=edition_by_id("2025-10"),
                    time_control=TimeControl.STANDARD,
                )
                if side == "white":
                    assert change.delta == hundredths(game["white_change"])
                found.append(change.delta)

    return found


def live_rows():
    with (CASES / "us-championship-2025-live.csv").open(newline="", encoding="utf-8") as file:
        return [pytest.param(row, id=f"2025-W6-live-{row['player']}") for row in csv.DictReader(file)]


@pytest.mark.parametrize("row", live_rows())
def test_w6_live_rating_after_every_round(row):
    """Computed, for the event alone."""
    players = sorted(CHAMPIONSHIP["players"], key=lambda player: -player["published_rating"])
    player = players[int(row["player"]) - 1]
    edition = edition_by_id("2025-10")
    shown = [
        tenths_text(live_figures(player["published_rating"], 10, [(number, total)], edition).live)
        for number, total in enumerate(accumulate(championship_deltas(player["fide_id"])), start=1)
    ]

    assert shown == [row[f"r{number}"] for number in range(1, 12)]


def test_8_57_several_pending_periods_are_cut_and_rounded_apart():
    edition = edition_by_id("2025-10")

    assert live_figures(2054, 20, [(39, 544), (1, 50)], edition) == LiveFigures(
        17, cut=True, change=10248, live=215648, predicted=2156
    )
    assert live_figures(2000, 10, [(1, 5), (1, 5)], edition) == LiveFigures(
        10, cut=False, change=100, live=200100, predicted=2002
    )
    assert live_figures(2000, 20, [(1, 5), (39, 0)], edition).cut is False
    assert live_figures(2000, 20, [], edition) == LiveFigures(
        20, cut=False, change=0, live=200000, predicted=2000
    )


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: f"{edition.id}-8.57")
def test_a_period_is_rounded_once(edition):
    assert period_change([40, 40], edition) == PeriodChange(80, 1)
    assert period_change([], edition) == PeriodChange(0, 0)
    assert round_change(-1750, edition) == (-18 if edition.id >= "2024" else -17)


def test_rb_2012_the_cut_holds_for_rapid_before_it_holds_for_standard():
    edition = edition_by_id("2014-07")

    assert live_figures(2000, 20, [(70, 100)], edition, TimeControl.RAPID).k_used == 10
    assert live_figures(2000, 20, [(70, 100)], edition).k_used == 20
