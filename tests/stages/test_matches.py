"""Matches (B.02 6): nothing counts after the decision, and nothing against a player who is unrated."""

from __future__ import annotations

import pytest

from tests.oracle.events import entrant, game, tournament
from tests.stages.scene import Scene

WHITE, BLACK, UNRATED = "1", "2", "3"


def match(*results, rounds=4, other=BLACK, **facts):
    """A match of 2400 against another, one game per round with alternating colours."""
    scene = Scene()
    scene.say(
        tournament(system="match", rounds=rounds),
        entrant(WHITE, 2400, k=10),
        entrant(other, None if other == UNRATED else 2400, unrated=other == UNRATED, k=10),
    )
    for number, result in enumerate(results, start=1):
        pair = (WHITE, other) if number % 2 else (other, WHITE)
        scene.say(game(f"g{number}", *pair, result, round=number, **facts))
    return scene


def refusals(scene, player=WHITE, games=4):
    return [scene.rated_game(player, f"g{n}")["refusal"] for n in range(1, games + 1)]


def test_games_after_the_decision_are_not_rated():
    scene = match("1-0", "0-1", "1-0", "0-1")
    assert refusals(scene) == [None, None, None, "decided-match"]
    assert refusals(scene, BLACK) == [None, None, None, "decided-match"]
    assert scene.change(WHITE) == "15.00"
    scene.holds()


def test_half_of_the_points_decide_nothing():
    scene = match("1-0", "0-1", "0-1", "1-0")
    assert refusals(scene) == [None] * 4
    scene.holds()


def test_a_correction_of_an_early_game_gives_back_the_last():
    scene = match("1-0", "0-1", "1-0", "0-1")
    scene.say(game("g1", WHITE, BLACK, "0-1", round=1, revision=2))
    assert refusals(scene) == [None] * 4
    scene.say(game("g1", WHITE, BLACK, "1-0", round=1, revision=3))
    assert refusals(scene) == [None, None, None, "decided-match"]
    scene.holds()


def test_a_longer_match_is_decided_later():
    scene = match("1-0", "0-1", "1-0", "0-1")
    scene.say(tournament(system="match", rounds=8, revision=2))
    assert refusals(scene) == [None] * 4
    scene.holds()


def test_a_match_whose_length_nobody_says_is_rated_whole():
    scene = match("1-0", "0-1", "1-0", "0-1", rounds=None)
    assert refusals(scene) == [None] * 4
    scene.holds()


@pytest.mark.parametrize("player", [WHITE, UNRATED])
def test_a_match_with_an_unrated_player_counts_for_nobody(player):
    scene = match("1-0", "1/2-1/2", other=UNRATED)
    assert refusals(scene, player, games=2) == ["unrated-opponent"] * 2
    assert scene.line(UNRATED)["initial"]["qualifies"] is False
    scene.holds()


def test_it_stops_being_a_match():
    scene = match("1-0", "0-1", "1-0", "0-1")
    scene.say(tournament(system="swiss", rounds=4, revision=2))
    assert refusals(scene) == [None] * 4
    scene.holds()
