"""How the tournaments' table is written: games are the many, so they are written as short as they can be.

A tournament or an entrant is written as it is. A game is `{"s": counter, "g": [...]}`: the members in the
order below, nothing after the last that is not empty; a colour of which only the player id is known is
that id.
"""

from __future__ import annotations

from typing import Any, Final

from elowire.processor import state as states

State = dict[str, Any]

_OF_STATE: Final = ("n", "r", "i", "at")
_OF_CONTENT: Final = ("st", "ra", "rd", "bo", "w", "b", "x", "on", "url")
_HISTORY: Final = ("old", "was", "sat")
_NAMES: Final = (*_OF_STATE, *_OF_CONTENT, *_HISTORY)
_COLOUR: Final = 5


def encode(state: State) -> bytes:
    """Return the bytes of a state; a game is told by its seat."""
    if "at" not in state:
        return states.encode(state)
    d = state["d"]
    row = [
        state["n"],
        state["r"],
        state["i"],
        state["at"],
        d["st"],
        d["ra"],
        d["rd"],
        d["bo"],
        _short(d["w"]),
        _short(d["b"]),
        d["x"],
        d["on"],
        d["url"],
        state["old"] or None,
        state["was"] or None,
        state["sat"] or None,
    ]
    while row[-1] is None:
        row.pop()

    return states.encode({"s": state["s"], "g": row})


def decode(raw: bytes) -> State:
    """Return a state, or raise UnknownFormatError."""
    state = states.decode(raw)
    row = state.get("g")
    if row is None:
        return state
    row += [None] * (len(_NAMES) - len(row))
    said = dict(zip(_NAMES, row, strict=True))
    for colour in ("w", "b"):
        said[colour] = _whole(said[colour])

    return {
        "s": state["s"],
        **{name: said[name] for name in _OF_STATE},
        "d": {name: said[name] for name in _OF_CONTENT},
        **{name: said[name] or [] for name in _HISTORY},
    }


def _short(colour: list[Any] | None) -> list[Any] | str | None:
    if colour is None:
        return None
    reference, player_id, rating, k, name = colour
    if rating is k is name is None:
        return reference if reference == player_id else [reference, player_id]

    return colour


def _whole(colour: list[Any] | str | None) -> list[Any] | None:
    if colour is None:
        return None
    if isinstance(colour, str):
        return [colour, colour, None, None, None]

    return colour + [None] * (_COLOUR - len(colour))
