"""A tournament as JSON: what it says of itself, its lines by rank, its games by round."""

from __future__ import annotations

from elowire.domain import hundredths
from elowire.ticker.board import Board
from elowire.ticker.views import Json, about_tournament, line_view, person_of, played_side


def tournament_view(board: Board, tournament_id: str) -> Json | None:
    """Give a tournament; None for one never seen.

    `lines` are ranked by points, `games` those that are in no list yet: each with its sides.
    """
    table = board.lines.table(tournament_id)
    said = about_tournament(board, tournament_id)
    games = [
        {
            "game_id": game_id,
            "sides": [
                {**person_of(board, player_id), **played_side(board, player_id, side)}
                for player_id, side in sides
                if side.value is not None
            ],
        }
        for game_id, sides in board.games.of_tournament(tournament_id)
    ]
    if table is None and said is None and not games:
        return None
    lines = [] if table is None else [line_view(board, value) for value in table.told()]
    lines.sort(
        key=lambda line: (
            -hundredths(line.get("points") or "0"),
            -(line.get("rating") or 0),
            line["entrant_id"],
        )
    )
    _rank(lines)

    return {
        "tournament_id": tournament_id,
        **(said or {}),
        "changed_at": None if table is None else table.changed_at,
        "lines": lines,
        "games": sorted(games, key=_by_round),
    }


def tournaments_view(board: Board, limit: int) -> Json:
    """Give the tournaments that have lines, those that changed last first."""
    tables = sorted(board.lines.tables().items(), key=lambda one: (-one[1].changed_at, one[0]))
    rows = [
        {
            "tournament_id": tournament_id,
            **(about_tournament(board, tournament_id) or {}),
            "entrants": len(table.told()),
            "changed_at": table.changed_at,
        }
        for tournament_id, table in tables[:limit]
    ]

    return {"tournaments": rows}


def _rank(lines: list[Json]) -> None:
    """Equal points share a rank, and the next one is skipped; tie-breaks are the organiser's."""
    for place, line in enumerate(lines, 1):
        before = lines[place - 2] if place > 1 else None
        shared = before is not None and before.get("points") == line.get("points")
        line["rank"] = before["rank"] if before is not None and shared else place


def _by_round(game: Json) -> tuple[int, str]:
    rounds = [side.get("round") or 0 for side in game["sides"]]

    return (max(rounds, default=0), game["game_id"])
