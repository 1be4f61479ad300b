"""The output events of the player stage, built from accounts and sides."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from elowire.contracts.topics import TYPE_LIVE_RATING, TYPE_RATED_GAME, TYPE_RECONCILIATION
from elowire.contracts.vocabulary import Colour
from elowire.domain import (
    GameChange,
    Refusal,
    article_of,
    decimal_text,
    edition_by_id,
    points_text,
    tenths_text,
)
from elowire.processor.facts import TIME_CONTROLS
from elowire.processor.outputs import Header, output, time_header, type_header

if TYPE_CHECKING:
    from elowire.processor.entries import Account, Side
    from elowire.processor.stage import Effects

LIVE_RATING = type_header(TYPE_LIVE_RATING)
RATED_GAME = type_header(TYPE_RATED_GAME)
RECONCILIATION = type_header(TYPE_RECONCILIATION)


COLOURS = {"w": Colour.WHITE.value, "b": Colour.BLACK.value}
TAKEN_BACK = frozenset({Refusal.ANNULLED, Refusal.WITHDRAWN})


class Outputs:
    """Sends what one partition's accounts have to say."""

    def __init__(self, effects: Effects, prefix: str, partition: int) -> None:
        self._effects, self._partition = effects, partition
        self._live, self._games, self._reconciliations = (
            f"{prefix}{name}" for name in ("live-ratings", "rated-games", "reconciliations")
        )
        self._key, self._player_id = b"", ""
        self._time = time_header(0)
        self._said: tuple[Side, bytes] | None = None

    def at(self, key: bytes, timestamp: int) -> Outputs:
        """Speak for a player, at the time of the record that is being taken."""
        self._key, self._time, self._player_id = key, time_header(timestamp), key.decode()

        return self

    def live_rating(
        self, account: Account, cause: dict[str, Any], changed: list[str], game: tuple[str, Side, bool] | None
    ) -> None:
        """Publish the account's figures under its version."""
        player_id, version = self._player_id, account["v"]
        data: dict[str, Any] = {
            "player_id": player_id,
            "version": version,
            "cause": cause,
            "changed": changed,
        }
        for time_control, line in account["F"].items():
            data[time_control] = _figures(line)
        data["game"] = None
        if game is not None:
            # The same words go out once more as the game's own record.
            name, side, settled = game
            words = orjson.dumps(rated_game_of(player_id, account, name, side, settled=settled))
            self._said = (side, words)
            data["game"] = orjson.Fragment(words)
        event_id = f"{player_id}:{version}"
        self._send(self._live, self._key, LIVE_RATING, event_id, data)
        self._effects.counts["live_ratings"] += 1

    def rated_game(self, account: Account, game: str, side: Side, *, settled: bool) -> None:
        """Publish one side of one game."""
        player_id = self._player_id
        said, self._said = self._said, None
        data: dict[str, Any] | bytes
        if said is not None and said[0] is side:
            data = said[1]
        else:
            data = rated_game_of(player_id, account, game, side, settled=settled)
        event_id = f"{player_id}/{game}:{account['s']}"
        self._send(self._games, f"{player_id}/{game}".encode(), RATED_GAME, event_id, data)
        self._effects.counts[f"side_{side.refusal or 'rated'}"] += 1

    def reconciliation(self, rating_list: str, verdicts: dict[str, Any]) -> None:
        """Publish how predictions compare with a list."""
        player_id = self._player_id
        data = {"player_id": player_id, "list": rating_list, **verdicts}
        self._send(self._reconciliations, self._key, RECONCILIATION, f"{player_id}:{rating_list}", data)
        for verdict in verdicts.values():
            self._effects.counts[f"reconciled_{verdict['verdict']}"] += 1

    def _send(
        self, topic: str, key: bytes, event_type: Header, event_id: str, data: dict[str, Any] | bytes
    ) -> None:
        self._effects.emits.append(
            output(topic, self._partition, key, event_type, event_id, self._time, data)
        )


def _figures(line: list[Any]) -> dict[str, Any]:
    """Return what is published of one time control; `line` is `Figures` as the account keeps it."""
    (
        rating_list,
        rating,
        listed_k,
        games,
        live,
        change,
        predicted,
        k_used,
        k_reason,
        pending_games,
        initial,
        previous_live,
        previous_predicted,
    ) = line
    rated = rating is not None

    return {
        "status": "rated" if rated else "unrated",
        "published": {"list": rating_list, "rating": rating, "k": listed_k, "games": games}
        if rated
        else None,
        "live": None if live is None else tenths_text(live),
        "change": decimal_text(change),
        "predicted": predicted,
        "k_used": k_used,
        "k_reason": k_reason,
        "pending_games": pending_games,
        "initial": initial,
        "previous": {
            "live": None if previous_live is None else tenths_text(previous_live),
            "predicted": previous_predicted,
        },
    }


def rated_game_of(
    player_id: str,
    account: Account,
    game: str,
    side: Side,
    *,
    settled: bool,
) -> dict[str, Any]:
    """Return the data of `elowire.rated-game.v1`; the four figures are null where the game does not count."""
    entry = side.entry
    change = rated_change(side) if side.rated else None
    data = {
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
        "status": _status(side, settled=settled),
    }
    if side.colour is not None:
        data["colour"] = COLOURS[side.colour]

    return data


def rated_change(side: Side) -> GameChange:
    """Return the figures of a rated side as they were reckoned among its player's other games."""
    difference = (side.entry.own or 0) - (side.opponent or 0)
    counted = difference if side.counted is None else side.counted

    return GameChange(difference, counted, (side.points or 0) - side.delta, side.delta)


def _article(side: Side, change: GameChange | None) -> str | None:
    """Return the article that decided the figure or the refusal."""
    edition = side.entry.edition
    if edition is None:
        return None
    if side.refusal is not None:
        return _article_of_refusal(side.refusal, edition)
    if change is not None:
        return article_of(change, edition_by_id(edition), TIME_CONTROLS[side.entry.time_control or ""])

    return edition_by_id(edition).articles.initial


@lru_cache(1024)
def _article_of_refusal(refusal: str, edition: str) -> str:
    return Refusal(refusal).article(edition_by_id(edition))


def _status(side: Side, *, settled: bool) -> str:
    if side.refusal in TAKEN_BACK:
        return "annulled"

    return "settled" if settled else "pending"
