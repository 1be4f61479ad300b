"""The player stage: one log per player becomes a ledger and its live rating.

player-events ──▶ ledger per player ──▶ live-ratings, rated-games, reconciliations
                                    └─▶ dead-letters
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from elowire.processor import account as accounts
from elowire.processor import state as states
from elowire.processor.door import Door
from elowire.processor.player_outputs import Outputs
from elowire.processor.recent import Recent
from elowire.processor.stage import Effects, Record

if TYPE_CHECKING:
    from collections.abc import Sequence

# What a record of another shape than ours runs into.
MALFORMED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class PlayerStage:
    """Keeps a ledger per player and publishes every effective change with the next version."""

    name = "player"

    def __init__(self, *, partitions: int, prefix: str = "", release: str = "") -> None:
        self.sources: tuple[str, ...] = (f"{prefix}player-events",)
        self.changelog: str | None = f"{prefix}elowire-players-changelog"
        self._door = Door(partitions=partitions, prefix=prefix, release=release)

    def version(self, state: bytes) -> tuple[int, int]:
        """Return what orders the states of a key."""
        return states.order(state)

    def new_index(self) -> Recent:
        """Return room for the accounts that are in use."""
        return Recent()

    def note(self, index: Recent, key: bytes, state: bytes) -> None:
        """Do nothing: a ledger stands on its own."""

    def apply(
        self,
        records: Sequence[Record],
        table: dict[bytes, bytes],
        index: Recent,
        partition: int,
    ) -> Effects:
        """Decide over a batch of player events."""
        try:
            return self._decide(records, table, index, partition)
        except MALFORMED:
            # Who else wrote to the topic is found out record by record, and nothing good is lost beside it.
            return self._decide(records, table, Recent(), partition, carefully=True)

    def _decide(
        self,
        records: Sequence[Record],
        table: dict[bytes, bytes],
        recent: Recent,
        partition: int,
        *,
        carefully: bool = False,
    ) -> Effects:
        effects = Effects()
        outputs = Outputs(effects, self._door.prefix, partition)
        seen: dict[bytes, accounts.Ledger] = {}
        kept: dict[bytes, bytes] = {}
        for record in records:
            event = self._door.player_event(effects, record, partition)
            if event is None:
                continue
            key: bytes = record.key  # type: ignore[assignment]  # the door refuses records without a key
            ledger = seen.get(key)
            if ledger is None:
                state = table.get(key)
                ledger = seen[key] = accounts.Ledger(state, recent.take(key, state))
            said = len(effects.emits)
            try:
                ledger.take(event, outputs.at(key, record.timestamp))
                if carefully and ledger.changed:
                    kept[key] = states.encode(ledger.account)
            except MALFORMED as error:
                if not carefully:
                    raise
                del effects.emits[said:]
                seen[key] = accounts.Ledger(kept.get(key) or table.get(key))
                self._door.refuse_foreign(effects, record, f"{type(error).__name__}: {error}")
        for key, ledger in seen.items():
            if ledger.changed or key in kept:
                effects.puts[key] = states.encode(ledger.account)
                recent.keep(key, effects.puts[key], ledger.account)

        return effects
