"""What became of every input record: in force, known, or in the dead letters with a reason.

Worked out from the input topics in the order of their logs, because a dead letter for an older revision
depends on what came before it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from elowire.contracts.dead_letters import DeadLetterReason, Refused
from elowire.contracts.envelope import decode
from elowire.contracts.events import Entrant, GameResult, Tournament
from elowire.contracts.topics import partition_of
from tests.oracle.winners import Given, identity_of

INPUTS = ("tournament-events", "game-results", "rating-lists")
REFUSED_BY_ORDER = frozenset({"player-twice-in-round"})


@dataclass
class Inputs:
    """The events that count, the dead letters there must be, and what is wrong with the inputs themselves."""

    events: list[Given] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    wrong: list[tuple[bytes, str]] = field(default_factory=list)


def inputs_of(topics, partitions, found):
    """Account for every input record; `found` is {topic/partition/offset: reason} of the dead letters."""
    inputs = Inputs()
    chains = {}
    for topic in INPUTS:
        strays = Counter()
        at_home = Counter()
        for record in topics[topic]:
            if record.key and record.partition != partition_of(record.key, partitions):
                strays[record.key, record.value] += 1
                continue
            at_home[record.key, record.value] += 1
            _account(inputs, chains, record, topic, found)
        for key, value in strays - at_home:
            inputs.wrong.append((key, f"{topic}: a record in the wrong partition was not sent on: {value!r}"))

    return inputs


def _account(inputs, chains, record, topic, found):
    name = f"{record.topic}/{record.partition}/{record.offset}"
    decoded = decode(topic, record.key, record.value, record.headers)
    if isinstance(decoded, Refused):
        inputs.refused[name] = decoded.reason.value
        return
    given = Given(decoded.event_id, decoded.data)
    if found.get(name) in REFUSED_BY_ORDER:
        inputs.refused[name] = found[name]
        return
    inputs.events.append(given)
    if not isinstance(given.event, Tournament | Entrant | GameResult):
        return
    reason = chains.setdefault(identity_of(given.event), _Chain()).take(*given)
    if reason is not None:
        inputs.refused[name] = reason.value


class _Chain:
    """The revisions of one entity in the order of the log."""

    def __init__(self):
        self.rank, self.content, self.known = None, None, set()

    def take(self, event_id, event):
        """Take the next revision; returns why it belongs into the dead letters, or None."""
        rank, content = (event.revision, event_id), event.model_dump(exclude={"revision"})
        before, held = self.rank, self.content
        if rank in self.known and rank != before:
            return None
        self.known.add(rank)
        if before is None or rank > before:
            self.rank, self.content = rank, content
        if before is None or rank[0] > before[0] or (rank[0] == before[0] and content == held):
            return None

        return DeadLetterReason.OLDER_REVISION if rank[0] < before[0] else DeadLetterReason.REVISION_CONFLICT
