"""From a request's body to events: one CloudEvent or a batch, structured or binary. Pure.

Source: CloudEvents 1.0.2, HTTP protocol binding 3.1 (binary), 3.2 (structured), 3.3 (batched).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import orjson

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.dead_letters import DeadLetterReason, Refused
from elowire.contracts.envelope import decode, decode_event, decode_object
from elowire.contracts.events import INPUT_BY_TYPE
from elowire.ingest.http_problems import Problem, described, refused

STRUCTURED = "application/cloudevents+json"
BATCH = "application/cloudevents-batch+json"
JSON = "application/json"
MOST_EVENTS = 2_000
MOST_FAULTS = 20
_ATTRIBUTES = ("specversion", "id", "source", "type", "time", "subject")


def events_in(headers: Mapping[str, str], body: bytes) -> list[Decoded]:
    """Read the events of a request; its content type says how they are written.

    Plain JSON is one event in binary mode where `ce-` headers stand, else a CloudEvent or a list of them.
    Raises `Problem`; of a batch with a faulty event nothing is taken.
    """
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in {STRUCTURED, BATCH, JSON}:
        raise Problem(
            415,
            f"the content type is {kind or 'missing'}; expected {STRUCTURED}, {BATCH} or {JSON}",
            field="content-type",
            expected=f"{STRUCTURED}, {BATCH} or {JSON}",
        )
    if kind == JSON and any(name.startswith("ce-") for name in headers):
        return [_binary(headers, body)]
    if kind == BATCH or (kind == JSON and body.lstrip()[:1] == b"["):
        return _batch(body)
    return [_taken(decode_event(body))]


def _taken(read: Decoded | Refused) -> Decoded:
    if isinstance(read, Refused):
        raise refused(read)
    return read


def _binary(headers: Mapping[str, str], body: bytes) -> Decoded:
    """Read a binary event by the rules of the topics, whose headers have the same attributes."""
    said = [
        (f"ce_{name}", unquote(headers[f"ce-{name}"]).encode())
        for name in _ATTRIBUTES
        if f"ce-{name}" in headers
    ]
    said.append(("content-type", JSON.encode()))
    type_ = unquote(headers.get("ce-type", ""))
    topic = INPUT_BY_TYPE[type_].topic.name if type_ in INPUT_BY_TYPE else ""
    # The key is the event's own, which is known once it is read.
    key_field = INPUT_BY_TYPE[type_].key_field if type_ in INPUT_BY_TYPE else ""
    read = decode(topic, _key_in(body, key_field), body, said)
    if isinstance(read, Refused):
        field = (read.field or "").replace("ce_", "ce-") or None
        raise refused(read._replace(field=field, detail=read.detail.replace("ce_", "ce-")))
    return read


def _key_in(body: bytes, field: str) -> bytes:
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        return b"?"
    value = document.get(field) if isinstance(document, dict) else None
    return value.encode() if isinstance(value, str) and value else b"?"


def _batch(body: bytes) -> list[Decoded]:
    try:
        members: Any = orjson.loads(body)
    except orjson.JSONDecodeError as problem:
        raise _not_a_batch(DeadLetterReason.NOT_JSON, str(problem)) from None
    if not isinstance(members, list) or not members:
        what = "an empty list" if isinstance(members, list) else "no list"
        raise _not_a_batch(DeadLetterReason.INVALID_FIELD, f"the body is {what}")
    if len(members) > MOST_EVENTS:
        raise Problem(
            413,
            f"the batch has {len(members)} events; at most {MOST_EVENTS} go in one request",
            expected=f"at most {MOST_EVENTS} events",
        )
    events: list[Decoded] = []
    faults: list[tuple[str, Refused]] = []
    for number, member in enumerate(members):
        read = decode_object(member)
        if isinstance(read, Refused):
            faults.append((f"[{number}]", read))
        else:
            events.append(read)
    if faults:
        place, first = faults[0]
        answer = refused(first, place=place)
        answer.body["detail"] = (
            f"{answer.body['detail']}. {len(faults)} of {len(members)} events are refused; none was taken"
        )
        answer.body["faults"] = [described(fault, place=at) for at, fault in faults[:MOST_FAULTS]]
        raise answer
    return events


def _not_a_batch(reason: DeadLetterReason, detail: str) -> Problem:
    return refused(
        Refused(
            reason,
            detail,
            expected="a JSON list of CloudEvents",
            advice=f"Send one CloudEvent as {STRUCTURED}, or a list of them as {BATCH}.",
        )
    )
