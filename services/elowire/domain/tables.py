"""Tables 8.1.1 and 8.1.2 (8.1a and 8.1b before 2022) in their printed shape; every edition has the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from elowire.domain.numbers import Hundredths

# fmt: off
PERFORMANCE: Final = (
    # six columns side by side, each: p in hundredths, dp
    (100,  800), ( 83,  273), ( 66,  117), ( 49,   -7), ( 32, -133), ( 15, -296),
    ( 99,  677), ( 82,  262), ( 65,  110), ( 48,  -14), ( 31, -141), ( 14, -309),
    ( 98,  589), ( 81,  251), ( 64,  102), ( 47,  -21), ( 30, -149), ( 13, -322),
    ( 97,  538), ( 80,  240), ( 63,   95), ( 46,  -29), ( 29, -158), ( 12, -336),
    ( 96,  501), ( 79,  230), ( 62,   87), ( 45,  -36), ( 28, -166), ( 11, -351),
    ( 95,  470), ( 78,  220), ( 61,   80), ( 44,  -43), ( 27, -175), ( 10, -366),
    ( 94,  444), ( 77,  211), ( 60,   72), ( 43,  -50), ( 26, -184), (  9, -383),
    ( 93,  422), ( 76,  202), ( 59,   65), ( 42,  -57), ( 25, -193), (  8, -401),
    ( 92,  401), ( 75,  193), ( 58,   57), ( 41,  -65), ( 24, -202), (  7, -422),
    ( 91,  383), ( 74,  184), ( 57,   50), ( 40,  -72), ( 23, -211), (  6, -444),
    ( 90,  366), ( 73,  175), ( 56,   43), ( 39,  -80), ( 22, -220), (  5, -470),
    ( 89,  351), ( 72,  166), ( 55,   36), ( 38,  -87), ( 21, -230), (  4, -501),
    ( 88,  336), ( 71,  158), ( 54,   29), ( 37,  -95), ( 20, -240), (  3, -538),
    ( 87,  322), ( 70,  149), ( 53,   21), ( 36, -102), ( 19, -251), (  2, -589),
    ( 86,  309), ( 69,  141), ( 52,   14), ( 35, -110), ( 18, -262), (  1, -677),
    ( 85,  296), ( 68,  133), ( 51,    7), ( 34, -117), ( 17, -273), (  0, -800),
    ( 84,  284), ( 67,  125), ( 50,    0), ( 33, -125), ( 16, -284),
)
"""Table 8.1.1: (p, dp). The dp of 1.00 and 0.00 is notional; the texts before 2011 left it blank."""

PROBABILITY: Final = (
    # four columns side by side, each: least difference of the row, PD of the higher rated in hundredths
    (  0,  50), ( 92,  63), (198,  76), (345,  89),
    (  4,  51), ( 99,  64), (207,  77), (358,  90),
    ( 11,  52), (107,  65), (216,  78), (375,  91),
    ( 18,  53), (114,  66), (226,  79), (392,  92),
    ( 26,  54), (122,  67), (236,  80), (412,  93),
    ( 33,  55), (130,  68), (246,  81), (433,  94),
    ( 40,  56), (138,  69), (257,  82), (457,  95),
    ( 47,  57), (146,  70), (268,  83), (485,  96),
    ( 54,  58), (154,  71), (279,  84), (518,  97),
    ( 62,  59), (163,  72), (291,  85), (560,  98),
    ( 69,  60), (171,  73), (303,  86), (620,  99),
    ( 77,  61), (180,  74), (316,  87), (736, 100),
    ( 84,  62), (189,  75), (329,  88),
)
"""Table 8.1.2: (least difference, PD of the higher rated); a row ends where the next one begins."""
# fmt: on

_BY_P: Final = dict(PERFORMANCE)
_DP: Final = tuple(_BY_P[p] for p in range(101))
_EDGES: Final = sorted(PROBABILITY)
_LAST: Final = _EDGES[-1][0]
_HIGHER: Final = tuple(
    max(pd for least, pd in _EDGES if least <= difference) for difference in range(_LAST + 1)
)


def score_probability(difference: int) -> Hundredths:
    """Look up PD of table 8.1.2, in hundredths, for own rating minus opponent's rating.

    Source: B.02 8.1.2 (8.1b before 2022). The lower rated gets one minus the PD of the higher rated.
    """
    if difference >= 0:
        return _HIGHER[min(difference, _LAST)]

    return 100 - _HIGHER[min(-difference, _LAST)]


def rating_difference(p: Hundredths) -> int:
    """Look up dp of table 8.1.1 for a fractional score p in hundredths (0 to 100).

    Source: B.02 8.1.1 (8.1a before 2022). Raises ValueError for a p outside 0.00 to 1.00.
    """
    if not 0 <= p <= 100:  # noqa: PLR2004 - one, in hundredths
        raise ValueError(f"p is {p} hundredths: expected a fractional score from 0 to 100 hundredths")

    return _DP[p]
