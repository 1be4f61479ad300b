"""Results as CSV: one line per game, the first line names the columns.

Needed: `round`, `white_fide_id`, `black_fide_id`, `white_rating`, `black_rating`, `result`. Also read:
`board`, `date`, `game_id`, `status`, `url`, and for each colour `title`, `name`, `federation`, `birth_year`,
`k`, `games`.
Commas, semicolons and tabs separate; a byte-order mark and any line end are accepted. One line is one
game (no line breaks inside quotes), so a broken line never swallows the next.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from elowire.contracts.vocabulary import GameStatus
from elowire.ingest.readers.assembly import Assembly, Place, id_of_file
from elowire.ingest.readers.fields import (
    date_of,
    federation_of,
    number_of,
    player_id_of,
    rating_of,
    result_of,
    shown,
    title_of,
    words_of,
)
from elowire.ingest.readers.report import (
    EntrantFacts,
    EventReport,
    Findings,
    GameFacts,
    Notice,
    TournamentFacts,
    UnreadableFile,
)
from elowire.ingest.readers.text import decode, lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    Value = TypeVar("Value")

NEEDED = ("round", "white_fide_id", "black_fide_id", "white_rating", "black_rating", "result")
_OF_A_COLOUR = ("fide_id", "rating", "title", "name", "federation", "birth_year", "k", "games")
_KNOWN = {
    *("round", "board", "result", "date", "game_id", "status", "url"),
    *(f"{colour}_{name}" for colour in ("white", "black") for name in _OF_A_COLOUR),
}


class _Refused(Exception):  # noqa: N818 - leaves a row, never the module
    """A field of a row that cannot be used."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field
        self.text = text


def read_results_csv(raw: bytes, source: str) -> EventReport:
    """Read a results CSV; lines that cannot be used are refused one by one.

    Raises `UnreadableFile` when the header is missing or no game can be read.
    """
    findings = Findings()
    lines = [(number, line) for number, line in lines_of(decode(raw, findings), findings) if line.strip()]
    if not lines:
        raise UnreadableFile(Notice("refused", "no line of text was found", line=1))
    separator = _separator(lines[0][1])
    header = _header(lines[0], separator, findings)
    assembly = Assembly(id_of_file(source), findings)
    for number, line in lines[1:]:
        _read_row(number, _row(number, line, separator, header, findings), assembly)
    if len(lines) == 1:
        expected = "the file has a header but no line with a game; it looks half-written"
        raise UnreadableFile(Notice("refused", expected, line=lines[0][0] + 1))
    tournament = TournamentFacts(tournament_id=assembly.tournament_id, name=assembly.tournament_id)
    return assembly.report(source, "csv", tournament)


def _separator(header: str) -> str:
    return max(",;\t", key=header.count)


def _header(first: tuple[int, str], separator: str, findings: Findings) -> list[str]:
    number, line = first
    try:
        names = [
            name.strip().lower() for name in next(csv.reader([line], delimiter=separator, strict=True), [])
        ]
    except csv.Error as problem:
        raise UnreadableFile(
            Notice("refused", f"the header is not CSV: {problem}; expected {','.join(NEEDED)}", number)
        ) from None
    missing = [name for name in NEEDED if name not in names]
    if missing:
        expected = f"the header lacks {', '.join(missing)}; expected a line such as {','.join(NEEDED)}"
        raise UnreadableFile(Notice("refused", expected, number))
    for name in sorted({name for name in names if names.count(name) > 1}):
        raise UnreadableFile(
            Notice("refused", f"the header names {name} twice; each column once was expected", number)
        )
    for name in names:
        if name not in _KNOWN:
            findings.adjust(
                "a column that is not known here; it is not read", line=number, field=name or "(no name)"
            )
    return names


def _row(
    number: int, line: str, separator: str, header: list[str], findings: Findings
) -> Mapping[str, str] | None:
    try:
        cells = next(csv.reader([line], delimiter=separator, strict=True))
    except csv.Error as problem:
        findings.refuse(f"is not CSV: {problem}; check the quotes of this line", line=number)
        return None
    if len(cells) != len(header):
        found = f"has {len(cells)} fields where {len(header)} were expected; the line is cut off or shifted"
        findings.refuse(found, line=number)
        return None
    return dict(zip(header, cells, strict=True))


def _read_row(number: int, row: Mapping[str, str] | None, assembly: Assembly) -> None:
    if row is None:
        return
    try:
        white, black = _entrant(row, "white"), _entrant(row, "black")
        game = _game(number, row, white.entrant_id, black.entrant_id)
    except _Refused as refused:
        assembly.findings.refuse(refused.text, line=number, field=refused.field)
        return
    place = Place(number)
    if assembly.game(game, place):
        assembly.entrant(white, place)
        assembly.entrant(black, place)


def _field(row: Mapping[str, str], name: str, parse: Callable[[str], Value]) -> Value:
    try:
        return parse(row.get(name, ""))
    except ValueError as problem:
        raise _Refused(name, str(problem)) from None


def _entrant(row: Mapping[str, str], colour: str) -> EntrantFacts:
    player_id = _field(row, f"{colour}_fide_id", player_id_of)
    if player_id is None:
        raise _Refused(f"{colour}_fide_id", "is empty; the player's FIDE id, or namespace:id, was expected")
    rating = _field(row, f"{colour}_rating", rating_of)
    return EntrantFacts(
        entrant_id=player_id,
        player_id=player_id,
        name=words_of(row.get(f"{colour}_name", "")),
        federation=federation_of(row.get(f"{colour}_federation", "")),
        title=title_of(row.get(f"{colour}_title", "")),
        birth_year=_number(row, f"{colour}_birth_year", 1850, 2199, "a year"),
        rating=rating.value,
        unrated=rating.unrated,
        k=_number(row, f"{colour}_k", 1, 80, "K"),
        games_played=_number(row, f"{colour}_games", 0, 100_000, "a number of games"),
    )


def _number(row: Mapping[str, str], name: str, least: int, most: int, what: str) -> int | None:
    return _field(row, name, lambda text: number_of(text, least=least, most=most, what=what))


def _game(number: int, row: Mapping[str, str], white: str, black: str) -> GameFacts:
    result, status = _field(row, "result", result_of)
    return GameFacts(
        game_id=row.get("game_id", "").strip(),
        white=white,
        black=black,
        result=result,
        status=_field(row, "status", _status_of) or status,
        round=_number(row, "round", 1, 1000, "a round"),
        board=_number(row, "board", 1, 100_000, "a board"),
        played_on=_field(row, "date", date_of),
        url=row.get("url", "").strip() or None,
        line=number,
    )


def _status_of(text: str) -> GameStatus | None:
    word = text.strip().lower()
    if not word:
        return None
    try:
        return GameStatus(word)
    except ValueError:
        raise ValueError(f"is {shown(text)}; one of {', '.join(GameStatus)} was expected") from None
