"""Why a live rating changed: the input behind it, and what kind of fact it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.domain import Refusal

if TYPE_CHECKING:
    from elowire.processor.entries import Known, Side

Cause = dict[str, Any]
Event = dict[str, Any]

GAME_RESULT = "elowire.game-result.v1"
ENTRANT = "elowire.entrant.v1"
TOURNAMENT = "elowire.tournament.v1"
PUBLISHED_RATING = "elowire.published-rating.v1"
REPORTED_CHANGE = "elowire.reported-change.v1"


def cause(
    event_id: str | None,
    event_type: str,
    kind: str,
    *,
    tournament_id: str | None = None,
    game_id: str | None = None,
) -> Cause:
    """Return the `cause` member of a live rating."""
    return {
        "event_id": event_id,
        "type": event_type,
        "game_id": game_id,
        "tournament_id": tournament_id,
        "kind": kind,
    }


def cause_of(event: Event, old: Known | Side | None, side: Side) -> Cause:
    """Say which of the facts behind a side moved, by comparing the revisions it was made from."""
    tournament, game, white, black = event["c"]
    names = {"tournament_id": event["T"], "game_id": event["g"][len(event["T"]) + 1 :]}
    if old is None or old.revision[1] != side.revision[1]:
        kind = "annulment" if side.refusal == Refusal.ANNULLED else "correction"
        if old is None or old.refusal == Refusal.ONGOING:
            kind = "game"
        return cause(game, GAME_RESULT, kind, **names)
    if old.revision[2] != side.revision[2]:
        return cause(white, ENTRANT, "facts", **names)
    if old.revision[3] != side.revision[3]:
        return cause(black, ENTRANT, "facts", **names)
    if old.revision[0] != side.revision[0]:
        return cause(tournament, TOURNAMENT, "facts", **names)

    return cause(game, GAME_RESULT, "resolution", **names)
