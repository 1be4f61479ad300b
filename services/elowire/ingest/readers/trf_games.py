"""Games of a TRF file: each stands in two lines, and both have to tell the same of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from elowire.contracts.vocabulary import GameStatus, Result
from elowire.ingest.readers.fields import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from elowire.ingest.readers.report import Findings
    from elowire.ingest.readers.trf_line import Cell, TrfPlayer

_CODES = "10=+-WDLHFUZ "

_PAIRS: dict[tuple[str, str], tuple[Result, GameStatus, bool]] = {
    ("1", "0"): (Result.WHITE_WINS, GameStatus.PLAYED, True),
    ("0", "1"): (Result.BLACK_WINS, GameStatus.PLAYED, True),
    ("=", "="): (Result.DRAW, GameStatus.PLAYED, True),
    ("0", "0"): (Result.NEITHER_SCORES, GameStatus.PLAYED, True),
    ("=", "0"): (Result.WHITE_HALF_ONLY, GameStatus.PLAYED, True),
    ("0", "="): (Result.BLACK_HALF_ONLY, GameStatus.PLAYED, True),
    ("+", "-"): (Result.WHITE_WINS, GameStatus.FORFEIT, True),
    ("-", "+"): (Result.BLACK_WINS, GameStatus.FORFEIT, True),
    ("-", "-"): (Result.NEITHER_SCORES, GameStatus.FORFEIT, True),
    ("W", "L"): (Result.WHITE_WINS, GameStatus.PLAYED, False),
    ("L", "W"): (Result.BLACK_WINS, GameStatus.PLAYED, False),
    ("D", "D"): (Result.DRAW, GameStatus.PLAYED, False),
    (" ", " "): (Result.UNKNOWN, GameStatus.ONGOING, True),
}
"""Codes of White and Black; W, D and L ended before both had made a move and are never rated."""

_ALONE: dict[str, tuple[Result, GameStatus]] = {
    "F": (Result.WHITE_WINS, GameStatus.BYE),
    "U": (Result.WHITE_WINS, GameStatus.BYE),
    "H": (Result.WHITE_HALF_ONLY, GameStatus.BYE),
    "Z": (Result.NEITHER_SCORES, GameStatus.UNPLAYED),
    " ": (Result.NEITHER_SCORES, GameStatus.UNPLAYED),
    "+": (Result.WHITE_WINS, GameStatus.BYE),
    "=": (Result.WHITE_HALF_ONLY, GameStatus.BYE),
    "-": (Result.NEITHER_SCORES, GameStatus.UNPLAYED),
}
"""Rounds without an opponent, the player's points first; +, = and - are the older way to write them."""

_POINTS = {"1": 10, "+": 10, "W": 10, "F": 10, "U": 10, "=": 5, "D": 5, "H": 5}


class Pairing(NamedTuple):
    """One round of one or two players by starting rank."""

    white: int
    black: int | None
    result: Result
    status: GameStatus
    rated: bool
    round: int
    line: int


def pairings(players: Mapping[int, TrfPlayer], findings: Findings) -> Iterator[Pairing]:
    """Give every pairing once; what contradicts itself is refused, with both places."""
    cells = {(player.rank, cell.round): cell for player in players.values() for cell in player.cells}
    for (rank, _), cell in cells.items():
        if cell.code not in _CODES:
            found = (
                f"round {cell.round} has the result {shown(cell.code)}; one of {_CODES.strip()} was expected"
            )
            findings.refuse(found, line=cell.line, column=cell.column + 7)
        elif cell.opponent is None:
            alone = _alone(rank, cell, findings)
            if alone is not None:
                yield alone
        elif cell.opponent not in players:
            found = f"round {cell.round} names opponent {cell.opponent}, who has no line in this file"
            findings.refuse(found, line=cell.line, column=cell.column)
        else:
            other = cells.get((cell.opponent, cell.round))
            if other is None or other.opponent != rank:
                _refuse_one_sided(rank, cell, other, players, findings)
            elif rank < cell.opponent and other.code in _CODES:
                pairing = _pairing(rank, cell, other, findings)
                if pairing is not None:
                    yield pairing


def _alone(rank: int, cell: Cell, findings: Findings) -> Pairing | None:
    known = _ALONE.get(cell.code)
    if known is None:
        found = f"round {cell.round} has the result {cell.code} without an opponent; it is read as not played"
        findings.adjust(found, line=cell.line, column=cell.column)
        known = (Result.WHITE_WINS if cell.code in "1W" else Result.NEITHER_SCORES, GameStatus.UNPLAYED)
    return Pairing(rank, None, *known, rated=True, round=cell.round, line=cell.line)


def _refuse_one_sided(
    rank: int, cell: Cell, other: Cell | None, players: Mapping[int, TrfPlayer], findings: Findings
) -> None:
    opponent = players[cell.opponent or 0]
    told = "nothing" if other is None else f"opponent {other.opponent or '0000'}"
    found = (
        f"round {cell.round}: player {rank} has opponent {cell.opponent}, "
        f"whose line {opponent.line} has {told}; both lines were expected to name each other"
    )
    findings.refuse(found, line=cell.line, column=cell.column)


def _pairing(rank: int, cell: Cell, other: Cell, findings: Findings) -> Pairing | None:
    mine_is_white = cell.colour == "w" or (cell.colour == "-" and other.colour != "w")
    white, black = (cell, other) if mine_is_white else (other, cell)
    known = _PAIRS.get((white.code, black.code))
    if known is None:
        found = (
            f"round {cell.round}: the result {shown(cell.code)} does not go with {shown(other.code)} "
            f"in line {other.line}; correct one of them"
        )
        findings.refuse(found, line=cell.line, column=cell.column + 7)
        return None
    result, status, rated = known
    if status is GameStatus.PLAYED and {cell.colour, other.colour} != {"w", "b"}:
        found = (
            f"round {cell.round}: colour {cell.colour} does not go with {other.colour} in line {other.line}; "
            "one w and one b were expected for a played game"
        )
        findings.refuse(found, line=cell.line, column=cell.column + 5)
        return None
    ranks = (rank, cell.opponent or 0) if mine_is_white else (cell.opponent or 0, rank)
    return Pairing(*ranks, result, status, rated=rated, round=cell.round, line=cell.line)


def check_points(players: Iterable[TrfPlayer], findings: Findings) -> None:
    """Note where the points of a line are not those of its rounds: a sign of a shifted or missing round."""
    for player in players:
        counted = sum(_POINTS.get(cell.code, 0) for cell in player.cells)
        if player.points and _tenths(player.points) != counted:
            found = (
                f"says {player.points} points where the rounds give {counted / 10:.1f}; the rounds are used"
            )
            findings.adjust(found, line=player.line, column=81)


def _tenths(text: str) -> int | None:
    """Read points in tenths; some programs leave the decimal point out, or write a comma."""
    found = re.fullmatch(r"(\d{1,3})[.,]?(\d)", text)
    return int(found[1]) * 10 + int(found[2]) if found else None
