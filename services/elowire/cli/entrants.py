"""`elowire entrants unresolved|identify|merge|release`: who is who, where a source does not say."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine
from typing import Annotated, Any, TypeVar

import typer

from elowire.cli.desk import (
    BootstrapOption,
    ByOption,
    DataOption,
    TournamentOption,
    WhyOption,
    open_desk,
    word,
)
from elowire.cli.errors import Failure, Refusals
from elowire.cli.output import Format, FormatOption, chosen, console, print_rows
from elowire.contracts.events import Entrant
from elowire.contracts.fields import PATTERN_WORDS, PLAYER_ID
from elowire.ingest.book import BookError
from elowire.ingest.corrections import CorrectionRefusedError, Entity
from elowire.ingest.corrections_work import release_entity
from elowire.ingest.identities import Stated
from elowire.ingest.identities_work import Waiting, identify, merge, waiting

_WAITING = {
    "tournament": "Tournament",
    "entrant": "Entrant",
    "name": "Name",
    "federation": "Fed",
    "birth_year": "Born",
    "counts_as": "Counts as",
    "games": "Games",
    "proposals": "May be",
}
_SENT = {"tournament": "Tournament", "entrant": "Entrant", "player": "Player", "rating": "Rating", "k": "K"}
_Done = TypeVar("_Done")

commands = typer.Typer(help="Entrants without a FIDE id, and who they are.", no_args_is_help=True)


def _player_id(text: str) -> str:
    if re.fullmatch(PLAYER_ID, text):
        return text
    raise typer.BadParameter(f"{text!r} is no player id; expected {PATTERN_WORDS[PLAYER_ID]}")


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.add_typer(commands, name="entrants")


@commands.command("unresolved")
def list_unresolved(
    *,
    tournament: Annotated[
        str | None, typer.Option("--tournament", metavar="ID", help="Of this tournament alone.")
    ] = None,
    bootstrap: BootstrapOption = None,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """List the entrants whose player id is not known; their games wait.

    A proposal has exactly this name, federation and year of birth on the newest list, and is never used by
    itself.

    Example: elowire entrants unresolved --tournament club-open
    """

    async def work() -> list[Waiting]:
        async with open_desk(bootstrap, data) as (desk, book):
            return await waiting(desk, book, tournament)

    found = _run(work())
    if not found and chosen(form) is Format.TABLE:
        console().print("Every entrant is somebody.")
        return
    rows = [_waiting_row(one) for one in found]
    if chosen(form) is Format.TABLE:
        rows = [{**row, "proposals": ", ".join(row["proposals"])} for row in rows]
    print_rows(rows, _WAITING, form)


@commands.command("identify")
def identify_entrant(  # noqa: PLR0913 - one option for each thing that can be said
    entrant: Annotated[
        str, typer.Argument(metavar="ENTRANT", help="The entrant's id, or his name if only one has it.")
    ],
    *,
    tournament: TournamentOption,
    player: Annotated[
        str, typer.Option("--player", parser=_player_id, metavar="ID", help="The player's FIDE id.")
    ],
    why: WhyOption,
    rating: Annotated[
        int | None, typer.Option(min=1, max=4000, help="His rating, where it is to outrank the list.")
    ] = None,
    unrated: Annotated[bool, typer.Option("--unrated", help="He is known to have no rating.")] = False,
    k: Annotated[int | None, typer.Option(min=1, max=80, help="His K, with --rating.")] = None,
    by: ByOption = None,
    bootstrap: BootstrapOption = None,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Say who an entrant is, or who he really is; his games are rated anew at once, nothing counts twice.

    Example: elowire entrants identify name:smith --tournament club-open --player 1503014 --why "asked him"
    """
    if unrated and rating is not None:
        raise Failure("--unrated and --rating contradict each other; give one of them")
    if k is not None and rating is None:
        raise Failure("--k belongs to a rating that is stated; give --rating as well")

    async def work() -> Entrant:
        async with open_desk(bootstrap, data) as (desk, book):
            stated = Stated(rating, k, unrated)
            return await identify(desk, book, tournament, entrant, player, stated=stated, word=word(by, why))

    print_rows([_sent_row(_run(work()))], _SENT, form)


@commands.command("merge")
def merge_players(
    old: Annotated[str, typer.Argument(parser=_player_id, metavar="OLD", help="The id that goes.")],
    new: Annotated[str, typer.Argument(parser=_player_id, metavar="NEW", help="The id that stays.")],
    *,
    why: WhyOption,
    by: ByOption = None,
    bootstrap: BootstrapOption = None,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Give everything that one id has played to another, because both are one player.

    Example: elowire entrants merge local:club-open.7 1503014 --why "the club sent his FIDE id"
    """

    async def work() -> tuple[list[Entrant], list[str]]:
        async with open_desk(bootstrap, data) as (desk, book):
            return await merge(desk, book, old, new, word(by, why))

    sent, refused = _run(work())
    print_rows([_sent_row(event) for event in sent], _SENT, form)
    for sentence in refused:
        console(errors=True).print(f"refused: {sentence}", markup=False, soft_wrap=True)
    if refused:
        raise Refusals


@commands.command("release")
def release_entrant(
    entrant: Annotated[str, typer.Argument(metavar="ENTRANT", help="The entrant's id.")],
    *,
    tournament: TournamentOption,
    why: WhyOption,
    by: ByOption = None,
    bootstrap: BootstrapOption = None,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Take an identity back: what the source says of the entrant counts again.

    Example: elowire entrants release name:smith-john --tournament club-open --why "it was his brother"
    """

    async def work() -> Entrant:
        async with open_desk(bootstrap, data) as (desk, _):
            event = await release_entity(desk, Entity(tournament, "entrant", entrant), word(by, why))
            if not isinstance(event, Entrant):
                raise TypeError("an entrant was released and another event came back")
            return event

    print_rows([_sent_row(_run(work()))], _SENT, form)


def _run(work: Coroutine[Any, Any, _Done]) -> _Done:
    try:
        return asyncio.run(work)
    except (CorrectionRefusedError, BookError) as problem:
        raise Failure(str(problem)) from None


def _waiting_row(one: Waiting) -> dict[str, Any]:
    entry = one.entry
    return {
        "tournament": entry.tournament_id,
        "entrant": entry.entrant_id,
        "name": entry.name,
        "federation": entry.federation,
        "birth_year": entry.birth_year,
        "counts_as": entry.player_id,
        "games": entry.games,
        "proposals": list(one.proposals),
    }


def _sent_row(event: Entrant) -> dict[str, Any]:
    return {
        "tournament": event.tournament_id,
        "entrant": event.identity,
        "player": event.player_id,
        "rating": "unrated" if event.unrated else event.rating,
        "k": event.k,
        "list": event.rating_list,
        "source": event.source,
    }
