"""The product's own stages under the same fates: one tournament, with lists, corrections and late facts.

A run takes ten times as long as one of the toy, so every n-th step is tried, beginning where a seed says.
"""

from __future__ import annotations

import pytest

from tests.broker.faults.mutations import switched_off
from tests.engine.crash_points import sweep
from tests.engine.scenes import CROSSED, PRODUCT
from tests.fakes import loop

pytestmark = pytest.mark.usefixtures("quiet")

SEED = 5
ONE = [
    ("killed", "before"),
    ("killed", "after"),
    ("killed", "await"),
    ("late", "late"),
    ("ended", "lost"),
    ("ended", "refused"),
    ("ended", "twice"),
    ("frozen", "freeze"),
    ("shared", "freeze"),
]


@pytest.mark.parametrize("scene", [PRODUCT, CROSSED], ids=lambda scene: scene.name)
@pytest.mark.parametrize(("fate", "how"), ONE)
def test_at_every_eighth_step(scene, fate, how):
    swept = loop.run(sweep(scene, fate, how, stride=8, seed=SEED))

    assert swept.runs > 12
    assert [str(outcome) for outcome in swept.red] == []


def test_a_zombie_at_every_sixteenth_pair_of_steps():
    swept = loop.run(sweep(CROSSED, "frozen", "freeze", two=True, stride=16, seed=SEED))

    assert swept.runs > 60
    assert [str(outcome) for outcome in swept.red] == []


def test_without_a_second_emission_a_side_is_never_sent():
    """Rule 7 of the lane: two owners who saw an entrant and a game in different order each know one alone."""
    with switched_off("noreemit"):
        swept = loop.run(sweep(CROSSED, "frozen", "freeze", two=True, stride=3, until_red=True))

    assert swept.red


@pytest.mark.parametrize(("guard", "fate"), [("swap", "killed"), ("commitfirst", "killed")])
def test_a_guard_that_is_off_loses_something_of_the_product(guard, fate):
    with switched_off(guard):
        swept = loop.run(sweep(PRODUCT, fate, "before", until_red=True))

    assert swept.red
