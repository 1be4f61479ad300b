"""The lists stage: published ratings go to their player's own log, unchanged in order. It keeps no state.

rating-lists ──▶ player-events
             └─▶ dead-letters
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from elowire.contracts.events import PublishedRating
from elowire.processor.door import Door
from elowire.processor.stage import Effects, Emit, Record

if TYPE_CHECKING:
    from collections.abc import Sequence


class ListsStage:
    """Forwards `elowire.published-rating.v1`; the player stage keeps the highest revision of each list."""

    name = "lists"
    changelog: str | None = None

    def __init__(self, *, partitions: int, prefix: str = "", release: str = "") -> None:
        self.sources: tuple[str, ...] = (f"{prefix}rating-lists",)
        self._player_events = f"{prefix}player-events"
        self._door = Door(partitions=partitions, prefix=prefix, release=release)

    def apply(
        self,
        records: Sequence[Record],
        table: dict[bytes, bytes],  # noqa: ARG002  # there is none
        index: Any,  # noqa: ANN401, ARG002  # there is none
        partition: int,
    ) -> Effects:
        """Forward a batch."""
        effects = Effects()
        for record, event_id, event in self._door.admit(records, partition, effects):
            if isinstance(event, PublishedRating) and record.key is not None:
                value = orjson.dumps(list_entry(event_id, event))
                effects.emits.append(Emit(self._player_events, partition, record.key, value))
                effects.counts["published_ratings"] += 1

        return effects

    def version(self, state: bytes) -> tuple[int, int]:  # noqa: ARG002 - the port's signature
        """Return nothing to tell apart: there are no states."""
        return 0, 0

    def new_index(self) -> None:
        """Return nothing: there is nothing to derive."""

    def note(self, index: Any, key: bytes, state: bytes) -> None:  # noqa: ANN401 - the port's signature
        """Do nothing: there are no states."""


def list_entry(event_id: str, event: PublishedRating) -> dict[str, Any]:
    """Return a published rating as the player stage reads it."""
    return {
        "t": "list",
        "l": event.list,
        "r": [event.revision, event_id],
        "kd": event.kind,
        "y": event.birth_year,
        "tc": {
            time_control: [figures.rating or 0, figures.k, figures.games]
            for time_control, figures in event.ratings()
        },
    }
