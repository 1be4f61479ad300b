"""The output events of the player stage, built from accounts and sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from elowire.domain import (
    GameChange,
    Refusal,
    TimeControl,
    article_of,
    decimal_text,
    edition_by_id,
    points_text,
    tenths_text,
)
from elowire.processor.entries import find
from elowire.processor.figures import Figures
from elowire.processor.outputs import event_time, output

if TYPE_CHECKING:
    from elowire.processor.entries import Account, Side
    from elowire.processor.stage import Effects

LIVE_RATING = b"elowire.live-rating.v1"
RATED_GAME = b"elowire.rated-game.v1"
RECONCILIATION = b"elowire.reconciliation.v1"


TAKEN_BACK = frozenset({Refusal.ANNULLED, Refusal.WITHDRAWN})


class Outputs:
    """Sends what one partition's accounts have to say."""

    def __init__(self, effects: Effects, prefix: str, partition: int) -> None:
        self._effects, self._partition = effects, partition
        self._live, self._games, self._reconciliations = (
            f"{prefix}{name}" for name in ("live-ratings", "rated-games", "reconciliations")
        )
        self._key = self._time = b""
        self._said: tuple[Side, bytes] | None = None

    def at(self, key: bytes, timestamp: int) -> Outputs:
        """Speak for a player, at the time of the record that is being taken."""
        self._key, self._time = key, event_time(timestamp)

        return self

    def live_rating(
        self, account: Account, cause: dict[str, Any], changed: list[str], game: tuple[str, Side] | None
    ) -> None:
        """Publish the account's figures under its version."""
        player_id, version = self._key.decode(), account["v"]
        data: dict[str, Any] = {
            "player_id": player_id,
            "version": version,
            "cause": cause,
            "changed": changed,
        }
        for time_control, line in account["F"].items():
            data[time_control] = _figures(Figures(*line))
        data["game"] = None
        if game is not None:
            # The same words go out once more as the game's own record.
            words = orjson.dumps(rated_game_of(player_id, account, *game))
            self._said = (game[1], words)
            data["game"] = orjson.Fragment(words)
        event_id = f"{player_id}:{version}"
        self._send(self._live, self._key, LIVE_RATING, event_id, data)
        self._effects.counts["live_ratings"] += 1

    def rated_game(self, account: Account, game: str, side: Side) -> None:
        """Publish one side of one game."""
        player_id = self._key.decode()
        said, self._said = self._said, None
        data: dict[str, Any] | bytes
        if said is not None and said[0] is side:
            data = said[1]
        else:
            data = rated_game_of(player_id, account, game, side)
        event_id = f"{player_id}/{game}:{account['s']}"
        self._send(self._games, f"{player_id}/{game}".encode(), RATED_GAME, event_id, data)
        self._effects.counts[f"side_{side.refusal or 'rated'}"] += 1

    def reconciliation(self, rating_list: str, verdicts: dict[str, Any]) -> None:
        """Publish how predictions compare with a list."""
        player_id = self._key.decode()
        data = {"player_id": player_id, "list": rating_list, **verdicts}
        self._send(self._reconciliations, self._key, RECONCILIATION, f"{player_id}:{rating_list}", data)
        for verdict in verdicts.values():
            self._effects.counts[f"reconciled_{verdict['verdict']}"] += 1

    def _send(
        self, topic: str, key: bytes, event_type: bytes, event_id: str, data: dict[str, Any] | bytes
    ) -> None:
        self._effects.emits.append(
            output(topic, self._partition, key, event_type, event_id, self._time, data)
        )


def _figures(figures: Figures) -> dict[str, Any]:
    rated = figures.rating is not None

    return {
        "status": "rated" if rated else "unrated",
        "published": {
            "list": figures.rating_list,
            "rating": figures.rating,
            "k": figures.listed_k,
            "games": figures.games,
        }
        if rated
        else None,
        "live": None if figures.live is None else tenths_text(figures.live),
        "change": decimal_text(figures.change),
        "predicted": figures.predicted,
        "k_used": figures.k_used,
        "k_reason": figures.k_reason,
        "pending_games": figures.pending_games,
        "initial": figures.initial,
        "previous": {
            "live": None if figures.previous_live is None else tenths_text(figures.previous_live),
            "predicted": figures.previous_predicted,
        },
    }


def rated_game_of(player_id: str, account: Account, game: str, side: Side) -> dict[str, Any]:
    """Return the data of `elowire.rated-game.v1`; the four figures are null where the game does not count."""
    entry = side.entry
    change = rated_change(side) if side.rated else None

    return {
        "player_id": player_id,
        "version": account["v"],
        "game_id": game[len(entry.tournament_id) + 1 :],
        "tournament_id": entry.tournament_id,
        "time_control": entry.time_control,
        "rating_period": entry.period,
        "round": side.round,
        "opponent_id": side.opponent_id,
        "opponent_rating": side.opponent or None,
        "own_rating": entry.own or None,
        "points": None if side.points is None else points_text(side.points),
        "difference": None if change is None else change.difference,
        "counted_difference": None if change is None else change.counted_difference,
        "expectancy": None if change is None else decimal_text(change.expectancy),
        "delta": None if change is None else decimal_text(side.delta),
        "refusal": side.refusal,
        "article": _article(side, change),
        "status": _status(account, game, side),
    }


def rated_change(side: Side) -> GameChange:
    """Return the figures of a rated side as they were reckoned among its player's other games."""
    difference = (side.entry.own or 0) - (side.opponent or 0)
    counted = difference if side.counted is None else side.counted

    return GameChange(difference, counted, (side.points or 0) - side.delta, side.delta)


def _article(side: Side, change: GameChange | None) -> str | None:
    """Return the article that decided the figure or the refusal."""
    if side.entry.edition is None:
        return None
    edition = edition_by_id(side.entry.edition)
    if side.refusal is not None:
        return Refusal(side.refusal).article(edition)
    if change is not None:
        return article_of(change, edition, TimeControl(side.entry.time_control or ""))

    return edition.articles.initial


def _status(account: Account, game: str, side: Side) -> str:
    if side.refusal in TAKEN_BACK:
        return "annulled"
    tournament_id = side.entry.tournament_id

    return "settled" if find(account, tournament_id, game[len(tournament_id) + 1 :]) is None else "pending"
