"""An event loop without waiting, whose clock goes on to the next timer; and the steps of a coroutine."""

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


class Suspended:
    """Awaits a coroutine and tells each time that it is suspended; what `tell` raises, it raises there."""

    def __init__(self, coroutine, tell):
        self._coroutine, self._tell = coroutine, tell

    def __await__(self):
        given = fault = None
        while True:
            try:
                waits_for = self._coroutine.throw(fault) if fault else self._coroutine.send(given)
            except StopIteration as done:
                return done.value
            given = fault = None
            try:
                self._tell()
                given = yield waits_for
            except BaseException as raised:  # noqa: BLE001  # it is thrown where it belongs
                fault = raised
