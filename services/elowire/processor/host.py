"""Faust as the lane's host: consumer, group membership, assignor. The only module with private names.

Registered as the transport `elowire` (entry point `faust.transports`). An application on this transport
has no agents: all its topics belong to the lane. Four private names of Faust 0.15 are touched, each marked
TOUCH and held by a contract test:

1. `Consumer._thread`, the thread that the client runs in;
2. `AIOKafkaConsumerThread._ensure_consumer()`, the client itself;
3. `Consumer._getmany()`, overridden, so that Faust's own loop takes no records;
4. `Consumer._new_consumer_thread()`, overridden, for a thread that always ends.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

from aiokafka.errors import (
    CommitFailedError,
    ConsumerStoppedError,
    IllegalStateError,
    KafkaError,
    UnknownMemberIdError,
)
from faust.assignor.partition_assignor import PartitionAssignor
from faust.exceptions import ConsumerNotStarted
from faust.transport.drivers import aiokafka as driver

from elowire.processor.pace import is_small
from elowire.processor.ports import NotOwnerError
from elowire.processor.stage import Record

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    import faust
    from aiokafka import AIOKafkaConsumer
    from aiokafka.structs import TopicPartition
    from faust.types import TP, AppT

    from elowire.processor.lane import Lane
    from elowire.processor.ports import Stop

T = TypeVar("T")

SCHEME = "elowire"
REFUSAL_CHECK_S = 0.5


class ConsumerThread(driver.AIOKafkaConsumerThread):
    """Faust's consumer thread, which ends with Kafka away too.

    Faust takes the cancellation that aiokafka passes on then (see `stop_consumer`) for the end of the thread
    itself and tells nobody, and the process would wait for the thread for ever.
    """

    async def on_thread_stop(self) -> None:
        """Stop the client, whatever of its own it cancels on the way."""
        with suppress(asyncio.CancelledError):
            await super().on_thread_stop()


class Consumer(driver.Consumer):
    """Faust's consumer, whose records the lane takes."""

    logger = driver.logger

    def _new_consumer_thread(self) -> ConsumerThread:  # TOUCH 4
        return ConsumerThread(self, loop=self.loop, beacon=self.beacon)

    async def _getmany(self, active_partitions: set[TP] | None, timeout: float) -> Any:  # noqa: ARG002, ASYNC109, ANN401  # TOUCH 3
        await asyncio.sleep(timeout)

        return {}

    def verify_event_path(self, now: float, tp: TP) -> None:
        """Say nothing: Faust sees no streams here and would call every busy partition stuck."""


class Transport(driver.Transport):
    """Faust's transport on aiokafka, with the consumer above."""

    Consumer = Consumer


class CoPartitioned(PartitionAssignor):
    """Faust's assignor without standbys.

    Faust takes its own assignor only for an application with tables or standby replicas, else aiokafka's
    round robin, which gives a worker unequal numbers of co-partitioned topics. So the application asks for
    standby replicas, and this class makes none.
    """

    def __init__(self, app: AppT, replicas: int = 0) -> None:  # noqa: ARG002 - Faust's own signature
        super().__init__(app, replicas=0)


