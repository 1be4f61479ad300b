"""CloudEvents 1.0 on Kafka: records to events and back, in binary and in structured mode.

Source: the Kafka protocol binding of CloudEvents 1.0.2 (attributes in `ce_` headers, or the whole event in
the value as `application/cloudevents+json`).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from elowire.contracts.cloudevents import (
    Decoded,
    RefusedError,
    check_size,
    load_json,
    read_binary,
    read_structured,
)
from elowire.contracts.dead_letters import DeadLetterReason, Refused
from elowire.contracts.events import INPUT_BY_MODEL, INPUT_BY_TYPE, InputEvent
from elowire.contracts.faults import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    Headers = Sequence[tuple[str, bytes]]

TRACE_HEADERS = frozenset({"traceparent", "tracestate"})


class EventRecord(NamedTuple):
    """A record ready to be sent; its partition is that of the key."""

    topic: str
    key: bytes
    value: bytes
    headers: list[tuple[str, bytes]]


def decode(topic: str, key: bytes | None, value: bytes | None, headers: Headers) -> Decoded | Refused:
    """Return the event of a record, or why the record is refused. Never raises, whatever the bytes are."""
    try:
        return _record(topic, key, value, headers)
    except RefusedError as error:
        return error.refused


def decode_event(value: bytes) -> Decoded | Refused:
    """Return the event of one structured CloudEvent outside Kafka, such as a line or a request's body."""
    try:
        check_size(value)
        return read_structured(load_json(value))
    except RefusedError as error:
        return error.refused


def decode_object(event: object) -> Decoded | Refused:
    """Return the event of one structured CloudEvent that is parsed already, such as a member of a batch."""
    try:
        return read_structured(event)
    except RefusedError as error:
        return error.refused


def encode_headers(
    type_: str, *, event_id: str, source: str, time: datetime | None = None, subject: str | None = None
) -> list[tuple[str, bytes]]:
    """Return the headers of a binary-mode record; `time` must be aware and is written in UTC."""
    headers = [
        ("ce_specversion", b"1.0"),
        ("ce_id", event_id.encode()),
        ("ce_source", source.encode()),
        ("ce_type", type_.encode()),
        ("content-type", b"application/json"),
    ]
    if time is not None:
        headers.append(("ce_time", rfc3339(time).encode()))
    if subject is not None:
        headers.append(("ce_subject", subject.encode()))

    return headers


def rfc3339(time: datetime) -> str:
    """Return an aware time as RFC 3339 in UTC: "2025-10-12T17:30:00Z"."""
    return time.astimezone(UTC).isoformat().removesuffix("+00:00") + "Z"


def trace_headers(headers: Headers) -> list[tuple[str, bytes]]:
    """Return the W3C trace headers of a record, to be passed on."""
    return [header for header in headers if header[0] in TRACE_HEADERS]


def input_record(
    event: InputEvent, *, event_id: str, source: str, time: datetime | None = None
) -> EventRecord:
    """Return the record of an input event in binary mode: topic, key, value and headers."""
    entry = INPUT_BY_MODEL[type(event)]
    key = entry.key_of(event)
    value = event.model_dump_json(exclude_none=True).encode()
    headers = encode_headers(entry.name, event_id=event_id, source=source, time=time, subject=key.decode())

    return EventRecord(entry.topic.name, key, value, headers)


def _record(topic: str, key: bytes | None, value: bytes | None, headers: Headers) -> Decoded:
    if value is None:
        raise RefusedError(
            DeadLetterReason.TOMBSTONE,
            "the record has no value",
            expected="an event",
            advice='Take a fact back by a higher revision with the status "annulled" or "cancelled".',
        )
    check_size(value)
    if not key:
        raise RefusedError(
            DeadLetterReason.MISSING_KEY,
            "the record has no key",
            expected="the tournament id, or on rating-lists the player id",
            advice="Send the key as raw ASCII bytes.",
        )

    said = dict(headers)
    content = said.get("content-type")
    # Without any sign of binary mode it may still be a whole CloudEvent: plain producers send no headers.
    plain = content is None and "ce_type" not in said
    if plain or (content is not None and content.startswith(b"application/cloudevents")):
        decoded = read_structured(load_json(value))
    else:
        decoded = read_binary(said, value)

    entry = INPUT_BY_TYPE[decoded.type]
    if topic != entry.topic.name:
        raise RefusedError(
            DeadLetterReason.WRONG_TOPIC,
            f"{decoded.type} came on {topic}",
            expected=f"the topic {entry.topic.name}",
            advice=f"Send it to {entry.topic.name}.",
        )
    if key != getattr(decoded.data, entry.key_field).encode():
        raise RefusedError(
            DeadLetterReason.KEY_MISMATCH,
            f"the key is {shown(key)}",
            field=entry.key_field,
            expected=f"the key {entry.key_of(decoded.data)!r}",
            advice=f"Send the event's {entry.key_field} as the key, as raw ASCII bytes.",
        )

    return decoded


__all__ = [
    "Decoded",
    "EventRecord",
    "Refused",
    "decode",
    "decode_event",
    "decode_object",
    "encode_headers",
    "input_record",
    "rfc3339",
    "trace_headers",
]
