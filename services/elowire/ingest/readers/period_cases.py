"""Rating periods of single players: published lists, K and the games of each event.

The shape is that of FIDE's published calculations restated as JSON. What the period itself came to
(`published` of `rating_period`, changes, sums, K used, marks of capped games, totals) is never read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from elowire.contracts.fields import PERIOD
from elowire.domain import Hundredths, TimeControl, hundredths, previous_period
from elowire.ingest.readers.document import first_problem
from elowire.ingest.readers.report import Notice, UnreadableFile

_POINTS = {0, 50, 100}


def _points(value: Any) -> Any:  # noqa: ANN401 - any JSON value may stand there
    points = hundredths(str(value)) if not isinstance(value, bool) else None
    if points not in _POINTS:
        raise ValueError("0, 0.5 or 1 was expected")
    return points


YearMonth = Annotated[str, Field(pattern=PERIOD)]
Rating = Annotated[int, Field(ge=1, le=4000)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class PeriodGame(_Model):
    """One game of a period: the opponent's rating and the points of the player, in hundredths."""

    opponent: Rating
    points: Annotated[Hundredths, BeforeValidator(_points)]


class PeriodEvent(_Model):
    """One event of a period; `own_rating_used` is the rating of the list in force at its start."""

    start: date | None = None
    end: date | None = None
    own_rating_used: Rating
    games: Annotated[tuple[PeriodGame, ...], Field(min_length=1)]


class _Case(_Model):
    id: str
    edition: str
    time_control: TimeControl = TimeControl.STANDARD
    rating_period: YearMonth
    published: dict[YearMonth, Rating]
    base_rating: Rating | None = None
    k_on_previous_list: Annotated[int, Field(ge=1, le=80)]
    events: Annotated[tuple[PeriodEvent, ...], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class PeriodCase:
    """A rating period to calculate: from `base_rating` and `k_list` through `events` to a new rating."""

    id: str
    edition: str
    time_control: TimeControl
    rating_period: str
    base_rating: int
    k_list: int
    events: tuple[PeriodEvent, ...]


def is_period_cases(document: object) -> bool:
    """Say whether a parsed document is a list of rating periods."""
    return (
        isinstance(document, list)
        and bool(document)
        and all(isinstance(item, dict) and "rating_period" in item for item in document)
    )


def period_cases_of(document: list[Any]) -> tuple[PeriodCase, ...]:
    """Turn a parsed list of periods into cases; raises `UnreadableFile` at the first mistake."""
    return tuple(_case(item, number) for number, item in enumerate(document))


def _case(item: Any, number: int) -> PeriodCase:  # noqa: ANN401 - parsed JSON
    try:
        case = _Case.model_validate(item)
    except ValidationError as problem:
        field, found = first_problem(problem, (number,))
        raise UnreadableFile(Notice("refused", found, field=field)) from None
    before = previous_period(case.rating_period)
    base = case.base_rating if case.base_rating is not None else case.published.get(before)
    if base is None:
        found = f"lacks the list {before}, the base of {case.rating_period}; add it or give base_rating"
        raise UnreadableFile(Notice("refused", found, field=f"[{number}].published"))
    return PeriodCase(
        id=case.id,
        edition=case.edition,
        time_control=case.time_control,
        rating_period=case.rating_period,
        base_rating=base,
        k_list=case.k_on_previous_list,
        events=case.events,
    )
