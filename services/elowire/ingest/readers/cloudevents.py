"""Input events as they travel: JSON lines of CloudEvents, one CloudEvent, or one bare event of the contract.

A file of lines is read line by line, so that its size does not matter; each line stands for itself.
"""

from __future__ import annotations

import codecs
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import orjson
from pydantic import ValidationError

from elowire.contracts.cloudevents import Decoded
from elowire.contracts.dead_letters import Refused
from elowire.contracts.envelope import decode_event, decode_object
from elowire.contracts.events import (
    INPUT_BY_MODEL,
    Entrant,
    GameResult,
    InputEvent,
    PublishedRating,
    ReportedChange,
    Tournament,
)
from elowire.contracts.faults import field_faults
from elowire.contracts.topics import MAX_RECORD_BYTES
from elowire.ingest.readers.report import Notice, UnreadableFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOPELESS_LINES = 1000
"""Refused lines, without a single event before or among them, after which a file is given up."""

_BY_FIELD: tuple[tuple[str, type[InputEvent]], ...] = (
    ("game_id", GameResult),
    ("sum_change", ReportedChange),
    ("list", PublishedRating),
    ("system", Tournament),
    ("entrant_id", Entrant),
    ("player_id", Entrant),
)
"""The first field that a bare event has tells which of the five it is."""


class EventLine(NamedTuple):
    """One event ready to be sent, and the line that it stands in (None in a JSON document)."""

    line: int | None
    event: Decoded


def read_event_lines(path: Path) -> Iterator[EventLine | Notice]:
    """Read JSON lines of CloudEvents one by one; a line that is refused comes as its notice.

    Reading ends early when the first `HOPELESS_LINES` lines all are refused. Raises `UnreadableFile` when the
    file cannot be opened or has no line at all.
    """
    refused = read = 0
    try:
        with path.open("rb") as stream:
            for number, content in _lines(stream):
                line = _read(content, number)
                read += not isinstance(line, Notice)
                refused += isinstance(line, Notice)
                yield line
                if not read and refused == HOPELESS_LINES:
                    text = f"none of the first {refused} lines is an event; the rest of the file is not read"
                    yield Notice("refused", text, number)
                    return
    except OSError as problem:
        raise UnreadableFile(Notice("refused", f"cannot be opened: {problem.strerror}")) from None
    if not read and not refused:
        found = "the file is empty; one CloudEvent per line was expected"
        raise UnreadableFile(Notice("refused", found, line=1))


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Give the lines that are not blank with their numbers; None stands for one that is too long."""
    number = 0
    while line := stream.readline(MAX_RECORD_BYTES + 1):
        number += 1
        if len(line) > MAX_RECORD_BYTES:
            yield number, None
            _skip_line(stream, line)
            continue
        content = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        if content.strip():
            yield number, content.strip()


def _skip_line(stream: BinaryIO, part: bytes) -> None:
    while part and not part.endswith(b"\n"):
        part = stream.readline(MAX_RECORD_BYTES)


def _read(content: bytes | None, number: int) -> EventLine | Notice:
    if content is None:
        return Notice("refused", f"is longer than {MAX_RECORD_BYTES} bytes; one event per line", number)
    decoded = decode_event(content)
    if isinstance(decoded, Refused):
        return notice_of(decoded, line=number)
    return EventLine(number, decoded)


def is_input_event(document: object) -> bool:
    """Say whether a parsed document is a CloudEvent, a batch of them, or one bare input event."""
    if isinstance(document, list):
        return bool(document) and all(isinstance(item, dict) and "specversion" in item for item in document)
    if not isinstance(document, dict):
        return False
    return "specversion" in document or ("revision" in document and _model_of(document) is not None)


def events_of(document: Any, source: str) -> Iterator[EventLine | Notice]:  # noqa: ANN401 - parsed JSON
    """Read a parsed document for which `is_input_event` holds."""
    if isinstance(document, dict) and "specversion" not in document:
        yield _bare(document, source)
        return
    items = document if isinstance(document, list) else [document]
    for number, item in enumerate(items):
        decoded = decode_object(item)
        if isinstance(decoded, Refused):
            yield notice_of(decoded, prefix=f"[{number}]" if isinstance(document, list) else "")
        else:
            yield EventLine(None, decoded)


def _model_of(document: dict[str, Any]) -> type[InputEvent] | None:
    return next((model for field, model in _BY_FIELD if field in document), None)


def _bare(document: dict[str, Any], source: str) -> EventLine | Notice:
    """Read an event without its envelope; the same content always gets the same event id."""
    model = _model_of(document)
    if model is None:
        raise ValueError("not an input event")
    content = orjson.dumps(document)
    try:
        event = model.model_validate_json(content)
    except ValidationError as problem:
        fault = field_faults(problem)[0]
        text = f"{fault.problem}; expected {fault.expected}. {fault.advice}"
        return Notice("refused", text, field=fault.field or None)
    type_ = INPUT_BY_MODEL[model].name
    event_id = (
        f"{type_}/{blake2b(orjson.dumps(document, option=orjson.OPT_SORT_KEYS), digest_size=12).hexdigest()}"
    )
    return EventLine(None, Decoded(event_id, type_, source, None, event))


def notice_of(refused: Refused, *, line: int | None = None, prefix: str = "") -> Notice:
    """Turn the refusal of an event into a notice for people."""
    parts = [refused.detail]
    if refused.expected:
        parts.append(f"expected {refused.expected}")
    text = "; ".join(parts) + (f". {refused.advice}" if refused.advice else "")
    field = ".".join(part for part in (prefix, refused.field) if part)
    return Notice("refused", f"{refused.reason}: {text}", line=line, field=field or None)
