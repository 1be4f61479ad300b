"""Dead letters as rows and fields for people and programs: bounded, and bytes as text only where they are."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nsmallest
from typing import Any, NamedTuple

from elowire.cli.plain import age_text, moment
from elowire.contracts.dead_letters import DeadLetter
from elowire.contracts.resolutions import Outcome
from elowire.runtime.dead_letters import Letter

MOST_HEADER_BYTES = 1000
MOST_KEY_BYTES = 1000


class Line(NamedTuple):
    """What the list keeps of a letter; `refused_at` is in milliseconds since 1970."""

    refused_at: int
    id: str
    why: DeadLetter
    key: bytes | None
    size: int | None


class Oldest:
    """The oldest letters, a bounded number of them, and the count of all."""

    def __init__(self, limit: int) -> None:
        self.count = 0
        self._limit = limit
        self._lines: list[Line] = []

    def take(self, letter: Letter) -> None:
        """Take one more letter; only what a list shows is kept."""
        value = letter.record.value
        self.count += 1
        self._lines.append(
            Line(
                letter.record.timestamp,
                letter.why.id,
                letter.why,
                (letter.record.key or b"")[:MOST_KEY_BYTES] or None,
                None if value is None else len(value),
            )
        )
        if len(self._lines) > 2 * self._limit:
            self._lines = self.letters()

    def letters(self) -> list[Line]:
        """Return the letters, the oldest first."""
        return nsmallest(self._limit, self._lines, key=lambda line: line[:2])


def listed(lines: Sequence[Line], now_ms: int) -> list[dict[str, Any]]:
    """Return the rows of the list."""
    return [
        {
            "id": line.id,
            **line.why.model_dump(),
            "key": None if line.key is None else line.key.decode("utf-8", "backslashreplace"),
            "bytes": line.size,
            "refused_at": moment(line.refused_at),
            "age_s": max(0, now_ms - line.refused_at) // 1000,
            "age": age_text((now_ms - line.refused_at) / 1000),
        }
        for line in lines
    ]


def letter_fields(letter: Letter, most: int, now_ms: int) -> dict[str, Any]:
    """Return everything there is to see of one letter; at most `most` bytes of its value."""
    record, said = letter.record, letter.resolution
    value = None if record.value is None else record.value[:most]
    state = "open" if said is None else f"{said.outcome.value} at {said.at}"

    return {
        "id": letter.why.id,
        "state": state if said is None or not said.reason else f"{state}: {said.reason}",
        **letter.why.model_dump(),
        "refused_at": moment(record.timestamp),
        "age": age_text((now_ms - record.timestamp) / 1000),
        "headers": [{"name": name, **_shown(raw, MOST_HEADER_BYTES)} for name, raw in record.headers],
        **_named("key", record.key, MOST_KEY_BYTES),
        "bytes": None if record.value is None else len(record.value),
        "cut_from": letter.cut_from,
        **_named("value", value, most),
        "value_shown_bytes": None if value is None else len(value),
    }


def outcome_row(letter: Letter, outcome: Outcome, why_not: str | None) -> dict[str, Any]:
    """Return what a command did with a letter, or why it did nothing."""
    done = why_not is None
    detail = why_not or (f"sent to {letter.why.topic}" if outcome is Outcome.REPLAYED else "put aside")

    return {
        "id": letter.why.id,
        "outcome": outcome.value if done else "not done",
        "done": done,
        "detail": detail,
    }


def _named(name: str, raw: bytes | None, most: int) -> dict[str, str | None]:
    shown = _shown(raw, most)

    return {name: shown["text"], f"{name}_hex": shown["hex"]}


def _shown(raw: bytes | None, most: int) -> dict[str, str | None]:
    """Return bytes as text where they are UTF-8, else as hexadecimal digits."""
    if raw is None:
        return {"text": None, "hex": None}
    try:
        return {"text": _utf8(raw[:most], cut=len(raw) >= most), "hex": None}
    except UnicodeDecodeError:
        return {"text": None, "hex": raw[:most].hex()}


def _utf8(raw: bytes, *, cut: bool) -> str:
    """Decode UTF-8; where bytes were cut, a character that was cut with them is left out."""
    try:
        return raw.decode()
    except UnicodeDecodeError as fault:
        if cut and fault.reason == "unexpected end of data":
            return raw[: fault.start].decode()
        raise
