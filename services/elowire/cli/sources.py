"""`elowire sources add|list|rotate|remove`: who may send results, and which broadcasts are followed."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from elowire.cli.errors import Failure
from elowire.cli.output import Format, FormatOption, chosen, console, print_json, print_rows
from elowire.cli.regulations import EditionOption, RatedInOption, StatedTimeControlOption
from elowire.contracts.faults import field_faults
from elowire.domain import System
from elowire.ingest.sources import (
    FILE,
    NAME,
    BroadcastSource,
    Mode,
    Sources,
    SourcesError,
    WebhookSource,
    changed_sources,
    made_secret,
    read_sources,
)
from elowire.runtime import clock
from elowire.runtime.data_dir import open_data_dir
from elowire.runtime.settings import load_settings

SECRET_BYTES = 32
_COLUMNS = {
    "name": "Name",
    "kind": "Kind",
    "address": "Address",
    "tournament": "Tournament",
    "secrets": "Secrets in force",
    "rotated": "Newest since",
}


def _name(text: str) -> str:
    if re.fullmatch(NAME, text):
        return text
    raise typer.BadParameter(
        f"{text!r} is no name; expected 1 to 64 small letters, digits and hyphens, such as club-desk"
    )


NameArgument = Annotated[
    str,
    typer.Argument(parser=_name, metavar="NAME", help="Small letters, digits, hyphens, such as club-desk."),
]
DataOption = Annotated[
    Path | None, typer.Option("--data", metavar="DIR", help="Data directory. [env: ELOWIRE_DATA_DIR]")
]

commands = typer.Typer(
    help="Who may send results, with which secret, and which broadcasts are followed.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.add_typer(commands, name="sources")


@commands.command()
def add(  # noqa: PLR0913 - one option for each fact of a broadcast
    name: NameArgument,
    *,
    operator: Annotated[
        bool, typer.Option("--operator", help="May also correct results that others sent.")
    ] = False,
    stream: Annotated[
        str | None, typer.Option(metavar="URL", help="Follow this PGN stream of a round or broadcast.")
    ] = None,
    poll: Annotated[
        str | None, typer.Option(metavar="URL|FILE", help="Look at this PGN again and again.")
    ] = None,
    every: Annotated[
        float, typer.Option(min=1, max=3600, help="Seconds between two looks, with --poll.")
    ] = 15.0,
    silence: Annotated[
        float, typer.Option(min=1, max=3600, help="Seconds without a byte after which a stream is reopened.")
    ] = 90.0,
    tournament: Annotated[
        str | None, typer.Option(metavar="ID", help="The tournament that the broadcast's games belong to.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="The tournament's name.")] = None,
    time_control: StatedTimeControlOption = None,
    system: Annotated[System | None, typer.Option(help="How the tournament is paired.")] = None,
    starts_on: Annotated[
        str | None, typer.Option(metavar="DATE", help="First day of the tournament, YYYY-MM-DD.")
    ] = None,
    ends_on: Annotated[
        str | None, typer.Option(metavar="DATE", help="Last day of the tournament, YYYY-MM-DD.")
    ] = None,
    edition: EditionOption = None,
    rated_in: RatedInOption = None,
    unrated: Annotated[
        bool, typer.Option("--unrated", help="Its games are not rated (Armageddon, tie-breaks).")
    ] = False,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Add somebody who sends signed requests, or with --stream or --poll a broadcast to be followed.

    The secret is shown once. A running service sees the change at once.

    Example: elowire sources add club-desk
    """
    if stream is None and poll is None:
        if tournament is not None:
            raise Failure("--tournament belongs to a broadcast; give its address with --stream or --poll")
        secret = made_secret(secrets.token_bytes(SECRET_BYTES), clock.now())
        with _change(data) as held, _checked():
            held[0] = held[0].with_source(WebhookSource(name=name, operator=operator, secrets=(secret,)))
        _show_secret(name, secret.secret.get_secret_value(), form)
        return
    if stream is not None and poll is not None:
        raise Failure("give the broadcast's address with --stream or with --poll, not with both")
    if tournament is None:
        raise Failure("a broadcast's games need a tournament to belong to; state it with --tournament ID")
    with _checked():
        source = BroadcastSource(
            name=name,
            mode=Mode.POLL if stream is None else Mode.STREAM,
            address=_address(stream or poll or ""),
            every_s=every,
            silence_s=silence,
            tournament_id=tournament,
            tournament_name=title,
            time_control=time_control,
            system=system,
            starts_on=_day(starts_on, "--starts-on"),
            ends_on=_day(ends_on, "--ends-on"),
            edition=edition,
            rated_in=rated_in,
            rated=not unrated,
        )
    with _change(data) as held:
        held[0] = held[0].with_source(source)
    _show(_row(source), f"{name} is followed from now on.", form)


