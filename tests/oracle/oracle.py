"""The one-pass calculation: what all input events together, in any order, must come to."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.oracle.figures import Player, rated_game
from tests.oracle.lines import lines_of
from tests.oracle.sides import firsts_of, sides_of
from tests.oracle.winners import winners_of


@dataclass
class Expected:
    """Final figures {player: {time control: figures}}, sides {player: {tournament:game: rated game}}, lines
    {(tournament, entrant): tournament rating}, and the players of whom something must have been published."""

    figures: dict[str, dict] = field(default_factory=dict)
    sides: dict[str, dict[str, dict]] = field(default_factory=dict)
    lines: dict[tuple[str, str], dict] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)


def expect(events):
    """Compute the outcome of `events`, pairs of (event id, input event)."""
    found = winners_of(list(events))
    sides, firsts = {}, {}
    for tournament_id, known in found.tournaments.items():
        for side in sides_of(tournament_id, known):
            sides.setdefault(side.player_id, []).append(side)
        for player_id, first in firsts_of(tournament_id, known):
            firsts.setdefault(player_id, []).append(first)
    expected = Expected()
    for player_id in sides.keys() | firsts.keys() | found.reported.keys() | found.lists.keys():
        player = Player(
            sides.get(player_id, []),
            found.lists.get(player_id, {}),
            found.reported.get(player_id, []),
            firsts.get(player_id, []),
        )
        expected.figures[player_id] = player.figures()
        expected.sides[player_id] = {rated.side.game: rated_game(rated) for rated in player.sides}
        unrated = any(figure["status"] == "unrated" for figure in expected.figures[player_id].values())
        if player_id in sides or player.reported or unrated:
            expected.asked.add(player_id)
    for tournament_id, known in found.tournaments.items():
        if known.tournament is not None:
            expected.lines |= lines_of(tournament_id, known)

    return expected
