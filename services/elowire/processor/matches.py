"""Games of a match that are not rated: after its decision, or with an unrated player (B.02 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from elowire.domain import Refusal, System, match_refusals
from elowire.processor.pairing import POINTS_OF_BLACK, POINTS_OF_WHITE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from elowire.processor.pairing import Pairing

State = dict[str, Any]

# What brings points in a match; a game that the organiser keeps unrated, such as a play-off, does not.
SCORED = frozenset({"played", "forfeit"})
_PAIR = 2


def is_match_play(tournament: State | None) -> bool:
    """Whether a tournament says that it consists of matches; each two players who meet are one."""
    return tournament is not None and tournament["d"]["sy"] == System.MATCH


def refused_in_matches(
    tournament: State, pairings: Mapping[bytes, Pairing], entrants: int
) -> dict[bytes, Refusal]:
    """Find the games that a match refuses, by key; the order of play is that of rounds, then of days.

    Only between two players do the rounds tell how many games the match was arranged for; without that
    number nothing says when it was decided.
    """
    planned = tournament["d"]["ro"] if entrants == _PAIR else None
    matches: dict[frozenset[bytes], list[tuple[int, str, bytes]]] = {}
    for key, pairing in pairings.items():
        d = pairing.game["d"]
        if d["ra"] and d["st"] in SCORED and d["w"] is not None and d["b"] is not None:
            pair = frozenset((pairing.white.own.key, pairing.black.own.key))
            matches.setdefault(pair, []).append((d["rd"] or 0, d["on"] or "", key))
    refused: dict[bytes, Refusal] = {}
    for games in matches.values():
        refused |= _of_a_match({key: pairings[key] for *_, key in sorted(games)}, planned)

    return refused


def _of_a_match(pairings: Mapping[bytes, Pairing], planned: int | None) -> dict[bytes, Refusal]:
    """Find what one match refuses; its games come in the order of play."""
    opening = next(iter(pairings.values()))
    scores = []
    for pairing in pairings.values():
        x = pairing.game["d"]["x"]
        points = POINTS_OF_WHITE.get(x, 0), POINTS_OF_BLACK.get(x, 0)
        scores.append(points if pairing.white.own.key == opening.white.own.key else points[::-1])
    both_rated = 0 not in {opening.white.own.rating, opening.black.own.rating}
    refusals = match_refusals(scores, planned=planned, both_rated=both_rated)

    return {key: reason for key, reason in zip(pairings, refusals, strict=True) if reason is not None}
