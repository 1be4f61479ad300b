"""`elowire lists load|check|show|reconcile`: FIDE's rating lists, the rating book and what they settle."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from elowire.cli.errors import Failure, Refusals
from elowire.cli.lists_load import Request, check_list, load_list, publish
from elowire.cli.lists_reconcile import print_reconciliation, reconciliation
from elowire.cli.output import Format, FormatOption, chosen, console, print_json, print_rows
from elowire.cli.regulations import month
from elowire.domain import TimeControl
from elowire.ingest.book import FILE, Book, BookError, BookLine, KeptList
from elowire.ingest.book_load import ImplausibleList
from elowire.ingest.publication import Scope
from elowire.ingest.readers.report import UnreadableFile
from elowire.runtime.data_dir import DataDirError, open_data_dir
from elowire.runtime.kafka import KafkaUnreachableError, RecordRefusedError, TopicMissingError
from elowire.runtime.settings import load_settings

NAMES_LISTED = 20
"""Players that a search by name lists at most."""

FileArgument = Annotated[Path, typer.Argument(help="FIDE's list as downloaded: .zip, .txt or .xml.")]
ListOption = Annotated[
    str | None,
    typer.Option(
        "--list", parser=month, metavar="YYYY-MM", help="Which list it is, where the file does not say."
    ),
]
ClassOption = Annotated[
    TimeControl | None,
    typer.Option("--time-control", help="Whose ratings a list of one rating has, if its name does not say."),
]
DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="DIR", help="Data directory with the rating book. [env: ELOWIRE_DATA_DIR]"
    ),
]
BootstrapOption = Annotated[
    str | None, typer.Option("--bootstrap", metavar="HOST:PORT", help="Kafka. [env: ELOWIRE_BOOTSTRAP]")
]

commands = typer.Typer(
    help="Load FIDE's rating lists, look players up, and see what a list settled.", no_args_is_help=True
)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.add_typer(commands, name="lists")


@commands.command()
def load(  # noqa: PLR0913 - one option for each thing that can be stated
    file: FileArgument,
    *,
    rating_list: ListOption = None,
    time_control: ClassOption = None,
    send: Annotated[
        bool, typer.Option("--publish/--no-publish", help="Send what changed to rating-lists.")
    ] = True,
    followed: Annotated[
        bool,
        typer.Option("--followed", help="Send the players alone who have an entry or a game in the topics."),
    ] = False,
    accept_doubts: Annotated[
        bool, typer.Option("--accept-doubts", help="Take a list that `lists check` finds implausible.")
    ] = False,
    bootstrap: BootstrapOption = None,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Load a list into the rating book, whole or not at all, and publish what it changed.

    Loading a list again corrects it: the lines that differ get a new revision.

    Example: elowire lists load standard_sep26frl.zip --followed
    """
    request = Request(file, rating_list, time_control)
    path = _book(data)
    try:
        row = load_list(path, request, accept_doubts=accept_doubts)
    except ImplausibleList as problem:
        raise Failure(
            f"{file}: {problem}. The rating book is unchanged; fetch the list again, or take it as it is "
            "with --accept-doubts"
        ) from None
    except (UnreadableFile, BookError) as problem:
        raise Failure(f"{file}: {problem}") from None
    row["published"] = None
    if send:
        scope = Scope.FOLLOWED if followed else Scope.CHANGED
        cluster = load_settings(bootstrap=bootstrap)
        try:
            row["published"] = asyncio.run(publish(path, row["list"], scope=scope, cluster=cluster))
        except (KafkaUnreachableError, TopicMissingError, RecordRefusedError) as problem:
            raise Failure(
                f"list {row['list']} is in the rating book but not published: {problem}. "
                "The same command publishes it once that is put right"
            ) from None
    _print_load(row, form)


