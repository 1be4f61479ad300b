"""A tournament file by upload: read, compared with the last one, and what changed is sent, with a report."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from http import HTTPStatus
from typing import Any

from elowire.contracts.vocabulary import GameStatus
from elowire.domain import System, TimeControl
from elowire.ingest.book import BookError
from elowire.ingest.facts import with_book_facts
from elowire.ingest.feed import NotFeedable
from elowire.ingest.http_problems import Problem
from elowire.ingest.readers.event_json import read_event_json
from elowire.ingest.readers.pgn import read_pgn
from elowire.ingest.readers.report import EventReport, Notice, UnreadableFile, joined
from elowire.ingest.readers.results_csv import read_results_csv
from elowire.ingest.readers.trf import read_trf
from elowire.ingest.service_intake import Intake
from elowire.ingest.sources_changes import Changes, Manner, changes_of, with_missing_annulled

LISTED_NOTICES = 200


class Form(StrEnum):
    """The kinds of files that are read."""

    TRF = "trf"
    PGN = "pgn"
    CSV = "csv"
    JSON = "json"


_READERS = {Form.TRF: read_trf, Form.PGN: read_pgn, Form.CSV: read_results_csv, Form.JSON: read_event_json}
_BY_CONTENT_TYPE = {
    "application/x-chess-pgn": Form.PGN,
    "application/vnd.chess-pgn": Form.PGN,
    "text/csv": Form.CSV,
    "application/json": Form.JSON,
}


@dataclass(frozen=True, slots=True)
class Upload:
    """What a request states about the file that it brings; it counts for more than the file."""

    tournament_id: str
    form: Form | None = None
    time_control: TimeControl | None = None
    system: System | None = None
    starts_on: date | None = None
    ends_on: date | None = None
    edition: str | None = None
    rated_in: str | None = None
    finish: bool = False
    annul_missing: bool = False
    dry_run: bool = False


def form_of(stated: Form | None, content_type: str) -> Form:
    """Choose the reader: as stated, else by the content type. Raises `Problem`."""
    kind = content_type.partition(";")[0].strip().lower()
    form = stated or _BY_CONTENT_TYPE.get(kind)
    if form is None:
        raise Problem(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            f"the content type {kind or '(none)'} does not say what kind of file this is",
            field="format",
            expected="?format=trf, pgn, csv or json in the address",
        )
    return form


async def import_file(
    intake: Intake, upload: Upload, body: bytes, source: str, content_type: str
) -> dict[str, Any]:
    """Read a file and send what is new in it. Raises `Problem` and `KafkaAwayError`."""
    form = form_of(upload.form, content_type)
    now_ms = int(intake.clock().timestamp() * 1000)
    try:
        report, changes = await asyncio.to_thread(_read, intake, upload, form, body, source, now_ms)
    except UnreadableFile as problem:
        raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, str(problem), **_place(problem.notice)) from None
    except NotFeedable as problem:
        text = str(problem).replace("--", "?").replace("-on", "_on").replace("time-control", "time_control")
        raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, text, field="file") from None
    except BookError as problem:
        raise Problem(HTTPStatus.SERVICE_UNAVAILABLE, str(problem), headers={"retry-after": "60"}) from None
    held = 0
    if not upload.dry_run:
        taken = await intake.take(changes.events)
        held = len(taken.held)
        await asyncio.to_thread(intake.store.learn, upload.tournament_id, changes.news)
    return _answer(upload, form, report, changes, held)


def _read(
    intake: Intake, upload: Upload, form: Form, body: bytes, source: str, now_ms: int
) -> tuple[EventReport, Changes]:
    report = _READERS[form](body, f"{upload.tournament_id}.{form}").stated(
        tournament_id=upload.tournament_id,
        time_control=upload.time_control,
        system=upload.system,
        starts_on=upload.starts_on,
        ends_on=upload.ends_on,
        edition=upload.edition,
        rated_in=upload.rated_in,
        revision=0,
    )
    report = with_book_facts(report, intake.book)
    known = intake.store.known(upload.tournament_id)
    changes = changes_of(report, known, Manner(f"upload:{source}", finish=upload.finish), now_ms=now_ms)
    if upload.annul_missing and not joined(report.imported, changes.imported).refused:
        changes = with_missing_annulled(changes, known, f"upload:{source}", now_ms=now_ms)
    return report, changes


def _answer(upload: Upload, form: Form, report: EventReport, changes: Changes, held: int) -> dict[str, Any]:
    imported = joined(report.imported, changes.imported)
    facts = report.tournament
    return {
        "tournament_id": upload.tournament_id,
        "format": form.value,
        "name": facts.name,
        "time_control": facts.time_control,
        "starts_on": facts.starts_on,
        "ends_on": facts.ends_on,
        "entrants": len(report.entrants),
        "games": len(report.games),
        "games_without_result": sum(game.status is GameStatus.ONGOING for game in report.games),
        "sent": {} if upload.dry_run else changes.counted(),
        "would_send": changes.counted() if upload.dry_run else {},
        "unchanged": changes.unchanged,
        "held_by_corrections": held,
        "missing_games": list(changes.missing[:LISTED_NOTICES]),
        "adjusted": imported.adjusted,
        "refused": imported.refused,
        "notices": [_notice(notice) for notice in imported.notices[:LISTED_NOTICES]],
        "notices_left_out": imported.adjusted + imported.refused - min(len(imported.notices), LISTED_NOTICES),
        "repeated": False,
    }


def _notice(notice: Notice) -> dict[str, Any]:
    return {"kind": notice.kind, "text": notice.text, **_place(notice)}


def _place(notice: Notice) -> dict[str, Any]:
    places = {"line": notice.line, "column": notice.column, "field": notice.field}
    return {name: value for name, value in places.items() if value is not None}
