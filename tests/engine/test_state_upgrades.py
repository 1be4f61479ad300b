"""A release that writes states in a new format takes over from one that writes the old one, at every step.

The old one may be killed, or be a zombie that goes on writing old states between new ones. What both write
under one counter is kept in the new format; what the old one cannot read ends it.
"""

from __future__ import annotations

import pytest

from tests.broker.faults.mutations import switched_off
from tests.engine.crash_points import run, sweep
from tests.engine.scenes import LATER
from tests.fakes import loop

pytestmark = pytest.mark.usefixtures("quiet")


@pytest.mark.parametrize(
    ("fate", "how", "two", "stride"),
    [
        ("killed", "before", False, 1),
        ("killed", "after", False, 1),
        ("frozen", "freeze", False, 1),
        ("frozen", "freeze", True, 3),
        ("late", "late", True, 1),
    ],
)
def test_the_new_release_ends_right(fate, how, two, stride):
    swept = loop.run(sweep(LATER, fate, how, two=two, stride=stride, seed=3))

    assert swept.runs > 40
    assert [str(outcome) for outcome in swept.red] == []


def test_both_formats_meet_in_one_changelog_and_the_old_release_ends_itself():
    met, ended = 0, 0
    for at in range(1, 46):
        outcome = loop.run(run(LATER, "frozen", "freeze", at))
        states = [what[5] for what in outcome.timeline if "amounts-changelog" in str(what[2])]
        met += len({state[0] for state in states}) == 2
        ended += any("ends itself" in what and "a newer release" in str(what) for what in outcome.timeline)

    assert met > 5
    assert ended > 5


def test_one_counter_in_two_formats_is_no_fork():
    """The new release would end at the first zombie of the old one if counters alone were compared."""
    with switched_off("formatless"):
        swept = loop.run(sweep(LATER, "frozen", "freeze", until_red=True))

    assert "two states of one version" in str(swept.red[0])
