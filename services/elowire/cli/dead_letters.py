"""`elowire dead-letters list|show|replay|discard`: refused records, each by the id of its place."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from elowire.cli.dead_letter_choice import checked_ids, filter_of, repair_of
from elowire.cli.dead_letter_rows import Oldest, letter_fields, listed
from elowire.cli.dead_letter_work import discard_ids, letters_by_id, replay_all, replay_ids
from elowire.cli.errors import Refusals
from elowire.cli.output import Format, FormatOption, chosen, console, print_json, print_rows
from elowire.cli.plain import plain
from elowire.cli.topics import BootstrapOption
from elowire.contracts.dead_letters import DeadLetterReason
from elowire.contracts.topics import DEAD_LETTERS
from elowire.runtime import clock
from elowire.runtime.dead_letters import AS_IT_IS, Reading
from elowire.runtime.settings import Settings, load_settings

_LISTED = {
    "id": "Id",
    "age": "Age",
    "reason": "Reason",
    "field": "Field",
    "detail": "Detail",
    "advice": "What to do",
}
_OUTCOMES = {"id": "Id", "outcome": "Outcome", "detail": "Detail"}

Ids = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ID...", help="topic/partition/offset of the refused record, as `list` prints it."
    ),
]
ReasonFilter = Annotated[DeadLetterReason | None, typer.Option(help="Only letters refused for this.")]
TopicFilter = Annotated[str | None, typer.Option("--topic", help="Only letters from this topic.")]
SinceFilter = Annotated[
    str | None, typer.Option(help="Only letters since then: an age (30m, 6h, 7d), a date, or a time in UTC.")
]

commands = typer.Typer(
    help="Look at refused records, send them again after a repair, or put them aside with a reason.",
    no_args_is_help=True,
)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.add_typer(commands, name="dead-letters")


@commands.command("list")
def list_letters(
    *,
    reason: ReasonFilter = None,
    topic: TopicFilter = None,
    since: SinceFilter = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Letters at most, the oldest first.")] = 50,
    bootstrap: BootstrapOption = None,
    form: FormatOption = None,
) -> None:
    """List the refused records that nobody has dealt with yet.

    Example: elowire dead-letters list --reason invalid-field --since 6h
    """
    wanted = filter_of(reason, topic, since)

    async def read(reading: Reading) -> Oldest:
        oldest = Oldest(limit)
        async with aclosing(reading.open_letters(wanted)) as letters:
            async for letter in letters:
                oldest.take(letter)
        return oldest

    with _reading(load_settings(bootstrap=bootstrap)) as reading:
        oldest = asyncio.run(read(reading))
    rows = listed(oldest.letters(), clock.now_ms())
    if chosen(form) is Format.JSON:
        print_json(rows)
    elif rows:
        safe = [row | {name: plain(str(row[name] or "")) for name in _LISTED} for row in rows]
        print_rows(safe, _LISTED, Format.TABLE)
    else:
        console().print("No open dead letters.")
    if oldest.count > len(rows):
        _say(f"{len(rows)} of {oldest.count} open letters are shown, the oldest first; --limit shows more")


@commands.command()
def show(
    letter_id: Annotated[str, typer.Argument(metavar="ID", help="topic/partition/offset of the record.")],
    *,
    most: Annotated[
        int, typer.Option("--bytes", min=0, max=4 << 20, help="Bytes of the value at most.")
    ] = 4096,
    bootstrap: BootstrapOption = None,
    form: FormatOption = None,
) -> None:
    """Show one refused record whole: why it was refused, its headers, its key and its bytes.

    Example: elowire dead-letters show game-results/3/1207
    """
    with _reading(load_settings(bootstrap=bootstrap)) as reading:
        letter = asyncio.run(letters_by_id(reading, checked_ids([letter_id])))[letter_id]
    fields = letter_fields(letter, most, clock.now_ms())
    if chosen(form) is Format.JSON:
        print_json(fields)
        return
    screen = console()
    for name, value in fields.items():
        if name == "headers":
            for header in value:
                text = header["text"] if header["text"] is not None else f"hex {header['hex']}"
                screen.print(f"header {plain(header['name'])}: {plain(text)}", markup=False, soft_wrap=True)
        elif value is not None:
            lines = "\n".join(plain(line) for line in str(value).split("\n"))
            screen.print(f"{name}: {lines}", markup=False, soft_wrap=True)


@commands.command("replay")
def replay_letters(  # noqa: PLR0913 - one for each option
    ids: Ids = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="All open letters of a --reason.")] = False,
    reason: ReasonFilter = None,
    topic: TopicFilter = None,
    since: SinceFilter = None,
    value: Annotated[
        Path | None, typer.Option(help="Send the bytes of this file instead: the repaired record (one id).")
    ] = None,
    key: Annotated[str | None, typer.Option(help="Send this key instead (one id).")] = None,
    header: Annotated[
        list[str] | None, typer.Option(metavar="NAME=TEXT", help="Send this header instead (one id).")
    ] = None,
    bootstrap: BootstrapOption = None,
    form: FormatOption = None,
) -> None:
    """Send refused records to their topic again: the same key, bytes and headers, or a repaired record.

    A letter counts as dealt with once Kafka has acknowledged the record; if that is refused again, there is
    a new letter.

    Example: elowire dead-letters replay game-results/3/1207 --value repaired.json
    """
    chosen_ids = checked_ids(ids or [])
    repair = repair_of(value, key, header or [])
    if every == bool(chosen_ids):
        raise typer.BadParameter("give ids, or --all with --reason", param_hint="ID...")
    if every and reason is None:
        raise typer.BadParameter(
            "--all needs --reason, the reason whose cause is repaired", param_hint="--all"
        )
    if not every and (reason or topic or since):
        raise typer.BadParameter("--reason, --topic and --since go with --all, not with ids")
    if repair != AS_IT_IS and len(chosen_ids) != 1:
        raise typer.BadParameter("--value, --key and --header repair one record: give exactly one id")
    settings = load_settings(bootstrap=bootstrap)
    with _reading(settings) as reading:
        if every:
            rows = asyncio.run(replay_all(settings, reading, filter_of(reason, topic, since)))
        else:
            rows = asyncio.run(replay_ids(settings, reading, chosen_ids, repair))
    _finish(rows, form)


@commands.command()
def discard(
    ids: Ids = None,
    *,
    reason: Annotated[str, typer.Option(help="Why they may be left alone; it is kept beside them.")],
    bootstrap: BootstrapOption = None,
    form: FormatOption = None,
) -> None:
    """Put refused records aside for good, with a reason; their bytes stay as long as the topic keeps them.

    Example: elowire dead-letters discard game-results/3/1207 --reason "test record of 12 May"
    """
    chosen_ids = checked_ids(ids or [])
    if not chosen_ids:
        raise typer.BadParameter("name at least one letter", param_hint="ID...")
    if not reason.strip():
        raise typer.BadParameter("say in words why the records may be left alone", param_hint="--reason")
    settings = load_settings(bootstrap=bootstrap)
    with _reading(settings) as reading:
        rows = asyncio.run(discard_ids(settings, reading, chosen_ids, reason.strip()))
    _finish(rows, form)


@contextmanager
def _reading(settings: Settings) -> Iterator[Reading]:
    """Look at the dead letters; how far it is, is said on a terminal, and records that are none of ours."""
    topic = settings.topic_prefix + DEAD_LETTERS.name
    screen = console(errors=True)
    count = 0
    with screen.status(f"reading {topic}") as status:

        def seen(number: int) -> None:
            nonlocal count
            count += number
            status.update(f"reading {topic}: {count} records")

        reading = Reading(settings, topic, seen)
        yield reading
    for place, problem in reading.unreadable.items():
        _say(f"{place} is left alone: {problem}")


def _say(sentence: str) -> None:
    console(errors=True).print(f"note: {plain(sentence)}", markup=False, soft_wrap=True)


def _finish(rows: Sequence[dict[str, Any]], form: Format | None) -> None:
    if rows or chosen(form) is Format.JSON:
        print_rows(rows, _OUTCOMES, form)
    else:
        console().print("No open dead letters of this kind.")
    if any(row["done"] is False for row in rows):
        raise Refusals
