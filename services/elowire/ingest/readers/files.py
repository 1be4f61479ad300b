"""Chooses the reader by a file's name and, for JSON, by its shape."""

from __future__ import annotations

from pathlib import Path

from elowire.ingest.readers.document import parse_document
from elowire.ingest.readers.event_json import event_of, is_event
from elowire.ingest.readers.period_cases import PeriodCase, is_period_cases, period_cases_of
from elowire.ingest.readers.report import EventReport, Findings, Notice, UnreadableFile
from elowire.ingest.readers.results_csv import read_results_csv
from elowire.ingest.readers.text import read_bytes

EXPECTED = "an event as .trf, .csv, .pgn or .json, or rating periods as .json"


def read_ratable(path: Path) -> EventReport | tuple[PeriodCase, ...]:
    """Read a file that can be rated offline: an event, or rating periods; raises `UnreadableFile`."""
    ending = path.suffix.lower()
    if ending == ".csv":
        return read_results_csv(read_bytes(path), path.name)
    if ending == ".json":
        findings = Findings()
        document = parse_document(read_bytes(path), findings)
        if is_period_cases(document):
            return period_cases_of(document)
        if is_event(document):
            return event_of(document, path.name, findings)
        found = "is neither an event (an object with players and games) nor a list of rating periods"
        raise UnreadableFile(Notice("refused", found, field="document"))
    raise UnreadableFile(Notice("refused", f"ends in {ending or 'nothing'}; expected {EXPECTED}"))
