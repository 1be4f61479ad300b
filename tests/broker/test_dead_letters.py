from __future__ import annotations

import asyncio
import json
import sys

import pytest

from elowire.contracts.topics import partition_of
from elowire.processor.door import Door
from elowire.processor.stage import Effects, Record
from elowire.runtime.kafka import ConfirmedProducer, OutRecord, admin_client, read_all

pytestmark = pytest.mark.broker
PARTITIONS = 4
BEGAN = 1_760_000_000_000
WAIT_S = 60
CE = (
    ("ce_specversion", b"1.0"),
    ("ce_id", b"e1"),
    ("ce_source", b"urn:test"),
    ("ce_type", b"elowire.game-result.v1"),
    ("content-type", b"application/json"),
    ("traceparent", b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
)


def refused(number, *, key=b"open", value=b'{"tournament_id": 7}', headers=CE, topic="game-results"):
    """Give the dead letters that the processor's door writes for one input record."""
    effects = Effects()
    partition = partition_of(key, PARTITIONS) if key else 0
    record = Record(topic, partition, number, BEGAN + number, key, value, headers)
    door = Door(partitions=PARTITIONS, prefix="", release="1.0")
    assert list(door.admit([record], partition, effects)) == []
    return [
        OutRecord(*emit[:1], emit.key, emit.value, emit.headers, emit.partition) for emit in effects.emits
    ]


async def send(bootstrap, *records):
    async with ConfirmedProducer(bootstrap) as producer:
        await producer.send_all(records)


async def run(bootstrap, *arguments):
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", "from elowire.cli import main; main()", "dead-letters"),
        *map(str, arguments),
        *("--bootstrap", bootstrap),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), WAIT_S)
    return process.returncode, out.decode(), err.decode()


async def ids(bootstrap, *options):
    status, out, err = await run(bootstrap, "list", *options)
    assert status == 0, err
    return [row["id"] for row in json.loads(out)]


async def records_of(bootstrap, topic):
    return [record async for batch in read_all(bootstrap, [topic]) for record in batch]


PLACE = partition_of(b"open", PARTITIONS)


def letter_id(number, topic="game-results"):
    return f"{topic}/{PLACE}/{number}"


async def test_a_letter_is_listed_shown_repaired_sent_again_and_then_gone(kafka, fresh_catalogue, tmp_path):
    await fresh_catalogue(partitions=PARTITIONS)
    await send(kafka, *refused(5), *refused(6, value=b"\xff\x00 not text"), *refused(7, value=None))
    repaired = tmp_path / "repaired.json"
    repaired.write_bytes(b'{"repaired": true}')

    _, out, _ = await run(kafka, "list")
    first, second, third = json.loads(out)
    _, shown, _ = await run(kafka, "show", letter_id(5), "--format", "table")
    _, hexed, _ = await run(kafka, "show", letter_id(6), "--bytes", "4")
    status, replayed, _ = await run(kafka, "replay", letter_id(5), "--value", repaired)
    left = await ids(kafka)
    (sent,) = await records_of(kafka, "game-results")
    again, said, _ = await run(kafka, "replay", letter_id(5))
    _, after, _ = await run(kafka, "show", letter_id(5))

    assert [row["id"] for row in (first, second, third)] == [letter_id(n) for n in (5, 6, 7)]
    assert (first["reason"], first["field"], first["key"]) == ("invalid-field", "tournament_id", "open")
    assert first["detail"]
    assert first["advice"]
    assert third["reason"] == "tombstone"
    assert (first["age"], first["refused_at"][:4]) == (f"{first['age_s']} s", first["refused_at"][:4])
    assert "header ce_type: elowire.game-result.v1" in shown
    assert 'value: {"tournament_id": 7}' in shown
    assert json.loads(hexed)["value_hex"] == "ff00206e"
    assert json.loads(hexed)["bytes"] == 11
    assert (status, json.loads(replayed)[0]["outcome"]) == (0, "replayed")
    assert left == [letter_id(6), letter_id(7)]
    assert (sent.key, sent.value, sent.partition) == (b"open", b'{"repaired": true}', PLACE)
    assert tuple(sent.headers) == CE
    assert again == 1
    assert "already replayed at 20" in json.loads(said)[0]["detail"]
    assert json.loads(after)["state"].startswith("replayed at 20")


