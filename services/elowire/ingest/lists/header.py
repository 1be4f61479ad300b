"""The columns of a text list, read from its header line: FIDE has moved them more than once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from elowire.domain import TimeControl
from elowire.ingest.lists.fields import UnusableField

MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
_CENTURY = 2000
_NAMES = {
    "player": r"id[ _]?number|fide[ _]?id|id",
    "name": r"name",
    "federation": r"country|fed",
    "sex": r"sex",
    "woman_title": r"wtit",
    "other_titles": r"otit",
    "title": r"title|titl|tit",
    "arena": r"foa",
    "standard_rating": r"srtng",
    "standard_games": r"sgm",
    "standard_k": r"sk",
    "rapid_rating": r"rrtng",
    "rapid_games": r"rgm",
    "rapid_k": r"rk",
    "blitz_rating": r"brtng",
    "blitz_games": r"bgm",
    "blitz_k": r"bk",
    "rating": rf"(?:{'|'.join(MONTHS)})[a-z]*\d\d|rtng|rating",
    "games": r"games?|gms",
    "birth_year": r"b-?day|birthday|born",
    "flag": r"flag",
    "k": r"k",
}
# Neighbours may touch ("TitlFed", "GamesBorn"), so a name ends where the next one begins.
_COLUMN = re.compile("|".join(f"(?P<{field}>{names})" for field, names in _NAMES.items()), re.IGNORECASE)
_NEEDED = ("player", "name", "federation")
_FLAG_WIDTH = 4


@dataclass(frozen=True, slots=True)
class Columns:
    """Where the fields stand: field -> (start, end), in characters from 0; `width` is that of a full line."""

    spans: dict[str, tuple[int, int]]
    width: int
    rating_list: str | None
    """The month that the header names, as "2026-10"."""

    @property
    def combined(self) -> bool:
        """Whether the list prints all three ratings."""
        return "standard_rating" in self.spans

    @property
    def classes(self) -> tuple[TimeControl, ...]:
        """The time controls of a combined list, as far as it has them; empty for a list of one."""
        return tuple(tc for tc in TimeControl if f"{tc.value}_rating" in self.spans)


def columns_of(header: str) -> Columns:
    """Find the columns. Raises `UnusableField` naming what a rating list's header must have."""
    found = list(_COLUMN.finditer(header))
    starts = {match.lastgroup or "": match.start() for match in found}
    between = _COLUMN.sub("", header).strip()
    missing = [field for field in _NEEDED if field not in starts]
    if not any(field.endswith("rating") for field in starts):
        missing.append("rating")
    if missing or between or len(starts) != len(found):
        why = f"it has no {missing[0]}" if missing else f"{between[:30]!r} is not the name of a column"
        raise UnusableField(
            f"the first line is not the header of a rating list: {why}; expected columns such as "
            "ID Number, Name, Fed, SRtng (combined) or ID Number, Name, Fed, OCT26, Gms, K (one rating)"
        )
    ordered = sorted(starts.items(), key=lambda entry: entry[1])
    last, start = ordered[-1]
    width = max(start + _FLAG_WIDTH, len(header.rstrip())) if last == "flag" else len(header)
    spans = {field: (begin, end) for (field, begin), (_, end) in pairwise([*ordered, ("", width)])}
    # The first column's numbers may stand left of its name.
    spans["player"] = (0, spans["player"][1])
    begin, end = spans.get("rating", (0, 0))
    return Columns(spans, width, month_in(header[begin:end]))


def month_in(text: str) -> str | None:
    """Read a month as lists and their files write it ("OCT26", "standard_sep26frl.zip"), as "2026-10"."""
    found = re.search(rf"(?<![a-z])({'|'.join(MONTHS)})[a-z]*(\d\d)(?:frl|\b|$|\.|_)", text.lower())
    if found is None:
        return None
    return f"{_CENTURY + int(found[2])}-{MONTHS[found[1]]:02}"
