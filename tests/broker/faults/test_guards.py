"""Guards of the engine are needed: with one switched off, the checker that reads the topics is red.

Here those whose loss shows on a real broker within a minute; all of them in `tests/engine`, at every step.
"""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.broker


@pytest.mark.parametrize(
    ("mutation", "scenario", "options"),
    [
        ("swap", "place", {"at": "after barrier 1", "kills": 6, "chaos": 0.2, "static": 1}),
        (
            "commitfirst",
            "place",
            {"at": "before barrier 1,after barrier 1", "kills": 5, "chaos": 0.2, "static": 1},
        ),
        ("lww", "zombie", {"at": "lease ok", "stage": "player", "cycles": 1}),
    ],
)
async def test_a_guard_that_is_off_turns_the_checker_red(run, mutation, scenario, options):
    verdict = await run(scenario, 4, mutation=mutation, records=4_000, **options)

    assert verdict.done["killed itself"] + verdict.done["frozen"] >= 1
    assert verdict.wrong != []
