"""The lane is stopped at every step of three batches on two partitions; whoever takes over ends right.

Everything that happens to one member is tried at every await and every barrier, in the short scene and in the
long one. A zombie and a late request are tried at every pair of steps of two members in the short scene; the
other pairs are tens of thousands, and every n-th is tried, beginning where a seed says.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from tests.broker.faults.mutations import MUTATIONS, switched_off
from tests.engine.crash_points import run, sweep
from tests.engine.scenes import LONG, LONG_WARY, RESUMED, SHORT, SHORT_WARY
from tests.fakes import loop

pytestmark = pytest.mark.usefixtures("quiet")

SCENES = {scene.name: scene for scene in (SHORT, SHORT_WARY, LONG)}
EFFECTS = {"write amounts", "write totals", "write amounts-changelog", "commit"}
CALLS = EFFECTS | {"beginnings", "committed", "ends", "ids", "seek", "fetch", "positions"}
BARRIERS = {"before barrier 1", "inside barrier 1", "after barrier 1", "lease ok", "inside barrier 2"}
# Between its lease's check and its write nothing holds a zombie back; others find out and repair it.
WINDOW = ("write amounts-changelog",)


def shown(swept):
    """The first red run, with its point, its first violation and its timeline."""
    return str(swept.red[0]) if swept.red else ""


ONE = [
    ("killed", "before", CALLS | BARRIERS),
    ("killed", "after", CALLS | BARRIERS),
    ("killed", "await", set()),
    ("late", "late", EFFECTS),
    ("ended", "unsent", CALLS),
    ("ended", "lost", CALLS),
    ("ended", "slow", CALLS),
    ("ended", "refused", CALLS),
    ("ended", "twice", EFFECTS),
    ("ended", "again", EFFECTS),
    ("ended", "stray", CALLS),
    ("frozen", "freeze", CALLS),
    ("frozen", "unheard", CALLS),
    ("shared", "freeze", CALLS),
    ("shared", "unheard", CALLS),
    ("left", "freeze", CALLS),
]


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
@pytest.mark.parametrize(("fate", "how", "places"), ONE, ids=[f"{fate}-{how}" for fate, how, _ in ONE])
def test_at_every_step(scene, fate, how, places):
    swept = loop.run(sweep(scene, fate, how))

    assert swept.runs > 40
    assert swept.places >= places
    assert shown(swept) == ""


@pytest.mark.parametrize(
    ("fate", "how"),
    [
        ("killed", "before"),
        ("ended", "lost"),
        ("frozen", "freeze"),
        ("shared", "freeze"),
        ("shared", "unheard"),
    ],
)
def test_at_every_step_of_a_recovery_too(fate, how):
    swept = loop.run(sweep(RESUMED, fate, how))

    assert swept.places >= CALLS | {"read"}
    assert shown(swept) == ""


# To be killed after a step is to be killed before the next one, and so it is with freezing: one way will do.
PAIRS = [
    ("frozen", "freeze", SHORT),
    ("late", "late", SHORT),
    ("late", "late", SHORT_WARY),
    ("left", "freeze", SHORT),
]


@pytest.mark.parametrize(("fate", "how", "scene"), PAIRS, ids=lambda part: getattr(part, "name", part))
def test_at_every_pair_of_steps(fate, how, scene):
    swept = loop.run(sweep(scene, fate, how, two=True))

    assert swept.runs > 250
    assert shown(swept) == ""


SAMPLED = [
    ("killed", "before", SHORT, 2),
    ("shared", "freeze", SHORT, 2),
    ("frozen", "freeze", SHORT_WARY, 3),
    ("frozen", "freeze", LONG_WARY, 7),
    ("frozen", "unheard", LONG, 7),
    ("killed", "after", LONG, 7),
    ("shared", "unheard", LONG, 7),
    ("late", "late", LONG, 3),
]


@pytest.mark.parametrize(("fate", "how", "scene", "stride"), SAMPLED)
def test_at_every_nth_pair_of_steps_beginning_where_seed_11_says(fate, how, scene, stride):
    swept = loop.run(sweep(scene, fate, how, two=True, stride=stride, seed=11))

    assert swept.runs > 50
    assert shown(swept) == ""


@pytest.mark.parametrize("scene", [SHORT_WARY, LONG_WARY], ids=lambda scene: scene.name)
def test_a_zombie_whose_lease_is_over_writes_nothing_when_nobody_could_repair_it(scene):
    swept = loop.run(sweep(scene, "silent", "freeze", skip=WINDOW))

    assert swept.places >= CALLS
    assert shown(swept) == ""


GUARDS = [
    ("swap", "killed", "before", SHORT),
    ("commitfirst", "killed", "before", SHORT),
    ("lww", "frozen", "freeze", SHORT),
    ("nocontig", "frozen", "freeze", LONG),
    ("norepair", "frozen", "freeze", SHORT),
    ("nolease", "silent", "freeze", SHORT_WARY),
    ("noholes", "ended", "stray", LONG),
]


@pytest.mark.parametrize(("guard", "fate", "how", "scene"), GUARDS, ids=[guard for guard, *_ in GUARDS])
def test_a_guard_that_is_off_is_noticed(guard, fate, how, scene):
    skip = WINDOW if fate == "silent" else ()
    assert shown(loop.run(sweep(scene, fate, how, skip=skip))) == ""
    with switched_off(guard):
        swept = loop.run(sweep(scene, fate, how, skip=skip, until_red=True))

    assert swept.red


def test_every_guard_is_switched_off_somewhere():
    """Two need other scenes: the product's topics, and two releases."""
    elsewhere = {"noreemit": "test_crash_product.py", "formatless": "test_state_upgrades.py"}

    assert {guard for guard, *_ in GUARDS} | set(elsewhere) == set(MUTATIONS)
    for guard, file in elsewhere.items():
        assert f'switched_off("{guard}")' in Path(__file__).with_name(file).read_text()


@pytest.mark.parametrize("guard", ["swap", "commitfirst"])
def test_a_wrong_order_shows_in_the_end_too(guard):
    """Without the watch, which sees it at once: the one-pass calculation finds what a kill then loses."""
    with switched_off(guard):
        red = loop.run(sweep(SHORT, "killed", "before")).red
    ends = [
        outcome for outcome in red if any("expected version" in s or "never sent" in s for s in outcome.wrong)
    ]

    assert ends


def test_a_budget_that_is_missing_is_noticed():
    endless = SHORT._replace(pace=dataclasses.replace(SHORT.pace, batch_s=1e9, stall_s=1e9, answer_s=1e9))
    swept = loop.run(sweep(endless, "ended", "lost", until_red=True))

    assert "it does not come to an end" in shown(swept)


def test_a_red_run_can_be_read_and_run_again():
    """The point, the first record that is wrong, and what led to it."""
    with switched_off("swap"):
        [first, *_] = loop.run(sweep(SHORT, "killed", "before", until_red=True)).red
        again = loop.run(run(SHORT, first.fate, first.how, first.at, first.then))
    lines = str(first).splitlines()

    assert str(again) == str(first)
    assert lines[0].startswith(f"three batches: killed before at {first.at} ")
    assert lines[1].startswith("a state before its outputs [1, 2]: amounts-changelog/0@0 b'a' ")
    assert " write amounts-changelog 0 b'a' " in lines[-1]
    assert any(line.endswith(f"killed before {first.where[0]}") for line in lines)
