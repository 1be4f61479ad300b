"""The product under faults, short; `drive.py` runs the same scenarios for as long as one likes.

Each fault is seen to bite, and each guard of the engine is seen to be needed: without it the checker is red.
"""

from __future__ import annotations

import time

import pytest

from tests.broker.faults.drive import drive

pytestmark = pytest.mark.broker


@pytest.fixture
def run(kafka, tmp_path):
    """Run a scenario on the product with topics of its own."""

    async def run(scenario, seed, **options):
        name = f"{scenario}-{seed}-{time.time_ns() % 10**9}"
        given = {"kind": "product", "rate": 250} | options
        return await drive(scenario, name, seed, bootstrap=kafka, folder=tmp_path, **given)

    return run


async def test_twenty_kills_around_the_barriers(run):
    verdict = await run("place", 1, kills=20, chaos=0.1, rate=400, records=20_000, most=480.0)

    assert verdict.done["killed itself"] >= 20
    assert len(verdict.places) >= 5
    assert verdict.wrong == []


async def test_workers_that_join_and_leave_at_random(run):
    verdict = await run("storm", 2, secs=60, slots=3, least=4, most=8)

    assert verdict.done["killed"] >= 1
    assert verdict.done["terminated"] >= 2
    assert verdict.seen["assigned"] >= 6
    assert verdict.wrong == []


@pytest.mark.parametrize("stage", ["tournament", "player"])
async def test_a_zombie_that_writes_after_it_was_replaced(run, stage):
    """Frozen between the lease's check and the write of the changelog, for longer than the session."""
    verdict = await run("zombie", 3, cycles=1, at="lease ok", stage=stage)

    assert verdict.done["frozen"] == 1
    assert verdict.seen["foreign"] >= 1
    assert verdict.seen["repaired"] >= 1
    assert verdict.wrong == []


ZOMBIE = {"at": "lease ok", "stage": "player", "cycles": 1}
# Many keys that are seldom written again: what is not noticed stays.
COLD = {"kind": "toy", "stage": "sum", "wake": "early", "cycles": 2, "rate": 600, "records": 30_000}


@pytest.mark.parametrize(
    ("mutation", "scenario", "options"),
    [
        ("swap", "place", {"at": "after barrier 1", "kills": 6, "chaos": 0.2}),
        ("commitfirst", "place", {"at": "before barrier 1,after barrier 1", "kills": 5, "chaos": 0.2}),
        ("lww", "zombie", ZOMBIE),
        ("nocontig", "zombie", ZOMBIE | COLD),
    ],
)
async def test_a_guard_that_is_off_turns_the_checker_red(run, mutation, scenario, options):
    verdict = await run(scenario, 4, mutation=mutation, **options)

    assert verdict.done["killed itself"] + verdict.done["frozen"] >= 1
    assert verdict.wrong != []
