"""Chooses the reader by a file's name and, for JSON, by its shape."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from elowire.ingest.readers.cloudevents import EventLine, events_of, is_input_event, read_event_lines
from elowire.ingest.readers.document import parse_document
from elowire.ingest.readers.event_json import event_of, is_event, read_event_json
from elowire.ingest.readers.period_cases import PeriodCase, is_period_cases, period_cases_of
from elowire.ingest.readers.pgn import read_pgn
from elowire.ingest.readers.report import EventReport, Findings, Notice, UnreadableFile
from elowire.ingest.readers.results_csv import read_results_csv
from elowire.ingest.readers.text import read_bytes
from elowire.ingest.readers.trf import read_trf

EXPECTED = "an event as .trf, .csv, .pgn or .json"
_LINES = {".jsonl", ".ndjson"}
_TRF = {".trf", ".trfx", ".txt"}


def read_ratable(path: Path) -> EventReport | tuple[PeriodCase, ...]:
    """Read a file that can be rated offline: an event, or rating periods; raises `UnreadableFile`."""
    if path.suffix.lower() != ".json":
        return read_event(path)
    findings = Findings()
    document = parse_document(read_bytes(path), findings)
    if is_period_cases(document):
        return period_cases_of(document)
    if is_event(document):
        return event_of(document, path.name, findings)
    found = "is neither an event (an object with players and games) nor a list of rating periods"
    raise UnreadableFile(Notice("refused", found, field="document"))


def read_feedable(path: Path) -> EventReport | Iterator[EventLine | Notice]:
    """Read a file that can be fed: an event, or input events of the contract; raises `UnreadableFile`."""
    ending = path.suffix.lower()
    if ending in _LINES:
        return read_event_lines(path)
    if ending != ".json":
        return read_event(path)
    findings = Findings()
    document = parse_document(read_bytes(path), findings)
    # An event first: it may say its revision, as input events do.
    if is_event(document):
        return event_of(document, path.name, findings)
    if is_input_event(document):
        return events_of(document, path.name)
    found = "is neither an event (an object with players and games) nor an input event of the contract"
    raise UnreadableFile(Notice("refused", found, field="document"))


def read_event(path: Path) -> EventReport:
    """Read a tournament file; raises `UnreadableFile`."""
    ending = path.suffix.lower()
    if ending == ".json":
        return read_event_json(read_bytes(path), path.name)
    if ending == ".csv":
        return read_results_csv(read_bytes(path), path.name)
    if ending in _TRF:
        return read_trf(read_bytes(path), path.name)
    if ending == ".pgn":
        return read_pgn(read_bytes(path), path.name)
    raise UnreadableFile(Notice("refused", f"ends in {ending or 'nothing'}; expected {EXPECTED}"))
