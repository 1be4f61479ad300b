"""Reads the toy's topics with a plain client and says what is wrong."""

from __future__ import annotations

from elowire.runtime.kafka import read_all
from tests.fakes.toy import TOY_CHANGELOGS, TOY_TOPICS
from tests.fakes.toy_oracle import faults


async def check(bootstrap, prefix):
    """Return what is wrong with the toy's topics."""
    names = [f"{prefix}{topic}" for topic in (*TOY_TOPICS, *TOY_CHANGELOGS)]
    found = {name: [] for name in names}
    async for records in read_all(bootstrap, names):
        for record in records:
            found[record.topic].append(record)
    for records in found.values():
        records.sort(key=lambda record: (record.partition, record.offset))
    return faults(*found.values())
