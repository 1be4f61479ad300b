"""Reading a plain line of a rating list at a glance: a whole list is read at every start.

What is not exactly of the usual shape is left to the model, which takes it or says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple

import orjson

from elowire.domain import TimeControl
from elowire.ticker.readings import MOST_ID, ListReading

_CONTROLS = tuple(TimeControl)
_MONTH = len("2025-10")


class Listed(NamedTuple):
    """A player's line in a list; `ratings` in the order of `TimeControl`, 0 where unrated."""

    player_id: str
    list: str
    revision: int
    name: str | None
    federation: str | None
    title: str | None
    birth_year: int | None
    sex: str | None
    inactive: bool
    ratings: tuple[int, ...]


def read_listed(value: bytes) -> Listed:
    """Read a line of a list.

    Raises pydantic's ValidationError for what is none.
    """
    try:
        at_once = _glance(orjson.loads(value))
    except orjson.JSONDecodeError:
        at_once = None
    if at_once is not None:
        return at_once
    read = ListReading.model_validate_json(value)

    return Listed(
        read.player_id,
        read.list,
        read.revision,
        read.name,
        read.federation,
        read.title,
        read.birth_year,
        read.sex,
        bool(read.inactive),
        read.ratings(),
    )


def _glance(data: object) -> Listed | None:
    if not isinstance(data, dict):
        return None
    get: Callable[..., Any] = data.get
    player_id, rating_list, revision, born = get("player_id"), get("list"), get("revision"), get("birth_year")
    words = (get("name"), get("federation"), get("title"), get("sex"))
    ratings: tuple[Any, ...] = tuple([_rating(get(control)) for control in _CONTROLS])
    plain = (
        type(player_id) is str
        and 0 < len(player_id) <= MOST_ID
        and type(rating_list) is str
        and _is_month(rating_list)
        and type(revision) is int
        and (born is None or type(born) is int)
        and type(get("inactive", False)) is bool
        and None not in ratings
    )
    if not plain:
        return None
    for word in words:
        if word is not None and type(word) is not str:
            return None
    name, federation, title, sex = words

    return Listed(
        player_id,
        intern(rating_list),
        revision,
        name,
        federation and intern(federation),
        title and intern(title),
        born,
        sex,
        get("inactive", False),
        ratings,
    )


def _rating(figures: Mapping[str, Any] | None) -> int | None:
    """Give the rating, 0 where there is none, and None where only the model can tell."""
    if figures is None:
        return 0
    if type(figures) is not dict:
        return None
    for number in (figures.get("k"), figures.get("games"), rating := figures.get("rating")):
        if number is not None and type(number) is not int:
            return None

    return rating or 0


@lru_cache(256)
def _is_month(text: str) -> bool:
    year, dash, month = text[:4], text[4:5], text[5:]

    return len(text) == _MONTH and dash == "-" and (year + month).isascii() and (year + month).isdigit()
