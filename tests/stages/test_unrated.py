"""Players without a rating: what the finish resolves, a correction resolves again, a reopening takes back."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from tests.oracle.events import entrant, game, published, tournament
from tests.stages.scene import Scene

CASES = Path(__file__).parents[1] / "data" / "cases"

# The example of the text of spring 2009: rating (None: unrated) and points of ten players.
TABLE = {
    "A": (2600, 8.0),
    "B": (2500, 7.0),
    "C": (None, 7.0),
    "D": (2400, 6.0),
    "E": (None, 6.0),
    "F": (2150, 4.0),
    "G": (2300, 3.0),
    "H": (None, 2.0),
    "I": (None, 1.0),
    "J": (2300, 1.0),
}
PLAYERS = {name: f"s0:{name.lower()}" for name in TABLE}


def crosstable():
    """Results of 45 games that give these totals: [(white, black, result)].

    From the top: each player wins against the weakest of the rest, which works for this table.
    """
    left = {name: points for name, (_, points) in TABLE.items()}
    games = []
    names = list(TABLE)
    while names:
        names.sort(key=lambda name: (-left[name], name))
        first, *others = names
        wins = left[first]
        for place, other in enumerate(sorted(others, key=lambda name: (left[name], name))):
            if place + 1 <= wins:
                games.append((first, other, "1-0"))
            elif wins - place >= 0.5:
                games.append((first, other, "1/2-1/2"))
                left[other] -= 0.5
            else:
                games.append((first, other, "0-1"))
                left[other] -= 1
        names = others
    return games


def s0(edition, *, status="finished"):
    scene = Scene().say(tournament(edition=edition, system="round-robin", starts_on="2025-10-12"))
    for name, (rating, _) in TABLE.items():
        k = 20 if rating and rating >= 2400 else 30
        facts = {"unrated": True} if rating is None else {"rating": rating, "k": k}
        scene.say(entrant(PLAYERS[name], **facts))
    for number, (white, black, result) in enumerate(crosstable()):
        scene.say(game(f"g{number}", PLAYERS[white], PLAYERS[black], result))
    if status is not None:
        scene.say(
            tournament(
                edition=edition, system="round-robin", starts_on="2025-10-12", status=status, revision=2
            )
        )
    return scene


def test_the_crosstable_has_the_totals_of_the_text():
    points = dict.fromkeys(TABLE, 0.0)
    for white, black, result in crosstable():
        won = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}[result]
        points[white] += won
        points[black] += 1 - won
    assert points == {name: total for name, (_, total) in TABLE.items()}


class TestRoundRobinOf2009:
    def test_the_draft_resolves_at_the_finish(self):
        """Official: every figure that the text of 2009 prints."""
        scene = s0("2009-draft")
        changes = {name: scene.line(PLAYERS[name])["change"] for name in "ABDFGJ"}
        assert changes == {
            "A": "12.80",
            "B": "10.40",
            "D": "12.00",
            "F": "43.50",
            "G": "-36.30",
            "J": "-96.30",
        }
        assert {name: scene.change(PLAYERS[name]) for name in changes} == changes
        news = {name: scene.line(PLAYERS[name])["initial"]["ru_new"] for name in "CEHI"}
        assert news == {"C": 2423, "E": 2393, "H": 2144, "I": 2006}
        assert scene.rating(PLAYERS["C"])["initial"]["ru"] == 2423
        scene.holds()

    def test_the_edition_in_force_from_july_2009(self):
        """Computed: the same table with 12.5 for a half point."""
        scene = s0("2009-07")
        news = {name: scene.line(PLAYERS[name])["initial"]["ru_new"] for name in "CEHI"}
        assert news == {"C": 2411, "E": 2386, "H": 2144, "I": 2006}
        scene.holds()

    def test_before_the_finish_it_is_provisional_and_the_rated_have_their_rated_games_alone(self):
        scene = s0("2009-draft", status=None)
        assert scene.rating(PLAYERS["C"])["initial"]["provisional"] is True
        assert scene.line(PLAYERS["C"])["initial"]["final"] is False
        refused = {
            game["refusal"] for n in range(45) for game in scene.rated_games(PLAYERS["A"], f"g{n}")[-1:]
        }
        assert refused == {None, "unrated-opponent"}
        scene.holds()

    def test_a_correction_after_the_finish_resolves_again(self):
        scene = s0("2009-draft")
        before = scene.change(PLAYERS["A"]), scene.rating(PLAYERS["H"])["initial"]["ru"]
        number, (white, black, _) = next(
            (n, g) for n, g in enumerate(crosstable()) if {"H", "I"} == {g[0], g[1]}
        )
        scene.say(game(f"g{number}", PLAYERS[white], PLAYERS[black], "1/2-1/2", revision=2))
        assert (scene.change(PLAYERS["A"]), scene.rating(PLAYERS["H"])["initial"]["ru"]) != before
        scene.holds()

    def test_a_reopening_takes_back_what_the_finish_gave(self):
        provisional = s0("2009-draft", status=None)
        scene = s0("2009-draft")
        facts = {"edition": "2009-draft", "system": "round-robin", "starts_on": "2025-10-12"}
        scene.say(tournament(**facts, revision=3))
        for name, (rating, _) in TABLE.items():
            if rating is not None:
                assert scene.change(PLAYERS[name]) == provisional.change(PLAYERS[name])
        assert scene.rating(PLAYERS["C"])["initial"]["provisional"] is True
        scene.holds()

    def test_the_last_unrated_turns_out_to_be_rated(self):
        """His first rating goes, and the rated players' games count as against any rated player."""
        scene = Scene().say(tournament(edition="2009-07", system="round-robin"))
        scene.say(entrant("1", 2000, 20), entrant("2", 2100, 20), entrant("3", unrated=True))
        scene.say(game("a", "1", "3"), game("b", "3", "2"), game("c", "1", "2"))
        scene.say(tournament(edition="2009-07", system="round-robin", status="finished", revision=2))
        assert scene.rating("3")["status"] == "unrated"
        scene.say(entrant("3", 1900, 20, revision=2))
        assert (scene.rating("3")["status"], scene.rating("3")["initial"]) == ("rated", None)
        scene.holds()

    def test_a_newcomer_without_points_is_left_out(self):
        scene = Scene().say(tournament(edition="2009-draft", system="round-robin", status="finished"))
        scene.say(entrant("1", 2000, 20), entrant("2", unrated=True), game("g", "1", "2", "1-0"))
        scene.say(entrant("3", 1900, 20), game("h", "1", "3", "1-0"))
        assert scene.rated_game("1", "g")["refusal"] == "zero-score-newcomer"
        scene.holds()

    def test_a_round_robin_with_an_unplayed_game_is_a_swiss(self):
        scene = Scene().say(tournament(edition="2014-07", system="round-robin", status="finished"))
        scene.say(entrant("1", 2000, 20), entrant("2", 2100, 20), entrant("3", unrated=True))
        scene.say(game("a", "1", "3", "1/2-1/2"), game("b", "3", "2", "1/2-1/2"))
        assert scene.rated_game("1", "a")["refusal"] is None
        scene.say(game("c", "1", "2", "1-0", status="forfeit"))
        assert scene.rated_game("1", "a")["refusal"] == "unrated-opponent"
        scene.holds()


