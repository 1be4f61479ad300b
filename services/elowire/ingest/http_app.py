"""Ingest's HTTP: signed events, tournament files and an operator's corrections (contract, section 6)."""

from __future__ import annotations

from datetime import date
from http import HTTPStatus
from importlib.metadata import version
from typing import Annotated, Any

import orjson
from fastapi import FastAPI, Path, Query, Request, Response
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, ConfigDict, ValidationError

from elowire.contracts.envelope import trace_headers
from elowire.contracts.faults import field_faults
from elowire.contracts.fields import ID, PERIOD, GameId, Id, Text
from elowire.contracts.vocabulary import GameStatus, Result
from elowire.domain import EDITIONS, System, TimeControl
from elowire.ingest.corrections import CorrectionRefusedError, Entity
from elowire.ingest.corrections_work import Desk, Word, correct_game, release_entity
from elowire.ingest.http_events import events_in
from elowire.ingest.http_files import Form, Upload, import_file
from elowire.ingest.http_guard import Admitted, Guard
from elowire.ingest.http_openapi import PROBLEMS, SIGNED, events_body, file_body, with_schemas
from elowire.ingest.http_problems import Problem, Shield, add_problems, stored_answer
from elowire.ingest.service_intake import Intake
from elowire.ingest.service_outbox import KafkaAwayError
from elowire.runtime.kafka import KafkaForbiddenError, KafkaUnreachableError, TopicMissingError

_EDITIONS = "^(?:" + "|".join(edition.id for edition in EDITIONS) + ")$"
_DISTANT = (KafkaAwayError, KafkaForbiddenError, KafkaUnreachableError, TopicMissingError, TimeoutError)


