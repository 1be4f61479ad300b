"""Rules that need more than one game, through both stages; named by edition and article."""

from __future__ import annotations

from tests.oracle.events import entrant, game, published, tournament
from tests.stages.scene import Scene


def against(scene, number, opponent, result, **facts):
    other = {"player_id": f"x:{number}", "rating": opponent}
    return scene.say(game(f"g{number}", "1", other, result, **facts))


class TestOneUpgrade:
    """2022-01, 8.3.1: of a player's tournament only the game with the greatest difference is capped."""

    def scene(self):
        return Scene().say(
            tournament(edition="2022-01", starts_on="2025-10-12"),
            entrant("1", 2000, 20, rating_list="2025-10"),
        )

    def test_a_later_game_takes_the_cap_away_from_an_earlier_one(self):
        scene = against(self.scene(), 1, 1500, "1-0")
        assert scene.rated_game("1", "g1")["counted_difference"] == 400
        assert scene.change("1") == "1.60"

        against(scene, 2, 1100, "1-0")
        first, second = scene.rated_game("1", "g1"), scene.rated_game("1", "g2")
        assert (first["counted_difference"], first["delta"]) == (500, "0.04")
        assert (second["counted_difference"], second["delta"]) == (400, "0.08")
        assert scene.change("1") == "2.40"
        scene.holds()

    def test_the_earlier_games_rated_game_is_sent_again(self):
        scene = against(self.scene(), 1, 1500, "1-0")
        assert len(scene.rated_games("1", "g1")) == 1
        against(scene, 2, 1100, "1-0")
        assert len(scene.rated_games("1", "g1")) == 2
        assert scene.rated_game("1", "g1")["version"] == scene.version("1")

    def test_the_cap_returns_when_the_later_game_is_annulled(self):
        scene = against(self.scene(), 1, 1500, "1-0")
        against(scene, 2, 1100, "1-0")
        against(scene, 2, 1100, "1-0", status="annulled", revision=2)
        assert scene.rated_game("1", "g1")["counted_difference"] == 400
        assert scene.change("1") == "1.60"
        scene.holds()

    def test_w7_seven_games_of_a_rapid_event(self):
        """Official (FIDE's calculation quoted by the player): -12.20; under the unlimited cap -8.40."""
        scene = Scene().say(
            tournament(edition="2022-01", time_control="rapid", starts_on="2023-02-01", rated_in="2025-12"),
            entrant("1", 2000, 20, rating_list="2025-10"),
        )
        games = [(1063, "1-0"), (1299, "1-0"), (1413, "1-0"), (1872, "1/2-1/2")]
        games += [(1851, "0-1"), (1427, "1-0"), (1682, "1-0")]
        for number, (opponent, result) in enumerate(games):
            against(scene, number, opponent, result)
        assert scene.change("1", "rapid") == "-12.20"
        scene.holds()

    def test_the_counted_difference_is_told_where_capped_and_uncapped_rate_alike(self):
        """405 and 400 points are both worth .92: only the difference says which game was capped."""
        scene = against(self.scene(), 1, 1595, "1-0")
        against(scene, 2, 1100, "1-0")
        assert scene.rated_game("1", "g1")["counted_difference"] == 405
        scene.holds()


class TestExemption:
    """2025-10, 8.3.1: from 2650 the full difference counts, for the own rating alone."""

    def test_the_two_sides_of_one_game_use_different_differences(self):
        scene = Scene().say(tournament(), entrant("1", 2650, 10), entrant("2", 2200, 20))
        scene.say(game("g", "1", "2", "1/2-1/2"))
        strong, weak = scene.rated_game("1", "g"), scene.rated_game("2", "g")
        assert (strong["counted_difference"], strong["expectancy"]) == (450, "0.94")
        assert (weak["counted_difference"], weak["expectancy"]) == (-400, "0.08")
        scene.holds()

    def test_one_point_below_is_capped(self):
        scene = Scene().say(tournament(), entrant("1", 2649, 10), entrant("2", 2200, 20))
        scene.say(game("g", "1", "2", "1-0"))
        assert scene.rated_game("1", "g")["counted_difference"] == 400

    def test_not_in_rapid(self):
        scene = Scene().say(tournament(time_control="rapid"), entrant("1", 2700, 10), entrant("2", 2250, 20))
        scene.say(game("g", "1", "2", "1-0"))
        assert scene.rated_game("1", "g")["counted_difference"] == 400


class TestRapid:
    def test_games_with_a_gap_of_600_above_2600_are_not_rated(self):
        """From 1 December 2024: 1800 v 2601 no change, 1900 v 2600 rated."""
        scene = Scene().say(tournament(time_control="blitz", starts_on="2025-01-02", rated_in="2025-12"))
        for player, rating in (("1", 2601), ("2", 1800), ("3", 2600), ("4", 1900)):
            scene.say(entrant(player, rating, 20))
        scene.say(game("far", "1", "2", "1-0"), game("near", "3", "4", "1-0"))
        assert scene.rated_game("1", "far")["refusal"] == "rating-gap"
        assert scene.rated_game("3", "near")["refusal"] is None
        scene.holds()

    def test_the_three_time_controls_are_three_ratings(self):
        scene = Scene().say(published("1", "2025-10", 2000, 20, rapid={"rating": 1900, "k": 20}))
        for control in ("standard", "rapid", "blitz"):
            scene.say(tournament(control, time_control=control))
            other = {"player_id": "2", "rating": 1950}
            scene.say(game("g", {"player_id": "1", "rating": 2000}, other, tournament_id=control))
        assert scene.rating("1", "standard")["published"]["rating"] == 2000
        assert scene.rating("1", "rapid")["published"]["rating"] == 1900
        assert scene.rating("1", "blitz")["published"]["rating"] == 2000
        assert scene.rating("1", "blitz")["published"]["list"] == "2025-10"
        scene.holds()


class TestUnusualResults:
    def test_a_played_game_without_points_is_rated_from_2024(self):
        scene = Scene().say(tournament(), entrant("1", 2000, 20), entrant("2", 2000, 20))
        scene.say(game("g", "1", "2", "0-0"))
        assert scene.change("1") == scene.change("2") == "-10.00"
        scene.holds()

    def test_it_is_refused_before(self):
        scene = Scene().say(tournament(edition="2017-07"), entrant("1", 2000, 20), entrant("2", 2000, 20))
        scene.say(game("g", "1", "2", "1/2-0"))
        assert scene.rated_game("1", "g")["refusal"] == "unusual-result"
        assert scene.line("1")["points"] == "0.5"
        scene.holds()