@commands.command()
def check(
    file: FileArgument,
    *,
    rating_list: ListOption = None,
    time_control: ClassOption = None,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Read a list and compare it with the one before it in the book, change nothing; exit 1 on doubts.

    Example: elowire lists check players_list.zip --list 2026-10
    """
    try:
        row = check_list(_book(data), Request(file, rating_list, time_control))
    except ImplausibleList as problem:
        raise Failure(f"{file}: {problem}") from None
    except (UnreadableFile, BookError) as problem:
        raise Failure(f"{file}: {problem}") from None
    _print_load(row, form)
    if row["doubts"]:
        raise Refusals


@commands.command()
def show(
    player: Annotated[
        str | None, typer.Argument(help="FIDE id, or the beginning of a name; without it the lists.")
    ] = None,
    *,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Show the lists in the book, or a player's figures in each of them.

    Example: elowire lists show 1503014
    """
    try:
        with Book(_book(data)) as book:
            if player is None:
                print_rows([_list_row(kept) for kept in book.lists()], _LIST_COLUMNS, form)
                return
            number = _player(book, player, form)
            if number is None:
                return
            rows = [_line_row(kept, line) for kept, line in book.history(number)]
            if not rows:
                raise Failure(f"player {number} is on none of the {len(book.lists())} lists in {book.path}")
            print_rows(rows, _LINE_COLUMNS, form)
    except BookError as problem:
        raise Failure(str(problem)) from None


@commands.command()
def reconcile(
    rating_list: Annotated[str, typer.Argument(parser=month, metavar="YYYY-MM", help="The list.")],
    *,
    bootstrap: BootstrapOption = None,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Say how many predictions a list confirmed, who differs, by how much, and which cause is known.

    Example: elowire lists reconcile 2026-10
    """
    settings = load_settings(bootstrap=bootstrap)
    found = asyncio.run(reconciliation(settings, rating_list))
    if not found.players:
        raise Failure(
            f"no prediction was compared with list {rating_list} yet: the list must be published "
            "(`elowire lists load`) and the processor must have read it"
        )
    try:
        with Book(_book(data)) as book:
            lines = book.lines(rating_list, found.differing())
            names = {str(number): line.name for number, line in lines.items()}
    except BookError as problem:
        raise Failure(str(problem)) from None
    print_reconciliation(found, names, form)


def _book(data: Path | None) -> Path:
    try:
        return open_data_dir(load_settings(data_dir=data).data_dir) / FILE
    except DataDirError as problem:
        raise Failure(str(problem)) from None


def _print_load(row: dict[str, Any], form: Format | None) -> None:
    screen = console(errors=True)
    for notice in row["refusals"]:
        screen.print(f"refused: {notice}", markup=False, soft_wrap=True)
    if more := row["refused"] - len(row["refusals"]):
        screen.print(f"refused: {more} more", markup=False)
    if chosen(form) is Format.JSON:
        print_json(row)
        return
    out = console()
    for text in _sentences(row):
        out.print(text, markup=False, soft_wrap=True)


def _sentences(row: dict[str, Any]) -> list[str]:
    parts = [f"{row['lines']:,} lines", f"{row['changed']:,} new or changed"]
    parts += [
        f"{row[name]:,} {what}"
        for name, what in (
            ("withdrawn", "no longer on it"),
            ("repeated", "repeat a player and are left out"),
            ("refused", "refused"),
        )
        if row[name]
    ]
    texts = [f"{row['list']} ({', '.join(row['time_controls'])}): {', '.join(parts)}"]
    if row["compared_with"]:
        texts.append(f"compared with {row['compared_with']}: {row['moved']:,} rated players differ")
    texts += [f"doubt: {doubt}" for doubt in row["doubts"]]
    if row.get("published") is not None:
        texts.append(f"published {row['published']:,} lines")
    return texts


def _player(book: Book, text: str, form: Format | None) -> int | None:
    """Find the player meant; prints the choice when a name fits several, and then gives None."""
    if text.isascii() and text.isdigit():
        return int(text)
    found = book.named(text, limit=NAMES_LISTED)
    if not found:
        raise Failure(f"no name on the newest list in {book.path} begins with {text!r}; give the FIDE id")
    if len(found) == 1:
        return found[0].player
    newest = book.lists()[-1]
    print_rows([_line_row(newest, line) for line in found], {"player_id": "Player", **_LINE_COLUMNS}, form)
    return None


_LIST_COLUMNS = {
    "list": "List",
    "time_controls": "Time controls",
    "lines": "Lines",
    "source": "File",
    "published": "Published",
}
_LINE_COLUMNS = {
    "list": "List",
    "name": "Name",
    "federation": "Fed",
    "title": "Title",
    **{
        f"{tc.value}{field}": f"{tc.value.capitalize() if not field else field.strip('_').capitalize()}"
        for tc in TimeControl
        for field in ("", "_k", "_games")
    },
}


def _list_row(kept: KeptList) -> dict[str, Any]:
    return {
        "list": kept.rating_list,
        "time_controls": ", ".join(tc.value for tc in kept.classes),
        "lines": kept.lines,
        "source": kept.source,
        "published": kept.published is not None,
    }


def _line_row(kept: KeptList, line: BookLine) -> dict[str, Any]:
    row: dict[str, Any] = {
        "player_id": str(line.player),
        "list": kept.rating_list,
        "name": line.name,
        "federation": line.federation,
        "title": line.title,
        "sex": line.sex,
        "birth_year": line.birth_year,
        "kind": line.kind,
    }
    for tc in kept.classes:
        figures = line.figures(tc)
        row[tc.value] = figures.rating
        row[f"{tc.value}_k"] = figures.k
        row[f"{tc.value}_games"] = figures.games
        row[f"{tc.value}_inactive"] = figures.inactive
    return row
