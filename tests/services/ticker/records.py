"""Output records as the processor writes them, small enough to read in a test."""

from __future__ import annotations

import orjson

from elowire.runtime.kafka import Record
from elowire.ticker.board import Board
from elowire.ticker.feed import Feed
from elowire.ticker.stream import Stream


def figures(rating=2700, change="0.00", *, pending=1, k=10, previous=None):
    live = rating * 100 + round(float(change) * 100)
    return {
        "status": "rated",
        "published": {"list": "2025-10", "rating": rating, "k": k, "games": None},
        "live": f"{(live + 5) // 10 / 10:.1f}",
        "change": change,
        "predicted": (live + 50) // 100,
        "k_used": k,
        "k_reason": "list",
        "pending_games": pending,
        "initial": None,
        "previous": previous,
    }


def live(player, version=1, *, game=None, kind="game", name=None, federation=None, **controls):
    return orjson.dumps(
        {
            "player_id": player,
            "version": version,
            "cause": {
                "event_id": f"e{version}",
                "type": "elowire.game-result.v1",
                "game_id": game["game_id"] if game else None,
                "tournament_id": game["tournament_id"] if game else None,
                "kind": kind,
            },
            "changed": sorted(controls),
            **controls,
            "name": name,
            "federation": federation,
            "game": game,
        }
    )


def game(player, number, version=1, *, status="pending", opponent="9", points="1", delta="0.36", **more):
    return {
        "player_id": player,
        "version": version,
        "game_id": f"g{number}",
        "tournament_id": "open",
        "time_control": "standard",
        "rating_period": "2025-11",
        "round": number,
        "opponent_id": opponent,
        "opponent_rating": 2600,
        "own_rating": 2700,
        "points": points,
        "difference": 100,
        "counted_difference": 100,
        "expectancy": "0.64",
        "delta": delta,
        "refusal": None,
        "article": "8.3.1",
        "status": status,
        **more,
    }


def listed(
    player,
    rating_list="2025-10",
    *,
    revision=1,
    name=None,
    federation=None,
    title=None,
    birth_year=None,
    sex=None,
    inactive=False,
    **ratings,
):
    return orjson.dumps(
        {
            **({"sex": sex} if sex else {}),
            "player_id": player,
            "list": rating_list,
            "revision": revision,
            "kind": "list",
            "name": name,
            "federation": federation,
            "title": title,
            "birth_year": birth_year,
            "inactive": inactive,
            **{control: {"rating": rating, "k": 10, "games": 0} for control, rating in ratings.items()},
        }
    )


def line(entrant, revision=1, *, tournament="open", points="1", rating=2700, player=None):
    return orjson.dumps(
        {
            "tournament_id": tournament,
            "entrant_id": entrant,
            "player_id": player or entrant,
            "revision": revision,
            "rating": rating,
            "k": 10,
            "points": points,
            "rated_games": 1,
            "rated_points": points,
            "expected": "0.64",
            "sum_change": "0.36",
            "change": "3.60",
            "performance": None,
            "initial": None,
        }
    )


def record(topic, value, offset=0, at=1_760_000_000_000):
    return Record(topic, 0, offset, at, None, value, ())


def feed_of(*values, epoch="boot"):
    """A feed that has read (topic, value) pairs and is complete: board, stream and progress without Kafka."""
    board, stream = Board(), Stream(epoch)
    feed = Feed("127.0.0.1:1", board, stream)
    feed.take([record(topic, value) for topic, value in values])
    feed.progress.caught_up = True
    feed.progress.fault = None
    return feed, board, stream
