"""Input events from plain values, parsed as they would be from the wire."""

from __future__ import annotations

import orjson

from elowire.contracts.events import (
    Entrant,
    GameResult,
    PublishedRating,
    ReportedChange,
    Tournament,
)


def parsed(model, facts):
    """The event that these members are on the wire."""
    return model.model_validate_json(orjson.dumps(facts))


def tournament(tournament_id="t", **facts):
    defaults = {
        "revision": 1,
        "name": "Event",
        "time_control": "standard",
        "system": "swiss",
        "starts_on": "2025-10-12",
        "ends_on": "2025-10-24",
        "status": "running",
    }
    return parsed(Tournament, {"tournament_id": tournament_id, **defaults, **facts})


def entrant(player_id, rating=None, k=None, *, tournament_id="t", **facts):
    """An entrant without a rating is one whose rating is not known, unless `unrated` is said."""
    defaults = {"revision": 1, "rating": rating, "k": k, "player_id": player_id}
    return parsed(Entrant, {"tournament_id": tournament_id, **defaults, **facts})


def game(game_id, white, black, result="1-0", *, tournament_id="t", **facts):
    """A game between two players, each a player id or a whole side."""
    sides = {"white": _side(white), "black": _side(black)}
    status = "ongoing" if result == "*" else "played"
    defaults = {"revision": 1, "status": status, "result": result, **sides}
    return parsed(GameResult, {"tournament_id": tournament_id, "game_id": game_id, **defaults, **facts})


def published(player_id, rating_list, rating, k=None, games=None, **facts):
    """A player's standard rating in a list."""
    figures = {"standard": {"rating": rating, "k": k, "games": games}}
    return parsed(
        PublishedRating, {"player_id": player_id, "list": rating_list, "revision": 1, **figures, **facts}
    )


def reported(player_id, sum_change, *, tournament_id="far", **facts):
    defaults = {
        "revision": 1,
        "time_control": "standard",
        "starts_on": "2025-10-01",
        "ends_on": "2025-10-05",
    }
    return parsed(
        ReportedChange,
        {
            "tournament_id": tournament_id,
            "player_id": player_id,
            "sum_change": sum_change,
            **defaults,
            **facts,
        },
    )


def _side(side):
    return {"player_id": side} if isinstance(side, str) else side
