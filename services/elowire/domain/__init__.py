"""The FIDE rating regulations as data and exact arithmetic, in the standard library alone."""

from __future__ import annotations

from elowire.domain.articles import Articles
from elowire.domain.change import GameChange, article_of, has_one_upgrade, rate_game, upgraded
from elowire.domain.coefficient import KFactor, KReason, cut_k, k_factor
from elowire.domain.composition import is_rateable_round_robin, match_refusals, system_as_rated
from elowire.domain.crosstable import (
    Crosstable,
    RoundRobinGame,
    RoundRobinPlayer,
    crosstable_of_games,
    crosstable_of_totals,
)
from elowire.domain.editions import EDITIONS, OutsideEditions, edition_by_id, edition_on, last_day
from elowire.domain.initial import (
    FirstEvent,
    InitialRating,
    InitialReason,
    counts_unrated_opponents,
    disregarded,
    initial_rating,
    is_delisted,
    is_late_entry,
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
from elowire.domain.one_off import Adjustment, OneOff, adjusted
from elowire.domain.performance import NORMS, Norm, Performance, on_course, performance_of
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
from elowire.domain.round_robin import RoundRobinLine, RoundRobinReport, resolve_round_robin
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
from elowire.domain.tables import PERFORMANCE, PROBABILITY, rating_difference, score_probability
from elowire.domain.time_controls import System, TimeControl, time_control_of

__all__ = [
    "EDITIONS",
    "NORMS",
    "PERFORMANCE",
    "PROBABILITY",
    "RAPID_CHAPTERS",
    "Adjustment",
    "Articles",
    "CapScope",
    "Crosstable",
    "DifferenceCap",
    "Edition",
    "FirstEvent",
    "GameChange",
    "Halves",
    "Hundredths",
    "InitialRating",
    "InitialReason",
    "InitialRule",
    "JuniorRule",
    "KBands",
    "KFactor",
    "KReason",
    "LiveFigures",
    "Norm",
    "OneOff",
    "OutsideEditions",
    "Performance",
    "PeriodChange",
    "PlayingRating",
    "RapidChapter",
    "RatingPeriod",
    "Refusal",
    "RoundRobinGame",
    "RoundRobinLine",
    "RoundRobinMethod",
    "RoundRobinPlayer",
    "RoundRobinReport",
    "System",
    "TimeControl",
    "UnratedOpponents",
    "adjusted",
    "article_of",
    "counts_unrated_opponents",
    "crosstable_of_games",
    "crosstable_of_totals",
    "cut_k",
    "decimal_text",
    "difference_cap",
    "disregarded",
    "edition_by_id",
    "edition_on",
    "first_day",
    "has_one_upgrade",
    "hundredths",
    "initial_rating",
    "is_delisted",
    "is_late_entry",
    "is_late_report",
    "is_rateable_round_robin",
    "is_rated_on",
    "is_rating_gap",
    "k_factor",
    "last_day",
    "list_in_force",
    "live_figures",
    "match_refusals",
    "month_number",
    "next_period",
    "on_course",
    "performance_of",
    "period_change",
    "playing_rating",
    "points_text",
    "previous_period",
    "rapid_chapter",
    "rate_game",
    "rating_difference",
    "rating_period",
    "resolve_round_robin",
    "round_change",
    "score_probability",
    "system_as_rated",
    "tenths_text",
    "time_control_of",
    "upgraded",
]
