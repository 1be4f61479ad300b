"""The product under faults, short; `drive.py` runs the same scenarios for as long as one likes.

Each fault is seen to bite.
"""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.broker


async def test_kills_around_the_barriers(run):
    # With an identity of its own a worker is back at once: the session of the dead one need not end.
    verdict = await run("place", 1, static=1, kills=8, chaos=0.3, records=6_000)

    assert verdict.done["killed itself"] >= 8
    assert len(verdict.places) >= 4
    assert verdict.wrong == []


async def test_workers_that_join_and_leave_at_random(run):
    verdict = await run("storm", 2, secs=40, slots=3, least=3, most=6, rate=150, records=6_000)

    assert verdict.done["killed"] >= 1
    assert verdict.done["terminated"] >= 2
    assert verdict.seen["assigned"] >= 6
    assert verdict.wrong == []


@pytest.mark.parametrize("stage", ["tournament", "player"])
async def test_a_zombie_that_writes_after_it_was_replaced(run, stage):
    """Frozen between the lease's check and the write of the changelog, for longer than the session."""
    verdict = await run("zombie", 3, cycles=1, at="lease ok", stage=stage, records=6_000)

    assert verdict.done["frozen"] == 1
    assert verdict.seen["foreign"] >= 1
    assert verdict.seen["repaired"] >= 1
    assert verdict.wrong == []
