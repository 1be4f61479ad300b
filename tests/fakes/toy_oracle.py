"""What must be true of the toy's topics at the end: computed from the inputs alone, in one pass."""

from __future__ import annotations

from collections import Counter, defaultdict

import orjson


def read_amount(value):
    """Return (id, revision, amount), or None for what no stage can read."""
    try:
        amount = orjson.loads(value)
        return amount["id"], amount["rev"], amount["amount"]
    except (ValueError, KeyError, TypeError):
        return None


def read_state(value):
    """Return counter and amounts of a state in either format of the toy."""
    state = orjson.loads(value[1:])
    return {"s": state["s"], "amounts": state.get("amounts", state.get("by_id"))}


def faults(inbox, amounts, totals, refused, changelog):
    """Return what is wrong; each argument is a list of records (key, value) in log order per partition."""
    ledger = ledger_of(inbox)
    by_log, version, caused = history_of(amounts)
    wrong = []
    if unequal := [key for key in {*by_log, *ledger} if by_log.get(key) != ledger.get(key)]:
        wrong.append(f"inbox and amounts differ for {len(unequal)} accounts: {unequal[:3]}")

    return [
        *wrong,
        *faults_of_dead_letters(inbox, refused),
        *faults_of_states(changelog, ledger, version),
        *faults_of_totals(totals, caused),
    ]


def ledger_of(inbox):
    """Return what counts per account: of every id the highest revision, in whatever order."""
    ledger = defaultdict(dict)
    for record in inbox:
        if amount := read_amount(record.value):
            name, rev, value = amount
            if name not in ledger[record.key] or ledger[record.key][name][0] < rev:
                ledger[record.key][name] = [rev, value]
    return dict(ledger)


def history_of(amounts):
    """Return the ledger in the order of the log, the last versions, and what caused every version."""
    ledger, version, total, caused = defaultdict(dict), Counter(), Counter(), {}
    for record in amounts:
        if not (amount := read_amount(record.value)):
            continue
        name, rev, value = amount
        old = ledger[record.key].get(name)
        if old and old[0] >= rev:
            continue
        ledger[record.key][name] = [rev, value]
        version[record.key] += 1
        total[record.key] += value - (old[1] if old else 0)
        caused[record.key, version[record.key]] = (name, rev, total[record.key])
    return dict(ledger), version, caused


def faults_of_dead_letters(inbox, refused):
    unreadable = {(record.key, record.value) for record in inbox if not read_amount(record.value)}
    if lost := unreadable - {(record.key, record.value) for record in refused}:
        yield f"{len(lost)} unreadable records are in no dead letter: {list(lost)[:3]}"


def faults_of_states(changelog, ledger, version):
    """The last record of every key is what counts after compaction."""
    last = {record.key: record.value for record in changelog}
    states = {key: read_state(value) for key, value in last.items()}
    for key, amounts in ledger.items():
        state = states.get(key)
        if state is None or state["amounts"] != amounts or state["s"] != version[key]:
            yield f"state of {key}: {state}, expected version {version[key]} {amounts}"
    if extra := set(states) - set(ledger):
        yield f"states without a cause: {list(extra)[:3]}"


def faults_of_totals(totals, caused):
    """Every version is sent at least once, always with the same bytes, and none without a cause."""
    seen = {}
    for record in totals:
        out = orjson.loads(record.value)
        at = (record.key, out["version"])
        if seen.setdefault(at, record.value) != record.value:
            yield f"two outputs for {at}: {seen[at]} {record.value}"
        if caused.get(at) != (out["id"], out["rev"], out["total"]):
            yield f"output without a cause: {record.value}, expected {caused.get(at)}"
    if missing := set(caused) - set(seen):
        yield f"{len(missing)} versions were never sent: {sorted(missing)[:3]}"