class TestNewcomersOf2024:
    def newcomer(self, *, status="finished"):
        case = orjson.loads((CASES / "first-rating.json").read_bytes())
        scene = Scene().say(
            tournament(starts_on="2025-11-03", ends_on="2025-11-09"), entrant("1", unrated=True)
        )
        for number, played in enumerate(case["games"]):
            other = {"player_id": f"x:{number}", "rating": played["opp"]}
            result = {1: "1-0", 0.5: "1/2-1/2", 0: "0-1"}[played["score"]]
            scene.say(game(f"g{number}", "1", other, result))
        days = {"starts_on": "2025-11-03", "ends_on": "2025-11-09"}
        return scene.say(tournament(**days, status=status, revision=2))

    def test_w9_five_games_give_the_published_first_rating(self):
        """Official: 1922 in the list of December 2025."""
        initial = self.newcomer().rating("1")["initial"]
        assert initial == {
            "games": 5,
            "points": "3",
            "ra": "1872.43",
            "p": "0.57",
            "dp": 50,
            "ru": 1922,
            "publishable": True,
            "provisional": False,
        }

    def test_the_flag_before_the_finish(self):
        initial = self.newcomer(status="running").rating("1")["initial"]
        assert (initial["ru"], initial["publishable"], initial["provisional"]) == (1922, False, True)

    def test_the_list_that_prints_the_rating_ends_it(self):
        scene = self.newcomer().say(published("1", "2025-12", 1922, 40))
        rating = scene.rating("1")
        assert (rating["status"], rating["initial"], rating["live"]) == ("rated", None, "1922.0")
        scene.holds()

    def test_the_rated_opponent_gains_nothing(self):
        scene = Scene().say(tournament(), entrant("1", unrated=True), entrant("2", 1900, 20))
        scene.say(game("g", "1", "2", "0-1"))
        assert scene.rated_game("2", "g")["refusal"] == "unrated-opponent"
        assert scene.rated_game("1", "g")["refusal"] is None
        scene.holds()

    def test_two_tournaments_are_pooled_as_one(self):
        scene = Scene()
        for name, opponents in (("a", (1900, 1950)), ("b", (1850, 2000, 1800))):
            scene.say(tournament(name, status="finished"), entrant("1", unrated=True, tournament_id=name))
            for number, rating in enumerate(opponents):
                other = {"player_id": f"x:{name}{number}", "rating": rating}
                scene.say(game(f"g{number}", "1", other, "1/2-1/2", tournament_id=name))
        initial = scene.rating("1")["initial"]
        assert (initial["games"], initial["points"], initial["publishable"]) == (5, "2.5", True)
        assert initial["ra"] == "1871.43"  # (9500 + 3600) / 7
        assert scene.rating("1")["pending_games"] == 5
        scene.holds()

    def test_a_first_event_without_a_point_is_left_out(self):
        scene = Scene()
        for name, result in (("a", "0-1"), ("b", "1-0")):
            day = {"a": "2025-10-01", "b": "2025-10-20"}[name]
            scene.say(tournament(name, status="finished", starts_on=day, ends_on=day))
            scene.say(entrant("1", unrated=True, tournament_id=name))
            other = {"player_id": f"x:{name}", "rating": 1900}
            scene.say(game("g", "1", other, result, tournament_id=name))
        assert scene.rating("1")["initial"]["games"] == 1
        scene.holds()

    @pytest.mark.parametrize("most", [1, 50])
    def test_an_opponents_late_rating_reaches_the_first_rating(self, most):
        scene = Scene(most=most).say(tournament(), entrant("1", unrated=True), entrant("2"))
        scene.say(game("g", "1", "2", "1-0"))
        assert scene.rating("1")["initial"]["games"] == 0
        scene.say(entrant("2", 1900, 20, revision=2))
        assert scene.rating("1")["initial"]["games"] == 1
        scene.holds()

    def test_an_entrant_who_is_somebody_else_takes_his_first_rating_with_him(self):
        scene = Scene().say(tournament(), entrant("1", unrated=True, entrant_id="n1"), entrant("2", 1900, 20))
        scene.say(game("g", {"entrant_id": "n1"}, "2", "1-0"))
        scene.say(entrant("3", unrated=True, entrant_id="n1", revision=2))
        assert scene.rating("1") is None
        assert scene.rating("3")["initial"]["games"] == 1
        scene.holds()

    @pytest.mark.parametrize("revisions", [(2, 2), (2, 9), (9, 2)], ids=str)
    def test_two_newcomers_were_taken_for_each_other(self, revisions):
        scene = Scene().say(tournament(), entrant("9", 1900, 20))
        for name in ("1", "3"):
            scene.say(entrant(name, unrated=True, entrant_id=f"n{name}"))
            scene.say(game(f"g{name}", {"entrant_id": f"n{name}"}, "9", "1-0" if name == "1" else "0-1"))
        for name, other, revision in (("1", "3", revisions[0]), ("3", "1", revisions[1])):
            for number in range(2, revision + 1):
                scene.say(entrant(other, unrated=True, entrant_id=f"n{name}", revision=number))
        assert scene.rating("3")["initial"]["points"] == "1"
        assert scene.rating("1")["initial"]["games"] == 0  # no point in his first event
        scene.holds()

    def test_a_pairing_corrected_takes_the_game_out_of_the_first_rating(self):
        """Opponents with many revisions go with it: the event's revision grows all the same."""
        scene = Scene().say(tournament(), entrant("1", unrated=True), entrant("3", 1800, 20))
        scene.say(*(entrant("2", 1900 + n, 20, revision=n) for n in range(1, 8)))
        scene.say(game("g", "1", "2", "1-0"), game("h", "1", "3", "1-0"))
        assert scene.rating("1")["initial"]["games"] == 2
        scene.say(game("g", "3", "2", "1-0", revision=2))
        assert scene.rating("1")["initial"]["games"] == 1
        scene.holds()
