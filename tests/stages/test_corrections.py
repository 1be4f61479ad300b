"""A corrected, annulled or late fact is an ordinary event; what it changes is published with the reason."""

from __future__ import annotations

import itertools

import pytest

from tests.oracle.events import entrant, game, tournament
from tests.stages.scene import Scene

TWO = (entrant("1", 2000, 20), entrant("2", 2000, 20))


def begun():
    return Scene().say(tournament(), *TWO)


class TestLateFacts:
    """A game waits, visibly, until its tournament and its players' facts are known."""

    @pytest.mark.parametrize("order", list(itertools.permutations(range(4))), ids=str)
    def test_any_order_of_tournament_entrants_and_game(self, order):
        events = [tournament(), *TWO, game("g", "1", "2", "1-0")]
        scene = Scene(most=1).say(*(events[number] for number in order))
        assert (scene.change("1"), scene.change("2")) == ("10.00", "-10.00")
        scene.holds()

    def test_the_reason_is_visible_while_it_waits(self):
        scene = Scene().say(game("g", "1", {"entrant_id": "n2"}, "1-0"))
        assert scene.rated_game("1", "g")["refusal"] == "unknown-tournament"
        scene.say(tournament())
        assert scene.rated_game("1", "g")["refusal"] == "unresolved-entrant"
        scene.say(entrant("2", tournament_id="t", entrant_id="n2"))
        assert scene.rated_game("1", "g")["refusal"] == "unresolved-rating"
        scene.say(entrant("1", 2000, 20), entrant("2", 2000, 20, entrant_id="n2", revision=2))
        assert scene.rated_game("1", "g")["refusal"] is None
        assert scene.cause("1") == "facts"
        scene.holds()

    def test_an_opponents_late_rating_reaches_the_line(self):
        scene = Scene().say(tournament(), entrant("1", 2000, 20), entrant("2"), game("g", "1", "2", "1-0"))
        assert scene.line("1")["rated_games"] == 0
        scene.say(entrant("2", 2000, 20, revision=2))
        assert scene.line("1")["sum_change"] == "0.50"
        scene.holds()

    def test_players_printed_beside_the_games_have_lines_when_the_tournament_is_announced(self):
        printed = {"player_id": "1", "rating": 2000, "k": 20}, {"player_id": "2", "rating": 2000, "k": 20}
        scene = Scene().say(game("g", *printed)).say(tournament())
        assert scene.line("1")["change"] == "10.00"
        scene.holds()


class TestResults:
    def test_a_corrected_result(self):
        scene = begun().say(game("g", "1", "2", "1-0"))
        scene.say(game("g", "1", "2", "0-1", revision=2))
        assert (scene.change("1"), scene.cause("1"), scene.version("1")) == ("-10.00", "correction", 2)
        scene.holds()

    def test_a_correction_before_its_original(self):
        scene = begun().say(game("g", "1", "2", "0-1", revision=2), game("g", "1", "2", "1-0"))
        assert scene.change("1") == "-10.00"
        assert scene.dead() == ["older-revision"]
        scene.holds()

    def test_annulled_and_reinstated(self):
        scene = begun().say(game("g", "1", "2", "1-0"))
        scene.say(game("g", "1", "2", "1-0", revision=2, status="annulled"))
        assert (scene.change("1"), scene.cause("1")) == ("0.00", "annulment")
        assert scene.rated_game("1", "g")["status"] == "annulled"
        assert scene.rating("1")["pending_games"] == 0
        scene.say(game("g", "1", "2", "1-0", revision=3))
        assert (scene.change("1"), scene.rated_game("1", "g")["status"]) == ("10.00", "pending")
        scene.holds()

    def test_a_forfeit_after_a_played_result_scores_and_is_not_rated(self):
        scene = begun().say(game("g", "1", "2", "1-0"))
        scene.say(game("g", "1", "2", "0-1", revision=2, status="forfeit"))
        assert scene.change("1") == "0.00"
        assert scene.rated_game("1", "g")["refusal"] == "forfeit"
        assert (scene.line("2")["points"], scene.line("2")["rated_games"]) == ("1", 0)
        scene.holds()

    def test_a_running_game_changes_nothing_until_it_ends(self):
        scene = begun().say(game("g", "1", "2", "*"))
        assert scene.change("1") == "0.00"
        scene.say(game("g", "1", "2", "1-0", revision=2))
        assert (scene.change("1"), scene.cause("1")) == ("10.00", "game")
        scene.holds()

    def test_thirty_corrected_and_back_end_where_they_began(self):
        scene = begun().say(game("g", "1", "2", "1-0"))
        before = scene.rating("1")
        scene.say(game("g", "1", "2", "0-1", revision=2)).say(game("g", "1", "2", "1-0", revision=3))
        after = scene.rating("1")
        assert {k: v for k, v in after.items() if k != "previous"} == {
            k: v for k, v in before.items() if k != "previous"
        }
        scene.holds()


