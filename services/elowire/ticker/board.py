"""What is known now: the newest record of every player, game and entrant, and who stands where.

Pure: records in, changes out. The board keeps the bytes that the processor wrote and, beside them, only what
it ranks and filters by. The highest version of each thing wins, so duplicates, replays and a second reading
from the beginning change nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import orjson
from pydantic import ValidationError

from elowire.contracts.topics import LIVE_RATINGS, RATED_GAMES, RATING_LISTS, TOURNAMENT_RATINGS
from elowire.domain import TimeControl
from elowire.ticker.ladder import Ladder, Standing
from elowire.ticker.readings import GameReading, LineReading, ListReading, LiveReading

TOPICS = (RATING_LISTS.name, LIVE_RATINGS.name, RATED_GAMES.name, TOURNAMENT_RATINGS.name)

_CONTROLS = tuple(TimeControl)


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

    `live` and `listed` are the records' bytes. `standings` has (live rating in hundredths, published rating)
    of the time controls that the live rating speaks of, None where unrated; `ratings` are the list's, in the
    order of `TimeControl`, 0 where unrated. `playing` are the time controls with pending games.
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
    ratings: tuple[int, ...] = (0,) * len(_CONTROLS)

    def ranked(self) -> Iterator[tuple[int, int] | None]:
        """Give (hundredths, published) to rank by, in the order of `TimeControl`; None for who does not rank.

        As in FIDE's own top lists, inactive players do not rank; a pending game makes one active again.
        """
        for control, rating in zip(_CONTROLS, self.ratings, strict=True):
            if self.inactive and control not in self.playing:
                yield None
            elif control in self.standings:
                yield self.standings[control]
            else:
                yield (rating * 100, rating) if rating else None


@dataclass(slots=True)
class Games:
    """One player's games by (tournament, game): bytes of the pending ones, the highest version of each."""

    pending: dict[tuple[str, str], bytes] = field(default_factory=dict)
    versions: dict[tuple[str, str], int] = field(default_factory=dict)


class Board:
    """The state behind every answer of the ticker."""

    def __init__(self) -> None:
        self._ladders = tuple(Ladder() for _ in _CONTROLS)
        self._players: dict[str, Player] = {}
        self._federations: dict[str, set[str]] = {}
        self._to_rank: set[str] = set()
        self._games: dict[str, Games] = {}
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
        return self._players.get(player_id)

    def ladder(self, time_control: TimeControl) -> Ladder:
        """Give the ranks of a time control, with everything applied so far."""
        for player_id in self._to_rank:
            player = self._players[player_id]
            for ladder, figures in zip(self._ladders, player.ranked(), strict=True):
                standing = None if figures is None else Standing(*figures, player.name or player_id)
                ladder.place(player_id, standing)
        self._to_rank.clear()

        return self._ladders[_CONTROLS.index(time_control)]

    def members(self, federation: str) -> Collection[str]:
        """Give the ids of a federation's players."""
        return self._federations.get(federation, ())

    def games(self, player_id: str) -> list[bytes]:
        """Give a player's pending games."""
        games = self._games.get(player_id)
        return [] if games is None else list(games.pending.values())

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
        player = self._players.get(reading.player_id)
        if player is None:
            player = self._players[reading.player_id] = Player()
        if reading.version <= player.version:
            return None
        player.live, player.version = value, reading.version
        self._describe(player, reading)
        figures = [
            (control, known)
            for control, known in zip(_CONTROLS, reading.by_control(), strict=True)
            if known is not None
        ]
        player.standings = {control: known.standing() for control, known in figures}
        player.playing = frozenset(control for control, known in figures if known.pending_games)
        if reading.game is not None:
            self._apply_game(reading.game, orjson.dumps(orjson.loads(value)["game"]), a_copy=True)
        self._to_rank.add(reading.player_id)

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

    def _describe(self, player: Player, reading: LiveReading | ListReading) -> None:
        player.name = reading.name or player.name
        if reading.federation and reading.federation != player.federation:
            if player.federation is not None:
                self._federations[player.federation].discard(reading.player_id)
            self._federations.setdefault(reading.federation, set()).add(reading.player_id)
            player.federation = reading.federation

    def _apply_game(self, reading: GameReading, value: bytes, *, a_copy: bool = False) -> None:
        """Keep a pending game and forget any other, but not that it was seen: an older copy may follow.

        A game can change while its live rating does not, so of two records with one version the later counts.
        The copy inside a live rating comes by another topic, at any time, and says `pending` whatever became
        of the game: the record beside it wins.
        """
        games = self._games.setdefault(reading.player_id, Games())
        game = (reading.tournament_id, reading.game_id)
        known = games.versions.get(game, -1)
        if reading.version < known or (a_copy and reading.version == known):
            return
        games.versions[game] = reading.version
        if reading.status == "pending":
            games.pending[game] = value
        else:
            games.pending.pop(game, None)

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
        player = self._players.get(reading.player_id)
        if player is None:
            player = self._players[reading.player_id] = Player()
        listed_as = (reading.list, reading.revision)
        if listed_as <= player.listed_as:
            return None
        player.listed, player.listed_as = value, listed_as
        player.inactive = bool(reading.inactive)
        self._describe(player, reading)
        player.ratings = tuple(known.rating or 0 if known else 0 for known in reading.by_control())
        self._to_rank.add(reading.player_id)
        # Where the processor follows a player it tells of the new list itself, with the settled figures.
        shown = frozenset(
            control
            for control, rating in zip(_CONTROLS, player.ratings, strict=True)
            if rating and control not in player.standings
        )

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
