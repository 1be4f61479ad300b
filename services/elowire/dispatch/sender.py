"""From the queue to receivers: what is due goes out, each endpoint in places of its own."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from elowire.dispatch.lanes import Attempt, Head, due, finish
from elowire.dispatch.schedule import DELAYS_S, Delivered, decide_next
from elowire.dispatch.signatures import signed_headers
from elowire.dispatch.store import Store
from elowire.dispatch.transport import Transport
from elowire.runtime import clock
from elowire.runtime.logs import get_logger
from elowire.runtime.tasks import end

_POLL_S = 0.5
_STORE_PAUSE_S = 5.0

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """How deliveries are paced: requests at once to an endpoint, pauses between attempts, chance (0 to 1)."""

    places: int
    jitter: Callable[[], float]
    delays_s: Sequence[int] = DELAYS_S


class Sender:
    """Sends for ever. `outcomes` counts attempts by outcome; `fault` says why the queue cannot be used."""

    def __init__(self, store: Store, transport: Transport, pace: Pace, took: Callable[[float], None]) -> None:
        self._store, self._transport, self._pace, self._took = store, transport, pace, took
        self._woken = asyncio.Event()
        self._busy: dict[int, set[str]] = defaultdict(set)
        self._tasks: set[asyncio.Task[None]] = set()
        self.outcomes: Counter[str] = Counter()
        self.disabled = 0
        self.fault: str | None = None

    def __len__(self) -> int:
        return len(self._tasks)

    def wake(self) -> None:
        """Look at the queue at once."""
        self._woken.set()

    async def run(self) -> None:
        """Send what is due, as it becomes due."""
        while True:
            self._woken.clear()
            try:
                await self._start_due()
                self.fault = None
            except sqlite3.Error as fault:
                self._stumble(fault)
            with suppress(TimeoutError):
                async with asyncio.timeout(_POLL_S):
                    await self._woken.wait()

    async def stop(self, grace_s: float) -> None:
        """Wait for the attempts under way; what has no answer by then is sent again at the next start."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace_s)
        await end(*self._tasks)

    async def _start_due(self) -> None:
        busy = {number: frozenset(lanes) for number, lanes in self._busy.items() if lanes}
        heads = await asyncio.to_thread(due, self._store, clock.now_ms(), self._pace.places, busy)
        for head in heads:
            self._busy[head.subscription.id].add(head.lane)
            task = asyncio.create_task(self._deliver(head), name=f"delivery-{head.delivery}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _deliver(self, head: Head) -> None:
        try:
            await self._attempt(head)
        except sqlite3.Error as fault:
            # Whether it arrived cannot be written down: it goes out again, but not at once.
            self._stumble(fault)
            await asyncio.sleep(_STORE_PAUSE_S)
        except Exception:
            # Whatever it is, the other deliveries go on.
            log.exception("a delivery failed here", delivery=head.delivery)
            await asyncio.sleep(_STORE_PAUSE_S)
        finally:
            self._busy[head.subscription.id].discard(head.lane)
            self.wake()

    async def _attempt(self, head: Head) -> None:
        at_ms, began = clock.now_ms(), clock.monotonic()
        secrets = head.subscription.secrets.in_force(datetime.fromtimestamp(at_ms / 1000, UTC))
        headers = signed_headers(
            secrets, webhook_id=head.webhook_id, timestamp_s=at_ms // 1000, body=head.body
        )
        reply = await self._transport.post(head.subscription.url, headers, head.body)
        took_s = clock.monotonic() - began
        self._took(took_s)
        self.outcomes[reply.outcome] += 1
        now_ms = clock.now_ms()
        decision = decide_next(
            head.attempts + 1,
            reply,
            now_ms=now_ms,
            jitter=self._pace.jitter(),
            delays_s=self._pace.delays_s,
        )
        attempt = Attempt(at_ms, int(took_s * 1000), reply)
        disabled = await asyncio.to_thread(
            finish, self._store, head, attempt, decision, now_ms, self._pace.delays_s
        )
        if not isinstance(decision, Delivered):
            log.info(
                "delivery not taken",
                subscription=head.subscription.name,
                delivery=head.delivery,
                attempt=head.attempts + 1,
                reason=reply.reason,
            )
        if disabled is not None:
            self.disabled += 1
            log.warning("subscription disabled", subscription=head.subscription.name, reason=disabled)

    def _stumble(self, fault: sqlite3.Error) -> None:
        sentence = f"{self._store.path} cannot be used: {fault}"
        if self.fault != sentence:
            log.error("the queue cannot be used", reason=sentence)
        self.fault = sentence
