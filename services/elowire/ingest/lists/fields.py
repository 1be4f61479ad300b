"""What one field of a rating list says. Values repeat by the million, so each spelling is read once."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from operator import itemgetter
from typing import Generic, TypeVar

from elowire.contracts.fields import FEDERATION
from elowire.domain import TimeControl

GREATEST_ID = 10**12 - 1
GREATEST_RATING = 4000
FLOORS = (("0000-00", 1000), ("2024-03", 1400))
"""Lowest rating that a list can print, by the first list that has it (B.02 7.1.4 and its forerunners)."""

_MOST_SPELLINGS = 1 << 16
_GREATEST_GAMES = 1000
_GREATEST_K = 80
_YEARS = range(1850, 2200)
_FEDERATION = re.compile(FEDERATION)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_LONGEST_NAME = 256
_NOBODYS = "NON"
_TITLES = {
    "G": "GM",
    "M": "IM",
    "F": "FM",
    "C": "CM",
    "WG": "WGM",
    "WM": "WIM",
    "WF": "WFM",
    "WC": "WCM",
    "H": "HM",
    "WH": "WH",
}
"""Titles of the lists before 2013 in the words of the later ones."""

Spelling = TypeVar("Spelling")
Value = TypeVar("Value")


class UnusableField(ValueError):  # noqa: N818 - named after the fact
    """A field that makes its line unusable; the message says which, what it holds and what was expected."""


Cells = tuple[int | None, int | None, int | None]
"""What a list prints of one time control: rating, K, games; None is unrated, not printed or not known."""

ListLine = tuple[int | str | None, ...]
"""One player's line as a list prints it, in the order of `LINE_COLUMNS`; a line is a plain tuple because
there are two million of them."""

CELL_COLUMNS = ("rating", "k", "games", "inactive")
LINE_COLUMNS = (
    "player",
    "name",
    "federation",
    "sex",
    "title",
    "birth_year",
    *(f"{tc.value}_{cell}" for tc in TimeControl for cell in CELL_COLUMNS),
    "number",
)
"""The columns of a line; `number` is that of the file's line, from 1."""

NOT_COVERED = (None, None, None, None)
"""Cells of a time control that the list does not speak of."""


class Spellings(dict[Spelling, Value], Generic[Spelling, Value]):
    """Spellings and what they mean; one that cannot be used raises `UnusableField` each time."""

    def __init__(self, read: Callable[[Spelling], Value]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, spelling: Spelling) -> Value:
        """Read a spelling that has not occurred yet."""
        value = self._read(spelling)
        if len(self) < _MOST_SPELLINGS:
            self[spelling] = value
        return value


class Fields:
    """Builds lines from their fields' bytes; `order` is where the reader has which field.

    `cells` names rating, games and K of each time control, None for one that the list does not speak of.
    """

    def __init__(
        self,
        rating_list: str,
        order: Sequence[str],
        cells: Sequence[tuple[str, str, str] | None],
        encoding: str = "utf-8",
    ) -> None:
        floor = max(floor for since, floor in FLOORS if since <= rating_list)
        places = {field: place for place, field in enumerate(order)}

        def pick(*fields: str) -> Callable[[tuple[bytes, ...]], tuple[bytes, ...]]:
            # A field that the list does not have is the empty one behind the last.
            return itemgetter(*(places.get(field, len(places)) for field in fields))

        self._encoding = encoding
        self._pick_single = pick("player", "name", "federation", "birth_year")
        self._pick_kind = pick("sex", "title", "woman_title", "flag")
        self._pick_cells = [None if names is None else pick(*names) for names in cells]
        self._kinds: Spellings[tuple[bytes, ...], tuple[str | None, str | None, int]] = Spellings(_kind)
        self._cells: Spellings[tuple[bytes, ...], Cells] = Spellings(partial(_cells, floor=floor))
        self._birth_years: Spellings[bytes, int | None] = Spellings(_birth_year)
        self._federations: Spellings[bytes, str | None] = Spellings(_federation)

    def line(self, values: tuple[bytes, ...], number: int) -> ListLine:
        """Build a line; the last of `values` is the empty one. Raises `UnusableField`."""
        player, name, federation, birth_year = self._pick_single(values)
        sex, title, flagged = self._kinds[self._pick_kind(values)]
        # A combined list flags inactivity in standard chess alone, and that is its first rating.
        inactive: int | None = flagged
        ratings: list[int | None] = []
        for pick in self._pick_cells:
            if pick is None:
                ratings += NOT_COVERED
                continue
            ratings += self._cells[pick(values)]
            ratings.append(inactive)
            inactive = None
        return (
            player_of(player),
            name_of(name, self._encoding),
            self._federations[federation],
            sex,
            title,
            self._birth_years[birth_year],
            *ratings,
            number,
        )


def player_of(raw: bytes) -> int:
    """Read a FIDE id."""
    try:
        value = int(raw)
    except ValueError:
        value = 0
    if not 0 < value <= GREATEST_ID:
        raise UnusableField(f"the id {_text(raw)[:40]!r}; expected the digits of a FIDE id")
    return value


def name_of(raw: bytes, encoding: str = "utf-8") -> str | None:
    """Read a name: UTF-8, or as the file declares, else Windows-1252; None when it is empty.

    Control characters, outer blanks and a leading comma are left out.
    """
    raw = raw.strip(b" ,")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        text = raw.decode("cp1252", "replace")
    if not text.isprintable():
        text = _CONTROLS.sub(" ", text).strip(" ,\u00a0")
    return text[:_LONGEST_NAME].strip() or None


def _text(raw: bytes) -> str:
    return raw.decode("latin-1").strip()


def _number(text: str, field: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        raise UnusableField(f"the {field} {text[:20]!r}; expected a whole number")
    return int(text)


def _cells(raw: tuple[bytes, ...], *, floor: int) -> Cells:
    printed, games, k = map(_text, raw)
    rating = _number(printed, "rating")
    if rating and not floor <= rating <= GREATEST_RATING:
        raise UnusableField(
            f"a rating of {rating}; expected {floor} to {GREATEST_RATING}, or 0 for the unrated"
        )
    return rating or None, _k(k), _games(games)


def _k(text: str) -> int | None:
    value = _number(text, "K")
    if value and value > _GREATEST_K:
        raise UnusableField(f"a K of {value}; expected 1 to {_GREATEST_K}, or 0 where there is none")
    return value or None


def _games(text: str) -> int | None:
    value = _number(text, "number of games")
    if value and value > _GREATEST_GAMES:
        raise UnusableField(f"{value} games in one list; expected at most {_GREATEST_GAMES}")
    return value


def _birth_year(raw: bytes) -> int | None:
    found = re.search(r"(?<!\d)\d{4}(?!\d)", _text(raw))
    year = int(found[0]) if found else 0
    return year if year in _YEARS else None


def _federation(raw: bytes) -> str | None:
    code = _text(raw).upper()
    return code if code != _NOBODYS and _FEDERATION.fullmatch(code) else None


def _kind(raw: tuple[bytes, ...]) -> tuple[str | None, str | None, int]:
    """Read (sex, title, inactive) from sex, both titles and flag; lists before 2013 flag women alone."""
    sex, title, woman_title, flag = map(_text, raw)
    letter = {"M": "M", "F": "F", "W": "F"}.get(sex[:1].upper()) or ("F" if "w" in flag.lower() else None)
    return letter, _title(title) or _title(woman_title), int("i" in flag.lower())


def _title(text: str) -> str | None:
    word = text.upper()
    if not (word.isascii() and word.isalpha()):
        return None
    return _TITLES.get(word, word[:8])
