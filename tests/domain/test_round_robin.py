"""Round robins with unrated players: the worked example, figure by figure, and what it leaves open."""

from __future__ import annotations

import pytest

from elowire.domain import (
    InitialReason,
    RoundRobinGame,
    RoundRobinPlayer,
    crosstable_of_games,
    crosstable_of_totals,
    edition_by_id,
    initial_rating,
    resolve_round_robin,
)

EXAMPLE = [
    RoundRobinPlayer("A", 2600, 800),
    RoundRobinPlayer("B", 2500, 700),
    RoundRobinPlayer("C", None, 700),
    RoundRobinPlayer("D", 2400, 600),
    RoundRobinPlayer("E", None, 600),
    RoundRobinPlayer("F", 2150, 400),
    RoundRobinPlayer("G", 2300, 300),
    RoundRobinPlayer("H", None, 200),
    RoundRobinPlayer("I", None, 100),
    RoundRobinPlayer("J", 2300, 100),
]


def resolve(name, players=EXAMPLE, **facts):
    edition = edition_by_id(name)

    return resolve_round_robin(crosstable_of_totals(players, edition, **facts), edition)


def of_games(name, players, games, **facts):
    edition = edition_by_id(name)

    return resolve_round_robin(crosstable_of_games(players, games, edition, **facts), edition)


@pytest.mark.parametrize("edition", ["2003", "2009-draft", "2009-07"])
def test_8_25_average_of_the_example(edition):
    """Official in the draft of 2009: Rar 2375, dpa 29.5, Ra 2348."""
    report = resolve(edition)

    assert (report.rar, report.dpa, report.ra_exact, report.ra) == (237500, 2950, 234845, 2348)
    assert [line.player for line in report.lines] == list("ABCDEFGHIJ")


# edition, player: p, dp, We, K, change
RATED = [
    ("2009-draft", "A", 89, 351, 736, 20, 1280),
    ("2009-draft", "B", 78, 220, 648, 20, 1040),
    ("2009-draft", "D", 67, 125, 540, 20, 1200),
    ("2009-draft", "F", 44, -43, 255, 30, 4350),
    ("2009-draft", "G", 33, -125, 421, 30, -3630),
    ("2009-draft", "J", 11, -351, 421, 30, -9630),
    ("2009-07", "A", 89, 351, 738, 10, 620),
    ("2009-07", "B", 78, 220, 650, 10, 500),
    ("2009-07", "D", 67, 125, 542, 10, 580),
    ("2009-07", "F", 44, -43, 256, 15, 2160),
    ("2009-07", "G", 33, -125, 424, 15, -1860),
    ("2009-07", "J", 11, -351, 424, 15, -4860),
    ("2003", "A", 89, 351, 711, 10, 890),
    ("2003", "B", 78, 220, 630, 10, 700),
    ("2003", "D", 67, 125, 513, 10, 870),
    ("2003", "F", 44, -43, 207, 15, 2895),
    ("2003", "G", 33, -125, 387, 15, -1305),
    ("2003", "J", 11, -351, 387, 15, -4305),
]


@pytest.mark.parametrize("row", RATED, ids=lambda row: f"{row[0]}-8.25-{row[1]}")
def test_rated_players_of_the_example(row):
    """Official in the draft of 2009 and in 2003, computed in 2009-07."""
    edition, player, p, dp, expected, k, change = row
    line = next(line for line in resolve(edition).lines if line.player == player)

    assert (line.p, line.dp, line.expected, line.k, line.change) == (p, dp, expected, k, change)
    assert line.delta == line.points - expected
    assert (line.games, line.rated_opponents, line.ru, line.first_event()) == (9, 5, None, None)


# edition, player: Ru, Rc(new), Ru(new)
UNRATED = [
    ("2009-draft", "C", 2423, 2348, 2423),
    ("2009-draft", "E", 2393, 2348, 2393),
    ("2009-draft", "H", 2150, 2342, 2144),
    ("2009-draft", "I", 2032, 2322, 2006),
    ("2009-07", "C", 2411, 2348, 2411),
    ("2009-07", "E", 2386, 2348, 2386),
    ("2009-07", "H", 2150, 2342, 2144),
    ("2009-07", "I", 2032, 2322, 2006),
    ("2003", "C", 2411, 2348, 2411),
    ("2003", "E", 2386, 2348, 2386),
    ("2003", "H", 2128, 2348, 2128),
    ("2003", "I", 1997, 2348, 1997),
]


@pytest.mark.parametrize("row", UNRATED, ids=lambda row: f"{row[0]}-8.25-{row[1]}")
def test_unrated_players_of_the_example(row):
    """Official in the draft of 2009 and in 2003, computed in 2009-07."""
    edition, player, ru, rc_new, ru_new = row
    line = next(line for line in resolve(edition).lines if line.player == player)

    assert (line.rc, line.ru, line.rc_new, line.ru_new) == (2348, ru, rc_new, ru_new)
    assert (line.rated_opponents, line.expected, line.change, line.disregarded) == (6, None, None, None)
    event = line.first_event()
    assert event is not None
    assert initial_rating([event], edition_by_id(edition)).ru == ru_new


