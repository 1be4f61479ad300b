"""Lists, base corrections, `rated_in` and reported changes: what stands on what, and when it is settled."""

from __future__ import annotations

import itertools

import pytest

from tests.oracle.events import entrant, game, published, reported, tournament
from tests.stages.scene import Scene

CONTROLS = ("standard", "rapid", "blitz")


def with_game(*lists, **facts):
    """A game worth 10.00 at K 20 in the list of November 2025."""
    scene = Scene().say(*lists, tournament(**facts), entrant("1", 2000, 20), entrant("2", 2000, 20))
    return scene.say(game("g", "1", "2", "1-0"))


class TestArrival:
    def test_a_list_settles_rebases_and_says_that_the_prediction_was_right(self):
        scene = with_game(published("1", "2025-10", 2000, 20))
        assert (scene.live("1"), scene.rating("1")["predicted"]) == ("2010.0", 2010)
        scene.say(published("1", "2025-11", 2010, 20, 1))
        assert (scene.live("1"), scene.change("1"), scene.cause("1")) == ("2010.0", "0.00", "list")
        assert scene.rating("1")["previous"] == {"live": "2010.0", "predicted": 2010}
        assert scene.rated_game("1", "g")["status"] == "settled"
        assert scene.reconciliations("1") == [
            {
                "player_id": "1",
                "list": "2025-11",
                "standard": {
                    "published": 2010,
                    "predicted": 2010,
                    "difference": 0,
                    "verdict": "equal",
                    "sides": 1,
                },
            }
        ]
        scene.holds()

    def test_games_of_the_next_period_stay(self):
        scene = with_game(published("1", "2025-10", 2000, 20))
        scene.say(tournament("u", starts_on="2025-11-03", ends_on="2025-11-09"))
        scene.say(entrant("1", 2000, 20, tournament_id="u", rating_list="2025-10"))
        scene.say(game("g", "1", {"player_id": "2", "rating": 2000}, "1-0", tournament_id="u"))
        assert (scene.change("1"), scene.rating("1")["pending_games"]) == ("20.00", 2)
        scene.say(published("1", "2025-11", 2010, 20))
        assert (scene.live("1"), scene.change("1")) == ("2020.0", "10.00")
        assert [r["standard"]["verdict"] for r in scene.reconciliations("1")] == ["equal"]
        scene.holds()

    def test_an_older_list_changes_nothing(self):
        scene = with_game(published("1", "2025-11", 2010, 20))
        before = scene.rating("1")
        scene.say(published("1", "2025-10", 2000, 20))
        assert scene.rating("1") == before
        scene.holds()

    def test_nothing_is_said_of_players_whom_nobody_asked_for(self):
        scene = Scene().say(published("7", "2025-10", 2000, 20), published("7", "2025-11", 2001, 20))
        assert scene.rating("7") is None
        assert scene.lane.all("live-ratings") == []

    @pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
    def test_a_settled_game_is_told_whichever_came_first(self, order):
        told = [
            published("1", "2025-11", 2010, 20),
            tournament(),
            game("g", "1", "2", "0-1", status="forfeit"),
        ]
        scene = Scene(most=1).say(entrant("1", 2000, 20), entrant("2", 2000, 20))
        scene.say(*(told[number] for number in order))
        assert scene.live("1") == "2010.0"
        assert scene.rated_game("1", "g")["status"] == "settled"
        scene.holds()

    def test_the_first_word_on_a_player_has_all_his_ratings(self):
        scene = Scene().say(published("1", "2025-10", 2000, 20, rapid={"rating": 1900, "k": 20}))
        scene.say(tournament(), entrant("1", 2000), game("g", "1", {"player_id": "2", "rating": 2000}))
        assert scene.live("1", "rapid") == "1900.0"
        scene.holds()

    def test_k_of_the_list_wins_and_is_cut_over_the_period(self):
        scene = with_game(published("1", "2025-10", 2000, 10))
        assert (scene.change("1"), scene.rating("1")["k_reason"]) == ("5.00", "list")

    def test_a_list_without_k_takes_the_entrants(self):
        scene = with_game(published("1", "2025-10", 2000))
        assert (scene.change("1"), scene.rating("1")["k_reason"]) == ("10.00", "entrant")
        scene.holds()

    def test_a_list_of_a_time_before_the_editions_is_no_poison(self):
        scene = Scene().say(published("1", "1999-01", 2000))
        scene.say(tournament(), entrant("1", 2000), game("g", "1", {"player_id": "2", "rating": 2000}))
        assert scene.rating("1") is not None


