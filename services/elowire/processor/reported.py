"""A reported change as it goes to its player: the sum of an event whose games are not in this system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from elowire.domain import edition_on

if TYPE_CHECKING:
    from elowire.contracts.events import ReportedChange


def reported_value(event_id: str, event: ReportedChange) -> bytes:
    """Return the player event; the highest (revision, event id) of a tournament and time control wins."""
    return orjson.dumps(
        {
            "t": "reported",
            "T": event.tournament_id,
            "r": [event.revision, event_id],
            "tc": event.time_control,
            "e": edition_on(event.starts_on).id,
            "p": event.period(),
            "d": event.sum_change_hundredths,
            "n": event.games,
            "w": event.own_rating,
            "st": event.status,
        }
    )