class FaustGroup:
    """The `Group` port on a Faust application.

    Build it with the application: the group is joined before the lane starts. `static` says that the member
    has a fixed identity, which two processes must not share.
    """

    def __init__(self, app: faust.App, stop: Stop, *, static: bool) -> None:
        self._app = app
        self._stop = stop
        self._static = static
        self._watch: asyncio.Task[None] | None = None
        self._closing = False
        self._lane: Lane | None = None
        self._assigned: set[TP] = set()
        self._joined = False
        app.on_partitions_revoked.connect(self._on_revoked, weak=False)  # type: ignore[arg-type]  # Faust's own types are wider
        app.on_partitions_assigned.connect(self._on_assigned, weak=False)  # type: ignore[arg-type]  # Faust's own types are wider

    def drive(self, lane: Lane) -> None:
        """Tell the lane of assignments and revokes from now on, beginning with the present ones."""
        self._lane = lane
        if self._joined:
            lane.assigned(self._assigned)

    async def close(self) -> None:
        """Close the lane, if there is one yet: SIGTERM may come before."""
        self._closing = True
        self._unwatch()
        if self._lane is not None:
            await self._lane.close()

    async def fetch(
        self, sources: Collection[TopicPartition], *, timeout_s: float, limit: int
    ) -> Mapping[TopicPartition, Sequence[Record]]:
        """Fetch from the consumer's positions.

        After few records the client fetches nothing more until `fetch_ahead` or the next call: it would do so
        at once, what came would lie there for the whole batch, and nothing newer is fetched beside it.
        """

        async def fetch(client: AIOKafkaConsumer) -> Mapping[TopicPartition, Sequence[Record]]:
            client.resume(*client.paused())
            got = await client.getmany(*sources, timeout_ms=int(timeout_s * 1000), max_records=limit)
            if is_small(got, limit):
                client.pause(*client.assignment())

            return {
                at: [
                    Record(r.topic, r.partition, r.offset, r.timestamp, r.key, r.value, r.headers)
                    for r in records
                ]
                for at, records in got.items()
            }

        return await self._call(fetch)

    def fetch_ahead(self) -> None:
        """Let the client begin the next fetch."""
        thread, client = self._client()
        thread.thread_loop.call_soon_threadsafe(lambda: client.resume(*client.paused()))

    async def seek(self, positions: Mapping[TopicPartition, int]) -> None:
        """Set the positions of those that are assigned."""

        async def seek(client: AIOKafkaConsumer) -> None:
            assigned = client.assignment()
            for at, position in positions.items():
                if at in assigned:
                    client.seek(at, position)

        await self._call(seek)

    async def positions(self, sources: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Return the positions of those that are assigned."""

        async def positions(client: AIOKafkaConsumer) -> dict[TopicPartition, int]:
            assigned = client.assignment()

            return {at: await client.position(at) for at in sources if at in assigned}

        return await self._call(positions)

    async def commit(self, offsets: Mapping[TopicPartition, tuple[int, str]]) -> None:
        """Commit in our generation."""

        async def commit(client: AIOKafkaConsumer) -> None:
            await client.commit(dict(offsets))

        await self._call(commit)

    async def _call(self, ask: Callable[[AIOKafkaConsumer], Awaitable[T]]) -> T:
        thread, client = self._client()

        async def asked() -> T:
            return await ask(client)

        try:
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(asked(), thread.thread_loop))
        except (CommitFailedError, IllegalStateError) as refusal:
            forgotten = self._static and isinstance(refusal.__cause__, UnknownMemberIdError)
            raise NotOwnerError(f"{type(refusal).__name__}: {refusal}", forgotten=forgotten) from refusal

    def _client(self) -> tuple[driver.AIOKafkaConsumerThread, AIOKafkaConsumer]:
        thread = cast("Consumer", self._app.consumer)._thread  # noqa: SLF001  # TOUCH 1

        return thread, thread._ensure_consumer()  # noqa: SLF001  # TOUCH 2

    async def _on_revoked(self, app: object, revoked: set[TP], **_: object) -> None:  # noqa: ARG002 - Faust's own signature
        self._joined = False
        self._unwatch()
        if self._lane is not None:
            await self._lane.revoked()
        if not self._closing:
            self._watch = asyncio.create_task(self._hear_refusals())

    async def _on_assigned(self, app: object, assigned: set[TP], **_: object) -> None:  # noqa: ARG002 - Faust's own signature
        self._unwatch()
        self._joined, self._assigned = True, set(assigned)
        if self._lane is not None:
            self._lane.assigned(assigned)

    async def _hear_refusals(self) -> None:
        """End the process if the coordinator would not have us, instead of waiting for an assignment.

        The client keeps such an answer for who polls next and does nothing more until then; and nobody polls
        who has no partitions. What a poll may bring is no loss: the lane sets every position when it begins.
        """

        async def poll(client: AIOKafkaConsumer) -> None:
            await client.getmany(timeout_ms=0, max_records=1)

        while True:
            await asyncio.sleep(REFUSAL_CHECK_S)
            try:
                with suppress(ConsumerNotStarted, ConsumerStoppedError):
                    await self._call(poll)
            except KafkaError as refusal:
                hint = ": is its instance id used twice?" if self._static else ""
                self._stop(f"the group would not have this member{hint}", refusal)

    def _unwatch(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