@pytest.mark.parametrize(
    ("player", "rc", "rc_new"),
    [
        ("A", 2320, 2373),
        ("B", 2331, 2350),
        ("D", 2342, 2348),
        ("F", 2370, 2359),
        ("G", 2353, 2353),
        ("J", 2353, 2353),
    ],
)
def test_2003_average_of_a_rated_players_opponents(player, rc, rc_new):
    """Official: the table of the handbook page."""
    line = next(line for line in resolve("2003").lines if line.player == player)

    assert (line.rc, line.rc_new) == (rc, rc_new)


def test_8_25_new_ratings_of_the_draft():
    """Computed."""
    edition = edition_by_id("2009-draft")
    new = {
        line.player: line.rating + edition.round_change(line.change)
        for line in resolve("2009-draft").lines
        if line.rating is not None
    }

    assert new == {"A": 2613, "B": 2510, "D": 2412, "F": 2194, "G": 2264, "J": 2204}


def test_8_25_a_players_own_k_is_used():
    players = [EXAMPLE[0]._replace(k=40), *EXAMPLE[1:]]

    assert resolve("2009-draft", players).lines[0].change == 40 * 64


def test_2022_8_2_has_no_round_robin_method():
    with pytest.raises(
        ValueError, match="edition 2022-01 has no round-robin method: expected one until 2017-07"
    ):
        resolve("2022-01")


def test_nobody_rated_is_refused():
    players = [RoundRobinPlayer("A", None, 100), RoundRobinPlayer("B", None, 0)]

    with pytest.raises(ValueError, match="nobody with a game is rated: expected at least one rated player"):
        resolve("2014-07", players, begun={"A", "B"})


def test_a_name_twice_is_refused():
    with pytest.raises(ValueError, match="a player stands in the table twice"):
        resolve("2014-07", [*EXAMPLE, EXAMPLE[0]])


SMALL = [
    RoundRobinPlayer("A", 2400, 300),
    RoundRobinPlayer("B", 2300, 150),
    RoundRobinPlayer("C", 2200, 150),
    RoundRobinPlayer("N", None, 0),
]


def test_2014_8_21_a_newcomer_without_a_point_is_left_out_for_the_opponents_too():
    """Computed: what remains is the round robin of the three rated."""
    with_newcomer = resolve("2014-07", SMALL)
    without = resolve("2014-07", [player._replace(points=player.points - 100) for player in SMALL[:3]])

    assert with_newcomer.lines[:3] == without.lines
    assert with_newcomer.lines[3].disregarded is InitialReason.TOO_FEW_POINTS
    assert (with_newcomer.lines[3].ru, with_newcomer.lines[3].games) == (None, 0)
    assert with_newcomer.lines[3].first_event() is None


def test_2014_8_21_double_round_robin_takes_back_both_wins():
    players = [player._replace(points=player.points * 2) for player in SMALL]
    without = resolve(
        "2014-07", [player._replace(points=player.points - 200) for player in players[:3]], cycles=2
    )

    assert resolve("2014-07", players, cycles=2).lines[:3] == without.lines
    assert without.lines[0].games == 4


def test_2014_8_21_a_later_event_counts_without_a_point():
    line = resolve("2014-07", SMALL, begun={"N"}).lines[3]

    assert line.disregarded is None
    assert line.ru_new is not None


def test_2003_8_21_half_a_point_asks_for_the_games():
    players = [*SMALL[:2], SMALL[2]._replace(points=100), SMALL[3]._replace(points=50)]

    with pytest.raises(
        ValueError, match=r"N does not qualify under 2003 with 50 hundredths .* expected the games"
    ):
        resolve("2003", players)


SMALL_GAMES = [
    RoundRobinGame("A", "B", 100, 0),
    RoundRobinGame("A", "C", 100, 0),
    RoundRobinGame("N", "A", 0, 100),
    RoundRobinGame("B", "C", 50, 50),
    RoundRobinGame("B", "N", 100, 0),
    RoundRobinGame("C", "N", 100, 0),
]


@pytest.mark.parametrize("edition", ["2003", "2009-draft", "2014-07", "2017-07"])
@pytest.mark.parametrize("begun", [(), ("N",)])
def test_8_25_games_and_totals_agree(edition, begun):
    assert of_games(edition, SMALL, SMALL_GAMES, begun=begun) == resolve(edition, SMALL, begun=begun)


def test_2003_8_21_half_a_point_is_left_out_when_the_games_are_known():
    games = [*SMALL_GAMES[:-1], RoundRobinGame("C", "N", 50, 50)]
    report = of_games("2003", SMALL, games)

    assert report.lines[2].points == 50
    assert report.lines[3].points == 50
    assert report.lines[3].disregarded is InitialReason.TOO_FEW_POINTS


def test_8_25_before_the_end_only_games_played_count():
    report = of_games("2014-07", [*SMALL, RoundRobinPlayer("O", None, 0)], SMALL_GAMES[:2])

    assert [line.games for line in report.lines] == [2, 1, 1, 0, 0]
    assert report.lines[0].points == 200
    assert report.lines[3].disregarded is None
    assert report.lines[3].p is None


def test_a_game_of_a_stranger_is_refused():
    with pytest.raises(ValueError, match="A against X: expected both among the players"):
        of_games("2014-07", SMALL, [RoundRobinGame("A", "X", 100, 0)])
