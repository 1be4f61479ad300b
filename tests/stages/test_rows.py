"""How a game stands in an account: as text, from which the very same side is read again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elowire.domain import Refusal
from elowire.processor.entries import Entry, Side, row_of, side_of

ENTRY = Entry("t", "standard", "2025-10", "2025-11", "2025-10-12", 2000, 20, "2025-10", "list", None, None)
COUNTERS = st.lists(st.integers(0, 2**53), min_size=5, max_size=5)
PLAYERS = st.from_regex(r"[1-9][0-9]{0,11}|[a-z][a-z0-9-]{0,3}:[!-.0-~]{1,9}", fullmatch=True)


def maybe(values):
    return st.none() | values


SIDES = st.builds(
    Side,
    st.just(ENTRY),
    COUNTERS,
    maybe(st.integers(1, 1000)),
    maybe(PLAYERS),
    maybe(st.integers(0, 4000)),
    maybe(st.sampled_from([0, 50, 100])),
    maybe(st.sampled_from([str(refusal) for refusal in Refusal])),
    st.integers(-100, 100),
    maybe(st.integers(-4000, 4000)),
    maybe(st.sampled_from("wb")),
)


@given(SIDES)
def test_a_row_gives_the_side_that_it_was_made_of(side):
    assert side_of(ENTRY, row_of(side)) == side


SIDE = Side(ENTRY, [1, 1, 1, 1, 0], 3, "1503014", 2834, 50, None, -14, 36, "w")


def test_a_row_is_short():
    assert row_of(SIDE) == "1,1,1,1,0 3 1503014 2834 50  -14 36 w"


def test_a_row_from_before_there_were_colours_is_read():
    assert side_of(ENTRY, "1,1,1,1,0 3 1503014 2834 50  -14 36") == SIDE._replace(colour=None)


@pytest.mark.parametrize(
    "change",
    [
        {"revision": [1, 1]},
        {"revision": ["1", 1, 1, 1, 0]},
        {"round": "3"},
        {"opponent_id": "1 2"},
        {"opponent": "2834"},
        {"refusal": "not ours"},
        {"colour": "white"},
    ],
)
def test_what_is_none_of_ours_makes_no_row(change):
    with pytest.raises(ValueError):  # noqa: PT011 - which of them says so is all the same
        row_of(SIDE._replace(**change))
