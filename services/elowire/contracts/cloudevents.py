"""One CloudEvent: its attributes checked, its data parsed into the model of its type.

Source: CloudEvents 1.0.2 (attributes), RFC 3339 (time).
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import orjson
from pydantic import ValidationError

from elowire.contracts.dead_letters import DeadLetterReason, Refused
from elowire.contracts.events import INPUT_BY_TYPE, Input, InputEvent
from elowire.contracts.faults import field_faults, shown
from elowire.contracts.topics import MAX_RECORD_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

SPEC_VERSION = "1.0"
MAX_ATTRIBUTE_CHARACTERS = 256
FAULTS_IN_DETAIL = 5

_RFC3339 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_VERSION = re.compile(r"v[0-9]+$")
_LATEST = {_VERSION.sub("", name): name for name in INPUT_BY_TYPE}


class Decoded(NamedTuple):
    """An event that may be processed. `time` is the producer's, aware, or None where it sent none."""

    event_id: str
    type: str
    source: str
    time: datetime | None
    data: InputEvent


class RefusedError(Exception):
    """Ends the reading of a record; it does not leave this package."""

    def __init__(
        self,
        reason: DeadLetterReason,
        detail: str,
        *,
        field: str | None = None,
        expected: str | None = None,
        advice: str,
    ) -> None:
        super().__init__(detail)
        self.refused = Refused(reason, detail, field, expected, advice)


def read_binary(said: Mapping[str, bytes], value: bytes) -> Decoded:
    """Read an event whose attributes are headers and whose data is the value."""
    entry, source = _origin_of_headers(said.get("ce_specversion"), said.get("ce_source"), said.get("ce_type"))
    event_id = _attribute(_text("ce_id", said.get("ce_id")), "ce_id")
    time = said.get("ce_time")

    return Decoded(
        event_id, entry.name, source, None if time is None else _time_of_header(time), _data(entry, value)
    )


def read_structured(event: object) -> Decoded:
    """Read an event that is one JSON object with its attributes and `data`."""
    if not isinstance(event, dict):
        raise RefusedError(
            DeadLetterReason.INVALID_FIELD,
            f"the value is {shown(event)}",
            expected="a CloudEvent, which is a JSON object",
            advice="Send the data with ce_ headers, or a whole CloudEvent as one JSON object.",
        )
    entry, source = _origin(event.get("specversion"), event.get("source"), event.get("type"), "")
    event_id = _attribute(event.get("id"), "id")
    time = event.get("time")
    if not isinstance(event.get("data"), dict):
        raise RefusedError(
            DeadLetterReason.INVALID_FIELD,
            f"data is {shown(event.get('data'))}",
            field="data",
            expected="an object",
            advice="Send the data as JSON in the member data.",
        )
    try:
        data = orjson.dumps(event["data"])
    except TypeError:
        raise RefusedError(
            DeadLetterReason.INVALID_FIELD,
            "data is nested too deeply",
            field="data",
            expected="the fields of the event",
            advice="Send the data as the contract has it.",
        ) from None

    return Decoded(
        event_id, entry.name, source, None if time is None else _time(time, "time"), _data(entry, data)
    )


# A producer says the same in these three with every record; they are checked once.
@lru_cache(maxsize=1024)
def _origin_of_headers(
    specversion: bytes | None, source: bytes | None, type_: bytes | None
) -> tuple[Input, str]:
    return _origin(
        _text("ce_specversion", specversion), _text("ce_source", source), _text("ce_type", type_), "ce_"
    )


# Events of one second carry the same time.
@lru_cache(maxsize=1024)
def _time_of_header(raw: bytes) -> datetime:
    return _time(_text("ce_time", raw), "ce_time")


def _origin(specversion: object, source: object, type_: object, prefix: str) -> tuple[Input, str]:
    """Return what kind of event it is and where it comes from; `prefix` stands before attribute names."""
    version = _attribute(specversion, prefix + "specversion")
    if version != SPEC_VERSION:
        raise _invalid_attribute(prefix + "specversion", version, SPEC_VERSION)
    name = _attribute(type_, prefix + "type")
    entry = INPUT_BY_TYPE.get(name)
    if entry is None:
        raise _unknown_type(name, prefix + "type")

    return entry, _attribute(source, prefix + "source")


