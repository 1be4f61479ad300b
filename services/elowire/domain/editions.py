"""The ten editions of the FIDE rating regulations as dated data; the arithmetic elsewhere has no dates in it.

Where a text was not seen, the figure is a reading; README.md of this folder lists the readings.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Final

from elowire.domain.articles import NUMBERED_FROM_2022, NUMBERED_UNTIL_2021
from elowire.domain.numbers import Halves
from elowire.domain.rules import (
    CapScope,
    DifferenceCap,
    Edition,
    InitialRule,
    JuniorRule,
    KBands,
    RoundRobinMethod,
    UnratedOpponents,
)


class OutsideEditions(ValueError):  # noqa: N818 - it names what is wrong with the day
    """A day before the first edition that is known here."""


_SINCE_2003 = date(2002, 7, 1)
_SINCE_2009 = date(2009, 7, 1)
_SINCE_2011 = date(2011, 7, 1)
_FLOOR_1000_SINCE = date(2012, 7, 1)
_SINCE_2024 = date(2024, 3, 1)

_2003 = Edition(
    id="2003",
    effective=_SINCE_2003,
    title="rating regulations of 2003, with the 350-point rule",
    articles=NUMBERED_UNTIL_2021,
    cap=DifferenceCap(limit=350),
    k_bands=KBands(new=25, middle=15, high=10),
    k_games_limit=None,
    halves=Halves.UP,
    initial=InitialRule(
        half_point=1250,
        first_points=100,
        games=9,
        pool_months=24,
        list_months=3,
        floors=((_SINCE_2003, 1801),),
    ),
    unrated_opponents=UnratedOpponents.ROUND_ROBIN,
    round_robin=RoundRobinMethod(below_half_factor=False, correction=False, average_expectancy=True),
)
_2009_DRAFT = replace(
    _2003,
    id="2009-draft",
    effective=_SINCE_2009,
    title="draft of spring 2009, withdrawn before it came into force",
    cap=DifferenceCap(),
    k_bands=KBands(new=None, middle=30, high=20, high_needs_games=True),
    initial=InitialRule(
        half_point=1500,
        first_points=100,
        games=9,
        list_months=2,
        floors=((_SINCE_2009, 1200),),
        drops_results_below_floor=True,
    ),
    unrated_opponents=UnratedOpponents.EVERY_SYSTEM,
    round_robin=RoundRobinMethod(),
    dated=False,
)
_2009 = replace(
    _2009_DRAFT,
    id="2009-07",
    title="rating regulations effective from 1 July 2009",
    k_bands=KBands(new=25, middle=15, high=10, high_needs_games=True),
    initial=InitialRule(
        half_point=1250,
        first_points=100,
        first_opponents=3,
        games=9,
        list_months=2,
        floors=((_SINCE_2009, 1200),),
    ),
    unrated_opponents=UnratedOpponents.ROUND_ROBIN,
    dated=True,
)
_2011 = replace(
    _2009,
    id="2011-07",
    effective=_SINCE_2011,
    title="rating regulations effective from 1 July 2011",
    k_bands=KBands(new=30, middle=15, high=10, high_needs_games=True),
    initial=InitialRule(
        half_point=1500,
        first_points=100,
        first_opponents=3,
        games=9,
        floors=((_SINCE_2009, 1200), (_FLOOR_1000_SINCE, 1000)),
    ),
)
_2013 = replace(
    _2011,
    id="2013-07",
    effective=date(2013, 7, 1),
    title="rating regulations effective from 1 July 2013",
    k_bands=KBands(new=30, middle=15, high=10),
)
_2014 = replace(
    _2013,
    id="2014-07",
    effective=date(2014, 7, 1),
    title="rating regulations effective from 1 July 2014",
    k_bands=KBands(new=40, middle=20, high=10, junior=JuniorRule()),
    initial=InitialRule(half_point=1500, floors=((_FLOOR_1000_SINCE, 1000),)),
)
_2017 = replace(
    _2014,
    id="2017-07",
    effective=date(2017, 7, 1),
    title="rating regulations effective from 1 July 2017",
    k_games_limit=700,
    initial=InitialRule(half_point=2000, floors=((_FLOOR_1000_SINCE, 1000),), average_symbol="ra"),
)
_2022 = replace(
    _2017,
    id="2022-01",
    effective=date(2022, 1, 1),
    title="rating regulations effective from 1 January 2022",
    articles=NUMBERED_FROM_2022,
    cap=DifferenceCap(scope=CapScope.ONE_PER_TOURNAMENT),
    unrated_opponents=UnratedOpponents.NEVER,
    round_robin=None,
)
_2024 = replace(
    _2022,
    id="2024-03",
    effective=_SINCE_2024,
    title="rating regulations effective from 1 March 2024",
    cap=DifferenceCap(),
    halves=Halves.AWAY_FROM_ZERO,
    initial=InitialRule(
        half_point=None,
        draws_against=1800,
        maximum=2200,
        floors=((_SINCE_2024, 1400),),
        average_symbol="ra",
    ),
    rates_unusual_results=True,
)
_2025 = replace(
    _2024,
    id="2025-10",
    effective=date(2025, 10, 1),
    title="rating regulations of 1 March 2024 with the change of 1 October 2025",
    cap=DifferenceCap(exempt_from=2650),
)

EDITIONS: Final = (_2003, _2009_DRAFT, _2009, _2011, _2013, _2014, _2017, _2022, _2024, _2025)
"""All editions, oldest first."""

_DATED: Final = tuple(edition for edition in EDITIONS if edition.dated)
_BY_ID: Final = {edition.id: edition for edition in EDITIONS}


@lru_cache(maxsize=1024)
def edition_on(day: date) -> Edition:
    """Find the edition in force on a tournament's first day; the draft of 2009 is never chosen by date.

    Raises OutsideEditions for a day before the first edition.
    """
    for edition in reversed(_DATED):
        if edition.effective <= day:
            return edition

    raise OutsideEditions(
        f"{day.isoformat()} is before the first edition known here: expected "
        f"{_DATED[0].effective.isoformat()} or later, or an edition named by its id"
    )


def edition_by_id(text: str) -> Edition:
    """Find the edition with an id such as "2024-03"; raises ValueError, which lists the ids."""
    try:
        return _BY_ID[text]
    except KeyError:
        raise ValueError(f"{text!r} is not an edition: expected one of {', '.join(_BY_ID)}") from None


@lru_cache(maxsize=len(EDITIONS))
def last_day(edition: Edition) -> date:
    """Find the last day on which a tournament may start under `edition`."""
    following = [later.effective for later in _DATED if later.effective > edition.effective]

    return following[0] - timedelta(days=1) if following else date.max
