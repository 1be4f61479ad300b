"""The fields that several events share: what each may hold, said once.

Patterns keep to the part of the syntax that Rust, Python and JSON Schema read alike.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from elowire.domain import EDITIONS, edition_by_id

# Nothing is converted on the way in and nothing unknown is passed over: "2700" is not a rating, and a
# misspelt optional field would be a fact lost in silence.
WIRE = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)

ID = r"^[!-.0-~]{1,128}$"
GAME_ID = r"^[!-~]{1,128}$"
PLAYER_ID = r"^(?:[1-9][0-9]{0,11}|[a-z][a-z0-9-]{0,31}:[!-.0-~]{1,95})$"
PERIOD = r"^(?:19|20|21)[0-9]{2}-(?:0[1-9]|1[0-2])$"
FEDERATION = r"^[A-Z]{3}$"
TEXT = r"^[^\s\u0000-\u001f\u007f-\u009f][^\u0000-\u001f\u007f-\u009f]*$"
URL = r"^https?://[!-~]+$"
CHANGE = r"^-?[0-9]{1,4}(?:\.[0-9]{1,2})?$"

RULE = "elowire_rule"

PATTERN_WORDS = {
    ID: "an id of 1 to 128 printable ASCII characters without spaces and slashes",
    GAME_ID: "an id of 1 to 128 printable ASCII characters without spaces",
    PLAYER_ID: 'a player id: the digits of the FIDE id ("1503014"), or "namespace:id" for anything else',
    PERIOD: 'a month as YYYY-MM, such as "2025-10"',
    FEDERATION: 'a federation as three capital letters, such as "NOR"',
    TEXT: "text without control characters that does not begin with a space",
    URL: "an address that begins with https:// or http://",
    CHANGE: 'a decimal string with at most two places, such as "-2.60"',
}

FIRST_DAY: date = min(edition.effective for edition in EDITIONS if edition.dated)
# A bound, so that no date arithmetic can run out of the calendar.
LAST_DAY = date(2199, 12, 31)


def broken(field: str, expected: str, advice: str) -> PydanticCustomError:
    """Return the error of a rule that one type cannot express; `field` is below the place it is raised at."""
    return PydanticCustomError(
        RULE, "expected {expected}", {"field": field, "expected": expected, "advice": advice}
    )


def _edition_id(text: str) -> str:
    try:
        edition_by_id(text)
    except ValueError as error:
        known = ", ".join(edition.id for edition in EDITIONS)
        raise broken(
            "",
            f"one of the editions {known}",
            "Leave it out to use the edition in force on the first day.",
        ) from error

    return text


Revision = Annotated[int, Field(ge=0, lt=2**63)]
Id = Annotated[str, Field(pattern=ID)]
GameId = Annotated[str, Field(pattern=GAME_ID)]
PlayerId = Annotated[str, Field(pattern=PLAYER_ID)]
Text = Annotated[str, Field(min_length=1, max_length=256, pattern=TEXT)]
Title = Annotated[str, Field(min_length=1, max_length=8, pattern=TEXT)]
Federation = Annotated[str, Field(pattern=FEDERATION)]
Url = Annotated[str, Field(max_length=2048, pattern=URL)]
Rating = Annotated[int, Field(ge=1, le=4000)]
K = Annotated[int, Field(ge=1, le=80)]
GameCount = Annotated[int, Field(ge=0, le=100_000)]
BirthYear = Annotated[int, Field(ge=1850, le=2199)]
Round = Annotated[int, Field(ge=1, le=1000)]
Board = Annotated[int, Field(ge=1, le=100_000)]
Day = Annotated[date, Field(ge=FIRST_DAY, le=LAST_DAY)]
Period = Annotated[str, Field(pattern=PERIOD)]
EditionId = Annotated[
    str,
    AfterValidator(_edition_id),
    WithJsonSchema({"type": "string", "enum": [edition.id for edition in EDITIONS]}),
]
Change = Annotated[str, Field(pattern=CHANGE)]

Version = Annotated[int, Field(ge=1)]
Decimal = Annotated[str, Field(pattern=r"^-?[0-9]+\.[0-9]{2}$")]
Tenths = Annotated[str, Field(pattern=r"^-?[0-9]+\.[0-9]$")]
Points = Annotated[str, Field(pattern=r"^[0-9]+(?:\.5)?$")]
GamePoints = Annotated[str, Field(pattern=r"^(?:1|0\.5|0)$")]
Expectancy = Annotated[str, Field(pattern=r"^(?:0\.[0-9]{2}|1\.00)$")]


def identity(entrant_id: str | None, player_id: str | None) -> str:
    """Return the id of an entry in its tournament: the stated one, else the player id."""
    return entrant_id or player_id or ""


def check_days(starts_on: date, ends_on: date) -> None:
    """Refuse an event that ends before it starts."""
    if ends_on < starts_on:
        raise broken(
            "ends_on",
            f"a day not before starts_on ({starts_on})",
            "Correct one of the two days; while the event runs, ends_on is the planned last day.",
        )