class TestReconciliation:
    def verdict(self, scene, rating, *, games=None, player="1", rating_list="2025-11"):
        scene.say(published(player, rating_list, rating, 20, games))
        return scene.reconciliations(player)[-1]["standard"]["verdict"]

    def test_unknown_games(self):
        scene = with_game(published("1", "2025-10", 2000, 20))
        assert self.verdict(scene, 2014, games=3) == "unknown-games"

    def test_unexplained(self):
        scene = with_game(published("1", "2025-10", 2000, 20))
        assert self.verdict(scene, 2014, games=1) == "unexplained"

    def test_a_base_that_was_corrected(self):
        scene = with_game(published("1", "2025-10", 2000, 20))
        scene.say(published("1", "2025-10", 1998, 20, revision=2, kind="correction"))
        assert self.verdict(scene, 2014, games=1) == "base-correction"

    def per_event(self, *more):
        """Two events of +2.80 each at K 10: once +6 (5.60), by event +3 and +3, alike; with three not."""
        scene = Scene().say(published("1", "2025-10", 2000, 10))
        for number in range(3):
            scene.say(reported("1", "0.26", tournament_id=f"r{number}", games=1))
        return scene.say(*more)

    def test_rounding_by_event(self):
        """3 x 2.60 = 7.80 is 8 when rounded once, 9 by event."""
        assert self.verdict(self.per_event(), 2009, games=3) == "per-event-rounding"

    def test_an_annulled_report_is_no_part_of_it(self):
        gone = reported("1", "5.00", tournament_id="gone", revision=2, status="annulled", games=4)
        assert self.verdict(self.per_event(gone), 2009, games=3) == "per-event-rounding"

    def test_the_games_of_an_annulled_report_are_not_missed(self):
        gone = reported("1", "5.00", tournament_id="gone", revision=2, status="annulled", games=4)
        assert self.verdict(self.per_event(gone), 2013, games=3) == "unexplained"

    def test_rounding_by_event_with_the_cut_k(self):
        """W5's figures: 24.48 + 19.38 + 39.78 + 13.43 - 4.59 is 2146, by event 2145, with K 17."""
        scene = Scene().say(published("1", "2025-10", 2054, 20))
        sums = ((8, "1.44"), (8, "1.14"), (6, "2.34"), (8, "0.79"), (9, "-0.27"))
        for number, (games, total) in enumerate(sums):
            scene.say(reported("1", total, tournament_id=f"r{number}", games=games))
        assert scene.rating("1")["predicted"] == 2146
        assert self.verdict(scene, 2145, games=39) == "per-event-rounding"

    def test_rapid_before_2017_is_cut_as_it_was_predicted(self):
        """The limit of 700 held for rapid and blitz from 2012, for standard from 2017."""
        scene = Scene().say(
            published("1", "2016-05", 2000, 20, rapid={"rating": 2000, "k": 20}),
            reported(
                "1",
                "10.00",
                time_control="rapid",
                games=50,
                starts_on="2016-05-02",
                ends_on="2016-05-09",
            ),
        )
        assert scene.rating("1", "rapid")["predicted"] == 2140
        scene.say(published("1", "2016-06", 2000, 20, rapid={"rating": 2140, "k": 20}))
        assert scene.reconciliations("1")[-1]["rapid"]["verdict"] == "equal"
        scene.holds()


class TestBaseCorrections:
    def test_the_live_rating_moves_with_its_base(self):
        scene = with_game(published("1", "2025-10", 2000, 20))
        scene.say(published("1", "2025-10", 1996, 20, revision=2, kind="correction"))
        assert (scene.live("1"), scene.cause("1")) == ("2006.0", "base-correction")
        scene.holds()

    def test_the_highest_revision_wins_in_any_order(self):
        scene = Scene().say(published("1", "2025-10", 1996, 20, revision=2, kind="correction"))
        scene.say(published("1", "2025-10", 2000, 20))
        scene.say(tournament(), entrant("1", 2000, 20), game("g", "1", {"player_id": "2", "rating": 2000}))
        assert scene.rating("1")["published"]["rating"] == 1996
        scene.holds()

    def test_a_correction_of_a_list_that_is_not_the_base_changes_nothing(self):
        scene = with_game(published("1", "2025-10", 2000, 20), published("1", "2025-11", 2010, 20))
        version = scene.version("1")
        scene.say(published("1", "2025-10", 1990, 20, revision=2, kind="correction"))
        assert scene.version("1") == version
        scene.holds()


class TestRatedIn:
    def test_it_moves_pending_games_to_another_period(self):
        scene = with_game(published("1", "2025-10", 2000, 20))
        scene.say(tournament(rated_in="2025-12", revision=2))
        assert scene.rated_game("1", "g")["rating_period"] == "2025-12"
        scene.say(published("1", "2025-11", 2000, 20))
        assert (scene.live("1"), scene.rated_game("1", "g")["status"]) == ("2010.0", "pending")
        scene.holds()

    def test_it_takes_a_settled_game_into_the_next_period(self):
        scene = with_game(published("1", "2025-10", 2000, 20)).say(published("1", "2025-11", 2000, 20))
        assert (scene.live("1"), scene.rated_game("1", "g")["status"]) == ("2000.0", "settled")
        scene.say(tournament(rated_in="2025-12", revision=2))
        assert (scene.live("1"), scene.rated_game("1", "g")["status"]) == ("2010.0", "pending")
        scene.holds()

    def test_and_back(self):
        scene = with_game(published("1", "2025-10", 2000, 20)).say(published("1", "2025-11", 2000, 20))
        scene.say(tournament(rated_in="2025-12", revision=2)).say(tournament(revision=3))
        assert (scene.live("1"), scene.rated_game("1", "g")["status"]) == ("2000.0", "settled")
        scene.holds()


