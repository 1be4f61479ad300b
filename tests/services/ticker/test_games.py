from __future__ import annotations

from elowire.ticker.games import Games
from elowire.ticker.readings import GameReading
from tests.services.ticker.records import game


def take(games, player, number, version, *, at=1, a_copy=False, **more):
    reading = GameReading.model_validate(game(player, number, version, **more))
    return games.take(reading, f"{version}".encode(), at=at, a_copy=a_copy)


def kept(games, player):
    return [(side.version, side.status) for side in games.of_player(player)]


def test_a_correction_remembers_what_stood_there():
    games = Games()
    take(games, "1", 1, 1, points="1")
    take(games, "1", 1, 2, points="0", at=77)

    assert [side.corrected for side in games.of_player("1")] == [("1", 77)]


def test_live_ratings_tell_of_a_correction_when_games_hold_the_last_word_alone():
    games = Games()
    take(games, "1", 1, 5, points="0")
    take(games, "1", 1, 3, points="1", at=7, a_copy=True)
    take(games, "1", 1, 5, points="0", at=8, a_copy=True)

    assert [(side.points, side.corrected) for side in games.of_player("1")] == [("0", ("1", 8))]


def test_a_result_after_a_running_game_is_no_correction():
    games = Games()
    take(games, "1", 1, 1, points=None, refusal="ongoing")
    take(games, "1", 1, 2, points="1")

    assert [side.corrected for side in games.of_player("1")] == [None]


def test_a_game_is_found_by_its_id_with_both_sides():
    games = Games()
    take(games, "2", 1, 1)
    take(games, "1", 1, 1)
    take(games, "3", 1, 1, tournament_id="cup")

    assert {name: [player for player, _ in sides] for name, sides in games.game("g1").items()} == {
        "open": ["1", "2"],
        "cup": ["3"],
    }
    assert list(games.game("g1", "cup")) == ["cup"]
    assert games.game("g9") == {}


def test_white_comes_first_and_players_without_colours_by_their_ids():
    games = Games()
    take(games, "1", 1, 1, colour="black")
    take(games, "2", 1, 1, colour="white")
    take(games, "2", 2, 1)
    take(games, "1", 2, 1)

    assert [[player for player, _ in sides] for _, sides in games.of_tournament("open")] == [
        ["2", "1"],
        ["1", "2"],
    ]


def test_colours_that_are_put_right_change_the_order_under_the_same_version():
    games = Games()
    for player, first, then in (("1", "white", "black"), ("2", "black", "white")):
        take(games, player, 1, 3, colour=first)
        take(games, player, 1, 3, colour=then)

    assert [player for player, _ in games.game("g1", "open")["open"]] == ["2", "1"]
    assert [side.corrected for side in games.of_player("1")] == [None]


def test_a_settled_game_leaves_its_tournament():
    games = Games()
    take(games, "1", 1, 1)
    assert games.is_playing("open")
    take(games, "1", 1, 2, status="settled")

    assert not games.is_playing("open")
    assert list(games.of_tournament("open")) == []


def test_settled_games_are_forgotten_two_lists_later_and_do_not_come_back():
    games = Games()
    for number in range(100):
        take(games, str(number), 1, 2, status="settled", rating_period="2025-08")
    assert len(games) == 100
    games.forget("2025-11")
    take(games, "1", 1, 1, rating_period="2025-08", a_copy=True)

    assert len(games) == 0


def test_a_newcomers_games_wait_for_years():
    games = Games()
    games.forget("2025-11")
    take(games, "1", 1, 1, rating_period="2024-01", own_rating=None)

    assert kept(games, "1") == [(1, "pending")]


def test_a_pending_game_is_never_forgotten():
    games = Games()
    take(games, "1", 1, 1, rating_period="2025-08")
    games.forget("2025-11")

    assert kept(games, "1") == [(1, "pending")]


def test_an_annulled_game_stays_in_sight_until_it_is_past():
    games = Games()
    take(games, "1", 1, 1, rating_period="2025-09")
    take(games, "1", 1, 2, rating_period="2025-09", status="annulled")
    assert kept(games, "1") == [(2, "annulled")]
    games.forget("2025-12")

    assert kept(games, "1") == []
