"""What is known now: the newest record of every player, game and entrant, and who stands where.

Pure: records in, changes out. The board keeps the bytes that the processor wrote and, beside them, only what
it ranks and filters by. The highest version of each thing wins, so duplicates, replays and a second reading
from the beginning change nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import orjson
from pydantic import ValidationError

from elowire.contracts.topics import LIVE_RATINGS, RATED_GAMES, RATING_LISTS, TOURNAMENT_RATINGS
from elowire.domain import TimeControl
from elowire.ticker.ladder import Ladder, Standing
from elowire.ticker.readings import GameReading, LineReading, ListReading, LiveReading

TOPICS = (RATING_LISTS.name, LIVE_RATINGS.name, RATED_GAMES.name, TOURNAMENT_RATINGS.name)


class UnreadableRecordError(ValueError):
    """A record that the ticker cannot take; the sentence names the field. The records beside it stand."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a watcher can see, with what watchers choose by.

    `event` is the name in the stream, `value` the record's own bytes.
    """

    event: str
    value: bytes
    player_id: str | None
    federation: str | None
    tournaments: frozenset[str]
    time_controls: frozenset[TimeControl]


@dataclass(slots=True)
class Player:
    """The newest records of one player, and what they rank by.

    `live` and `listed` are the records' bytes, `games` those of the pending games by game id. `standings` has
    (live rating in hundredths, published rating) or None for unrated, `ratings` the list's figures.
    """

    live: bytes | None = None
    version: int = -1
    listed: bytes | None = None
    listed_as: tuple[str, int] = ("", -1)
    inactive: bool = False
    name: str | None = None
    federation: str | None = None
    playing: frozenset[TimeControl] = frozenset()
    standings: dict[TimeControl, tuple[int, int] | None] = field(default_factory=dict)
    ratings: dict[TimeControl, int] = field(default_factory=dict)
    games: dict[str, bytes] = field(default_factory=dict)
    game_versions: dict[str, int] = field(default_factory=dict)

    def standing(self, time_control: TimeControl) -> tuple[int, int] | None:
        """Give (hundredths, published) to rank by; None for who does not rank.

        As in FIDE's own top lists, inactive players do not rank; a pending game makes one active again.
        """
        if self.inactive and time_control not in self.playing:
            return None
        if time_control in self.standings:
            return self.standings[time_control]
        rating = self.ratings.get(time_control)
        return (rating * 100, rating) if rating else None


class Board:
    """The state behind every answer of the ticker."""

    def __init__(self) -> None:
        self.ladders = {time_control: Ladder() for time_control in TimeControl}
        self._players: dict[str, Player] = {}
        self._lines: dict[str, dict[str, tuple[int, bytes]]] = {}

    def __len__(self) -> int:
        return len(self._players)

    def apply(self, topic: str, value: bytes | None) -> Change | None:
        """Take one record; None when a watcher sees nothing new.

        A tombstone (`value` None) changes nothing: outputs are compacted, never withdrawn.

        Raises:
            UnreadableRecordError: the value is not what the topic promises.

        """
        if value is None:
            return None
        try:
            match topic:
                case LIVE_RATINGS.name:
                    return self._apply_live(LiveReading.model_validate_json(value), value)
                case RATED_GAMES.name:
                    self._apply_game(GameReading.model_validate_json(value), value)
                case TOURNAMENT_RATINGS.name:
                    return self._apply_line(LineReading.model_validate_json(value), value)
                case RATING_LISTS.name:
                    return self._apply_listed(ListReading.model_validate_json(value), value)
                case _:
                    raise UnreadableRecordError(f"topic {topic}: the ticker reads {', '.join(TOPICS)} only")
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "value"
            raise UnreadableRecordError(f"{topic}: field {where}: {first['msg']}") from error
        return None

    def player(self, player_id: str) -> Player | None:
        """Give what is known of a player who has a live rating or stands in a list."""
        player = self._players.get(player_id)
        if player is None or (player.live is None and player.listed is None):
            return None
        return player

    def lines(self, tournament_id: str) -> list[bytes] | None:
        """Give the newest line of every entrant; None for a tournament never seen."""
        lines = self._lines.get(tournament_id)
        return None if lines is None else [value for _, value in lines.values()]

    def name(self, player_id: str) -> str | None:
        """Give a player's name where a record had one."""
        player = self._players.get(player_id)
        return None if player is None else player.name

    def federation(self, player_id: str) -> str | None:
        """Give a player's federation where a record had one."""
        player = self._players.get(player_id)
        return None if player is None else player.federation

    def _apply_live(self, reading: LiveReading, value: bytes) -> Change | None:
        player = self._players.setdefault(reading.player_id, Player())
        if reading.version <= player.version:
            return None
        player.live, player.version = value, reading.version
        player.name = reading.name or player.name
        player.federation = reading.federation or player.federation
        figures = {control: reading.figures(control) for control in TimeControl}
        player.standings = {control: known.standing() for control, known in figures.items() if known}
        player.playing = frozenset(
            control for control, known in figures.items() if known and known.pending_games
        )
        if reading.game is not None:
            self._apply_game(reading.game, orjson.dumps(orjson.loads(value)["game"]))
        self._rank(reading.player_id, player)

        sources = (reading.cause, reading.game)
        return Change(
            event="live-rating",
            value=value,
            player_id=reading.player_id,
            federation=player.federation,
            tournaments=frozenset(
                source.tournament_id for source in sources if source and source.tournament_id
            ),
            time_controls=frozenset(reading.changed),
        )

    def _apply_game(self, reading: GameReading, value: bytes) -> None:
        """Keep a pending game and forget any other, but not that it was seen: an older copy may follow."""
        player = self._players.setdefault(reading.player_id, Player())
        if reading.version <= player.game_versions.get(reading.game_id, -1):
            return
        player.game_versions[reading.game_id] = reading.version
        if reading.status == "pending":
            player.games[reading.game_id] = value
        else:
            player.games.pop(reading.game_id, None)

    def _apply_line(self, reading: LineReading, value: bytes) -> Change | None:
        lines = self._lines.setdefault(reading.tournament_id, {})
        revision, _ = lines.get(reading.entrant_id, (-1, b""))
        if reading.revision <= revision:
            return None
        lines[reading.entrant_id] = (reading.revision, value)

        return Change(
            event="tournament-rating",
            value=value,
            player_id=reading.player_id,
            federation=None if reading.player_id is None else self.federation(reading.player_id),
            tournaments=frozenset({reading.tournament_id}),
            time_controls=frozenset(),
        )

    def _apply_listed(self, reading: ListReading, value: bytes) -> Change | None:
        player = self._players.setdefault(reading.player_id, Player())
        listed_as = (reading.list, reading.revision)
        if listed_as <= player.listed_as:
            return None
        player.listed, player.listed_as = value, listed_as
        player.inactive = bool(reading.inactive)
        player.name = reading.name or player.name
        player.federation = reading.federation or player.federation
        figures = {control: reading.figures(control) for control in TimeControl}
        player.ratings = {
            control: known.rating for control, known in figures.items() if known and known.rating
        }
        self._rank(reading.player_id, player)
        # Where the processor follows a player it tells of the new list itself, with the settled figures.
        shown = frozenset(player.ratings) - frozenset(player.standings)

        return (
            Change(
                event="published-rating",
                value=value,
                player_id=reading.player_id,
                federation=player.federation,
                tournaments=frozenset(),
                time_controls=shown,
            )
            if shown
            else None
        )

    def _rank(self, player_id: str, player: Player) -> None:
        for control, ladder in self.ladders.items():
            standing = player.standing(control)
            ladder.place(
                player_id, None if standing is None else Standing(*standing, player.name or player_id)
            )