def _data(entry: Input, data: bytes) -> InputEvent:
    try:
        return entry.model.model_validate_json(data)
    except ValidationError as error:
        raise _refused_data(error, data) from None


def _text(name: str, raw: bytes | None) -> str | None:
    try:
        return None if raw is None else raw.decode()
    except UnicodeDecodeError:
        raise _invalid_attribute(name, raw, "text in UTF-8") from None


def _attribute(text: object, name: str) -> str:
    if text is None:
        raise RefusedError(
            DeadLetterReason.MISSING_ATTRIBUTE,
            f"{name} is missing",
            field=name,
            expected="an attribute that every CloudEvent has",
            advice="Send ce_specversion, ce_id, ce_source and ce_type as headers, or one whole CloudEvent.",
        )
    if not isinstance(text, str) or not text.isprintable() or not 0 < len(text) <= MAX_ATTRIBUTE_CHARACTERS:
        raise _invalid_attribute(name, text, f"printable text of 1 to {MAX_ATTRIBUTE_CHARACTERS} characters")

    return text


def _time(text: object, field: str) -> datetime:
    """Parse RFC 3339, which is narrower than what Python reads."""
    if isinstance(text, str) and _RFC3339.fullmatch(text):
        try:
            return datetime.fromisoformat(text.upper())
        except ValueError:
            pass

    raise _invalid_attribute(field, text, 'an RFC 3339 time with its offset, such as "2025-10-12T17:30:00Z"')


def _invalid_attribute(field: str, value: object, expected: str) -> RefusedError:
    return RefusedError(
        DeadLetterReason.INVALID_ATTRIBUTE,
        f"{field} is {shown(value)}",
        field=field,
        expected=expected,
        advice="Correct the attribute and send the event again.",
    )


def _unknown_type(type_: str, field: str) -> RefusedError:
    known = _LATEST.get(_VERSION.sub("", type_))
    if known is not None:
        return RefusedError(
            DeadLetterReason.UNKNOWN_VERSION,
            f"{field} is {shown(type_)}, a version that this release does not know",
            field=field,
            expected=known,
            advice=f"Send {known}, or upgrade this installation before its producers.",
        )

    return RefusedError(
        DeadLetterReason.UNKNOWN_TYPE,
        f"{field} is {shown(type_)}",
        field=field,
        expected=f"one of {', '.join(INPUT_BY_TYPE)}",
        advice="Correct the type; outputs and other events do not belong here.",
    )


def load_json(value: bytes) -> object:
    """Parse a whole CloudEvent; its data is checked afterwards."""
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError as error:
        raise _not_json(value, str(error)) from None


def _refused_data(error: ValidationError, data: bytes) -> RefusedError:
    if error.errors(include_url=False, include_input=False)[0]["type"] == "json_invalid":
        return _not_json(data, error.errors(include_url=False, include_input=False)[0]["msg"])

    faults = field_faults(error)
    first = faults[0]

    return RefusedError(
        DeadLetterReason.INVALID_FIELD,
        "; ".join(fault.problem for fault in faults[:FAULTS_IN_DETAIL]),
        field=first.field or None,
        expected=first.expected,
        advice=first.advice,
    )


def _not_json(value: bytes, problem: str) -> RefusedError:
    try:
        value.decode()
    except UnicodeDecodeError as error:
        return RefusedError(
            DeadLetterReason.NOT_UTF8,
            f"byte {error.start} of the value is not UTF-8",
            expected="JSON in UTF-8",
            advice="Encode the value as UTF-8.",
        )

    return RefusedError(
        DeadLetterReason.NOT_JSON,
        problem,
        expected="one JSON object",
        advice="Send one event as one JSON object.",
    )


def check_size(value: bytes) -> None:
    """Refuse a value that the topics would not carry."""
    if len(value) > MAX_RECORD_BYTES:
        raise RefusedError(
            DeadLetterReason.TOO_LARGE,
            f"the value has {len(value)} bytes",
            expected=f"at most {MAX_RECORD_BYTES} bytes",
            advice="Send one event per record.",
        )