@commands.command("list")
def list_sources(*, data: DataOption = None, form: FormatOption = None) -> None:
    """List the sources; secrets are never shown again.

    Example: elowire sources list
    """
    try:
        sources = read_sources(_path(data))
    except SourcesError as problem:
        raise Failure(str(problem)) from None
    if not sources.sources and chosen(form) is Format.TABLE:
        console().print("No source yet; add one with `elowire sources add NAME`.", markup=False)
        return
    print_rows([_row(source) for source in sources.sources], _COLUMNS, form)


@commands.command()
def rotate(
    name: NameArgument,
    *,
    overlap_hours: Annotated[
        float, typer.Option(min=0, max=720, help="Hours for which the secret before counts as well.")
    ] = 24.0,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Give a source a new secret, which is shown once; the one before counts for a while longer.

    Example: elowire sources rotate club-desk --overlap-hours 1
    """
    secret = made_secret(secrets.token_bytes(SECRET_BYTES), clock.now())
    with _change(data) as held:
        held[0] = held[0].rotated(name, secret, overlap=timedelta(hours=overlap_hours))
    _show_secret(name, secret.secret.get_secret_value(), form)


@commands.command()
def remove(name: NameArgument, *, data: DataOption = None) -> None:
    """Remove a source: its secrets count no more, a broadcast is not followed any longer.

    Example: elowire sources remove club-desk
    """
    with _change(data) as held:
        held[0] = held[0].without(name)
    console(errors=True).print(f"{name} is removed.", markup=False)


def _path(data: Path | None) -> Path:
    return open_data_dir(load_settings(data_dir=data).data_dir) / FILE


@contextmanager
def _change(data: Path | None) -> Iterator[list[Sources]]:
    try:
        with changed_sources(_path(data)) as held:
            yield held
    except SourcesError as problem:
        raise Failure(str(problem)) from None


@contextmanager
def _checked() -> Iterator[None]:
    try:
        yield
    except ValidationError as problem:
        error = problem.errors(include_input=False, include_url=False)[0]
        if error["type"] == "value_error":
            raise Failure(error["msg"].removeprefix("Value error, ")) from None
        fault = field_faults(problem)[0]
        raise Failure(f"{fault.problem}; expected {fault.expected}") from None


def _address(text: str) -> str:
    return text if text.startswith(("https://", "http://")) else str(Path(text).expanduser().absolute())


def _day(text: str | None, flag: str) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise Failure(f"{flag}: {text!r} is not a day; give it as YYYY-MM-DD") from None


def _row(source: WebhookSource | BroadcastSource) -> dict[str, Any]:
    if isinstance(source, BroadcastSource):
        return {
            "name": source.name,
            "kind": source.mode.value,
            "address": source.address,
            "tournament": source.tournament_id,
            "secrets": None,
            "rotated": None,
        }
    in_force = source.in_force(clock.now())
    return {
        "name": source.name,
        "kind": "operator" if source.operator else "webhook",
        "address": None,
        "tournament": None,
        "secrets": len(in_force),
        "rotated": in_force[0].added.strftime("%Y-%m-%d %H:%M") if in_force else None,
    }


def _show_secret(name: str, secret: str, form: Format | None) -> None:
    _show(
        {"name": name, "secret": secret},
        f"{secret}\n",
        form,
        after=f"This secret of {name} is shown once: give it to its sender by a safe way.",
    )


def _show(row: dict[str, Any], text: str, form: Format | None, *, after: str | None = None) -> None:
    if chosen(form) is Format.JSON:
        print_json(row)
    else:
        console().print(text.rstrip("\n"), markup=False, soft_wrap=True)
    if after is not None:
        console(errors=True).print(after, markup=False, soft_wrap=True)
