"""A round robin's final table as CSV: columns `player`, `rating` (`u` for unrated), `points`, perhaps `k`.

A table with a line missing means something else, so that one bad line refuses the file.
"""

from __future__ import annotations

import csv

from elowire.domain import RoundRobinPlayer, hundredths
from elowire.ingest.readers.fields import number_of, rating_of, shown, words_of
from elowire.ingest.readers.report import Findings, Notice, UnreadableFile
from elowire.ingest.readers.text import decode, lines_of

_NEEDED = ("player", "rating", "points")
_HALF = 50


def read_crosstable_csv(raw: bytes) -> tuple[RoundRobinPlayer, ...]:
    """Read the table; raises `UnreadableFile` at the first line that cannot be used."""
    findings = Findings()
    lines = [(number, line) for number, line in lines_of(decode(raw, findings), findings) if line.strip()]
    if not lines:
        raise UnreadableFile(
            Notice("refused", f"no line was found; expected {','.join(_NEEDED)}[,k]", line=1)
        )
    separator = max(",;\t", key=lines[0][1].count)
    header = [name.strip().lower() for name in lines[0][1].split(separator)]
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        found = f"the header lacks {', '.join(missing)}; expected {','.join(_NEEDED)}[,k]"
        raise UnreadableFile(Notice("refused", found, line=lines[0][0]))
    players = [_player(number, _cells(number, line, separator, header)) for number, line in lines[1:]]
    for place, player in enumerate(players):
        if any(other.player == player.player for other in players[:place]):
            found = f"names {player.player} again; each player once was expected"
            raise UnreadableFile(Notice("refused", found, line=lines[place + 1][0], field="player"))
    if len(players) <= 1:
        raise UnreadableFile(Notice("refused", "has fewer than two players", line=lines[-1][0]))
    return tuple(players)


def _cells(number: int, line: str, separator: str, header: list[str]) -> dict[str, str]:
    try:
        cells = next(csv.reader([line], delimiter=separator, strict=True))
    except csv.Error as problem:
        raise UnreadableFile(Notice("refused", f"is not CSV: {problem}", line=number)) from None
    if len(cells) != len(header):
        found = f"has {len(cells)} fields where {len(header)} were expected; the line is cut off or shifted"
        raise UnreadableFile(Notice("refused", found, line=number))
    return dict(zip(header, cells, strict=True))


def _player(number: int, cells: dict[str, str]) -> RoundRobinPlayer:
    field = "player"
    try:
        name = words_of(cells["player"])
        if name is None:
            raise ValueError("is empty; a name was expected")  # noqa: TRY301 - one place adds line and field
        field = "rating"
        rating = rating_of(cells["rating"])
        if rating.value is None and not rating.unrated:
            raise ValueError("is empty; a rating, or u for unrated, was expected")  # noqa: TRY301 - as above
        field = "points"
        points = hundredths(cells["points"].strip().replace(",", "."))
        if points < 0 or points % _HALF:
            raise ValueError(f"is {shown(cells['points'])}; whole and half points were expected")  # noqa: TRY301 - as above
        field = "k"
        k = number_of(cells.get("k", ""), least=1, most=80, what="K")
    except ValueError as problem:
        raise UnreadableFile(Notice("refused", str(problem), line=number, field=field)) from None
    return RoundRobinPlayer(name, rating.value, points, k)
