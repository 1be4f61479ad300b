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
        self._send(self._live, self._key, LIVE_RATING, f"{player_id}:{version}", data)
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
        name = f"{player_id}/{game}"
        self._send(self._games, name.encode(), RATED_GAME, f"{name}:{account['s']}", data)
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
    entry, _, number, opponent_id, opponent, points, refusal, delta, counted, colour = side
    tournament_id, time_control, edition, period, _, own, _, _, _, _, _ = entry
    # The figures as they were reckoned among the player's other games.
    difference = counted_difference = expectancy = delta_text = None
    if side.rated:
        difference = (own or 0) - (opponent or 0)
        counted_difference = difference if counted is None else counted
        expectancy, delta_text = decimal_text((points or 0) - delta), decimal_text(delta)
    data = {
        "player_id": player_id,
        "version": account["v"],
        "game_id": game[len(tournament_id) + 1 :],
        "tournament_id": tournament_id,
        "time_control": time_control,
        "rating_period": period,
        "round": number,
        "opponent_id": opponent_id,
        "opponent_rating": opponent or None,
        "own_rating": own or None,
        "points": None if points is None else points_text(points),
        "difference": difference,
        "counted_difference": counted_difference,
        "expectancy": expectancy,
        "delta": delta_text,
        "refusal": refusal,
        "article": None
        if edition is None
        else _article(edition, time_control, refusal, difference, counted_difference),
        "status": "annulled" if refusal in TAKEN_BACK else "settled" if settled else "pending",
    }
    if colour is not None:
        data["colour"] = COLOURS[colour]

    return data


@lru_cache(4096)
def _article(
    edition_id: str,
    time_control: str | None,
    refusal: str | None,
    difference: int | None,
    counted: int | None,
) -> str:
    """Return the article that decided the figure or the refusal; the few answers come again and again."""
    edition = edition_by_id(edition_id)
    if refusal is not None:
        return Refusal(refusal).article(edition)
    if difference is None or counted is None:
        return edition.articles.initial

    return article_of(GameChange(difference, counted, 0, 0), edition, TIME_CONTROLS[time_control or ""])
