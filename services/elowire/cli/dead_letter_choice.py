"""What the dead-letter commands are told: ids, filters and repairs, checked before anything is done."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import typer

from elowire.cli.errors import Failure
from elowire.cli.plain import plain
from elowire.contracts.dead_letters import PREFIX, DeadLetter, DeadLetterReason
from elowire.contracts.topics import MAX_RECORD_BYTES
from elowire.runtime import clock
from elowire.runtime.dead_letters import Repair
from elowire.runtime.kafka import Record

MOST_IDS = 100
Wanted = Callable[[DeadLetter, Record], bool]

_ID = re.compile(r"[A-Za-z0-9._-]+/\d{1,9}/\d{1,18}")
_AGE = re.compile(r"(\d{1,6})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def checked_ids(ids: Sequence[str]) -> list[str]:
    """Return the ids without repetition; one that is no id is named."""
    for one in ids:
        if _ID.fullmatch(one) is None:
            raise Failure(
                f"{plain(one)!r} is not the id of a dead letter: expected topic/partition/offset, such as "
                "game-results/3/1207"
            )
    if len(ids) > MOST_IDS:
        raise Failure(f"{len(ids)} ids are too many for one command: give at most {MOST_IDS}")
    return list(dict.fromkeys(ids))


def filter_of(reason: DeadLetterReason | None, topic: str | None, since: str | None) -> Wanted:
    """Return what says whether a letter is wanted; None wants every one."""
    earliest = None if since is None else _since(since)

    def wanted(why: DeadLetter, record: Record) -> bool:
        return (
            (reason is None or why.reason == reason)
            and (topic is None or why.topic == topic)
            and (earliest is None or record.timestamp >= earliest)
        )

    return wanted


def repair_of(value: Path | None, key: str | None, headers: Sequence[str]) -> Repair:
    """Return what is to be sent instead; NAME=TEXT for each header."""
    pairs = []
    for header in headers:
        name, equals, text = header.partition("=")
        if not name or not equals or name.startswith(PREFIX):
            raise typer.BadParameter(f"{header!r}: expected NAME=TEXT, as ce_type=elowire.entrant.v1")
        pairs.append((name, text.encode()))
    return Repair(None if key is None else key.encode(), _bytes_of(value), tuple(pairs))


def _bytes_of(file: Path | None) -> bytes | None:
    if file is None:
        return None
    try:
        with file.open("rb") as stream:
            value = stream.read(MAX_RECORD_BYTES + 1)
    except OSError as fault:
        raise Failure(f"{file}: cannot be read ({fault.strerror})") from None
    if len(value) > MAX_RECORD_BYTES:
        raise Failure(f"{file}: a record has at most {MAX_RECORD_BYTES} bytes, and this file has more")
    return value


def _since(text: str) -> float:
    """Read an age or a moment; returns milliseconds since 1970."""
    age = _AGE.fullmatch(text)
    if age is not None:
        return (clock.now() - timedelta(**{_UNITS[age[2]]: int(age[1])})).timestamp() * 1000
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(
            f"{text!r}: expected an age such as 30m, 6h or 7d, a date, or a time such as 2025-10-12T18:00Z",
            param_hint="--since",
        ) from None
    return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() * 1000
