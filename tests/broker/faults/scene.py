"""Topics with a prefix of their own, the workers on them, and what may be done to both."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import json
import time
from contextlib import asynccontextmanager, suppress

from aiokafka.protocol.admin import DeleteGroupsRequest

from elowire.runtime import topics
from elowire.runtime.kafka import ConfirmedProducer, OutRecord, admin_client, read_all
from elowire.runtime.topics import Shape
from tests.broker.acceptance.programs import run
from tests.broker.faults import cluster
from tests.broker.faults.kinds import KINDS
from tests.broker.faults.workers import Workers

NUMBERS = itertools.count(1)
PATIENCE_S = 60


class Scene:
    """One kind of worker on a broker; `more` is the workers' environment."""

    def __init__(self, kafka, folder, *, kind="toy", static=False, partitions=4, **more):
        self.kafka, self.partitions, self.kind = kafka, partitions, KINDS[kind]
        self.name = f"scene{next(NUMBERS)}-{time.time_ns() % 10**9}"
        self.prefix = f"{self.name}-"
        given = {"NAME": self.name, "BOOTSTRAP": kafka, "PARTITIONS": partitions, "SESSION": 6}
        self.workers = Workers(folder, static=static, STAGES=kind, **(given | more))

    async def topics(self, shape=None):
        shape = shape or Shape(partitions=self.partitions)
        await cluster.make_topics(self.kafka, self.kind, self.prefix, shape)

    async def feed(self, count=500, seed=1, *, rate=0.0):
        """Send about `count` records, to the end of the stream.

        One stream for a scene that is judged: two would contradict each other about the same players. What
        is sent in parts comes from `stream` and `send`.
        """
        return await self.send(self.stream(count, seed), rate=rate)

    def stream(self, count, seed=1):
        """Return about `count` records, to be sent in parts."""
        return iter(self.kind.input(seed, count, self.partitions))

    async def send(self, stream, count=None, *, rate=0.0):
        """Send the next `count` records of a stream, or all that are left."""
        return await cluster.feed(self.kafka, self.prefix, itertools.islice(stream, count), rate=rate)

    async def lag(self):
        return await cluster.lag(self.kafka, self.kind, self.prefix, self.name, self.partitions)

    async def drained(self, patience_s=PATIENCE_S, **extra):
        """Wait until nothing is left, starting workers again as a supervisor does; return what is left."""
        waiting = asyncio.ensure_future(
            cluster.drained(self.kafka, self.kind, self.prefix, self.name, self.partitions, patience_s)
        )
        async with self.supervised(**extra):
            return await waiting

    @asynccontextmanager
    async def supervised(self, **extra):
        """Start what has ended again, with more in its environment, as long as the block lasts."""

        async def watch():
            while True:
                self.workers.restart_dead(**extra)
                await asyncio.sleep(0.2)

        watching = asyncio.ensure_future(watch())
        try:
            yield
        finally:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching

    async def faults(self):
        return await self.kind.check(self.kafka, self.prefix)

    async def end(self, slot=0, patience_s=PATIENCE_S):
        """Wait for a worker to end itself; return its exit code and the reason it gave."""
        deadline = time.monotonic() + patience_s
        while (code := self.workers.processes[slot].poll()) is None and time.monotonic() < deadline:
            await asyncio.sleep(0.1)
        lines = [line for line in self.workers.log().splitlines() if '"the process ends itself"' in line]
        return code, json.loads(lines[-1])["reason"] if lines else self.workers.log()[-2000:]

    async def works_until_drained(self):
        """Start a worker, let it do all there is, and let it leave in order."""
        self.workers.start(0)
        left = await self.drained()
        await asyncio.to_thread(self.workers.leave, 0)
        return left

    async def records(self, topic):
        """Every record of a topic that is still there."""
        return [r async for some in read_all(self.kafka, [self.prefix + topic]) for r in some]

    async def create_again(self, topic, *, records=()):
        """Delete a topic and create it as it was, with other records."""
        name = self.prefix + topic
        async with admin_client(self.kafka) as admin:
            await admin.delete_topics([name])
            while name in await admin.list_topics():
                await asyncio.sleep(0.1)
        [found] = [known for known in self.kind.topics if known.name == topic]
        again = dataclasses.replace(found, name=name)
        await topics.apply(self.kafka, [again], shape=Shape(partitions=self.partitions))
        async with ConfirmedProducer(self.kafka) as producer:
            await producer.send_all(
                OutRecord(name, r.key, r.value, r.headers, partition=r.partition) for r in records
            )

    async def forget_group(self):
        """Delete the group with its offsets, as their expiry does."""
        async with admin_client(self.kafka) as admin:
            coordinator = await admin.find_coordinator(self.name)
            answer = await admin._send_request(DeleteGroupsRequest([self.name]), coordinator)
            return [code for _, code in answer.results]

    async def rebuild(self):
        """Run the product's own command; return its exit code and what it said."""
        settings = {"GROUP": self.name, "TOPIC_PREFIX": self.prefix, "PARTITIONS": self.partitions}
        environment = {f"ELOWIRE_{name}": value for name, value in settings.items()}
        done = await asyncio.to_thread(
            run, "processor", "--rebuild", "--bootstrap", self.kafka, within_s=120, **environment
        )
        return done.returncode, done.stdout + done.stderr
