"""Two small stages for the engine's own tests: `inbox` is forwarded, and `amounts` are summed up.

    inbox ──forward──▶ amounts ──sum──▶ totals
                          └─────────────▶ refused (what cannot be read)

An amount is ``{"id", "rev", "amount"}`` under the key of an account; per account and id the highest revision
counts. The total is published with a version per change.
"""

from __future__ import annotations

from functools import lru_cache

import orjson
from aiokafka.partitioner import murmur2

from elowire.processor.stage import Effects, Emit
from elowire.processor.state import Codec

CODEC = Codec(1)


def by_id(state):
    """From the first format to the second one, where amounts have a name that says what they are found by."""
    state["by_id"] = state.pop("amounts")
    return state


NEXT_CODEC = Codec(2, {1: by_id})


@lru_cache(1 << 18)
def partition_of(key, partitions):
    return (murmur2(key) & 0x7FFFFFFF) % partitions


class ForwardStage:
    """A stage without a table."""

    name = "forward"
    changelog = None

    def __init__(self, prefix="", partitions=4):
        self.sources = (f"{prefix}inbox",)
        self._to = f"{prefix}amounts"
        self._partitions = partitions

    def apply(self, records, table, index, partition):
        emits = [
            Emit(
                self._to, partition_of(record.key, self._partitions), record.key, record.value, record.headers
            )
            for record in records
        ]
        return Effects(emits=emits)

    def version(self, state):
        raise AssertionError("a stage without a table has no states")

    def new_index(self):
        return None

    def note(self, index, key, state):
        raise AssertionError("a stage without a table has no states")


class SumStage:
    """A stage with a table; `codec` and `amounts` are how its states are written."""

    name = "sum"
    codec, amounts = CODEC, "amounts"

    def __init__(self, prefix=""):
        self.sources = (f"{prefix}amounts",)
        self.changelog = f"{prefix}amounts-changelog"
        self._totals = f"{prefix}totals"
        self._refused = f"{prefix}refused"

    def apply(self, records, table, index, partition):
        effects = Effects()
        view = {}
        changed = {}
        for record in records:
            try:
                amount = orjson.loads(record.value)
                name, rev, value = amount["id"], amount["rev"], amount["amount"]
            except (ValueError, KeyError, TypeError):
                effects.emits.append(Emit(self._refused, partition, record.key, record.value, record.headers))
                effects.counts["refused"] += 1
                continue
            key = record.key
            state = view.get(key)
            if state is None:
                known = table.get(key)
                state = view[key] = (
                    self.codec.decode(known) if known else {"s": 0, "total": 0, self.amounts: {}}
                )
            old = state[self.amounts].get(name)
            if old is not None and old[0] >= rev:
                continue
            state["s"] += 1
            state["total"] += value - (old[1] if old else 0)
            state[self.amounts][name] = [rev, value]
            changed[key] = state
            total = {
                "account": key.decode(),
                "version": state["s"],
                "id": name,
                "rev": rev,
                "total": state["total"],
            }
            effects.emits.append(Emit(self._totals, partition, key, orjson.dumps(total)))
        effects.puts = {key: self.codec.encode(state) for key, state in changed.items()}
        return effects

    def version(self, state):
        return self.codec.order(state)

    def new_index(self):
        return {}

    def note(self, index, key, state):
        index[key] = True


class NextSumStage(SumStage):
    """The same stage in a later release, which writes its states in another shape."""

    codec, amounts = NEXT_CODEC, "by_id"


def toy_stages(prefix="", partitions=4):
    return [ForwardStage(prefix, partitions), SumStage(prefix)]


TOY_SOURCES = ("inbox", "amounts")
TOY_TOPICS = ("inbox", "amounts", "totals", "refused")
TOY_CHANGELOGS = ("amounts-changelog",)
