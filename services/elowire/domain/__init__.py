"""The FIDE rating regulations as data and exact arithmetic, in the standard library alone."""

from __future__ import annotations

from elowire.domain.articles import Articles
from elowire.domain.change import GameChange, article_of, has_one_upgrade, rate_game, upgraded
from elowire.domain.coefficient import KFactor, KReason, cut_k, k_factor
from elowire.domain.editions import (
    EDITIONS,
    CapScope,
    DifferenceCap,
    Edition,
    InitialRule,
    KBands,
    OutsideEditions,
    RoundRobinMethod,
    UnratedOpponents,
    edition_by_id,
    edition_on,
    last_day,
)
from elowire.domain.live import LiveFigures, PeriodChange, live_figures, period_change, round_change
from elowire.domain.numbers import (
    Halves,
    Hundredths,
    decimal_text,
    hundredths,
    points_text,
    tenths_text,
)
from elowire.domain.periods import (
    RatingPeriod,
    first_day,
    is_late_report,
    list_in_force,
    month_number,
    next_period,
    previous_period,
    rating_period,
)
from elowire.domain.rapid import (
    RAPID_CHAPTERS,
    PlayingRating,
    RapidChapter,
    difference_cap,
    is_rated_on,
    is_rating_gap,
    playing_rating,
    rapid_chapter,
)
from elowire.domain.refusals import Refusal
from elowire.domain.tables import PERFORMANCE, PROBABILITY, rating_difference, score_probability
from elowire.domain.time_controls import System, TimeControl, time_control_of

__all__ = [
    "EDITIONS",
    "PERFORMANCE",
    "PROBABILITY",
    "RAPID_CHAPTERS",
    "Articles",
    "CapScope",
    "DifferenceCap",
    "Edition",
    "GameChange",
    "Halves",
    "Hundredths",
    "InitialRule",
    "KBands",
    "KFactor",
    "KReason",
    "LiveFigures",
    "OutsideEditions",
    "PeriodChange",
    "PlayingRating",
    "RapidChapter",
    "RatingPeriod",
    "Refusal",
    "RoundRobinMethod",
    "System",
    "TimeControl",
    "UnratedOpponents",
    "article_of",
    "cut_k",
    "decimal_text",
    "difference_cap",
    "edition_by_id",
    "edition_on",
    "first_day",
    "has_one_upgrade",
    "hundredths",
    "is_late_report",
    "is_rated_on",
    "is_rating_gap",
    "k_factor",
    "last_day",
    "list_in_force",
    "live_figures",
    "month_number",
    "next_period",
    "period_change",
    "playing_rating",
    "points_text",
    "previous_period",
    "rapid_chapter",
    "rate_game",
    "rating_difference",
    "rating_period",
    "round_change",
    "score_probability",
    "tenths_text",
    "time_control_of",
    "upgraded",
]