async def test_a_replay_sends_key_bytes_and_headers_as_they_came(kafka, fresh_catalogue):
    await fresh_catalogue(partitions=PARTITIONS)
    await send(kafka, *refused(1), *refused(2, key=None, value=b"", headers=()))

    status, out, err = await run(kafka, "replay", letter_id(1), "game-results/0/2")
    sent = sorted(await records_of(kafka, "game-results"), key=lambda record: record.key or b"")

    assert status == 0, out + err
    assert [(record.key, record.value, tuple(record.headers)) for record in sent] == [
        (None, b"", ()),
        (b"open", b'{"tournament_id": 7}', CE),
    ]


async def test_all_letters_of_a_reason_are_sent_again_and_the_others_stay(kafka, fresh_catalogue):
    await fresh_catalogue(partitions=PARTITIONS)
    keys = [f"open-{number}".encode() for number in range(30)]
    for number, key in enumerate(keys):
        await send(kafka, *refused(number, key=key, value=b"not json"), *refused(100 + number, key=key))

    usage, _, hint = await run(kafka, "replay", "--all")
    status, out, _ = await run(kafka, "replay", "--all", "--reason", "not-json")
    sent = await records_of(kafka, "game-results")
    left = await ids(kafka)
    nothing, none_left, _ = await run(kafka, "replay", "--all", "--reason", "not-json")

    assert (usage, "--reason" in hint) == (2, True)
    assert (status, len(json.loads(out))) == (0, 30)
    assert sorted(record.key for record in sent) == sorted(keys)
    assert {record.value for record in sent} == {b"not json"}
    assert len(left) == 30
    assert all(int(one.split("/")[2]) >= 100 for one in left)
    assert (nothing, json.loads(none_left)) == (0, [])


async def test_a_discarded_letter_keeps_its_reason_and_its_bytes(kafka, fresh_catalogue):
    await fresh_catalogue(partitions=PARTITIONS)
    await send(kafka, *refused(1), *refused(2))

    no_reason, _, _ = await run(kafka, "discard", letter_id(1))
    status, _, _ = await run(kafka, "discard", letter_id(1), "--reason", "a test of Tuesday")
    left = await ids(kafka)
    repeat, said, _ = await run(kafka, "discard", letter_id(1), letter_id(2), "--reason", "again")
    _, shown, _ = await run(kafka, "show", letter_id(1))
    inputs = await records_of(kafka, "game-results")

    assert (no_reason, status, left) == (2, 0, [letter_id(2)])
    assert repeat == 1
    assert [row["done"] for row in json.loads(said)] == [False, True]
    assert "(a test of Tuesday)" in json.loads(said)[0]["detail"]
    assert json.loads(shown)["state"].endswith(": a test of Tuesday")
    assert json.loads(shown)["value"] == '{"tournament_id": 7}'
    assert inputs == []


async def test_an_unknown_id_changes_nothing_and_is_named(kafka, fresh_catalogue):
    await fresh_catalogue(partitions=PARTITIONS)
    await send(kafka, *refused(1))

    unknown, _, said = await run(kafka, "replay", letter_id(1), "game-results/0/99")
    malformed, _, expected = await run(kafka, "show", "99")

    assert unknown == 1
    assert "no dead letter game-results/0/99" in said
    assert "Nothing was changed" in said
    assert (malformed, "expected topic/partition/offset" in expected) == (1, True)
    assert await ids(kafka) == [letter_id(1)]
    assert await records_of(kafka, "game-results") == []


async def test_a_marker_is_no_letter_and_a_second_copy_of_a_letter_is_no_second_letter(
    kafka, fresh_catalogue
):
    await fresh_catalogue(partitions=PARTITIONS)
    await send(kafka, *refused(1), *refused(1), *refused(2))

    twice = await ids(kafka)
    await run(kafka, "discard", letter_id(1), "--reason", "known")
    # A processor that starts again after a crash writes the same letter again.
    await send(kafka, *refused(1))
    after = await ids(kafka)
    # A topic that was made anew counts from the beginning: the same place, but another record.
    await send(kafka, *refused(1, value=b"something else"))
    anew = await ids(kafka)
    markers = [
        record
        for record in await records_of(kafka, "dead-letters")
        if any(name == "elowire-resolution" for name, _ in record.headers)
    ]

    assert twice == [letter_id(1), letter_id(2)]
    assert after == [letter_id(2)]
    assert anew == [letter_id(2), letter_id(1)]
    assert [(marker.key, marker.value, marker.partition) for marker in markers] == [(b"open", b"", PLACE)]


