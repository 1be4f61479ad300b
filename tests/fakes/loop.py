"""An event loop without waiting: where nothing is ready, its clock goes on to the next timer at once."""

from __future__ import annotations

import asyncio

TURN_S = 1e-3


class NoWaitLoop(asyncio.SelectorEventLoop):
    """The clock begins at 0 and depends on what runs alone, so that a run can be repeated exactly."""

    def __init__(self):
        self._now = 0.0
        super().__init__()
        select = self._selector.select

        def at_once(timeout=None):
            if timeout is None:
                raise RuntimeError("every task waits, and nothing will ever happen")
            self._now += timeout or TURN_S
            return select(0)

        self._selector.select = at_once

    def time(self):
        return self._now


def run(main):
    """Run a coroutine on a loop of its own."""
    with asyncio.Runner(loop_factory=NoWaitLoop) as runner:
        return runner.run(main)
