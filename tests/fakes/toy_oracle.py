"""What must be true of the toy's topics at the end: computed from the inputs alone, in one pass."""

from __future__ import annotations

from collections import Counter, defaultdict

import orjson


def read_amount(value):
    try:
        amount = orjson.loads(value)
        return amount["id"], amount["rev"], amount["amount"]
    except (ValueError, KeyError, TypeError):
        return None


def faults(inbox, amounts, totals, refused, changelog):
    """Return what is wrong; each argument is a list of records (key, value) in log order per partition."""
    wrong = []
    ledger = defaultdict(dict)
    poison = Counter()
    for record in inbox:
        if (amount := read_amount(record.value)) is None:
            poison[record.key, record.value] += 1
            continue
        name, rev, value = amount
        if name not in ledger[record.key] or ledger[record.key][name][0] < rev:
            ledger[record.key][name] = [rev, value]
    if lost := set(poison) - {(record.key, record.value) for record in refused}:
        wrong.append(f"{len(lost)} unreadable records are in no dead letter: {list(lost)[:3]}")

    by_log, version, total, caused = defaultdict(dict), Counter(), Counter(), {}
    for record in amounts:
        if (amount := read_amount(record.value)) is None:
            continue
        name, rev, value = amount
        old = by_log[record.key].get(name)
        if old and old[0] >= rev:
            continue
        by_log[record.key][name] = [rev, value]
        version[record.key] += 1
        total[record.key] += value - (old[1] if old else 0)
        caused[record.key, version[record.key]] = (name, rev, total[record.key])
    if dict(by_log) != dict(ledger):
        keys = [key for key in set(by_log) | set(ledger) if by_log.get(key) != ledger.get(key)]
        wrong.append(f"inbox and amounts differ for {len(keys)} accounts: {keys[:3]}")

    final = {}
    for record in changelog:
        final[record.key] = record.value
    states = {key: orjson.loads(value[1:]) for key, value in final.items()}
    for key, amounts_of in ledger.items():
        state = states.get(key)
        if state is None or state["amounts"] != amounts_of or state["s"] != version[key]:
            wrong.append(f"state of {key}: {state}, expected version {version[key]} {amounts_of}")
    if extra := set(states) - set(ledger):
        wrong.append(f"states without a cause: {list(extra)[:3]}")

    seen = {}
    for record in totals:
        out = orjson.loads(record.value)
        at = (record.key, out["version"])
        if at in seen and seen[at] != record.value:
            wrong.append(f"two outputs for {at}: {seen[at]} {record.value}")
        seen[at] = record.value
        if caused.get(at) != (out["id"], out["rev"], out["total"]):
            wrong.append(f"output without a cause: {record.value}, expected {caused.get(at)}")
    if missing := set(caused) - set(seen):
        wrong.append(f"{len(missing)} versions were never sent: {sorted(missing)[:3]}")

    return wrong