class TestLateCorrections:
    def test_a_settled_game_is_corrected_in_public_and_changes_no_live_rating(self):
        scene = with_game(published("1", "2025-10", 2000, 20)).say(published("1", "2025-11", 2010, 20))
        version = scene.version("1")
        scene.say(game("g", "1", "2", "0-1", revision=2))
        late = scene.rated_game("1", "g")
        assert (late["points"], late["delta"], late["status"]) == ("0", "-0.50", "settled")
        assert (scene.live("1"), scene.version("1")) == ("2010.0", version)
        scene.holds()

    def test_a_settled_game_is_annulled_in_public(self):
        scene = with_game(published("1", "2025-10", 2000, 20)).say(published("1", "2025-11", 2010, 20))
        scene.say(game("g", "1", "2", "1-0", revision=2, status="annulled"))
        assert scene.rated_game("1", "g")["status"] == "annulled"
        scene.holds()


class TestReportedChanges:
    def test_one_more_line_of_the_period(self):
        scene = with_game(published("1", "2025-10", 2000, 20))
        scene.say(reported("1", "-0.26", games=9))
        assert (scene.change("1"), scene.rating("1")["pending_games"]) == ("4.80", 1)
        scene.holds()

    def test_its_games_count_towards_the_cut(self):
        scene = with_game(published("1", "2025-10", 2000, 20))
        scene.say(reported("1", "0.00", games=38))
        assert (scene.rating("1")["k_used"], scene.change("1")) == (17, "8.50")
        scene.holds()

    def test_revised_and_annulled(self):
        scene = with_game(published("1", "2025-10", 2000, 20)).say(reported("1", "-0.26"))
        scene.say(reported("1", "0.10", revision=2))
        assert (scene.change("1"), scene.cause("1")) == ("12.00", "correction")
        scene.say(reported("1", "0.10", revision=3, status="annulled"))
        assert (scene.change("1"), scene.cause("1")) == ("10.00", "annulment")
        scene.holds()

    def test_an_older_revision_changes_nothing(self):
        scene = with_game(published("1", "2025-10", 2000, 20))
        scene.say(reported("1", "0.10", revision=2), reported("1", "-0.26", revision=1))
        assert scene.change("1") == "12.00"
        scene.holds()

    def test_a_list_settles_it(self):
        scene = Scene().say(published("1", "2025-10", 2000, 10), reported("1", "0.57"))
        assert scene.rating("1")["predicted"] == 2006
        scene.say(published("1", "2025-11", 2006, 10))
        assert (scene.live("1"), scene.change("1")) == ("2006.0", "0.00")
        assert scene.reconciliations("1")[-1]["standard"]["verdict"] == "equal"
        scene.holds()


class TestFactsAsBase:
    """Where no list is known here, the entrant's own facts serve, and the output names their list."""

    def test_the_newest_list_of_the_facts_is_the_base(self):
        scene = Scene().say(tournament("a"), tournament("b"))
        scene.say(entrant("1", 2000, 20, tournament_id="a", rating_list="2025-09"))
        scene.say(entrant("1", 2050, 10, tournament_id="b", rating_list="2025-10"))
        for name in ("a", "b"):
            scene.say(game("g", "1", {"player_id": "2", "rating": 2000}, tournament_id=name))
        assert scene.rating("1")["published"] == {"list": "2025-10", "rating": 2050, "k": 10, "games": None}
        scene.holds()

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=str)
    def test_of_equal_facts_the_choice_does_not_depend_on_the_order(self, order):
        scene = Scene().say(tournament("a"), tournament("b"))
        facts = [
            ("a", {"source": "list", "birth_year": 2010}),
            ("b", {"source": "arbiter", "birth_year": 1980}),
        ]
        for number in order:
            name, more = facts[number]
            scene.say(entrant("1", 2000, 20, tournament_id=name, **more))
            scene.say(game("g", "1", {"player_id": "2", "rating": 2000}, tournament_id=name))
        assert scene.rating("1")["k_reason"] == "list"
        scene.holds()

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=str)
    def test_nor_does_a_k_that_the_edition_decides(self, order):
        scene = Scene()
        editions = ("2009-07", "2014-07")
        for number in order:
            name = f"t{number}"
            scene.say(tournament(name, edition=editions[number]))
            scene.say(entrant("1", 2000, tournament_id=name, games_played=5, birth_year=1980))
            scene.say(game("g", "1", {"player_id": "2", "rating": 2000}, tournament_id=name))
        assert (scene.rating("1")["k_used"], scene.rating("1")["k_reason"]) == (40, "new-player")
        scene.holds()

    def test_the_figure_printed_beside_the_game_is_the_last_resort(self):
        scene = Scene().say(tournament(), entrant("1", 2100, 10))
        scene.say(game("g", {"player_id": "1", "rating": 1900, "k": 40}, {"player_id": "2", "rating": 2100}))
        assert scene.rated_game("1", "g")["own_rating"] == 2100
        assert scene.rated_game("2", "g")["own_rating"] == 2100
        assert scene.change("1") == "5.00"
        scene.holds()
