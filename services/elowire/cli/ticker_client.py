"""The ticker as the commands see it: its answers, parsed once, and its stream of changes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Annotated, Any, Self, TypeVar
from urllib.parse import quote, urlsplit

import typer
from pydantic import BaseModel, ConfigDict, ValidationError

from elowire.cli.errors import Failure
from elowire.contracts.vocabulary import Colour
from elowire.domain import KReason, Refusal, TimeControl
from elowire.runtime.settings import load_settings
from elowire.runtime.web_client import ServerEvent, WebClient, WebUnreachableError

TickerOption = Annotated[
    str | None,
    typer.Option(
        "--ticker",
        metavar="URL",
        help="The ticker. [env: ELOWIRE_HOST, ELOWIRE_TICKER_PORT; default: http://127.0.0.1:8080]",
    ),
]
IDLE_S = 20.0
"""Seconds without an event after which a stream is taken for dead; the ticker's heart beats every five."""

_Model = TypeVar("_Model", bound=BaseModel)
_OK, _NOT_FOUND = 200, 404
PASSING = frozenset({429, 500, 502, 503, 504})
"""Statuses of a server that may answer in a while."""


class _Reading(BaseModel):
    # A newer ticker may say more; what is not known here is left out, not refused.
    model_config = ConfigDict(frozen=True, extra="ignore")


class Published(_Reading):
    """The published rating that figures stand on."""

    list: str | None = None
    rating: int | None = None
    k: int | None = None
    games: int | None = None


class FirstRating(_Reading):
    """A first rating in the making."""

    games: int
    points: str
    ra: str | None = None
    p: str | None = None
    dp: int | None = None
    ru: int | None = None
    publishable: bool
    provisional: bool


class Figures(_Reading):
    """One time control of a player; decimals are text as they travel."""

    status: str
    published: Published | None = None
    live: str | None = None
    change: str | None = None
    predicted: int | None = None
    k_used: int | None = None
    k_reason: KReason | None = None
    pending_games: int = 0
    initial: FirstRating | None = None
    rank: int | None = None
    rank_change: int | None = None


class Game(_Reading):
    """One side of one pending game; `change` is K times `delta` with the K of the live rating."""

    game_id: str
    tournament_id: str | None = None
    time_control: TimeControl | None = None
    rating_period: str | None = None
    round: int | None = None
    opponent_id: str | None = None
    opponent_name: str | None = None
    opponent_rating: int | None = None
    own_rating: int | None = None
    points: str | None = None
    colour: Colour | None = None
    difference: int | None = None
    counted_difference: int | None = None
    expectancy: str | None = None
    delta: str | None = None
    refusal: Refusal | None = None
    article: str | None = None
    status: str


class Cause(_Reading):
    """What changed a rating."""

    kind: str


class Person(_Reading):
    """Who a player is, as far as a list said."""

    player_id: str
    version: int = 0
    name: str | None = None
    federation: str | None = None
    title: str | None = None


class RankedRow(Person, Figures):
    """One line of a top list: who, and the figures of the list's time control."""


class PlayerView(Person):
    """A player's figures, and with `/v1/players` the pending games."""

    cause: Cause | None = None
    changed: tuple[TimeControl, ...] = ()
    standard: Figures | None = None
    rapid: Figures | None = None
    blitz: Figures | None = None
    game: Game | None = None
    games: tuple[Game, ...] = ()
    refused_games: tuple[Game, ...] = ()

    def figures(self, time_control: TimeControl) -> Figures | None:
        """Return the figures of one time control, None where there are none."""
        known = {
            TimeControl.STANDARD: self.standard,
            TimeControl.RAPID: self.rapid,
            TimeControl.BLITZ: self.blitz,
        }
        return known[time_control]


class TickerClient:
    """Asks one ticker; every fault is a sentence for the user."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._web = WebClient(address)

    async def __aenter__(self) -> Self:
        await self._web.__aenter__()
        return self

    async def __aexit__(self, *fault: object) -> None:
        await self._web.__aexit__(*fault)

    async def player(self, player_id: str) -> dict[str, Any] | None:
        """Return the view of one player as the ticker wrote it; None when it knows no such player."""
        return await self._get(f"/v1/players/{quote(player_id, safe=':')}", {})

    async def live_ratings(
        self, time_control: TimeControl, limit: int, federation: str | None
    ) -> dict[str, Any]:
        """Return the top list of a time control as the ticker wrote it."""
        query = {"time_control": time_control.value, "limit": str(limit)}
        if federation is not None:
            query["federation"] = federation
        return await self._get("/v1/live-ratings", query) or {"players": []}

    def changes(
        self,
        *,
        players: Sequence[str],
        time_control: TimeControl,
        federation: str | None,
        limit: int,
        last_event_id: str | None,
    ) -> AsyncGenerator[ServerEvent]:
        """Yield the stream's events; raises what `WebClient.events` raises."""
        query = {"time_control": time_control.value, "limit": str(limit)}
        if players:
            query["players"] = ",".join(players)
        if federation is not None:
            query["federation"] = federation
        return self._web.events("/v1/stream", query, last_event_id=last_event_id, idle_s=IDLE_S)

    async def _get(self, path: str, query: dict[str, str]) -> dict[str, Any] | None:
        try:
            answer = await self._web.get(path, query)
            if answer.status != _OK and answer.status not in PASSING:
                await self.require_ticker()
        except WebUnreachableError as fault:
            raise Failure(
                f"the ticker at {fault}. Start one (`elowire up` or `elowire ticker`), or name another with "
                "--ticker"
            ) from fault
        if answer.status == _OK and isinstance(answer.body, dict):
            return answer.body
        if answer.status == _NOT_FOUND and detail_of(answer.body):
            return None
        raise Failure(
            f"the ticker at {self.address} refused: {detail_of(answer.body) or f'status {answer.status}'}"
        )

    async def require_ticker(self) -> None:
        """Fail where something else answers: its refusals would be taken for a ticker's.

        Raises `WebUnreachableError`.
        """
        answer = await self._web.get("/v1/facets", {})
        told = answer.status == _OK and isinstance(answer.body, dict) and "federations" in answer.body
        if told or answer.status in PASSING:
            return
        raise Failure(
            f"no ticker answers at {self.address}, but another service. Name the ticker's address with "
            "--ticker; without it the settings are used (ELOWIRE_HOST, ELOWIRE_TICKER_PORT, by default "
            "http://127.0.0.1:8080)"
        )


def parsed(model: type[_Model], view: object) -> _Model:
    """Return a part of an answer as its model, or fail naming the field that is not understood."""
    try:
        return model.model_validate(view)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise Failure(
            f"the ticker's answer has a field {where} that this release does not understand "
            f"({first['msg']}). Use the same release on both sides"
        ) from error


def ticker_address(given: str | None) -> str:
    """Return the ticker's address: the one given, else that of the settings."""
    if given is None:
        settings = load_settings()
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104 - asked, not bound
        return f"http://{f'[{host}]' if ':' in host else host}:{settings.ticker_port}"
    parts = urlsplit(given)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise Failure(f"{given!r} is not the address of a ticker: expected one such as http://127.0.0.1:8080")
    return given


def detail_of(body: object) -> str | None:
    """Return the sentence with which a ticker refuses; None where there is none."""
    detail = body.get("detail") if isinstance(body, dict) else None
    return detail if isinstance(detail, str) else None
