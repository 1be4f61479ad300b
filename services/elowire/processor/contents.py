"""Input events as the tournament's table keeps them: short names, everything by default filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from elowire.contracts.events import Entrant, GameResult, Side, Tournament

Content = dict[str, Any]


def tournament_content(event: Tournament) -> Content:
    """Return a tournament's content; edition, list and period are stated or follow from the dates."""
    return {
        "n": event.name,
        "tc": event.time_control,
        "sy": event.system,
        "a": event.starts_on.isoformat(),
        "z": event.ends_on.isoformat(),
        "st": event.status,
        "ra": event.rated,
        "l": event.list_in_force(),
        "e": event.edition_in_force().id,
        "p": event.period(),
        "x": event.expected_games,
        "ro": event.rounds,
    }


def entrant_content(event: Entrant) -> Content:
    """Return an entrant's content."""
    return {
        "p": event.player_id,
        "n": event.name,
        "fe": event.federation,
        "ti": event.title,
        "y": event.birth_year,
        "ra": event.rating,
        "u": event.unrated,
        "k": event.k,
        "gp": event.games_played,
        "l": event.rating_list,
        "ov": event.override,
        "so": event.source or "entrant",
    }


def game_content(event: GameResult) -> Content:
    """Return a game's content; a colour is [entrant, player id, rating, K, name], null where nobody sat."""
    return {
        "st": event.status,
        "ra": event.rated,
        "rd": event.round,
        "bo": event.board,
        "w": _colour(event.white),
        "b": _colour(event.black),
        "x": event.result,
        "on": None if event.played_on is None else event.played_on.isoformat(),
        "url": event.url,
    }


def _colour(side: Side | None) -> list[Any] | None:
    return None if side is None else [side.identity, side.player_id, side.rating, side.k, side.name]
