"""How tasks that work for ever are ended, and several of them together.

Before Python 3.12 `asyncio.wait_for`, with which the Kafka client waits, loses a cancellation that comes
together with an answer or a fault (CPython gh-86296). What goes on after either would then never end, and who
waits for it neither: so it is cancelled again.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine

_AGAIN_S = 1.0


async def end(*tasks: asyncio.Task[None]) -> None:
    """Cancel tasks and return when they have ended; what they raise stays with them.

    Not for a task whose clean-up takes longer than a second: it would be cancelled in the midst of it.
    """
    left = set(tasks)
    cancelled = None
    while left:
        for task in left:
            task.cancel()
        try:
            await asyncio.wait(left, timeout=_AGAIN_S)
        except asyncio.CancelledError as cancellation:
            cancelled = cancellation
        left = {task for task in left if not task.done()}
    if cancelled is not None:
        raise cancelled


async def together(*work: Coroutine[Any, Any, None]) -> None:
    """Do all of it until a part ends, or we are cancelled; all have ended when this returns.

    Raises what the part raised that ended first. A task group would cancel its tasks only once.
    """
    tasks = [asyncio.create_task(one) for one in work]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await end(*tasks)
    for task in done:
        task.result()
