"""Dispatch's HTTP: subscriptions and their deliveries, for who has a bearer token."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from http import HTTPStatus
from importlib.metadata import version
from secrets import token_bytes
from typing import Annotated, Any, Literal

from fastapi import Depends, FastAPI, Path, Query, Request, Response
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from elowire.dispatch import deliveries as log
from elowire.dispatch import desk
from elowire.dispatch import store_subscriptions as stored
from elowire.dispatch.egress import Egress
from elowire.dispatch.http_guard import PROBLEMS, Guard, Shield, add_problems, json_answer, parsed
from elowire.dispatch.signatures import SECRET_BYTES
from elowire.dispatch.store import Store
from elowire.dispatch.subscriptions import Change, GivenSecret, State, Wanted
from elowire.dispatch.views import delivery_view, detailed_view, subscription_view
from elowire.runtime.clock import Clock

Name = Annotated[str, Path(max_length=64)]


class Replay(BaseModel):
    """What is sent again: `deliveries` by number, or the `failed` ones, or all `since` a time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    deliveries: Annotated[tuple[int, ...], Field(max_length=log.MOST_LISTED)] = ()
    failed: bool = False
    since: AwareDatetime | None = None


class Rotation(BaseModel):
    """A new secret; without one it is made and shown once."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    secret: GivenSecret | None = None
    overlap_hours: Annotated[float, Field(ge=0, le=720)] = 24.0


def create_app(store: Store, guard: Guard, egress: Egress, now: Clock) -> FastAPI:
    """Build the application. Its calls block shortly on the file and run in threads."""
    app = FastAPI(
        title="Elowire dispatch",
        version=version("elowire"),
        summary="Who receives live ratings as signed webhooks.",
        docs_url=None,
        redoc_url=None,
        dependencies=[Depends(guard)],
        responses=PROBLEMS,
    )
    app.add_middleware(Shield)
    add_problems(app)
    _add_subscriptions(app, store, egress, now)
    _add_changes(app, store, now)
    _add_deliveries(app, store)
    return app


def _body(model: type[BaseModel], *, required: bool = True) -> dict[str, Any]:
    return {
        "requestBody": {
            "required": required,
            "content": {"application/json": {"schema": model.model_json_schema()}},
        }
    }


def _shown(store: Store, name: str, now: datetime) -> dict[str, Any]:
    with store.reading() as connection:
        found = stored.subscription_named(connection, name)
        return subscription_view(found, log.counts(connection, found), now)


def _add_subscriptions(app: FastAPI, store: Store, egress: Egress, now: Clock) -> None:
    @app.post(
        "/v1/subscriptions",
        status_code=HTTPStatus.CREATED,
        summary="Subscribe; the answer shows the secret, once",
        openapi_extra=_body(Wanted),
    )
    async def post_subscription(request: Request) -> Response:
        wanted = await parsed(request, Wanted)
        random = token_bytes(SECRET_BYTES)
        made, secret = await asyncio.to_thread(
            lambda: desk.add(store, wanted, egress=egress, random=random, now=now())
        )
        shown = await asyncio.to_thread(lambda: _shown(store, made.name, now()))
        # Who brought the secret knows it.
        more = {} if wanted.secret is not None else {"secret": secret}
        return json_answer({**shown, **more}, HTTPStatus.CREATED)

    @app.get("/v1/subscriptions", summary="All subscriptions")
    def get_subscriptions() -> Response:
        with store.reading() as connection:
            found = [
                subscription_view(one, log.counts(connection, one), now())
                for one in stored.all_subscriptions(connection)
            ]
        return json_answer({"subscriptions": found})

    @app.get("/v1/subscriptions/{name}", summary="One subscription")
    def get_subscription(name: Name) -> Response:
        return json_answer(_shown(store, name, now()))

    @app.patch("/v1/subscriptions/{name}", summary="Change address or filters", openapi_extra=_body(Change))
    async def patch_subscription(request: Request, name: Name) -> Response:
        wanted = await parsed(request, Change)
        await asyncio.to_thread(lambda: desk.change(store, name, wanted, egress=egress, now=now()))
        return json_answer(await asyncio.to_thread(lambda: _shown(store, name, now())))

    @app.delete(
        "/v1/subscriptions/{name}", status_code=HTTPStatus.NO_CONTENT, summary="Remove, with all that waits"
    )
    def delete_subscription(name: Name) -> Response:
        desk.remove(store, name)
        return Response(status_code=HTTPStatus.NO_CONTENT)


def _add_changes(app: FastAPI, store: Store, now: Clock) -> None:
    @app.post("/v1/subscriptions/{name}/enable", summary="Send again; what was held goes out")
    def enable(name: Name) -> Response:
        desk.set_state(store, name, State.ACTIVE, now=now())
        return json_answer(_shown(store, name, now()))

    @app.post("/v1/subscriptions/{name}/disable", summary="Stop sending; what comes is held")
    def disable(name: Name) -> Response:
        desk.set_state(store, name, State.DISABLED, now=now())
        return json_answer(_shown(store, name, now()))

    @app.post(
        "/v1/subscriptions/{name}/rotate",
        summary="A new secret, shown once; the one before signs as well for a while",
        openapi_extra=_body(Rotation, required=False),
    )
    async def rotate(request: Request, name: Name) -> Response:
        wanted = await parsed(request, Rotation)
        secret = await asyncio.to_thread(
            lambda: desk.rotate(
                store,
                name,
                secret=wanted.secret,
                random=token_bytes(SECRET_BYTES),
                overlap=timedelta(hours=wanted.overlap_hours),
                now=now(),
            )
        )
        return json_answer({"name": name} | ({} if wanted.secret is not None else {"secret": secret}))

    @app.post(
        "/v1/subscriptions/{name}/test",
        status_code=HTTPStatus.ACCEPTED,
        summary="Send a test; its delivery shows what came of it",
    )
    def post_test(name: Name) -> Response:
        number = desk.queue_test(store, name, random=token_bytes(16), now=now())
        return json_answer({"delivery": number}, HTTPStatus.ACCEPTED)

    @app.post(
        "/v1/subscriptions/{name}/replay",
        status_code=HTTPStatus.ACCEPTED,
        summary="Send deliveries again, under their old ids",
        openapi_extra=_body(Replay),
    )
    async def post_replay(request: Request, name: Name) -> Response:
        wanted = await parsed(request, Replay)
        queued = await asyncio.to_thread(
            lambda: desk.replay(
                store,
                name,
                numbers=wanted.deliveries,
                failed=wanted.failed,
                since=wanted.since,
                now=now(),
            )
        )
        return json_answer({"queued": queued}, HTTPStatus.ACCEPTED)


def _add_deliveries(app: FastAPI, store: Store) -> None:
    @app.get("/v1/subscriptions/{name}/deliveries", summary="Deliveries, newest first")
    def get_deliveries(
        name: Name,
        state: Annotated[Literal["queued", "delivered", "failed"] | None, Query()] = None,
        before: Annotated[int | None, Query(ge=1, lt=2**63, description="go on from this number")] = None,
        limit: Annotated[int, Query(ge=1, le=log.MOST_LISTED)] = 50,
    ) -> Response:
        with store.reading() as connection:
            subscription = stored.subscription_named(connection, name)
            found = log.listed_deliveries(connection, subscription, state=state, before=before, limit=limit)
        return json_answer({"deliveries": [delivery_view(one, subscription.state) for one in found]})

    @app.get("/v1/deliveries/{delivery}", summary="One delivery: every attempt, and the body")
    def get_delivery(delivery: Annotated[int, Path(ge=1, lt=2**63)]) -> Response:
        with store.reading() as connection:
            found, attempts, body = log.delivery_numbered(connection, delivery)
            state = stored.subscription_named(connection, found.subscription).state
        return json_answer(detailed_view(found, attempts, body, state))
