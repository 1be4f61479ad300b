"""What must be true of a match or a round robin, and the words for games that do not count."""

from __future__ import annotations

import pytest

from elowire.domain import (
    EDITIONS,
    Completeness,
    Refusal,
    System,
    completeness,
    edition_by_id,
    is_rateable_round_robin,
    match_refusals,
    round_robin_games,
    system_as_rated,
    system_in_use,
)

WIN, DRAW, LOSS = (100, 0), (50, 50), (0, 100)
DECIDED = Refusal.DECIDED_MATCH


@pytest.mark.parametrize(
    ("games", "planned", "refusals"),
    [
        ([WIN, WIN, WIN, WIN], 4, [None, None, None, DECIDED]),
        ([LOSS, LOSS, LOSS, WIN], 4, [None, None, None, DECIDED]),
        ([WIN, WIN, DRAW, DRAW], 4, [None, None, None, DECIDED]),
        ([WIN, LOSS, WIN, LOSS], 4, [None] * 4),
        ([WIN, WIN], 4, [None, None]),
        ([], 4, []),
        ([WIN, WIN, WIN], 3, [None, None, DECIDED]),
        ([WIN] * 52, 100, [None] * 51 + [DECIDED]),
    ],
)
def test_6_games_after_a_match_is_decided(games, planned, refusals):
    assert list(match_refusals(games, planned=planned)) == refusals


def test_6_unless_that_was_waived():
    assert match_refusals([WIN] * 4, planned=4, waived=True) == (None,) * 4


def test_6_a_match_of_unknown_length_is_never_known_to_be_decided():
    assert match_refusals([WIN] * 20, planned=None) == (None,) * 20


@pytest.mark.parametrize(
    ("stated", "players", "system"),
    [
        (None, 2, System.MATCH),
        (None, 1, System.SWISS),
        (None, 3, System.SWISS),
        (System.MATCH, 8, System.MATCH),
        (System.ROUND_ROBIN, 2, System.ROUND_ROBIN),
        (System.SWISS, 2, System.SWISS),
    ],
)
def test_6_what_is_a_match(stated, players, system):
    assert system_in_use(stated, players=players) is system


@pytest.mark.parametrize(
    ("games", "expected", "found"),
    [
        (66, 66, Completeness.COMPLETE),
        (65, 66, Completeness.TOO_FEW),
        (67, 66, Completeness.TOO_MANY),
        (0, None, Completeness.NOT_SAID),
        (0, 1, Completeness.TOO_FEW),
    ],
)
def test_completeness_at_the_finish(games, expected, found):
    assert completeness(games, expected) is found


@pytest.mark.parametrize(
    ("players", "games", "expected"),
    [
        (12, 66, 66),
        (12, 65, 66),
        (12, 0, 66),
        (12, 67, 132),
        (12, 132, 132),
        (2, 3, 3),
        (3, 2, 3),
        (1, 0, 0),
        (0, 0, 0),
    ],
)
def test_games_of_a_round_robin_are_those_of_whole_cycles(players, games, expected):
    assert round_robin_games(players=players, games=games) == expected


def test_6_a_match_with_an_unrated_player():
    assert match_refusals([WIN, DRAW], planned=4, both_rated=False) == (Refusal.UNRATED_OPPONENT,) * 2


@pytest.mark.parametrize(
    ("players", "rated", "double", "rateable"),
    [
        (10, 4, False, True),
        (12, 4, False, True),
        (12, 3, False, False),
        (13, 4, False, False),
        (9, 4, False, True),
        (9, 3, False, False),
        (6, 4, True, True),
        (5, 4, True, False),
        (6, 3, True, False),
    ],
)
def test_2003_6_rated_players_of_a_round_robin(players, rated, double, rateable):
    edition = edition_by_id("2003")

    assert is_rateable_round_robin(players=players, rated=rated, edition=edition, double=double) is rateable


def test_2003_6_a_single_round_robin_is_meant_unless_said():
    assert is_rateable_round_robin(players=5, rated=4, edition=edition_by_id("2003"))


def test_2022_6_has_no_rule_for_round_robins():
    assert is_rateable_round_robin(players=10, rated=1, edition=edition_by_id("2022-01"))


@pytest.mark.parametrize(
    ("system", "complete", "rated_as"),
    [
        (System.ROUND_ROBIN, True, System.ROUND_ROBIN),
        (System.ROUND_ROBIN, False, System.SWISS),
        (System.TEAM, False, System.TEAM),
        (System.MATCH, True, System.MATCH),
    ],
)
def test_2003_6_a_round_robin_with_an_unplayed_game_is_a_swiss(system, complete, rated_as):
    assert system_as_rated(system, complete=complete) is rated_as


@pytest.mark.parametrize(
    ("refusal", "until_2021", "since_2022"),
    [
        (Refusal.FORFEIT, "B.02 5", "B.02 5"),
        (Refusal.UNPLAYED, "B.02 5", "B.02 5"),
        (Refusal.BYE, "B.02 5", "B.02 5"),
        (Refusal.UNUSUAL_RESULT, "B.02 5", "B.02 5"),
        (Refusal.UNRATED_OPPONENT, "B.02 8.52", "B.02 8.3"),
        (Refusal.ZERO_SCORE_NEWCOMER, "B.02 8.21", "B.02 8.2"),
        (Refusal.LATE_REPORT, "B.02 9", "B.02 9"),
        (Refusal.DECIDED_MATCH, "B.02 6", "B.02 6"),
        (Refusal.RATING_GAP, "B.02 RB 7", "B.02 RB 7"),
    ],
)
def test_article_of_a_refusal(refusal, until_2021, since_2022):
    for edition in EDITIONS:
        assert refusal.article(edition) == (since_2022 if edition.id >= "2022" else until_2021)


WORDS = {
    "forfeit", "unplayed", "bye", "annulled", "not-rated-game", "not-rated-tournament", "unrated-opponent",
    "unresolved-entrant", "unresolved-rating", "rating-gap", "zero-score-newcomer", "cancelled-tournament",
    "unknown-tournament", "withdrawn", "unusual-result", "late-report", "decided-match", "ongoing",
}  # fmt: skip


def test_refusals_are_a_closed_set_and_each_says_where_it_comes_from():
    assert {refusal.value for refusal in Refusal} == WORDS
    without = {refusal for refusal in Refusal if not refusal.article(EDITIONS[0]).startswith("B.02")}

    assert without == {
        Refusal.ANNULLED, Refusal.NOT_RATED_GAME, Refusal.NOT_RATED_TOURNAMENT, Refusal.UNRESOLVED_ENTRANT,
        Refusal.UNRESOLVED_RATING, Refusal.CANCELLED_TOURNAMENT, Refusal.UNKNOWN_TOURNAMENT,
        Refusal.WITHDRAWN, Refusal.ONGOING,
    }  # fmt: skip
    assert Refusal.ANNULLED.article(EDITIONS[0]) == "the game was annulled by its source"


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: f"{edition.id}-5")
def test_unusual_results_are_rated_since_2024(edition):
    assert edition.rates_unusual_results == (edition.id in {"2024-03", "2025-10"})
