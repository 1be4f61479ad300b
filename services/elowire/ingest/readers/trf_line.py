"""One player line of a TRF file: fixed columns, counted from 1.

Source: FIDE Tournament Report File (TRF16, TRF26), record 001.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from elowire.ingest.readers.fields import federation_of, player_id_of, rating_of, shown, words_of

if TYPE_CHECKING:
    from elowire.ingest.readers.fields import Rating
    from elowire.ingest.readers.report import Findings

FIRST_ROUND = 92
ROUND_WIDTH = 10
MOST_ROUNDS = 400

_BLANK = (9, 14, 48, 53, 57, 69, 80, 85, 90, 91)
"""Columns between fields; a character there means that the line is shifted."""

_TITLES = {
    "g": "GM",
    "m": "IM",
    "f": "FM",
    "c": "CM",
    "wg": "WGM",
    "wm": "WIM",
    "wf": "WFM",
    "wc": "WCM",
}
_SPELLED = {"GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM", "WH", "AFM", "ACM", "AGM", "AIM"}
_YEAR = re.compile(r"(?:18|19|20)\d\d")


class Cell(NamedTuple):
    """What a player's line says of one round; `opponent` is a starting rank, None for nobody."""

    round: int
    opponent: int | None
    colour: str
    code: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class TrfPlayer:
    """One player line. `points` is the text of columns 81-84, which counts byes and forfeits too."""

    rank: int
    name: str | None
    title: str | None
    federation: str | None
    rating: Rating
    fide_id: str | None
    birth_year: int | None
    points: str
    cells: tuple[Cell, ...]
    line: int


def read_player(line: str, number: int, findings: Findings) -> TrfPlayer | None:
    """Read a 001 line; None when the line as a whole is refused, which `findings` then says."""
    tab = line.find("\t")
    if tab >= 0:
        findings.refuse("has a tab; columns of spaces were expected", line=number, column=tab + 1)
        return None
    text = _aligned(line, number, findings)
    if text is None:
        return None
    rank = _part(text, 5, 8)
    if not rank.isdecimal() or not int(rank):
        found = f"is {shown(rank)}; the player's starting rank was expected in columns 5 to 8"
        findings.refuse(found, line=number, column=5)
        return None
    return TrfPlayer(
        rank=int(rank),
        name=_name(_part(text, 15, 47)),
        title=_title(_part(text, 11, 13), number, findings),
        federation=federation_of(_part(text, 54, 56)),
        rating=_rating(_part(text, 49, 52), number, findings),
        fide_id=_fide_id(_part(text, 58, 68), number, findings),
        birth_year=_birth_year(_part(text, 70, 79), number, findings),
        points=_part(text, 81, 84),
        cells=_cells(text, number, findings),
        line=number,
    )


def _part(text: str, first: int, last: int) -> str:
    return text[first - 1 : last].strip()


def _aligned(line: str, number: int, findings: Findings) -> str | None:
    """Give the line with its columns in place; some programs count them in bytes of UTF-8."""
    text = line.rstrip()
    column = _misplaced(text)
    if column is None:
        return text
    in_bytes = text.encode().decode("latin-1")
    if not text.isascii() and _misplaced(in_bytes) is None:
        findings.adjust("columns are counted in bytes, not in characters", line=number, column=15)
        # The name alone has letters outside ASCII; its columns are given back as characters.
        name = in_bytes[14:47].encode("latin-1").decode(errors="replace")
        return in_bytes[:14] + name[:33].ljust(33) + in_bytes[47:]
    found = (
        f"has {text[column - 1]!r} where a blank separates two fields; the columns of this line are shifted"
    )
    findings.refuse(found, line=number, column=column)
    return None


def _misplaced(text: str) -> int | None:
    return next((column for column in _BLANK if len(text) >= column and text[column - 1] != " "), None)


def _name(text: str) -> str | None:
    return words_of(re.sub(r",(?=\S)", ", ", text))


def _title(text: str, number: int, findings: Findings) -> str | None:
    if not text:
        return None
    if text.upper() in _SPELLED:
        return text.upper()
    if text.lower() in _TITLES:
        return _TITLES[text.lower()]
    findings.adjust(
        f"is {shown(text)}; a title such as GM or WIM was expected, none is used", line=number, column=11
    )
    return None


def _rating(text: str, number: int, findings: Findings) -> Rating:
    """Read columns 49-52: no rating and 0 both mean unrated in TRF; an unreadable one is not known."""
    try:
        rating = rating_of(text)
    except ValueError as problem:
        findings.adjust(f"{problem}; the rating is taken as not known", line=number, column=49)
        return rating_of("")
    return rating if rating.value is not None else rating_of("0")


def _fide_id(text: str, number: int, findings: Findings) -> str | None:
    try:
        fide_id = player_id_of(text)
    except ValueError:
        fide_id = "?"
    if fide_id is not None and not fide_id.isdecimal():
        found = f"is {shown(text)}; the digits of a FIDE number were expected, none is used"
        findings.adjust(found, line=number, column=58)
        return None
    return fide_id


def _birth_year(text: str, number: int, findings: Findings) -> int | None:
    """Read the year of columns 70-79: `1969/05/01`, `1969.00.00`, `1969` and day first occur."""
    if not text.strip("0./- "):
        return None
    year = _YEAR.match(text) or _YEAR.search(text[-4:])
    if year is None:
        found = f"is {shown(text)}; a birth date such as 1969/05/01 was expected, none is used"
        findings.adjust(found, line=number, column=70)
        return None
    return int(year.group())


def _cells(text: str, number: int, findings: Findings) -> tuple[Cell, ...]:
    cells: list[Cell] = []
    rounds = range(1, MOST_ROUNDS + 1)
    for round_, start in zip(rounds, range(FIRST_ROUND, len(text) + 1, ROUND_WIDTH), strict=False):
        block = text[start - 1 : start - 1 + ROUND_WIDTH].ljust(ROUND_WIDTH)
        if not block.strip():
            continue
        cell = _cell(block, round_, number, start, findings)
        if cell is not None:
            cells.append(cell)
    return tuple(cells)


def _cell(block: str, round_: int, number: int, start: int, findings: Findings) -> Cell | None:
    """Read ten columns: opponent in four, blank, colour, blank, result, two blanks."""
    blanks = (4, 6, 8, 9)
    shifted = next((offset for offset in blanks if block[offset] != " "), None)
    if shifted is not None:
        found = f"round {round_} has {block[shifted]!r} where a blank was expected; this round is not read"
        findings.refuse(found, line=number, column=start + shifted)
        return None
    opponent, colour, code = block[:4].strip(), block[5].lower().strip() or "-", block[7].upper()
    if opponent and not opponent.isdecimal():
        found = f"round {round_} has the opponent {shown(opponent)}; a starting rank or 0000 was expected"
        findings.refuse(found, line=number, column=start)
        return None
    if colour not in "wb-":
        found = f"round {round_} has the colour {shown(colour)}; w, b or - was expected"
        findings.refuse(found, line=number, column=start + 5)
        return None
    return Cell(round_, int(opponent or "0") or None, colour, code, number, start)
