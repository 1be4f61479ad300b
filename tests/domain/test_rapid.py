"""The rapid and blitz chapter by date."""

from __future__ import annotations

from datetime import date

import pytest

from elowire.domain import (
    TimeControl,
    edition_by_id,
    edition_on,
    is_rated_on,
    is_rating_gap,
    playing_rating,
    rapid_chapter,
    time_control_of,
)

STANDARD, RAPID, BLITZ = TimeControl.STANDARD, TimeControl.RAPID, TimeControl.BLITZ


@pytest.mark.parametrize(
    ("edition", "starts_on", "effective"),
    [
        ("2003", None, None),
        ("2011-07", date(2011, 12, 31), None),
        ("2011-07", date(2012, 1, 1), date(2012, 1, 1)),
        ("2011-07", None, date(2012, 1, 1)),
        ("2022-01", date(2022, 9, 30), date(2012, 1, 1)),
        ("2022-01", date(2022, 10, 1), date(2022, 10, 1)),
        ("2024-03", date(2024, 11, 30), date(2024, 3, 1)),
        ("2024-03", date(2024, 12, 1), date(2024, 12, 1)),
        ("2024-03", date(2005, 7, 28), date(2024, 3, 1)),
        ("2024-03", date(2030, 1, 1), date(2024, 12, 1)),
        ("2025-10", None, date(2024, 12, 1)),
    ],
)
def test_rb_chapter_in_force(edition, starts_on, effective):
    chapter = rapid_chapter(edition_by_id(edition), starts_on)

    assert (None if chapter is None else chapter.effective) == effective


# time control, own, opponent, day: refused
GAPS = [
    pytest.param(RAPID, 1800, 2601, "2024-12-26", True, id="rb-2024-12-1800-2601"),
    pytest.param(BLITZ, 2601, 1800, "2026-01-05", True, id="rb-2024-12-other-side"),
    pytest.param(RAPID, 1900, 2600, "2025-01-01", False, id="rb-2024-12-nobody-above-2600"),
    pytest.param(RAPID, 2001, 2601, "2025-01-01", True, id="rb-2024-12-exactly-600"),
    pytest.param(RAPID, 2002, 2601, "2025-01-01", False, id="rb-2024-12-599"),
    pytest.param(RAPID, 1800, 2601, "2024-11-30", False, id="rb-2024-12-a-day-early"),
    pytest.param(RAPID, 1800, 2601, "2010-01-01", False, id="rb-before-2012"),
    pytest.param(STANDARD, 1800, 2701, "2025-01-01", False, id="2024-standard-has-no-such-rule"),
]


@pytest.mark.parametrize(("time_control", "own", "opponent", "day", "refused"), GAPS)
def test_rb_gap(time_control, own, opponent, day, refused):
    starts_on = date.fromisoformat(day)
    edition = edition_on(starts_on)

    assert (
        is_rating_gap(own, opponent, edition=edition, time_control=time_control, starts_on=starts_on)
        is refused
    )


# time control, rating, standard, day: rating that plays, its list
PLAYING = [
    pytest.param(RAPID, 2100, 2200, "2025-01-01", 2100, RAPID, id="rb-7.2.1-own-rating-first"),
    pytest.param(RAPID, None, 2200, "2024-03-01", 2200, STANDARD, id="rb-7.2.1-standard-rating"),
    pytest.param(BLITZ, 0, 2200, "2025-10-01", 2200, STANDARD, id="rb-7.2.1-zero-is-unrated"),
    pytest.param(RAPID, None, 2200, "2024-02-29", None, None, id="rb-7.2.1-a-day-early"),
    pytest.param(RAPID, None, None, "2025-01-01", None, None, id="rb-7.2.1-nothing-at-all"),
    pytest.param(RAPID, None, 2200, "2010-01-01", None, None, id="rb-7.2.1-before-2012"),
    pytest.param(STANDARD, None, 2200, "2025-01-01", None, None, id="2024-standard-unrated"),
    pytest.param(STANDARD, 2200, 2200, "2025-01-01", 2200, STANDARD, id="2024-standard-rated"),
]


@pytest.mark.parametrize(("time_control", "rating", "standard", "day", "playing", "source"), PLAYING)
def test_rb_playing_rating(time_control, rating, standard, day, playing, source):
    starts_on = date.fromisoformat(day)

    assert playing_rating(
        time_control=time_control,
        rating=rating,
        standard=standard,
        edition=edition_on(starts_on),
        starts_on=starts_on,
    ) == (playing, source)


def test_rb_ratings_exist_from_2012():
    assert is_rated_on(STANDARD, date(2005, 1, 1))
    assert is_rated_on(RAPID, date(2012, 1, 1))
    assert not is_rated_on(BLITZ, date(2011, 12, 31))


@pytest.mark.parametrize(
    ("minutes", "increment", "day", "expected"),
    [
        (60, 0, "2024-03-01", STANDARD),
        (45, 30, "2026-01-01", STANDARD),
        (90, 30, "2005-01-01", STANDARD),
        (15, 10, "2024-03-01", RAPID),
        (10, 1, "2024-03-01", RAPID),
        (59, 0, "2024-03-01", RAPID),
        (10, 0, "2024-03-01", BLITZ),
        (3, 2, "2024-03-01", BLITZ),
        (3, 1, "2024-03-01", BLITZ),
        (3, 0, "2024-03-01", None),
        (10, 5, "2012-01-01", RAPID),
        (14, 0, "2022-09-30", BLITZ),
        (14, 0, "2022-10-01", RAPID),
        (5, 0, "2012-01-01", BLITZ),
        (4, 0, "2012-01-01", None),
        (15, 10, "2011-12-31", None),
    ],
)
def test_rb_time_control_of(minutes, increment, day, expected):
    assert time_control_of(minutes=minutes, increment=increment, day=date.fromisoformat(day)) is expected
