"""Output events as records: CloudEvents 1.0 in binary mode, the bytes a function of their content alone."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import orjson

from elowire.processor.stage import Emit, Headers

Header = tuple[str, bytes]

_FIXED: tuple[Header, ...] = (
    ("ce_specversion", b"1.0"),
    ("ce_source", b"elowire/processor"),
    ("content-type", b"application/json"),
)


def event_time(timestamp: int) -> bytes:
    """Return a record's timestamp (milliseconds) as RFC 3339 in UTC."""
    seconds, milliseconds = divmod(timestamp, 1000)

    return b"%b.%03dZ" % (
        datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S").encode(),
        milliseconds,
    )


@lru_cache(1024)
def time_header(timestamp: int) -> Header:
    """Return a record's timestamp (milliseconds) as the time of an event; many records share theirs."""
    return "ce_time", event_time(timestamp)


def type_header(event_type: str) -> Header:
    """Return the type of an event."""
    return "ce_type", event_type.encode()


def headers_of(event_type: Header, event_id: str, subject: bytes, time: Header) -> Headers:
    """Return the attributes of an output event as record headers."""
    return [("ce_id", event_id.encode()), event_type, time, ("ce_subject", subject), *_FIXED]


def output(
    topic: str,
    partition: int,
    key: bytes,
    event_type: Header,
    event_id: str,
    time: Header,
    data: dict[str, Any] | bytes,
) -> Emit:
    """Return the record of one output event; `data` may be JSON already."""
    value = data if type(data) is bytes else orjson.dumps(data)
    headers = headers_of(event_type, event_id, key, time)

    # What a NamedTuple is made by is a Python function; every output comes by here.
    return tuple.__new__(Emit, (topic, partition, key, value, headers))
