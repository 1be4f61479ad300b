"""Where each rule stands in the texts: article numbers by edition, for explanations and refusals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Articles:
    """The article of each rule in one numbering of the regulations."""

    performance_table: str
    probability_table: str
    initial: str
    half_points: str
    round_robin: str
    pooling: str
    late_entry: str
    unrated_opponent: str
    difference_cap: str
    k: str
    rounding: str
    unplayed: str
    matches: str
    reporting: str


NUMBERED_UNTIL_2021: Final = Articles(
    performance_table="B.02 8.1a",
    probability_table="B.02 8.1b",
    initial="B.02 8.21",
    half_points="B.02 8.23",
    round_robin="B.02 8.25",
    pooling="B.02 8.3",
    late_entry="B.02 8.4",
    unrated_opponent="B.02 8.52",
    difference_cap="B.02 8.54",
    k="B.02 8.56",
    rounding="B.02 8.57",
    unplayed="B.02 5",
    matches="B.02 6",
    reporting="B.02 9",
)
NUMBERED_FROM_2022: Final = Articles(
    performance_table="B.02 8.1.1",
    probability_table="B.02 8.1.2",
    initial="B.02 8.2",
    half_points="B.02 8.2",
    round_robin="B.02 8.2",
    pooling="B.02 8.2",
    late_entry="B.02 8.2",
    unrated_opponent="B.02 8.3",
    difference_cap="B.02 8.3.1",
    k="B.02 8.3.3",
    rounding="B.02 8.3.4",
    unplayed="B.02 5",
    matches="B.02 6",
    reporting="B.02 9",
)
RAPID_AND_BLITZ: Final = "B.02 RB 7"
RAPID_AND_BLITZ_NEWCOMERS: Final = "B.02 RB 7.2.1"
