"""Every input is an upsert: the highest (revision, event id) of an entity wins, whatever the order of arrival."""

from __future__ import annotations

from enum import Enum
from typing import Any

from elowire.contracts.dead_letters import DeadLetterReason, Refused

# Superseded revisions are remembered, so that a replay of the log finds them known and says nothing again.
REMEMBERED = 32


class Verdict(Enum):
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

    Returns (state to write or None, verdict, whether the record became the current one). The state holds `s`
    (counter), `r` (revision), `i` (event id), `old` (superseded [revision, event id] pairs) and the content `d`.
    """
    if old is None:
        return {"s": 1, "r": revision, "i": event_id, "d": content, "old": []}, Verdict.NEW, True

    mine, theirs = (revision, event_id), (old["r"], old["i"])
    if mine == theirs:
        return None, Verdict.SAME if old["d"] == content else Verdict.CONFLICT, False
    pair = [revision, event_id]
    if pair in old["old"]:
        return None, Verdict.KNOWN, False

    same_content = revision == old["r"] and old["d"] == content
    if mine > theirs:
        kept = [*old["old"], [old["r"], old["i"]]][-REMEMBERED:]
        state = {"s": old["s"] + 1, "r": revision, "i": event_id, "d": content, "old": kept}
        if same_content:
            return state, Verdict.SAME, True
        return state, Verdict.REPLACES if revision > old["r"] else Verdict.CONFLICT, True

    state = {**old, "s": old["s"] + 1, "old": [*old["old"], pair][-REMEMBERED:]}
    if same_content:
        return state, Verdict.SAME, False

    return state, Verdict.OLDER if revision < old["r"] else Verdict.CONFLICT, False


def superseded(verdict: Verdict, revision: int, event_id: str, old: State) -> Refused:
    """Say why a record did not simply take effect: an older revision, or a second content at one revision."""
    known = f"revision {old['r']} (event {old['i']})"
    if verdict is Verdict.OLDER:
        return Refused(
            DeadLetterReason.OLDER_REVISION,
            f"revision {revision} arrived after {known}, which stays in force",
            field="revision",
            expected=f"a revision above {old['r']}",
            advice="Nothing is lost if the newer one is right; otherwise send this content with a higher revision.",
        )
    winner = event_id if (revision, event_id) > (old["r"], old["i"]) else old["i"]

    return Refused(
        DeadLetterReason.REVISION_CONFLICT,
        f"event {event_id} has another content than {known}; the greater event id wins: {winner}",
        field="revision",
        expected="one content per revision",
        advice="Check which content is right and send it with a higher revision.",
    )
