"""Events are committed and no agent ever sees them, while workers join and leave by SIGTERM alone.

    python never_seen.py HOST:PORT [SECONDS [WIDEN]]

Agents with automatic acknowledgement and a table in memory that nobody writes; at least once; nobody is
killed. Worker A stays, worker B joins and leaves again and again, while events come in faster than
one worker takes them. At the end every offset below the committed one must have been seen by an agent.
Why not: after a recovery the flow of records is on while `perform_seek` is still setting the positions back.
A fetch in between brings records below the old read offset, which are dropped; then the read offset is set
back, the next record looks like a jump, and `Consumer._add_gap` takes the dropped ones for done. With
unmodified timing it is rare; WIDEN (seconds, default 2; 0: untouched) keeps `perform_seek` open for
longer, as a slow coordinator does.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

import plain
from faust.transport.drivers import aiokafka as driver

PARTITIONS, RATE, WORK_S = 4, 500, 0.003


def worker(bootstrap, name, folder, widen):
    seek = driver.AIOKafkaConsumerThread.seek_to_committed

    async def slow_seek(self):
        found = await seek(self)
        await asyncio.sleep(float(widen))
        return found

    driver.AIOKafkaConsumerThread.seek_to_committed = slow_seek
    app = plain.plain_app(
        name,
        bootstrap,
        f"{folder}/{os.getpid()}",
        broker_session_timeout=6,
        broker_heartbeat_interval=2,
        broker_rebalance_timeout=30,
    )
    source = app.topic(f"{name}-source", partitions=PARTITIONS, **plain.RAW)
    app.Table("table", key_type=bytes, value_type=bytes, partitions=PARTITIONS)
    seen = os.open(f"{folder}/seen-{os.getpid()}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    @app.agent(source)
    async def note(stream):
        async for event in stream.events():
            await asyncio.sleep(WORK_S)
            os.write(seen, b"%d %d\n" % (event.message.partition, event.message.offset))

    plain.work(app)


def unseen(folder, offsets):
    """Return the offsets below the committed ones that no agent has seen."""
    seen = {tuple(map(int, line.split())) for path in folder.glob("seen-*") for line in path.open()}
    return [(n, at) for n, end in sorted(offsets.items()) for at in range(end) if (n, at) not in seen]


async def rolling(bootstrap, name, folder, seconds, widen):
    """Feed, while B joins and leaves; returns how many events there were and how often B joined."""
    source, joins = f"{name}-source", 0
    start = [__file__, bootstrap, name, folder, widen]
    with (folder / "log").open("ab") as log:
        stays = plain.start_worker(*start, log=log)
        try:
            await asyncio.sleep(5)
            events = ((b"%d" % (n % 997), b"x" * 100) for n in range(int(RATE * seconds)))
            feeding = asyncio.ensure_future(plain.send(bootstrap, source, events, rate=RATE))
            while not feeding.done():
                comes_and_goes = plain.start_worker(*start, log=log)
                joins += 1
                await asyncio.sleep(10)
                await asyncio.to_thread(plain.end_worker, comes_and_goes)
            sent, deadline = await feeding, time.monotonic() + 60
            while sum((await plain.committed(bootstrap, name, source)).values()) < sent:
                if time.monotonic() > deadline:
                    break
                await asyncio.sleep(0.5)
        finally:
            await asyncio.to_thread(plain.end_worker, stays)
    return sent, joins


def main(bootstrap, seconds="20", widen="2"):
    name = f"unseen-{time.time_ns() % 10**9}"
    topics = {f"{name}-source": {}, f"{name}-table-changelog": {"cleanup.policy": "compact"}}
    asyncio.run(plain.make_topics(bootstrap, topics, PARTITIONS))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        sent, joins = asyncio.run(rolling(bootstrap, name, folder, float(seconds), widen))
        offsets = asyncio.run(plain.committed(bootstrap, name, f"{name}-source"))
        lost = unseen(folder, offsets)
    print(
        f"events {sent}, joins {joins}, committed {sum(offsets.values())}, never seen {len(lost)}: {lost[:3]}"
    )
    if lost:
        return plain.SHOWS
    return plain.GONE if joins and sum(offsets.values()) == sent else plain.UNPROVEN


if __name__ == "__main__":
    if len(sys.argv) > 4:
        worker(*sys.argv[1:])
    else:
        sys.exit(main(*sys.argv[1:]))
