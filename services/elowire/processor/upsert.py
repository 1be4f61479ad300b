"""Every input is an upsert: the highest (revision, event id) of an entity wins, in any order of arrival."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from elowire.contracts.dead_letters import DeadLetterReason, Refused

# Superseded revisions are remembered, so that a replay of the log finds them known and says nothing again.
REMEMBERED = 32


class Verdict(StrEnum):
    """What became of a record; the caller decides what to say of it."""

    NEW = "new"
    REPLACES = "replaces"
    SAME = "same"  # the stored record again, or its content under another event id
    KNOWN = "known"  # an older revision that was seen before
    OLDER = "older-revision"
    CONFLICT = "revision-conflict"  # another content at the stored revision


State = dict[str, Any]


def merge(
    old: State | None, revision: int, event_id: str, content: State
) -> tuple[State | None, Verdict, bool]:
    """Merge one record into the state of its entity.

    Returns (state to write or None, verdict, whether the record became the current one). The state holds
    `s` (counter), `n` (how often the current record changed), `r` (revision), `i` (event id), `d` (content)
    and `old` (superseded [revision, event id]).
    """
    if old is None:
        state = {"s": 1, "n": 1, "r": revision, "i": event_id, "d": content, "old": []}
        return state, Verdict.NEW, True

    mine, theirs = (revision, event_id), (old["r"], old["i"])
    if mine == theirs:
        return None, Verdict.SAME if old["d"] == content else Verdict.CONFLICT, False
    if list(mine) in old["old"]:
        return None, Verdict.KNOWN, False

    current = mine > theirs
    if revision == old["r"]:
        verdict = Verdict.SAME if old["d"] == content else Verdict.CONFLICT
    else:
        verdict = Verdict.REPLACES if current else Verdict.OLDER
    known = [*old["old"], list(theirs if current else mine)][-REMEMBERED:]
    newer = {"n": old["n"] + 1, "r": revision, "i": event_id, "d": content} if current else {}

    return {**old, **newer, "s": old["s"] + 1, "old": known}, verdict, current


def was_taken(old: State | None, revision: int, event_id: str) -> bool:
    """Whether a record of this revision and id is in force already, or was."""
    if old is None:
        return False

    return (revision, event_id) == (old["r"], old["i"]) or [revision, event_id] in old["old"]


def superseded(verdict: Verdict, revision: int, event_id: str, old: State) -> Refused:
    """Say why a record did not simply take effect: an older revision, or a second content at one revision."""
    known = f"revision {old['r']} (event {old['i']})"
    if verdict is Verdict.OLDER:
        return Refused(
            DeadLetterReason.OLDER_REVISION,
            f"revision {revision} arrived after {known}, which stays in force",
            field="revision",
            expected=f"a revision above {old['r']}",
            advice="If this content is the right one, send it again with a higher revision.",
        )
    winner = event_id if (revision, event_id) > (old["r"], old["i"]) else old["i"]

    return Refused(
        DeadLetterReason.REVISION_CONFLICT,
        f"event {event_id} has another content than {known}; the greater event id wins: {winner}",
        field="revision",
        expected="one content per revision",
        advice="Check which content is right and send it with a higher revision.",
    )