class TestPairings:
    def test_the_player_who_was_not_there_loses_the_game(self):
        scene = begun().say(entrant("3", 2200, 20), game("g", "1", "2", "1-0"))
        scene.say(game("g", "1", "3", "1-0", revision=2))
        assert scene.change("1") == "15.20"
        assert scene.change("2") is None
        assert scene.rated_game("2", "g")["refusal"] == "withdrawn"
        assert scene.change("3") == "-15.20"
        assert scene.line("2")["rated_games"] == 0
        scene.holds()

    def test_the_line_of_the_player_who_left_does_not_stay_behind(self):
        """An opponent who had many revisions goes with the game: the line's revision grows all the same."""
        scene = begun().say(*(entrant("2", 2000 + n, 20, revision=n) for n in range(2, 9)))
        scene.say(entrant("3", 2200, 20), game("g", "1", "2", "1-0"))
        scene.say(game("g", "3", "2", "1-0", revision=2))
        assert scene.line("1")["rated_games"] == 0
        scene.holds()

    def test_colours_swapped(self):
        scene = begun().say(game("g", "1", "2", "1-0"), game("g", "2", "1", "1-0", revision=2))
        assert (scene.change("1"), scene.change("2")) == ("-10.00", "10.00")
        scene.holds()


class TestIdentities:
    def test_the_player_becomes_known(self):
        scene = begun().say(game("g", "1", {"entrant_id": "n3"}, "1-0"))
        assert scene.rated_game("1", "g")["refusal"] == "unresolved-entrant"
        scene.say(entrant("3", 2200, 20, entrant_id="n3"))
        assert (scene.change("1"), scene.change("3")) == ("15.20", "-15.20")
        scene.holds()

    def test_it_was_somebody_else(self):
        scene = begun().say(
            entrant("3", 2200, 20, entrant_id="n3"), game("g", "1", {"entrant_id": "n3"}, "1-0")
        )
        scene.say(entrant("4", 2200, 20, entrant_id="n3", revision=2))
        assert (scene.change("3"), scene.change("4")) == (None, "-15.20")
        assert scene.rated_game("3", "g")["refusal"] == "withdrawn"
        assert scene.rating("4")["pending_games"] == 1
        scene.holds()

    def test_and_back_again(self):
        scene = begun().say(
            entrant("3", 2200, 20, entrant_id="n3"), game("g", "1", {"entrant_id": "n3"}, "1-0")
        )
        scene.say(entrant("4", 2200, 20, entrant_id="n3", revision=2))
        scene.say(entrant("3", 2200, 20, entrant_id="n3", revision=3))
        assert (scene.change("3"), scene.change("4")) == ("-15.20", None)
        scene.holds()

    def test_a_player_printed_beside_the_game_loses_it_when_the_entrant_is_another(self):
        printed = {"entrant_id": "n3", "player_id": "3", "rating": 2200, "k": 20}
        scene = begun().say(game("g", "1", printed, "1-0"))
        assert scene.change("3") == "-15.20"
        scene.say(entrant("4", 2200, 20, entrant_id="n3"))
        assert (scene.change("3"), scene.change("4")) == (None, "-15.20")
        assert scene.rated_game("3", "g")["refusal"] == "withdrawn"
        scene.holds()

    @pytest.mark.parametrize("most", [1, 50])
    def test_two_entrants_were_taken_for_each_other(self, most):
        scene = Scene(most=most).say(
            tournament(),
            entrant("1", 2000, 20),
            entrant("3", 2200, 20, entrant_id="n3"),
            entrant("4", 1800, 20, entrant_id="n4"),
            game("a", "1", "3", "1-0", round=1),
            game("b", "1", "4", "1-0", round=2),
        )
        scene.say(entrant("4", 1800, 20, entrant_id="n3", revision=2))
        scene.say(entrant("3", 2200, 20, entrant_id="n4", revision=2))
        assert (scene.change("3"), scene.change("4")) == ("-15.20", "-4.80")
        scene.holds()

    @pytest.mark.parametrize("events", list(itertools.permutations(range(3))), ids=str)
    def test_a_former_player_id_means_the_entrant_in_any_order(self, events):
        told = [
            entrant("3", 2200, 20, entrant_id="n3"),
            entrant("4", 2200, 20, entrant_id="n3", revision=2),
            game("g", "1", "3", "1-0"),
        ]
        scene = Scene(most=1).say(tournament(), entrant("1", 2000, 20))
        scene.say(*(told[number] for number in events))
        assert scene.change("4") == "-15.20"
        scene.holds()

    def test_a_former_player_id_means_the_entrant_after_a_restart_too(self):
        scene = Scene(most=1).say(
            tournament(), entrant("1", 2000, 20), entrant("3", 2200, 20, entrant_id="n3")
        )
        scene.say(entrant("4", 2200, 20, entrant_id="n3", revision=2))
        scene.lane.restart()
        scene.say(game("g", "1", "3", "1-0"))
        assert scene.change("4") == "-15.20"
        scene.holds()

    def test_a_name_that_comes_to_mean_another_entrant_leaves_nobody_behind(self):
        """The game names player 3: first that is who n5 once was, then n6 turns out to be him."""
        scene = begun().say(entrant("3", 2200, 20, entrant_id="n5"), game("g", "1", "3", "1-0"))
        scene.say(entrant("5", 2200, 20, entrant_id="n5", revision=2))
        assert (scene.change("3"), scene.change("5")) == (None, "-15.20")
        scene.say(entrant("3", 2100, 20, entrant_id="n6"))
        assert (scene.change("3"), scene.change("5")) == ("-12.80", None)
        scene.holds()

    def test_printed_players_are_not_forgotten_when_pairing_and_entrant_change_at_once(self):
        printed = {"entrant_id": "n3", "player_id": "3", "rating": 2200, "k": 20}
        scene = begun().say(game("g", "1", printed, "1-0"))
        assert scene.change("3") == "-15.20"
        scene.lane.most = 500
        scene.say(game("g", "1", "2", "1-0", revision=2), entrant("4", 2200, 20, entrant_id="n3"))
        assert scene.change("3") is None
        scene.holds()

    def test_a_player_against_himself_waits_for_a_correction(self):
        scene = begun().say(
            game("g", "1", {"entrant_id": "n2"}, "1-0"), entrant("1", 2000, 20, entrant_id="n2")
        )
        assert scene.rated_game("1", "g")["refusal"] == "unresolved-entrant"
        scene.say(entrant("2", 2000, 20, entrant_id="n2", revision=2))
        assert (scene.change("1"), scene.change("2")) == ("10.00", "-10.00")
        scene.holds()