async def test_filters_choose_by_reason_topic_and_time_and_a_limit_says_how_many_more(kafka, fresh_catalogue):
    await fresh_catalogue(partitions=PARTITIONS)
    await send(kafka, *refused(1), *refused(2, topic="rating-lists"), *refused(3, value=b"not json"))

    status, out, err = await run(kafka, "list", "--limit", "1")

    assert (status, [row["id"] for row in json.loads(out)]) == (0, [letter_id(1)])
    assert "1 of 3 open letters" in err
    assert await ids(kafka, "--reason", "not-json") == [letter_id(3)]
    assert await ids(kafka, "--topic", "rating-lists") == [letter_id(2, "rating-lists")]
    assert len(await ids(kafka, "--since", "1h")) == 3
    assert await ids(kafka, "--since", "2999-01-01") == []


async def test_records_of_others_in_the_topic_are_left_alone_and_named(kafka, fresh_catalogue):
    await fresh_catalogue(partitions=PARTITIONS)
    await send(kafka, OutRecord("dead-letters", b"x", b"y", [("elowire-topic", b"a")], 0), *refused(1))

    status, out, err = await run(kafka, "list")

    assert (status, [row["id"] for row in json.loads(out)]) == (0, [letter_id(1)])
    assert "dead-letters/0/0 is left alone" in err
    assert "elowire-reason" in err


async def test_what_cannot_be_sent_as_it_is_says_what_it_needs(kafka, fresh_catalogue, tmp_path):
    await fresh_catalogue(partitions=PARTITIONS)
    whole = tmp_path / "whole"
    whole.write_bytes(b"whole")
    huge = tmp_path / "huge"
    huge.write_bytes(b"x" * ((1 << 20) + 1))
    (letter,) = refused(1)
    cut = letter._replace(headers=[*letter.headers, ("elowire-cut-from", b"5000000")])
    (foreign,) = refused(2, topic="somewhere-else")
    await send(kafka, cut, foreign)

    status, out, _ = await run(kafka, "replay", letter_id(1), letter_id(2, "somewhere-else"))
    too_large, _, why = await run(kafka, "replay", letter_id(1), "--value", huge)
    repaired, _, _ = await run(
        *(kafka, "replay", letter_id(1), "--value", whole, "--key", "open2", "--header", "ce_id=e2")
    )
    (sent,) = await records_of(kafka, "game-results")

    details = [row["detail"] for row in json.loads(out)]
    assert status == 1
    assert "only a part of its 5000000 bytes" in details[0]
    assert "topic somewhere-else takes no inputs" in details[1]
    assert (too_large, "at most 1048576 bytes" in why) == (1, True)
    assert repaired == 0
    assert (sent.key, sent.value) == (b"open2", b"whole")
    assert ("ce_id", b"e2") in sent.headers
    assert len(sent.headers) == len(CE)


async def test_without_its_topic_a_replay_fails_and_the_letter_stays_open(kafka, fresh_catalogue):
    await fresh_catalogue(partitions=PARTITIONS)
    await send(kafka, *refused(1))
    async with admin_client(kafka) as admin:
        await admin.delete_topics(["game-results"])

    status, _, err = await run(kafka, "replay", letter_id(1))

    assert status == 1
    assert f"{letter_id(1)}: no topic game-results" in err
    assert await ids(kafka) == [letter_id(1)]


async def test_text_of_strangers_does_not_steer_the_terminal(kafka, fresh_catalogue):
    await fresh_catalogue(partitions=PARTITIONS)
    escape = b"\x1b[2J"
    await send(
        kafka, *refused(1, value=b'{"tournament_id": "' + escape + b'"}', headers=(*CE, ("x", escape)))
    )

    _, listing, _ = await run(kafka, "list", "--format", "table")
    _, shown, _ = await run(kafka, "show", letter_id(1), "--format", "table")

    assert letter_id(1) in listing
    assert "\x1b" not in listing + shown
    assert "header x: \\x1b[2J" in shown


async def test_a_large_topic_is_read_without_keeping_it(kafka, fresh_catalogue):
    await fresh_catalogue(partitions=PARTITIONS)
    (letter,) = refused(0, value=b"x" * 200_000)
    offsets = [(name, value) for name, value in letter.headers if name != "elowire-offset"]
    await send(
        kafka,
        *(letter._replace(headers=[*offsets, ("elowire-offset", b"%d" % number)]) for number in range(1000)),
    )
    found = await ids(kafka, "--limit", "10000")

    assert len(found) == 1000
