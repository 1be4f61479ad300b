"""`elowire correct`: an operator's result, which outranks the sources until it is released."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from elowire.cli.desk import BootstrapOption, ByOption, DataOption, open_desk, word
from elowire.cli.errors import Failure
from elowire.cli.output import Format, FormatOption, chosen, console, print_rows
from elowire.contracts.events import GameResult
from elowire.contracts.vocabulary import GameStatus, Result
from elowire.ingest.corrections import CorrectionRefusedError, Entity
from elowire.ingest.corrections_store import Correction, corrections
from elowire.ingest.corrections_work import correct_game, release_entity

_COLUMNS = {
    "tournament": "Tournament",
    "kind": "Of",
    "id": "Id",
    "says": "Says",
    "who": "Who",
    "when": "When",
    "why": "Why",
    "released": "Released",
    "released_by": "By",
    "released_why": "Why",
}


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(correct)


def correct(  # noqa: PLR0913 - one option for each thing that can be said
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="The game's id.")] = None,
    *,
    tournament: Annotated[
        str | None, typer.Option("--tournament", metavar="ID", help="The game's tournament.")
    ] = None,
    result: Annotated[
        Result | None, typer.Option(help="The right result; * is a game that still goes on.")
    ] = None,
    status: Annotated[
        GameStatus | None, typer.Option(help="What became of the game, such as forfeit or annulled.")
    ] = None,
    release: Annotated[
        bool, typer.Option("--release", help="Take the correction back: the source's word counts again.")
    ] = False,
    show: Annotated[
        bool, typer.Option("--list", help="List all corrections with who, when and why.")
    ] = False,
    why: Annotated[str | None, typer.Option("--why", help="The reason; it is kept for ever.")] = None,
    by: ByOption = None,
    bootstrap: BootstrapOption = None,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Correct a game's result; what the source sends later changes nothing until --release.

    Example: elowire correct 5.1 --tournament club-open --result 1/2-1/2 --why "both score sheets say so"
    """
    if show:
        _print_all(asyncio.run(_all(bootstrap, data)), form)
        return
    if game is None or tournament is None:
        raise Failure("name the game and its tournament: elowire correct GAME --tournament ID --result ...")
    if why is None:
        raise Failure("a correction needs its reason: state it with --why")
    if release and (result is not None or status is not None):
        raise Failure("--release gives the source its word back; it takes no --result and no --status")

    async def work() -> GameResult:
        async with open_desk(bootstrap, data) as (desk, _):
            if release:
                event = await release_entity(desk, Entity(tournament, "game", game), word(by, why))
                if not isinstance(event, GameResult):
                    raise TypeError("a game was released and another event came back")
                return event
            return await correct_game(
                desk, tournament, game, result=result, status=status, word=word(by, why)
            )

    try:
        event = asyncio.run(work())
    except CorrectionRefusedError as problem:
        raise Failure(str(problem)) from None
    row = {
        "tournament": tournament,
        "id": game,
        "result": event.result.value,
        "status": event.status.value,
        "revision": event.revision,
        "in_force": not release,
    }
    if chosen(form) is Format.JSON:
        print_rows([row], {}, form)
        return
    said = f"game {game} of {tournament} is {event.status} {event.result}"
    after = "as its source says" if release else "until it is released"
    console().print(f"{said}, {after}", markup=False, soft_wrap=True)


async def _all(bootstrap: str | None, data: Path | None) -> list[Correction]:
    async with open_desk(bootstrap, data) as (desk, _):
        return corrections(desk.store)


def _print_all(found: list[Correction], form: Format | None) -> None:
    if not found and chosen(form) is Format.TABLE:
        console().print("No correction was ever made here.")
        return
    print_rows([_row(one) for one in found], _COLUMNS, form)


def _row(one: Correction) -> dict[str, Any]:
    if one.kind == "game":
        event = GameResult.model_validate_json(one.event)
        says = f"{event.status} {event.result}"
    else:
        says = "identity"
    return {
        "tournament": one.tournament_id,
        "kind": one.kind,
        "id": one.entity,
        "says": says,
        "who": one.who,
        "when": _time(one.at),
        "why": one.why,
        "released": None if one.ended is None else _time(one.ended),
        "released_by": one.ended_by,
        "released_why": one.ended_why,
    }


def _time(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
