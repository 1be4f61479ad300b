"""Finding players by a part of the name, without accents and whatever the case."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable

_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ß": "ss", "æ": "ae", "œ": "oe", "\u0131": "i", "þ": "th"}
)
_SEPARATOR = "\n"


def folded(text: str) -> str:
    """Give a text as it is compared: small letters without marks, words parted by one space."""
    if text.isascii():
        return " ".join(text.lower().replace(",", " ").split())
    decomposed = unicodedata.normalize("NFKD", text.casefold().translate(_PLAIN))
    bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))

    return " ".join(bare.replace(",", " ").split())


class NameIndex:
    """All names in one text, so that one search through it is a search through everybody.

    It is made anew when somebody searches after names have changed. Players are found in the order in which
    `names` gives them, as (id, name).
    """

    def __init__(self, names: Callable[[], Iterable[tuple[str, str]]]) -> None:
        self._names = names
        self._text = ""
        self.stale = True

    def search(self, words: str, most: int) -> list[str]:
        """Give the ids of at most `most` players whose name has all the words, or whose id it is."""
        wanted = folded(words).split()
        if not wanted:
            return []
        if self.stale:
            self._make()
        longest = max(wanted, key=len)
        found: list[str] = []
        at = self._text.find(longest)
        while at >= 0 and len(found) < most:
            start = self._text.rfind(_SEPARATOR, 0, at) + 1
            end = self._text.find(_SEPARATOR, at)
            name, _, player_id = self._text[start:end].partition("\t")
            if all(word in name or word == player_id for word in wanted):
                found.append(player_id)
            at = self._text.find(longest, end)

        return found

    def _make(self) -> None:
        lines = [f"{folded(name)}\t{player_id}" for player_id, name in self._names()]
        self._text = _SEPARATOR.join(["", *lines, ""])
        self.stale = False
