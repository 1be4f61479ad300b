from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elowire.contracts.dead_letters import DeadLetterReason
from elowire.contracts.envelope import (
    Decoded,
    Refused,
    decode,
    decode_event,
    decode_object,
    encode_headers,
    input_record,
    rfc3339,
    trace_headers,
)
from elowire.contracts.events import INPUTS, GameResult
from tests.contracts.records import SCHEMAS, examples, read

PLAYED = read(SCHEMAS / "examples/valid/game-played.json")
STRUCTURED = read(SCHEMAS / "examples/valid/game-structured.json")
VALID_INPUTS = [
    example
    for example in examples("valid")
    if example.topic in {"game-results", "tournament-events", "rating-lists"}
]
WHEN = datetime(2025, 10, 12, 22, 40, tzinfo=UTC)


def decoded(**changes):
    record = {
        "topic": PLAYED.topic,
        "key": PLAYED.key,
        "value": PLAYED.value,
        "headers": PLAYED.headers,
        **changes,
    }

    return decode(**record)


def test_binary_record_gives_every_attribute():
    event = decoded()

    assert isinstance(event, Decoded)
    assert event.event_id == "us-championship-2025-1-1:1"
    assert event.type == "elowire.game-result.v1"
    assert event.source == "/example/results"
    assert event.time == WHEN
    assert isinstance(event.data, GameResult)


def test_both_modes_give_the_same_event():
    document = STRUCTURED.document["value"]
    headers = [("ce_" + name, text.encode()) for name, text in document.items() if name != "data"]
    binary = decode(STRUCTURED.topic, STRUCTURED.key, json.dumps(document["data"]).encode(), headers)

    assert binary == decode(STRUCTURED.topic, STRUCTURED.key, STRUCTURED.value, STRUCTURED.headers)
    assert binary == decode_event(STRUCTURED.value)
    assert binary == decode_object(document)


def test_structured_mode_is_recognised_with_a_charset():
    headers = [("content-type", b"application/cloudevents+json; charset=UTF-8")]

    assert isinstance(decode(STRUCTURED.topic, STRUCTURED.key, STRUCTURED.value, headers), Decoded)


@pytest.mark.parametrize("mode", ["binary", "structured"])
def test_time_is_not_required(mode):
    if mode == "binary":
        event = decoded(headers=[header for header in PLAYED.headers if header[0] != "ce_time"])
    else:
        event = decode_object({**STRUCTURED.document["value"], "time": None})

    assert isinstance(event, Decoded)
    assert event.time is None


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2025-10-12T22:40:00Z", WHEN),
        ("2025-10-12t22:40:00z", WHEN),
        ("2025-10-13T00:40:00+02:00", WHEN),
        ("2025-10-12T22:40:00.123456789Z", WHEN.replace(microsecond=123456)),
    ],
)
def test_time_is_rfc_3339(text, time):
    event = decode_object({**STRUCTURED.document["value"], "time": text})

    assert isinstance(event, Decoded)
    assert event.time == time


@pytest.mark.parametrize(
    "time", ["2025-10-12", "20251012T224000Z", "2025-10-12T22:40:00", "2025-10-12T25:00:00Z", 5]
)
def test_time_that_is_not_rfc_3339_is_refused(time):
    event = decode_object({**STRUCTURED.document["value"], "time": time})

    assert isinstance(event, Refused)
    assert (event.reason, event.field) == (DeadLetterReason.INVALID_ATTRIBUTE, "time")


@pytest.mark.parametrize("name", ["ce_id", "ce_source", "ce_type", "ce_specversion", "ce_time"])
def test_attribute_that_is_not_utf8_is_refused(name):
    event = decoded(headers=[*PLAYED.headers, (name, b"\xff")])

    assert isinstance(event, Refused)
    assert (event.reason, event.field) == (DeadLetterReason.INVALID_ATTRIBUTE, name)


@pytest.mark.parametrize("name", ["ce_id", "ce_source", "ce_type", "ce_specversion"])
def test_header_without_a_value_is_a_missing_attribute(name):
    event = decoded(headers=[*PLAYED.headers, (name, None)])

    assert isinstance(event, Refused)
    assert (event.reason, event.field) == (DeadLetterReason.MISSING_ATTRIBUTE, name)


@pytest.mark.parametrize("event_id", ["x" * 257, "a\nb", "", 7, ["x"]])
def test_attribute_that_nobody_could_print_is_refused(event_id):
    event = decode_object({**STRUCTURED.document["value"], "id": event_id})

    assert isinstance(event, Refused)
    assert (event.reason, event.field) == (DeadLetterReason.INVALID_ATTRIBUTE, "id")


def test_two_megabytes_are_refused_before_they_are_read():
    event = decoded(value=b" " * (2 << 20))

    assert isinstance(event, Refused)
    assert event.reason is DeadLetterReason.TOO_LARGE
    assert "2097152 bytes" in event.detail


