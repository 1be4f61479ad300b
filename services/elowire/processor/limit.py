"""How many records may be refused before the processor stops rather than pouring everything away.

A broken producer, or a release that no longer understands its inputs, would send every record to the dead
letters while all looks well. Both must be out of the ordinary: the number within a minute, since a single bad
file is no emergency, and the share of what was read, since a replay of years brings all its old ones at once.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from elowire.contracts.dead_letters import DeadLetterReason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from elowire.processor.batches import Decided

WINDOW_S = 60.0
# A newer revision is in force: whoever feeds an old file again loses nothing.
_HARMLESS = frozenset({DeadLetterReason.OLDER_REVISION, DeadLetterReason.REVISION_CONFLICT})
_COUNTED = {f"dead_letter_{reason}": reason for reason in DeadLetterReason if reason not in _HARMLESS}


class DeadLetterLimit:
    """Stops at more than `most` refused records within a minute if they are more than `share` of all read.

    `most` 0 means no limit. Time is an argument, in seconds of a clock that never goes back. The count starts
    with the process: one that is started again and again lets at most `most` records through each time.
    """

    def __init__(self, most: int = 0, share: float = 0.0) -> None:
        self._most = most
        self._share = share
        self._batches: deque[tuple[float, int, int]] = deque()
        self._records = self._refused = 0

    def exceeded(self, decided: Decided, now: float) -> str | None:
        """Take a batch that is not written yet; returns why it must not be, or None if it may."""
        if not self._most:
            return None
        while self._batches and now - self._batches[0][0] > WINDOW_S:
            _, records, refused = self._batches.popleft()
            self._records -= records
            self._refused -= refused
        refused = sum(decided.counts[name] for name in _COUNTED)
        self._batches.append((now, decided.records, refused))
        self._records += decided.records
        self._refused += refused
        if self._refused <= self._most or self._refused <= self._share * self._records:
            return None

        return (
            f"{self._refused} of the last {self._records} records were refused within {WINDOW_S:g} s, in the "
            f"last batch as {_reasons(decided.counts)}; the limit is {self._most} and {self._share:.0%}. "
            "Nothing of this batch was written. Stop or repair the producer that sends them (`elowire "
            "dead-letters list` shows those before); or, if all shall go to the dead letters, start with a "
            "greater ELOWIRE_DEAD_LETTER_LIMIT (0: no limit)"
        )


def _reasons(counts: Mapping[str, int]) -> str:
    found = [(counts[name], reason.value) for name, reason in _COUNTED.items() if counts.get(name)]

    return ", ".join(f"{reason} ({count})" for count, reason in sorted(found, reverse=True)) or "nothing new"