class TestTournaments:
    def test_cancelled_and_reinstated(self):
        scene = begun().say(game("g", "1", "2", "1-0"), tournament(revision=2, status="cancelled"))
        assert scene.change("1") == "0.00"
        assert scene.rated_game("1", "g")["refusal"] == "cancelled-tournament"
        scene.say(tournament(revision=3))
        assert scene.change("1") == "10.00"
        scene.holds()

    def test_another_edition(self):
        scene = Scene().say(tournament(edition="2024-03"), entrant("1", 2700, 10), entrant("2", 2200, 20))
        scene.say(game("g", "1", "2", "1-0"))
        assert scene.change("1") == "0.80"
        scene.say(tournament(edition="2025-10", revision=2))
        assert scene.change("1") == "0.40"
        scene.holds()

    def test_another_time_control_moves_the_games(self):
        scene = begun().say(game("g", "1", "2", "1-0"), tournament(time_control="rapid", revision=2))
        assert scene.rating("1", "standard") is None
        assert scene.change("1", "rapid") == "10.00"
        scene.holds()

    def test_a_changed_name_says_nothing_again(self):
        scene = begun().say(game("g", "1", "2", "1-0"))
        version = scene.version("1")
        scene.say(tournament(name="Renamed", revision=2))
        assert scene.version("1") == version
        assert len(scene.rated_games("1", "g")) == 1
        scene.holds()


class TestRepetition:
    def test_an_exact_duplicate_says_nothing(self):
        scene = begun().say(game("g", "1", "2", "1-0"))
        said = {
            topic: len(scene.lane.all(topic)) for topic in ("live-ratings", "rated-games", "dead-letters")
        }
        scene.repeat(0, 1, 2, 3, 3, 3)
        assert {topic: len(scene.lane.all(topic)) for topic in said} == said
        scene.holds()

    def test_the_same_content_under_another_event_id_says_nothing(self):
        scene = begun().say(game("g", "1", "2", "1-0"))
        version = scene.version("1")
        scene.say(game("g", "1", "2", "1-0"))
        assert (scene.version("1"), scene.dead()) == (version, [])
        scene.holds()
