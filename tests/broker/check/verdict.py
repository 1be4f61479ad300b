"""The checker's judgement, over records alone: no Kafka, no clock.

1. Every input is in force, superseded, or in the dead letters with the right reason, and nothing else is.
2. Final figures, sides and lines equal the one-pass calculation to the last digit.
3. Versions are contiguous, one id has one content, every output keeps the contract and lies where it belongs.
4. Every output of the player stage follows from the log of player events, and none that follows is missing.
5. Of every key of a changelog the last record is the newest, and one version has one content.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime

import orjson

from elowire.contracts.events import PublishedRating
from elowire.processor import state as states
from elowire.processor.player import PlayerStage
from elowire.processor.stage import Record
from tests.oracle.events import parsed
from tests.oracle.inputs import inputs_of
from tests.oracle.oracle import expect
from tests.oracle.promises import broken_promises
from tests.oracle.readings import dead_letters, differences
from tests.oracle.winners import Given

CHANGELOGS = ("elowire-tournaments-changelog", "elowire-players-changelog")
FROM_PLAYER_EVENTS = ("live-ratings", "rated-games", "reconciliations")
SHOWN = 400


def violations(topics, partitions):
    """Return what is wrong with {topic without prefix: records by partition and offset}, as sentences."""
    found = dead_letters(topics)
    inputs = inputs_of(topics, partitions, found)
    expected = expect([*inputs.events, *_lists(topics)])
    wrong = [
        *inputs.wrong,
        *_refused(inputs.refused, found),
        *_causes(topics, inputs.events),
        *differences(topics, expected),
        *broken_promises(topics, partitions),
        *_replayed(topics, partitions),
        *_changelogs(topics),
    ]
    sentences = [sentence[: 10 * SHOWN] for _, sentence in wrong]
    if wrong:
        sentences[0] += "\n" + "\n".join(timeline(topics, wrong[0][0]))

    return sentences


def timeline(topics, key):
    """Every record of a key in all topics, in the order of their timestamps."""
    found = [
        record
        for records in topics.values()
        for record in records
        if record.key is not None and _concerns(record.key, key)
    ]
    for record in sorted(found, key=lambda r: (r.timestamp, r.topic, r.partition, r.offset)):
        at = datetime.fromtimestamp(record.timestamp / 1000, UTC).isoformat(timespec="milliseconds")
        value = b"" if record.value is None else record.value
        said = value.decode("utf-8", "backslashreplace")[:SHOWN]
        yield f"  {at} {record.topic}/{record.partition}/{record.offset} {record.key!r} {said}"


def _concerns(key, wanted):
    return key == wanted or key.startswith((wanted + b"/", wanted + states.SEPARATOR))


def _refused(expected, found):
    for name in sorted(expected.keys() | found.keys()):
        want, got = expected.get(name), found.get(name)
        if want != got:
            yield b"", f"record {name}: expected in the dead letters for {want}, found for {got}"


def _lists(topics):
    """Published ratings that the stage took before the compaction of their topic took them."""
    for record in topics["player-events"]:
        event = orjson.loads(record.value)
        if event["t"] == "list":
            figures = {
                control: {"rating": rating, "k": k, "games": games}
                for control, (rating, k, games) in event["tc"].items()
            }
            line = {"player_id": record.key.decode(), "list": event["l"], "revision": event["r"][0]}
            line |= {"kind": event["kd"], "birth_year": event["y"], **figures}
            yield Given(event["r"][1], parsed(PublishedRating, line))


def _causes(topics, events):
    """No side and no rating without an input that caused it."""
    known = {given.event_id for given in events} | {given.event_id for given in _lists(topics)}
    for record in topics["player-events"]:
        event = orjson.loads(record.value)
        causes = {"side": event.get("c"), "first": [event.get("c")]}.get(event["t"]) or [event["r"][1]]
        if unknown := {cause for cause in causes if cause is not None} - known:
            yield record.key, f"player event without cause {unknown}: {record.value.decode()}"
    for record in topics["live-ratings"]:
        cause = orjson.loads(record.value)["cause"]["event_id"]
        if cause not in known:
            yield record.key, f"live rating without cause {cause}: {record.value.decode()}"


def _replayed(topics, partitions):
    """What the log of player events, taken record by record, makes of every version."""
    expected, newest = {}, {}
    for topic, id_, key, value in _played(topics["player-events"], partitions):
        expected[topic, id_] = (key, value)
        newest[topic, key] = id_
    for topic in FROM_PLAYER_EVENTS:
        seen = set()
        for record in topics[topic]:
            id_ = dict(record.headers)["ce_id"]
            seen.add(id_)
            if expected.get((topic, id_)) != (record.key, record.value):
                want = expected.get((topic, id_), (b"", b"nothing"))[1].decode()
                told = (
                    f"{topic} {id_.decode()} does not follow from the player's log: {record.value.decode()}"
                )
                yield record.key.partition(b"/")[0], f"{told}; what follows is {want}"
        for (of_topic, id_), (key, value) in expected.items():
            # Compaction may have taken all but the newest record of a side.
            if of_topic != topic or id_ in seen or (topic == "rated-games" and newest[topic, key] != id_):
                continue
            yield key.partition(b"/")[0], f"{topic} {id_.decode()} is missing: {value.decode()}"


def _played(records, partitions):
    stage = PlayerStage(partitions=partitions)
    tables = defaultdict(dict)
    for record in records:
        table = tables[record.partition]
        plain = Record(
            "player-events",
            record.partition,
            record.offset,
            record.timestamp,
            record.key,
            record.value,
            record.headers,
        )
        effects = stage.apply([plain], table, None, record.partition)
        table.update(effects.puts)
        for emit in effects.emits:
            if emit.topic in FROM_PLAYER_EVENTS:
                yield emit.topic, dict(emit.headers)["ce_id"], emit.key, emit.value


def _changelogs(topics):
    for topic in CHANGELOGS:
        last, contents = {}, {}
        for record in topics.get(topic, ()):
            version, _ = states.order(record.value)
            last[record.key] = version
            name = record.key, version
            if contents.setdefault(name, record.value) != record.value:
                both = f"{contents[name]!r} and {record.value!r}"
                yield record.key, f"{topic}: version {version} of {record.key!r} has two contents: {both}"
        newest = {}
        for key, version in contents:
            newest[key] = max(newest.get(key, 0), version)
        for key, version in last.items():
            if version < newest[key]:
                told = f"{topic}: the last state of {key!r} is {version}, though {newest[key]} was written"
                yield key, told
