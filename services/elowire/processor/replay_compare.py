"""What should stand in a topic beside what stands there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from elowire.domain import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from elowire.processor.replay import Output

_SHOWN_MEMBERS = 5
_NOTHING = object()
OF_THE_ORDER = frozenset({"version", "cause", "changed", "game", "previous"})
"""What a figure owes to the order of a log that is not whole any more."""
# Which of a tournament's games had its one cap (8.3.1 of 2022) depends, once they are settled, on whether
# they came before the list: no figure that still moves does.
_OF_ARRIVAL = frozenset({"counted_difference", "expectancy", "delta", "article"})


class Difference(NamedTuple):
    """One thing that is not as the inputs say; `expected` and `found` name the members that differ."""

    topic: str
    player_id: str
    name: str
    expected: str
    found: str
    cause: str


@dataclass(slots=True)
class Newest:
    """The newest output of each key that must stand in one topic.

    `ignored` members of the data are not compared, at any depth; with them the counters are not either.
    """

    topic: str
    ignored: frozenset[str] = frozenset()
    origin: str = "the player's log"
    _expected: dict[bytes, tuple[int, bytes]] = field(default_factory=dict)
    _found: dict[bytes, tuple[int, bytes]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._expected)

    def expect(self, output: Output) -> None:
        """Take what follows from the log; the last of a key is the newest."""
        self._expected[output.key] = (output.counter, output.value)

    def meet(self, output: Output) -> None:
        """Take a record of the topic: an older one than the newest of its key tells nothing."""
        _, key, counter, value = output
        known = self._found.get(key)
        if known is None or counter > known[0]:
            expected = self._expected.get(key)
            # Equal bytes are kept once.
            same = expected is not None and expected == (counter, value)
            self._found[key] = expected if same and expected is not None else (counter, value)
        elif (counter, value) != known == self._expected.get(key) and counter == known[0]:
            # One counter with two contents: the one that does not follow is the one to show.
            self._found[key] = (counter, value)

    def forget(self, players: Collection[bytes]) -> None:
        """Leave players out of the comparison."""
        self._drop(lambda key: player_of(key) in players)

    def forget_keys(self, keys: Collection[bytes]) -> None:
        """Leave events out of the comparison."""
        self._drop(lambda key: key in keys)

    def forget_old(self) -> None:
        """Leave out what the topic does not have: it keeps its records for a time only."""
        self._drop(lambda key: key not in self._found)

    def _drop(self, is_left_out: Callable[[bytes], bool]) -> None:
        for known in (self._expected, self._found):
            for key in [key for key in known if is_left_out(key)]:
                del known[key]

    def differences(self, causes: Mapping[bytes, str]) -> Iterator[Difference]:
        """Yield what differs, key by key; `causes` says what is known to be wrong with a player's log."""
        for key in sorted(self._expected.keys() | self._found.keys()):
            expected, found = self._expected.get(key), self._found.get(key)
            if expected == found:
                continue
            want = None if expected is None else _data(expected, self.ignored)
            got = None if found is None else _data(found, self.ignored)
            if self.ignored and want and got and "colour" not in got:
                want.pop("colour", None)  # it was published before there were colours
            if want == got or (self.ignored and _is_silence(want, got)):
                continue
            player = player_of(key)
            yield Difference(
                self.topic,
                player.decode("utf-8", "backslashreplace"),
                key.decode("utf-8", "backslashreplace"),
                *_differing_members(want, got),
                causes.get(player) or _cause(expected, self.origin),
            )


def player_of(key: bytes) -> bytes:
    """Return the player of a key: it begins with the player id."""
    return key.partition(b"/")[0]


def _cause(expected: tuple[int, bytes] | None, origin: str) -> str:
    if expected is None:
        return f"nothing in {origin} gives it"
    data = orjson.loads(expected[1])
    why = data.get("cause")
    last = f"; last changed by {why['type']} {why['event_id']}" if why else ""

    return f"{origin} agrees with the inputs, but this was not made from it{last}"


def _data(output: tuple[int, bytes], ignored: frozenset[str]) -> Any:  # noqa: ANN401 - JSON
    counter, value = output
    try:
        data = orjson.loads(value)
    except orjson.JSONDecodeError:
        return {"value": value.decode("utf-8", "backslashreplace")[:200]}
    if not ignored:
        return {"counter": counter, **data} if isinstance(data, dict) else data

    if isinstance(data, dict) and data.get("refusal") == Refusal.WITHDRAWN:
        return None  # whether the player ever had the game is not known any more
    if isinstance(data, dict) and data.get("status") == "settled":
        ignored |= _OF_ARRIVAL

    return _without(data, ignored)


def _is_silence(want: Any, got: Any) -> bool:  # noqa: ANN401 - JSON
    """Whether one side is silent about somebody without a game: it depends on what came first."""
    if (want is None) == (got is None):
        return False
    said = got if want is None else want
    if "entrant_id" in said:
        # Whom a game named before it was corrected has a line without a game.
        return said["rated_games"] == 0 and not float(said["points"])

    return "game_id" not in said and not any(
        figures["pending_games"] for figures in said.values() if isinstance(figures, dict)
    )


def _without(data: Any, ignored: frozenset[str]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(data, dict):
        return {name: _without(value, ignored) for name, value in data.items() if name not in ignored}

    return data


def shown(expected: bytes | None, found: bytes | None) -> tuple[str, str]:
    """Return the members that differ between two JSON values, as they are expected and as they are."""
    return _differing_members(
        *(None if value is None else orjson.loads(value) for value in (expected, found))
    )


def _differing_members(want: Any, got: Any) -> tuple[str, str]:  # noqa: ANN401 - JSON
    """Return the members that differ, as they are expected and as they are."""
    if want is None or got is None:
        return ("nothing", _text(got)) if want is None else (_text(want), "nothing")
    differing = list(_differing("", want, got))
    first = differing[:_SHOWN_MEMBERS]
    more = f", and {len(differing) - len(first)} more" if len(differing) > len(first) else ""

    return (
        ", ".join(f"{path} {_text(a)}" for path, a, _ in first) + more,
        ", ".join(f"{path} {_text(b)}" for path, _, b in first) + more,
    )


def _differing(path: str, want: Any, got: Any) -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401 - JSON
    if isinstance(want, dict) and isinstance(got, dict):
        for name in [*want, *(name for name in got if name not in want)]:
            below = f"{path}.{name}" if path else name
            yield from _differing(below, want.get(name, _NOTHING), got.get(name, _NOTHING))
    elif want != got:
        yield path, want, got


def _text(value: Any) -> str:  # noqa: ANN401 - JSON
    if value is _NOTHING:
        return "missing"
    text = orjson.dumps(value).decode()

    return text if len(text) <= 300 else f"{text[:300]}..."  # noqa: PLR2004 - what a line can hold