def test_two_megabytes_are_refused_outside_kafka_too():
    event = decode_event(b" " * (2 << 20))

    assert isinstance(event, Refused)
    assert event.reason is DeadLetterReason.TOO_LARGE


def test_one_mebibyte_is_read():
    value = PLAYED.value + b" " * ((1 << 20) - len(PLAYED.value))

    assert isinstance(decoded(value=value), Decoded)


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(b"[" * 100_000, id="binary"),
        pytest.param(b'{"data":' * 100_000, id="structured"),
    ],
)
def test_deep_nesting_is_refused(event):
    assert isinstance(decoded(value=event), Refused)
    assert isinstance(decode_event(event), Refused)


def test_data_nested_deeper_than_can_be_written_is_refused():
    data = {}
    for _ in range(300):
        data = {"a": data}
    event = decode_object({**STRUCTURED.document["value"], "data": data})

    assert isinstance(event, Refused)
    assert (event.reason, event.field) == (DeadLetterReason.INVALID_FIELD, "data")


def test_a_value_is_never_quoted_at_length():
    event = decode_object(
        {**STRUCTURED.document["value"], "data": {"x" * 50: "y" * 100_000, "result": "z" * 100_000}}
    )

    assert isinstance(event, Refused)
    assert len(event.detail) < 1000


def test_several_faults_are_all_named_and_the_first_is_the_field():
    data = {**PLAYED.data, "board": 0, "result": "2-0"}
    event = decoded(value=json.dumps(data).encode())

    assert isinstance(event, Refused)
    assert event.field == "board"
    assert event.detail == "board is 0; result is '2-0'"


@given(
    st.binary(max_size=300),
    st.binary(max_size=20),
    st.lists(st.tuples(st.text(max_size=10), st.binary(max_size=20))),
)
def test_no_bytes_make_it_raise(value, key, headers):
    for said in (headers, [*PLAYED.headers, *headers], STRUCTURED.headers):
        for topic in ("game-results", "elsewhere"):
            assert isinstance(decode(topic, key, value, said), Refused)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(VALID_INPUTS), st.data())
def test_no_value_of_a_field_makes_it_raise(example, data):
    name = data.draw(st.sampled_from(sorted(example.data)))
    changed = {**example.data, name: data.draw(JSON)}
    kind = example.type
    headers = encode_headers(kind, event_id="1", source="/test", time=WHEN)
    event = decode(example.topic, example.key, json.dumps(changed).encode(), headers)

    assert isinstance(event, Decoded | Refused)
    if isinstance(event, Refused):
        assert event.expected
        assert event.advice


@given(st.sampled_from(VALID_INPUTS), st.data())
def test_half_a_record_is_refused(example, data):
    cut = data.draw(st.integers(0, len(example.value) - 1))

    assert isinstance(decode(example.topic, example.key, example.value[:cut], example.headers), Refused)


def test_headers_are_those_of_the_binding():
    headers = encode_headers(
        "elowire.live-rating.v1",
        event_id="2020009:2",
        source="elowire/processor",
        time=WHEN,
        subject="2020009",
    )

    assert dict(headers) == {
        "ce_specversion": b"1.0",
        "ce_id": b"2020009:2",
        "ce_source": b"elowire/processor",
        "ce_type": b"elowire.live-rating.v1",
        "ce_time": b"2025-10-12T22:40:00Z",
        "ce_subject": b"2020009",
        "content-type": b"application/json",
    }


def test_headers_leave_out_what_is_not_known():
    headers = dict(encode_headers("elowire.live-rating.v1", event_id="1", source="/test"))

    assert "ce_time" not in headers
    assert "ce_subject" not in headers


def test_time_is_written_in_utc():
    assert rfc3339(WHEN.astimezone(timezone(timedelta(hours=-5)))) == "2025-10-12T22:40:00Z"
    assert rfc3339(WHEN.replace(microsecond=500_000)) == "2025-10-12T22:40:00.500000Z"


def test_trace_headers_pass_through():
    trace = [
        ("traceparent", b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        ("tracestate", b"a=1"),
    ]

    assert trace_headers([*PLAYED.headers, *trace]) == trace


@pytest.mark.parametrize("entry", INPUTS, ids=lambda entry: entry.name)
def test_input_record_goes_to_its_topic_under_its_key(entry):
    example = next(e for e in VALID_INPUTS if e.type == entry.name)
    event = entry.model.model_validate_json(json.dumps(example.data))

    record = input_record(event, event_id="1", source="/test", time=WHEN)

    assert record.topic == example.topic
    assert record.key == example.key
    assert ("ce_subject", example.key) in record.headers
    assert b":null" not in record.value
