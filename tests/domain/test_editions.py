"""The ten editions against the parameter matrix: each row is one edition as the texts state it."""

from __future__ import annotations

from datetime import date

import pytest

from elowire.domain import (
    EDITIONS,
    CapScope,
    Halves,
    OutsideEditions,
    System,
    UnratedOpponents,
    counts_unrated_opponents,
    edition_by_id,
    edition_on,
    last_day,
)

IDS = [
    "2003", "2009-draft", "2009-07", "2011-07", "2013-07",
    "2014-07", "2017-07", "2022-01", "2024-03", "2025-10",
]  # fmt: skip

# edition: cap, scope, exempt from, K new, K middle, K high, K·n, half point, first points, first rated, games
MATRIX = {
    "2003": (350, CapScope.EVERY_GAME, None, 25, 15, 10, None, 1250, 100, 1, 9),
    "2009-draft": (400, CapScope.EVERY_GAME, None, None, 30, 20, None, 1500, 100, 1, 9),
    "2009-07": (400, CapScope.EVERY_GAME, None, 25, 15, 10, None, 1250, 100, 3, 9),
    "2011-07": (400, CapScope.EVERY_GAME, None, 30, 15, 10, None, 1500, 100, 3, 9),
    "2013-07": (400, CapScope.EVERY_GAME, None, 30, 15, 10, None, 1500, 100, 3, 9),
    "2014-07": (400, CapScope.EVERY_GAME, None, 40, 20, 10, None, 1500, 50, 1, 5),
    "2017-07": (400, CapScope.EVERY_GAME, None, 40, 20, 10, 700, 2000, 50, 1, 5),
    "2022-01": (400, CapScope.ONE_PER_TOURNAMENT, None, 40, 20, 10, 700, 2000, 50, 1, 5),
    "2024-03": (400, CapScope.EVERY_GAME, None, 40, 20, 10, 700, None, 50, 1, 5),
    "2025-10": (400, CapScope.EVERY_GAME, 2650, 40, 20, 10, 700, None, 50, 1, 5),
}


def test_ten_editions_oldest_first():
    assert [edition.id for edition in EDITIONS] == IDS


@pytest.mark.parametrize("name", IDS)
def test_matrix(name):
    edition = edition_by_id(name)
    cap, bands, initial = edition.cap, edition.k_bands, edition.initial

    assert MATRIX[name] == (
        cap.limit, cap.scope, cap.exempt_from, bands.new, bands.middle, bands.high, edition.k_games_limit,
        initial.half_point, initial.first_points, initial.first_opponents, initial.games,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("day", "name"),
    [
        ("2002-07-01", "2003"),
        ("2005-07-28", "2003"),
        ("2009-06-30", "2003"),
        ("2009-07-01", "2009-07"),
        ("2011-06-30", "2009-07"),
        ("2011-07-01", "2011-07"),
        ("2013-07-01", "2013-07"),
        ("2014-06-30", "2013-07"),
        ("2014-07-01", "2014-07"),
        ("2017-07-01", "2017-07"),
        ("2021-12-31", "2017-07"),
        ("2022-01-01", "2022-01"),
        ("2024-02-29", "2022-01"),
        ("2024-03-01", "2024-03"),
        ("2025-09-30", "2024-03"),
        ("2025-10-01", "2025-10"),
        ("2026-12-31", "2025-10"),
    ],
)
def test_edition_in_force(day, name):
    assert edition_on(date.fromisoformat(day)).id == name


def test_a_day_before_the_first_edition_is_refused_with_the_first_day():
    with pytest.raises(OutsideEditions, match=r"2002-06-30 is before .* expected 2002-07-01 or later"):
        edition_on(date(2002, 6, 30))


def test_2009_the_draft_is_chosen_by_its_id_alone():
    assert [edition.id for edition in EDITIONS if not edition.dated] == ["2009-draft"]


def test_an_unknown_id_is_refused_with_the_ids():
    with pytest.raises(
        ValueError, match=r"'2024' is not an edition: expected one of 2003, 2009-draft, .*2025-10$"
    ):
        edition_by_id("2024")


@pytest.mark.parametrize(
    ("name", "day"),
    [
        ("2003", date(2009, 6, 30)),
        ("2009-draft", date(2011, 6, 30)),
        ("2024-03", date(2025, 9, 30)),
        ("2025-10", date.max),
    ],
)
def test_last_day(name, day):
    assert last_day(edition_by_id(name)) == day


@pytest.mark.parametrize("name", IDS)
def test_8_57_halves_go_up_until_2024_and_away_from_zero_since(name):
    edition = edition_by_id(name)
    away = name in {"2024-03", "2025-10"}

    assert (edition.halves is Halves.AWAY_FROM_ZERO) == away
    assert edition.round_change(-250) == (-3 if away else -2)
    assert edition.round_change(250) == 3


@pytest.mark.parametrize(
    ("name", "day", "floor"),
    [
        ("2003", date(2005, 7, 1), 1801),
        ("2003", date(2000, 1, 1), 1801),
        ("2009-07", date(2009, 9, 1), 1200),
        ("2011-07", date(2012, 6, 30), 1200),
        ("2011-07", date(2012, 7, 1), 1000),
        ("2017-07", date(2018, 1, 1), 1000),
        ("2024-03", date(2024, 3, 1), 1400),
        ("2025-10", date(2026, 1, 1), 1400),
        ("2014-07", date(2014, 7, 1), 1000),
    ],
)
def test_floor(name, day, floor):
    assert edition_by_id(name).floor_on(day) == floor


@pytest.mark.parametrize(
    ("name", "swiss", "round_robin", "match"),
    [
        ("2003", False, True, False),
        ("2009-draft", True, True, False),
        ("2009-07", False, True, False),
        ("2014-07", False, True, False),
        ("2017-07", False, True, False),
        ("2022-01", False, False, False),
        ("2025-10", False, False, False),
    ],
)
def test_8_52_what_rated_players_get_from_unrated_opponents(name, swiss, round_robin, match):
    edition = edition_by_id(name)
    given = [counts_unrated_opponents(edition, system) for system in System]

    assert given == [swiss, round_robin, swiss, match]


def test_8_52_nobody_since_2022():
    since = [edition.id for edition in EDITIONS if edition.unrated_opponents is UnratedOpponents.NEVER]

    assert since == ["2022-01", "2024-03", "2025-10"]


@pytest.mark.parametrize("edition", EDITIONS, ids=lambda edition: edition.id)
def test_a_title_says_which_text_it_is(edition):
    assert edition.id[:4] in edition.title
    assert [other.title for other in EDITIONS].count(edition.title) == 1