class CorrectionRequest(BaseModel):
    """The body of `POST /v1/corrections`; with `release` the source's own word counts again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tournament_id: Id
    game_id: GameId
    result: Result | None = None
    status: GameStatus | None = None
    release: bool = False
    by: Text
    why: Text


def create_app(guard: Guard, intake: Intake, desk: Desk) -> FastAPI:
    """Build the application."""
    app = FastAPI(
        title="Elowire ingest",
        version=version("elowire"),
        summary="Results in: signed events and tournament files.",
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(Shield)
    add_problems(app)
    _add_events(app, guard, intake)
    _add_files(app, guard, intake)
    _add_corrections(app, guard, desk)

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = with_schemas(
                get_openapi(title=app.title, version=app.version, summary=app.summary, routes=app.routes)
            )
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]  # FastAPI's own way to change the document
    return app


def _add_events(app: FastAPI, guard: Guard, intake: Intake) -> None:
    @app.post(
        "/v1/events",
        status_code=HTTPStatus.ACCEPTED,
        summary="One CloudEvent or a batch",
        description="Answers 202 when Kafka has acknowledged all events; of a faulty batch nothing is taken.",
        responses=PROBLEMS,
        openapi_extra={"parameters": SIGNED, "requestBody": events_body()},
    )
    async def post_events(request: Request) -> Response:
        async def work(admitted: Admitted) -> dict[str, Any]:
            events = events_in(request.headers, admitted.body)
            trace = trace_headers([(name, value.encode()) for name, value in request.headers.items()])
            try:
                taken = await intake.take(events, trace)
            except KafkaAwayError as away:
                raise _away(away) from away
            return {
                "accepted": len(taken.sent),
                "held_by_corrections": len(taken.held),
                "with_facts_of_list": taken.from_list,
                "repeated": False,
            }

        reply = await guard.answered(request, guard.limits.event_bytes, work)
        return stored_answer(reply, HTTPStatus.ACCEPTED)


def _add_files(app: FastAPI, guard: Guard, intake: Intake) -> None:
    @app.put(
        "/v1/tournaments/{tournament_id}/file",
        summary="A tournament file: TRF, PGN, results CSV or event JSON",
        description="Sends what is new since the last file; the answer is the import report.",
        responses=PROBLEMS,
        openapi_extra={"parameters": SIGNED, "requestBody": file_body()},
    )
    async def put_file(  # noqa: PLR0913 - one parameter for each fact that can be stated
        request: Request,
        *,
        tournament_id: Annotated[str, Path(pattern=ID)],
        form: Annotated[Form | None, Query(alias="format", description="default: the content type")] = None,
        time_control: Annotated[TimeControl | None, Query()] = None,
        system: Annotated[System | None, Query()] = None,
        starts_on: Annotated[date | None, Query()] = None,
        ends_on: Annotated[date | None, Query()] = None,
        edition: Annotated[str | None, Query(pattern=_EDITIONS)] = None,
        rated_in: Annotated[str | None, Query(pattern=PERIOD)] = None,
        finish: Annotated[bool, Query(description="the tournament is over")] = False,
        annul_missing: Annotated[
            bool, Query(description="annul the games of the last file that this one lacks")
        ] = False,
        dry_run: Annotated[bool, Query(description="only report")] = False,
    ) -> Response:
        upload = Upload(
            tournament_id=tournament_id,
            form=form,
            time_control=time_control,
            system=system,
            starts_on=starts_on,
            ends_on=ends_on,
            edition=edition,
            rated_in=rated_in,
            finish=finish,
            annul_missing=annul_missing,
            dry_run=dry_run,
        )

        async def work(admitted: Admitted) -> dict[str, Any]:
            kind = request.headers.get("content-type", "")
            try:
                return await import_file(intake, upload, admitted.body, admitted.source.name, kind)
            except KafkaAwayError as away:
                raise _away(away) from away

        return stored_answer(await guard.answered(request, guard.limits.file_bytes, work))


def _add_corrections(app: FastAPI, guard: Guard, desk: Desk) -> None:
    @app.post(
        "/v1/corrections",
        summary="An operator's result, which outranks the sources until it is released",
        responses={**PROBLEMS, 403: {**PROBLEMS[401], "description": "The source is no operator."}},
        openapi_extra={
            "parameters": SIGNED,
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": CorrectionRequest.model_json_schema()}},
            },
        },
    )
    async def post_correction(request: Request) -> Response:
        async def work(admitted: Admitted) -> dict[str, Any]:
            if not admitted.source.operator:
                raise Problem(
                    HTTPStatus.FORBIDDEN,
                    f"source {admitted.source.name} is no operator; only one that was added with "
                    "`elowire sources add NAME --operator` may correct",
                )
            return await _corrected(desk, admitted)

        return stored_answer(await guard.answered(request, guard.limits.event_bytes, work))


async def _corrected(desk: Desk, admitted: Admitted) -> dict[str, Any]:
    try:
        asked = CorrectionRequest.model_validate_json(admitted.body)
    except ValidationError as problem:
        fault = field_faults(problem)[0]
        raise Problem(
            HTTPStatus.BAD_REQUEST,
            fault.problem,
            field=fault.field or None,
            expected=fault.expected,
            advice=fault.advice,
        ) from None
    word = Word(f"{admitted.source.name}/{asked.by}", asked.why)
    try:
        if asked.release:
            event = await release_entity(desk, Entity(asked.tournament_id, "game", asked.game_id), word)
        else:
            event = await correct_game(
                desk, asked.tournament_id, asked.game_id, result=asked.result, status=asked.status, word=word
            )
    except CorrectionRefusedError as problem:
        raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, str(problem)) from None
    except _DISTANT as away:
        raise _away(away) from away
    return {"event": orjson.loads(event.model_dump_json(exclude_none=True)), "repeated": False}


def _away(fault: Exception) -> Problem:
    seconds = fault.retry_after_s if isinstance(fault, KafkaAwayError) else 5
    return Problem(
        HTTPStatus.SERVICE_UNAVAILABLE,
        f"Nothing is acknowledged: {fault}. Send the same request again.",
        headers={"retry-after": str(seconds)},
    )
