"""A worker that keeps its partitions in a rebalance reads its own changelog again, from the beginning.

    python own_tail.py HOST:PORT

Two workers, a table in memory. The first one puts 4,000 updates into its table; then the second one joins.
Expected: the first one keeps half of its partitions, whose table it has in memory and whose changelog nobody
else has written, so there is nothing to read. Seen: it reads all that it wrote itself since its last
recovery, so a join takes the longer the longer the worker has been up.
Why: `Recovery` begins where the last one ended; own writes do not move that place if the store is memory.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

import plain

PARTITIONS, EVENTS, PATIENCE_S = 4, 4000, 60


def worker(bootstrap, name, folder):
    app = plain.plain_app(name, bootstrap, f"{folder}/{os.getpid()}")
    source = app.topic(f"{name}-source", partitions=PARTITIONS, **plain.RAW)
    read = os.open(f"{folder}/read-{os.getpid()}", os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    async def count(event):
        os.write(read, b"%d %d\n" % (event.message.partition, event.message.offset))

    table = app.Table(
        "table", key_type=bytes, value_type=bytes, partitions=PARTITIONS, on_changelog_event=count
    )

    @app.on_partitions_assigned.connect
    async def assigned(app, assigned, **_):
        mine = sorted(at.partition for at in assigned if at.topic == f"{name}-source")
        Path(folder, f"assigned-{os.getpid()}").write_text(" ".join(map(str, mine)))

    @app.agent(source)
    async def put(stream):
        async for key, value in stream.items():
            table[key] = value

    plain.work(app)


def partitions_of(folder, process):
    path = folder / f"assigned-{process.pid}"
    return path.read_text().split() if path.exists() else []


def read_again(folder, process):
    """Count the changelog records that a worker read back, by partition."""
    read = (folder / f"read-{process.pid}").read_text().split("\n")
    return {n: sum(line.startswith(f"{n} ") for line in read) for n in partitions_of(folder, process)}


async def until(ready):
    """Wait until something is so; false if patience ends."""
    deadline = time.monotonic() + PATIENCE_S
    while not await ready():
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.3)
    return True


async def join(bootstrap, name, folder):
    """Returns what the first worker kept, and what it read before and after the second one came."""
    source = f"{name}-source"

    async def all_committed():
        return sum((await plain.committed(bootstrap, name, source)).values()) == EVENTS

    async def both_have_some():
        return partitions_of(folder, second) and len(partitions_of(folder, first)) < PARTITIONS

    with (folder / "log").open("ab") as log:
        first = plain.start_worker(__file__, bootstrap, name, folder, log=log)
        running = [first]
        try:
            if not await until(all_committed):
                return {}, {}
            before = read_again(folder, first)
            running.append(second := plain.start_worker(__file__, bootstrap, name, folder, log=log))
            await until(both_have_some)
            await asyncio.sleep(8)  # the recovery goes on after the assignment
            return before, read_again(folder, first)
        finally:
            for process in reversed(running):
                await asyncio.to_thread(plain.end_worker, process)


def main(bootstrap):
    name = f"tail-{time.time_ns() % 10**9}"
    topics = {f"{name}-source": {}, f"{name}-table-changelog": {"cleanup.policy": "compact"}}
    events = ((b"%d" % (n % 997), b"x" * 100) for n in range(EVENTS))
    asyncio.run(plain.make_topics(bootstrap, topics, PARTITIONS))
    asyncio.run(plain.send(bootstrap, f"{name}-source", events))
    with tempfile.TemporaryDirectory() as made:
        before, after = asyncio.run(join(bootstrap, name, Path(made)))
    print(f"events {EVENTS}, the first worker read back before the join {before}, after it {after}")
    if not after or sum(before.values()):
        return plain.UNPROVEN
    return plain.SHOWS if all(after.values()) else plain.GONE


if __name__ == "__main__":
    if len(sys.argv) > 2:
        worker(*sys.argv[1:])
    else:
        sys.exit(main(sys.argv[1]))
