"""What must hold of the topics whatever the inputs were: versions, ids, the contract, partitions."""

from __future__ import annotations

from collections import defaultdict

import orjson

from elowire.contracts.outputs import OUTPUTS, validate_output
from elowire.contracts.topics import partition_of

TYPES = {output.topic.name: output.name for output in OUTPUTS}


def broken_promises(topics, partitions):
    """Everything that a consumer was promised and did not get, as (key of the record, sentence)."""
    yield from _outputs(topics, partitions)
    yield from _versions(topics)
    yield from _sides(topics, partitions)


def _outputs(topics, partitions):
    for topic, type_ in TYPES.items():
        first = {}
        for record in topics[topic]:
            name = dict(record.headers)["ce_id"].decode()
            try:
                validate_output(type_, record.value)
            except ValueError as error:
                yield record.key, f"{topic} {name} breaks the contract: {error}: {record.value.decode()}"
            if first.setdefault(name, record.value) != record.value:
                both = f"{first[name].decode()} and {record.value.decode()}"
                yield record.key, f"{topic} {name} has two contents: {both}"
            if record.partition != partition_of(record.key.partition(b"/")[0], partitions):
                yield record.key, f"{topic} {name} lies in partition {record.partition}"


def _versions(topics):
    versions = defaultdict(set)
    for record in topics["live-ratings"]:
        versions[record.key].add(orjson.loads(record.value)["version"])
    for player, found in versions.items():
        if missing := sorted(set(range(1, max(found) + 1)) - found):
            yield player, f"live ratings of {player.decode()} lack versions {missing} of {max(found)}"


def _sides(topics, partitions):
    first = {}
    for record in topics["player-events"]:
        if record.partition != partition_of(record.key, partitions):
            yield record.key, f"player event lies in partition {record.partition}: {record.value.decode()}"
        event = orjson.loads(record.value)
        if event["t"] != "side":
            continue
        name = record.key, event["g"], tuple(event["r"])
        if first.setdefault(name, record.value) != record.value:
            both = f"{first[name].decode()} and {record.value.decode()}"
            yield record.key, f"the side of {name} has two contents: {both}"
