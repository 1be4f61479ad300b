"""The player stage: one log per player becomes a ledger and its live rating.

player-events ──▶ ledger per player ──▶ live-ratings, rated-games, reconciliations
                                    └─▶ dead-letters
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.processor import account as accounts
from elowire.processor import state as states
from elowire.processor.door import Door
from elowire.processor.player_outputs import Outputs
from elowire.processor.stage import Effects, Record

if TYPE_CHECKING:
    from collections.abc import Sequence


class PlayerStage:
    """Keeps a ledger per player and publishes every effective change with the next version."""

    name = "player"

    def __init__(self, *, partitions: int, prefix: str = "", release: str = "") -> None:
        self.sources: tuple[str, ...] = (f"{prefix}player-events",)
        self.changelog: str | None = f"{prefix}elowire-players-changelog"
        self._door = Door(partitions=partitions, prefix=prefix, release=release)

    def version(self, state: bytes) -> int:
        """Return the counter of a state."""
        return states.counter(state)

    def new_index(self) -> None:
        """Return nothing: a ledger stands on its own."""

    def note(self, index: Any, key: bytes, state: bytes) -> None:  # noqa: ANN401 - the port's signature
        """Do nothing: a ledger stands on its own."""

    def apply(
        self,
        records: Sequence[Record],
        table: dict[bytes, bytes],
        index: Any,  # noqa: ANN401, ARG002  # there is none
        partition: int,
    ) -> Effects:
        """Decide over a batch of player events."""
        effects = Effects()
        outputs = Outputs(effects, self._door.prefix, partition)
        seen: dict[bytes, accounts.Ledger] = {}
        for record in records:
            event = self._door.player_event(effects, record, partition)
            if event is None:
                continue
            key: bytes = record.key  # type: ignore[assignment]  # the door refuses records without a key
            ledger = seen.get(key)
            if ledger is None:
                ledger = seen[key] = accounts.Ledger(table.get(key))
            ledger.take(event, outputs.at(key, record.timestamp))
        for key, ledger in seen.items():
            if ledger.changed:
                effects.puts[key] = states.encode(ledger.account)

        return effects
