"""What must be true of the toy at every moment: outputs before states, states before offsets, causes first.

It looks at one record or commit at a time, knows the logs alone, and says what is wrong with it.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import orjson

from tests.fakes.toy_oracle import read_amount, read_state


class ToyWatch:
    """Watches the topics of `tests/fakes/toy.py` in a world."""

    def __init__(self):
        self._inbox, self._amounts = defaultdict(list), defaultdict(list)
        self._forwarded, self._refused = set(), set()
        self._ledger, self._version, self._total = defaultdict(dict), Counter(), Counter()
        self._caused, self._sent, self._states, self._newest = {}, {}, {}, {}

    def appended(self, at, record):
        look = {
            "inbox": self._inbox_record,
            "amounts": self._amount,
            "totals": self._total_sent,
            "refused": self._dead_letter,
            "amounts-changelog": self._state,
        }
        return look[at.topic](at, record)

    def committed(self, at, offset):
        return {"inbox": self._inbox_read, "amounts": self._amounts_read}[at.topic](at, offset)

    def _name(self, at, record):
        return f"{at.topic}/{at.partition}@{record.offset} {record.key!r} {record.value!r}"

    def _inbox_record(self, at, record):
        self._inbox[at].append(record)
        return ()

    def _amount(self, at, record):
        self._amounts[at].append(record)
        self._forwarded.add((record.key, record.value))
        amount = read_amount(record.value)
        if amount is None:
            return
        name, rev, value = amount
        old = self._ledger[record.key].get(name)
        if old is None or old[0] < rev:
            self._ledger[record.key][name] = (rev, value)
            self._version[record.key] += 1
            self._total[record.key] += value - (old[1] if old else 0)
            self._caused[record.key, self._version[record.key]] = (name, rev, self._total[record.key])
        if (record.key, record.value) not in {(r.key, r.value) for log in self._inbox.values() for r in log}:
            yield f"an amount without a cause: {self._name(at, record)}"

    def _total_sent(self, at, record):
        out = orjson.loads(record.value)
        version = (record.key, out["version"])
        if self._caused.get(version) != (out["id"], out["rev"], out["total"]):
            yield f"an output without a cause: {self._name(at, record)}"
        if self._sent.setdefault(version, record.value) != record.value:
            yield f"two outputs of one version: {self._name(at, record)}, before {self._sent[version]!r}"

    def _dead_letter(self, at, record):
        self._refused.add((record.key, record.value))
        if read_amount(record.value) is not None:
            yield f"a good record in the dead letters: {self._name(at, record)}"

    def _state(self, at, record):
        state = read_state(record.value)
        version = (record.key, state["s"], record.value[:1])
        if self._states.setdefault(version, record.value) != record.value:
            yield f"two states of one version: {self._name(at, record)}, before {self._states[version]!r}"
        if state["s"] > self._newest.get(record.key, {"s": 0})["s"]:
            self._newest[record.key] = state
        if unsent := [v for v in range(1, state["s"] + 1) if (record.key, v) not in self._sent]:
            yield f"a state before its outputs {unsent}: {self._name(at, record)}"

    def _inbox_read(self, at, offset):
        yield from self._beyond(at, offset, self._inbox[at])
        for record in self._inbox[at][:offset]:
            if (record.key, record.value) not in self._forwarded:
                yield f"committed up to {offset}, not sent on: {self._name(at, record)}"

    def _amounts_read(self, at, offset):
        yield from self._beyond(at, offset, self._amounts[at])
        for record in self._amounts[at][:offset]:
            amount = read_amount(record.value)
            if amount is None:
                durable = (record.key, record.value) in self._refused
            else:
                held = self._newest.get(record.key, {"amounts": {}})["amounts"].get(amount[0])
                durable = held is not None and held[0] >= amount[1]
            if not durable:
                yield f"committed up to {offset}, not durable: {self._name(at, record)}"

    def _beyond(self, at, offset, log):
        if offset > len(log):
            yield f"{at.topic}/{at.partition} committed up to {offset}, but it ends at {len(log)}"
