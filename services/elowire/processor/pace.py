"""The lane's times and sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


# What part of a full batch is so much that more is waiting.
FEW = 4


def is_small(fetched: Mapping[object, Sequence[object]], limit: int) -> bool:
    """Whether a fetch of at most `limit` records brought so few that hardly more is waiting."""
    return sum(map(len, fetched.values())) < limit // FEW


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Times in seconds, sizes in records.

    `batch_s` is the budget of a batch with both barriers, `revoke_s` that of a revoke. `stall_s` is how long
    a recovery may bring nothing, `orphan_s` how long the group may take to assign after a revoke, `fetch_s`
    how long a fetch waits, `answer_s` how long a question about offsets or positions may take: longer than
    the reader itself tries again. `pace_s` is a pause after a small batch: less processor time, more latency.
    """

    session_s: float
    batch_s: float = 20.0
    revoke_s: float = 24.0
    stall_s: float = 30.0
    answer_s: float = 60.0
    orphan_s: float = 90.0
    commit_s: float = 1.0
    commit_records: int = 10_000
    audit_s: float = 2.0
    idle_check_s: float = 0.5
    pace_s: float = 0.0
    fetch_s: float = 0.2
    max_records: int = 4000

    @property
    def lease_s(self) -> float:
        """How long an accepted commit entitles us to write to a changelog."""
        return self.session_s / 3
