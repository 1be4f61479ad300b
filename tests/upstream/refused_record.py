"""A changelog record that the broker refuses is lost, and the offset of its cause is committed all the same.

    python refused_record.py HOST:PORT

One worker, one agent, one table in memory, at least once, nothing is killed. Twenty events; the changelog
topic takes no record above 2,000 bytes, and two events put one of 10,000 bytes. The broker refuses each with
the whole batch that it is in.
Expected of at least once: the offset of an update that was refused is not committed.
Seen: a warning in the log, then the commit of all twenty.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time

import plain

EVENTS = 20
PATIENCE_S = 60


def worker(bootstrap, name, folder):
    app = plain.plain_app(name, bootstrap, folder)
    source = app.topic(f"{name}-source", partitions=1, **plain.RAW)
    table = app.Table("table", key_type=bytes, value_type=bytes, partitions=1)

    @app.agent(source)
    async def put(stream):
        async for key, value in stream.items():
            table[key] = value

    plain.work(app)


def main(bootstrap):
    name = f"refused-{time.time_ns() % 10**9}"
    source, changelog = f"{name}-source", f"{name}-table-changelog"
    small = {"cleanup.policy": "compact", "max.message.bytes": "2000"}
    events = [(b"%02d" % n, b"x" * (10_000 if n % 10 == 5 else 10)) for n in range(EVENTS)]
    asyncio.run(plain.make_topics(bootstrap, {source: {}, changelog: small}, 1))
    asyncio.run(plain.send(bootstrap, source, events))
    deadline, offset = time.monotonic() + PATIENCE_S, 0
    with tempfile.TemporaryDirectory() as folder:
        process = plain.start_worker(__file__, bootstrap, name, folder)
        while offset < EVENTS and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.5)
            offset = asyncio.run(plain.committed(bootstrap, name, source)).get(0, 0)
        plain.end_worker(process)
    offset = asyncio.run(plain.committed(bootstrap, name, source)).get(0, 0)
    kept = set(asyncio.run(plain.keys_of(bootstrap, changelog, 1)))
    lost = sorted({key.decode() for key, _ in events[:offset]} - {key.decode() for key in kept})
    print(f"events {EVENTS}, committed {offset}, in the changelog {len(kept)}, lost: {' '.join(lost)}")
    if lost:
        return plain.SHOWS
    return plain.GONE if kept else plain.UNPROVEN


if __name__ == "__main__":
    if len(sys.argv) > 2:
        worker(*sys.argv[1:])
    else:
        sys.exit(main(sys.argv[1]))
