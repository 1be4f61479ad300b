"""What may be asked, with the bounds of each parameter: declared once for requests, stream and OpenAPI."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import HTTPException, Path, Query

from elowire.contracts.fields import ID
from elowire.domain import TimeControl
from elowire.ticker.players import AGE_GROUPS, Filter
from elowire.ticker.readings import MOST_ID
from elowire.ticker.stream import Interest

_MOST_PLAYERS = 200

PlayerId = Annotated[str, Path(pattern=ID, description="FIDE id, or namespace:id", examples=["2020009"])]
TournamentId = Annotated[str, Path(pattern=ID, examples=["us-championship-2025"])]
GameId = Annotated[str, Path(pattern=ID, description="the game's id in its tournament")]
Player = Annotated[str, Query(pattern=ID, description="FIDE id, or namespace:id")]
Tournament = Annotated[str | None, Query(pattern=ID, description="the tournament that the game belongs to")]
Control = Annotated[TimeControl, Query(description="which of the three ratings")]
Limit = Annotated[int, Query(ge=1, le=1000, description="rows at most")]
Offset = Annotated[int, Query(ge=0, le=1_000_000, description="rows to leave out at the top")]
Words = Annotated[str, Query(min_length=2, max_length=80, description="parts of a name, or a FIDE id")]
Federation = Annotated[
    str | None, Query(pattern="^[A-Z]{3}$", description="FIDE's code of a federation", examples=["USA"])
]
Title = Annotated[
    str | None, Query(pattern="^[A-Z]{2,3}$", description="players with this title", examples=["WGM"])
]
Age = Annotated[
    str | None,
    Query(
        pattern=f"^({'|'.join(AGE_GROUPS)})$",
        description="FIDE's age groups by year of birth: u20 turns 20 at most in this year, s50 at least 50",
    ),
]
Sex = Annotated[Literal["F", "M"] | None, Query(description="where a list has said it")]
Cursor = Annotated[
    str | None,
    Query(max_length=MOST_ID, description="id of the last event seen, for who cannot send Last-Event-ID"),
]


@dataclass(frozen=True, slots=True)
class Watching:
    """What somebody who watches has asked for."""

    interest: Interest
    chosen: Filter
    limit: int
    cursor: str | None


def chosen_by(
    year: int, federation: str | None, title: str | None, age: str | None, sex: str | None
) -> Filter:
    """Give the filter of a list; ages are those of `year`."""
    return Filter(federation, title, age, sex, year)


def interest_in(
    players: str | None, tournament: str | None, control: TimeControl | None, chosen: Filter
) -> Interest:
    """Give what a watcher wants to see."""
    persons = chosen if chosen.of_persons else None

    return Interest(_player_ids(players), tournament, control, chosen.federation, persons)


def _player_ids(text: str | None) -> frozenset[str]:
    if text is None:
        return frozenset()
    ids = frozenset(one.strip() for one in text.split(",") if one.strip())
    if not ids:
        raise HTTPException(422, "players: names nobody. Leave it out to watch everybody.")
    if len(ids) > _MOST_PLAYERS or any(len(one) > MOST_ID for one in ids):
        raise HTTPException(422, f"players: at most {_MOST_PLAYERS} ids of at most {MOST_ID} characters.")
    return ids
