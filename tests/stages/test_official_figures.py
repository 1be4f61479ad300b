"""Whole events and periods that FIDE published, through the stages; each test says what is official."""

from __future__ import annotations

import csv
from pathlib import Path

import orjson
import pytest

from tests.oracle.events import entrant, game, published, reported, tournament
from tests.stages.scene import Scene

CASES = Path(__file__).parents[1] / "data" / "cases"
TABLE = CASES / "us-championship-2025-live.csv"
EVENT = orjson.loads((CASES / "us-championship-2025.json").read_bytes())
# Players as the table of live ratings numbers them: by their October rating.
PLAYERS = sorted(EVENT["players"], key=lambda player: -player["published_rating"])
LIVE = {row["player"]: row for row in csv.DictReader(TABLE.read_text().splitlines())}
PERIODS = orjson.loads((CASES / "fide-published-periods.json").read_bytes())
RESULTS = {"1.00": "1-0", "0.50": "1/2-1/2", "0.00": "0-1"}


def championship(*, others):
    scene = Scene()
    scene.say(tournament(system="round-robin", starts_on=EVENT["start"], ends_on=EVENT["end"]))
    for player in EVENT["players"]:
        name = str(player["fide_id"])
        facts = {"rating_list": "2025-10", "source": "list"}
        scene.say(entrant(name, player["published_rating"], player["k"], **facts))
        for number, other in enumerate(player["other_events"] if others else []):
            total = f"{float(other['k_times_sum']) / player['k']:.2f}"
            days = {"starts_on": other["start"], "ends_on": other["end"]}
            scene.say(reported(name, total, tournament_id=f"other{number}", **days))
    return scene


def play(scene, number):
    for place, played in enumerate(EVENT["games"]):
        if played["round"] == number:
            white, black = str(played["white"]), str(played["black"])
            scene.say(game(f"g{place}", white, black, played["result"], round=number))


def test_the_live_rating_of_everybody_after_every_round():
    """Computed from the official games and table 8.1.2 (2025-10), the event alone."""
    scene = championship(others=False)
    for number in range(1, 12):
        play(scene, number)
        shown = [scene.live(str(player["fide_id"])) for player in PLAYERS]
        assert shown == [LIVE[str(place)][f"r{number}"] for place in range(1, 13)]
    scene.holds()


def test_twelve_of_twelve_predictions_are_the_list_of_november_2025():
    """Official: sums, totals and the list."""
    scene = championship(others=True)
    for number in range(1, 12):
        play(scene, number)
    for player in PLAYERS:
        name = str(player["fide_id"])
        assert scene.change(name) == player["period_total"]
        assert scene.rating(name)["predicted"] == player["next_list_rating"]
        assert scene.line(name)["sum_change"] == player["sum_change"]
    for player in PLAYERS:
        name = str(player["fide_id"])
        scene.say(published(name, "2025-11", player["next_list_rating"], 10))
        (reconciled,) = scene.reconciliations(name)
        assert reconciled["standard"]["verdict"] == "equal"
        assert scene.live(name) == f"{player['next_list_rating']}.0"
    scene.holds()


@pytest.mark.parametrize("case", PERIODS, ids=lambda case: case["id"])
def test_a_published_rating_period(case):
    """Official: every ΔR, the K used, the total and the next list."""
    before = sorted(case["published"])[-2]
    scene = Scene().say(published("1", before, case["published"][before], case["k_on_previous_list"]))
    for number, event in enumerate(case["events"]):
        name = f"t{number}"
        facts = {"starts_on": event["start"], "ends_on": event["end"], "rated_in": case["rating_period"]}
        scene.say(tournament(name, edition=case["edition"], **facts))
        scene.say(entrant("1", event["own_rating_used"], tournament_id=name))
        for place, played in enumerate(event["games"]):
            other = f"x:{number}-{place}"
            scene.say(entrant(other, played["opponent"], tournament_id=name))
            scene.say(game(f"{place}", "1", other, RESULTS[played["points"]], tournament_id=name))
            assert scene.rated_game("1", f"{place}", name)["delta"] == played["change"]
        assert scene.line("1", name)["sum_change"] == event["sum_change"]
    assert scene.change("1") == case["total"]
    assert scene.rating("1")["k_used"] == case["events"][-1]["k_used"]
    assert scene.rating("1")["predicted"] == case["published"][case["rating_period"]]
    scene.holds()


def test_the_cut_by_700_reaches_back_to_the_first_game_of_the_period():
    """W5, official at the end (17 · 5.44 = 92.48), computed on the way: 28.8, 51.6, 98.4, 114.2."""
    case = next(case for case in PERIODS if sum(len(event["games"]) for event in case["events"]) == 39)
    scene = Scene().say(published("1", "2025-11", 2054, 20))
    shown = []
    for number, event in enumerate(case["events"]):
        name = f"t{number}"
        scene.say(tournament(name, edition=case["edition"], rated_in="2025-12"))
        scene.say(entrant("1", 2054, tournament_id=name))
        for place, played in enumerate(event["games"]):
            other = {"player_id": f"x:{number}-{place}", "rating": played["opponent"]}
            scene.say(game(f"{place}", "1", other, RESULTS[played["points"]], tournament_id=name))
        shown.append((scene.change("1"), scene.rating("1")["k_used"], scene.rating("1")["k_reason"]))
    assert [change for change, _, _ in shown] == ["28.80", "51.60", "98.40", "114.20", "92.48"]
    assert shown[3][1:] == (20, "list")
    assert shown[4][1:] == (17, "cut-700")
    assert scene.rating("1")["predicted"] == 2146
    scene.holds()
