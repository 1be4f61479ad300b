"""Single fields as tournament files write them, parsed to plain values.

Every function raises `ValueError` with what stands there and what was expected; the reader adds the place.
"""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from elowire.contracts.vocabulary import GameStatus, Result

HIGHEST_RATING = 4000
"""Above any rating ever published; a greater number is a column slip, not a rating."""

_NO_RATING = {"", "-", "?", "null", "none"}
_UNRATED = {"0", "00", "000", "0000", "u", "unr", "unr.", "unrated"}

_RESULTS: dict[str, tuple[Result, GameStatus]] = {
    "1-0": (Result("1-0"), GameStatus.PLAYED),
    "0-1": (Result("0-1"), GameStatus.PLAYED),
    "1/2-1/2": (Result("1/2-1/2"), GameStatus.PLAYED),
    "0-0": (Result("0-0"), GameStatus.PLAYED),
    "1/2-0": (Result("1/2-0"), GameStatus.PLAYED),
    "0-1/2": (Result("0-1/2"), GameStatus.PLAYED),
    "*": (Result("*"), GameStatus.ONGOING),
    "+--": (Result("1-0"), GameStatus.FORFEIT),
    "--+": (Result("0-1"), GameStatus.FORFEIT),
    "---": (Result("0-0"), GameStatus.FORFEIT),
    "1-0f": (Result("1-0"), GameStatus.FORFEIT),
    "0-1f": (Result("0-1"), GameStatus.FORFEIT),
    "0-0f": (Result("0-0"), GameStatus.FORFEIT),
    "+/-": (Result("1-0"), GameStatus.FORFEIT),
    "-/+": (Result("0-1"), GameStatus.FORFEIT),
    "-/-": (Result("0-0"), GameStatus.FORFEIT),
}

_FULL_DATES = (
    re.compile(r"(?P<y>\d{4})[-./](?P<m>\d{1,2})[-./](?P<d>\d{1,2})"),
    re.compile(r"(?P<d>\d{1,2})[-./]\s*(?P<m>\d{1,2})[-./]\s*(?P<y>\d{4})"),
)
_PLAYER_ID = re.compile(r"[0-9]{1,12}|[a-z][a-z0-9-]{0,31}:[!-.0-~]{1,95}")


class Rating(NamedTuple):
    """A rating field: `value` None and `unrated` False when the field says nothing."""

    value: int | None
    unrated: bool


def rating_of(text: str) -> Rating:
    """Parse a published rating; `0` and `u` mean unrated, an empty field means not known."""
    word = text.strip().lower()
    if word in _NO_RATING:
        return Rating(None, unrated=False)
    if word in _UNRATED:
        return Rating(None, unrated=True)
    value = _whole(text, "a rating from 1 to 4000, 0 or u for unrated, or nothing")
    if not 0 < value <= HIGHEST_RATING:
        raise ValueError(f"is {value}; a rating from 1 to {HIGHEST_RATING} was expected")
    return Rating(value, unrated=False)


def number_of(text: str, *, least: int, most: int, what: str) -> int | None:
    """Parse an optional whole number between `least` and `most`; an empty field gives None."""
    if not text.strip():
        return None
    value = _whole(text, f"{what} from {least} to {most}")
    if not least <= value <= most:
        raise ValueError(f"is {value}; {what} from {least} to {most} was expected")
    return value


def _whole(text: str, expected: str) -> int:
    stripped = text.strip()
    if re.fullmatch(r"-?[0-9]{1,12}", stripped) is None:
        raise ValueError(f"is {shown(text)}; {expected} was expected")
    return int(stripped)


def player_id_of(text: str) -> str | None:
    """Parse a player id: the digits of a FIDE id or `namespace:id`; empty or 0 gives None."""
    word = text.strip()
    if not word.strip("0"):
        return None
    if _PLAYER_ID.fullmatch(word) is None:
        raise ValueError(f"is {shown(text)}; the digits of a FIDE id, or namespace:id, were expected")
    return word.lstrip("0") if word.isdigit() else word


def result_of(text: str) -> tuple[Result, GameStatus]:
    """Parse a result of White and Black; forfeits are written `+--`, `--+`, `---` or `1-0F`."""
    word = re.sub(r"\s", "", text).replace("½", "1/2").replace("0.5", "1/2").lower()
    word = word.replace("1.0", "1").replace("0.0", "0").replace("\N{EN DASH}", "-").replace(":", "-")
    if word not in _RESULTS:
        raise ValueError(
            f"is {shown(text)}; 1-0, 0-1, 1/2-1/2, 0-0, 1/2-0, 0-1/2, * "
            "or a forfeit (+--, --+, ---) was expected"
        )
    return _RESULTS[word]


def date_of(text: str) -> date | None:
    """Parse a day as YYYY-MM-DD (also with dots or slashes) or as DD.MM.YYYY; empty gives None.

    Unknown parts (`????`, `00`) give None as well, because half a date selects no rating list.
    """
    word = text.strip()
    if not word or "?" in word or re.match(r"0000|\d{4}[-./]00", word):
        return None
    for form in _FULL_DATES:
        parts = form.fullmatch(word)
        if parts is not None:
            try:
                return date(int(parts["y"]), int(parts["m"]), int(parts["d"]))
            except ValueError:
                break
    raise ValueError(f"is {shown(text)}; a date such as 2025-10-31 was expected")


def is_iso_date(text: str) -> bool:
    """Say whether the text is written as the formats ask: year, month, day."""
    return re.match(r"\d{4}\D", text.strip()) is not None


def shown(text: str) -> str:
    """Quote what stands in a file, shortened, so that a message stays readable."""
    return repr(text if len(text) <= 40 else text[:37] + "...")  # noqa: PLR2004 - a readable length


def federation_of(text: str) -> str | None:
    """Parse a federation of three letters; anything else gives None, because no figure depends on it."""
    word = text.strip().upper()
    return word if re.fullmatch("[A-Z]{3}", word) else None


def words_of(text: str) -> str | None:
    """Give a name without control characters and doubled spaces, at most 256 characters; empty gives None."""
    word = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return word[:256].strip() or None


def title_of(text: str) -> str | None:
    """Parse a title in capitals; words too long for a title give None."""
    word = text.strip().upper()
    return word if re.fullmatch("[A-Z]{1,8}", word) else None
