"""feed_toy.py NAME SEED [records=100000] [accounts=20000] [rate=0] [tag=A]: a reproducible stream of amounts into NAME-inbox.

3 % corrections (some before their original), 3 % exact duplicates. One line at the end.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from pathlib import Path

import orjson
from aiokafka import AIOKafkaProducer

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.fakes.toy import partition_of


def stream(seed, records, accounts, tag):
    """Return (key, value) in an order that is only nearly that of the revisions."""
    rng = random.Random(seed)
    events = []
    for n in range(records):
        key = b"p%06d" % rng.randrange(accounts)
        first = {"id": f"{tag}{n}", "rev": 0, "amount": rng.randrange(-800, 800), "note": "x" * 100}
        events.append((n, key, first))
        x = rng.random()
        if x < 0.03:
            events.append((n + rng.uniform(-50, 500), key, {**first, "rev": 1, "amount": rng.randrange(-800, 800)}))
        elif x < 0.06:
            events.append((n + rng.uniform(0, 5000), key, first))
    events.sort(key=lambda event: event[0])
    return [(key, orjson.dumps(value)) for _, key, value in events]


async def main():
    name, seed = sys.argv[1], int(sys.argv[2])
    given = dict(arg.split("=", 1) for arg in sys.argv[3:])
    partitions, rate = int(os.environ.get("PARTITIONS", "4")), float(given.get("rate", 0))
    events = stream(seed, int(given.get("records", 100000)), int(given.get("accounts", 20000)), given.get("tag", "A"))
    producer = AIOKafkaProducer(
        bootstrap_servers=os.environ.get("BOOTSTRAP", "127.0.0.1:30300"),
        acks="all",
        enable_idempotence=True,
        max_batch_size=512 << 10,
        request_timeout_ms=60000,
    )
    await producer.start()
    began, sent = time.monotonic(), 0
    step = max(1, int(rate * 0.02)) if rate else 4000
    while sent < len(events):
        batches, futures = {}, []
        for key, value in events[sent : sent + step]:
            at = partition_of(key, partitions)
            batch = batches.setdefault(at, producer.create_batch())
            if batch.append(timestamp=None, key=key, value=value) is None:
                futures.append(await producer.send_batch(batch, f"{name}-{given.get('topic', 'inbox')}", partition=at))
                batch = batches[at] = producer.create_batch()
                batch.append(timestamp=None, key=key, value=value)
        for at, batch in batches.items():
            futures.append(await producer.send_batch(batch, f"{name}-{given.get('topic', 'inbox')}", partition=at))
        await asyncio.gather(*futures)
        sent += step
        if rate and (early := began + sent / rate - time.monotonic()) > 0:
            await asyncio.sleep(early)
    print(f"fed {len(events)} records in {time.monotonic() - began:.1f} s")
    await producer.stop()


if __name__ == "__main__":
    asyncio.run(main())
