"""Why a live rating changed: the input behind it, and what kind of fact it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.domain import Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    tournament_id = event["T"]
    event_id, event_type, kind = _moved(event["c"], old, side)

    return cause(
        event_id,
        event_type,
        kind,
        tournament_id=tournament_id,
        game_id=event["g"][len(tournament_id) + 1 :],
    )


def _moved(behind: Sequence[str | None], old: Known | Side | None, side: Side) -> tuple[str | None, str, str]:
    """Return (event id, its type, kind of fact) of what moved; `behind` are the events behind the side."""
    tournament, game, white, black = behind
    if old is None or old.revision[1] != side.revision[1]:
        kind = "annulment" if side.refusal == Refusal.ANNULLED else "correction"
        if old is None or old.refusal == Refusal.ONGOING:
            kind = "game"
        return game, GAME_RESULT, kind
    if old.revision[2] != side.revision[2]:
        return white, ENTRANT, "facts"
    if old.revision[3] != side.revision[3]:
        return black, ENTRANT, "facts"
    if old.revision[0] != side.revision[0]:
        return tournament, TOURNAMENT, "facts"

    return game, GAME_RESULT, "resolution"
