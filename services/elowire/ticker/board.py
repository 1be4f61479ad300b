"""What is known now: the newest record of every player, game and entrant, and who stands where.

Pure: records in, changes out. The board keeps the bytes that the processor wrote and, beside them, only what
it ranks and filters by. The highest version of each thing wins, so duplicates, replays and a second reading
from the beginning change nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

import orjson
from pydantic import ValidationError

from elowire.contracts.topics import LIVE_RATINGS, RATED_GAMES, RATING_LISTS, TOURNAMENT_RATINGS
from elowire.domain import TimeControl
from elowire.ticker.changes import Change, Correction, Corrections
from elowire.ticker.games import Games
from elowire.ticker.glances import Listed, read_listed
from elowire.ticker.ladder import Ladder
from elowire.ticker.lines import Lines
from elowire.ticker.notes import Notes
from elowire.ticker.players import Facets, Player
from elowire.ticker.readings import GameReading, LineReading, LiveReading, read_live
from elowire.ticker.search import NameIndex

TOPICS = (RATING_LISTS.name, LIVE_RATINGS.name, RATED_GAMES.name, TOURNAMENT_RATINGS.name)
"""What must be read before anything is answered."""

_CONTROLS = tuple(TimeControl)
_CORRECTING = frozenset({"correction", "annulment"})


class UnreadableRecordError(ValueError):
    """A record that the ticker cannot take; the sentence names the field. The records beside it stand."""


class Board:
    """The state behind every answer of the ticker."""

    def __init__(self) -> None:
        self.games = Games()
        self.lines = Lines()
        self.notes = Notes()
        self.corrections = Corrections()
        self.facets = Facets()
        self.newest_list = ""
        self.names = NameIndex(self._by_rating)
        self._ladders = tuple(Ladder() for _ in _CONTROLS)
        self._players: dict[str, Player] = {}
        # In the order of reading, in which the players lie in memory too.
        self._to_rank: dict[str, Player] = {}
        self.loading = False
        """While True nobody is told of anything: a whole board is being read."""
        self.applied = 0
        """Records taken; an answer made at the same count is the same answer."""

    def __len__(self) -> int:
        return len(self._players)

    def apply(self, topic: str, value: bytes | None, at: int = 0) -> Change | None:
        """Take one record, written at `at` (milliseconds since 1970); None when a watcher sees nothing new.

        A tombstone (`value` None) changes nothing: outputs are compacted, never withdrawn.

        Raises:
            UnreadableRecordError: the value is not what the topic promises.

        """
        if value is None:
            return None
        self.applied += 1
        try:
            match topic:
                case RATING_LISTS.name:
                    return self._apply_listed(read_listed(value), value)
                case LIVE_RATINGS.name:
                    return self._apply_live(value, at)
                case RATED_GAMES.name:
                    return self._apply_game(GameReading.model_validate_json(value), value, at)
                case TOURNAMENT_RATINGS.name:
                    return self._apply_line(LineReading.model_validate_json(value), value, at)
                case _:
                    raise UnreadableRecordError(f"topic {topic}: the ticker reads {', '.join(TOPICS)} only")
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "value"
            raise UnreadableRecordError(f"{topic}: field {where}: {first['msg']}") from error

    def player(self, player_id: str) -> Player | None:
        """Give what is known of a player who has a live rating or stands in a list."""
        return self._players.get(player_id)

    def ladder(self, time_control: TimeControl) -> Ladder:
        """Give the ranks of a time control, with everything applied so far."""
        if self._to_rank:
            # One ladder after the other: what is sorted together then lies together in memory.
            for at, ladder in enumerate(self._ladders):
                for player_id, player in self._to_rank.items():
                    ladder.place(player_id, player.name or player_id, player.ranks_by(at))
            self._to_rank.clear()

        return self._ladders[_CONTROLS.index(time_control)]

    def settle(self) -> None:
        """Bring every ladder into order now, and not when somebody looks first."""
        for time_control in TimeControl:
            self.ladder(time_control).first(1)

    def members(self, federation: str) -> Collection[str]:
        """Give the ids of a federation's players."""
        return self.facets.federations.get(federation, ())

    def name(self, player_id: str) -> str | None:
        """Give a player's name where a record had one."""
        player = self._players.get(player_id)
        return None if player is None else player.name

    def introduce(self, player_id: str) -> None:
        """Take a tournament's word on who somebody is, where no list has said it."""
        player, entrant = self._players.get(player_id), self.notes.person(player_id)
        if player is None or entrant is None:
            return
        if player.name is None and entrant.name is not None:
            player.name, self.names.stale = entrant.name, True
            self._to_rank[player_id] = player
        if player.title is None and entrant.title is not None:
            self._entitle(player, entrant.title)
        if player.federation is None and entrant.federation is not None:
            self._settle_in(player, player_id, entrant.federation)

    def forget(self, day: date) -> None:
        """Drop settled games that are out of reach, and tournaments that were over before `day`."""
        self.games.forget(self.newest_list)
        self.applied += 1
        known = {tournament.tournament_id for tournament in self.notes.tournaments()}
        past = {*self.notes.past(day), *(self.lines.unmoved_since(day) - known)}
        for tournament_id in past:
            if not self.games.is_playing(tournament_id):
                self.notes.forget(tournament_id)
                self.lines.forget(tournament_id)

    def _apply_live(self, value: bytes, at: int) -> Change | None:
        reading, game = read_live(value)
        player = self._players.get(reading.player_id)
        if player is None:
            player = self._players[reading.player_id] = Player()
            self.introduce(reading.player_id)
        if reading.version <= player.version:
            return None
        player.live, player.version = value, reading.version
        self._describe(player, reading)
        figures = [
            (control, known)
            for control, known in zip(
                _CONTROLS, (reading.standard, reading.rapid, reading.blitz), strict=True
            )
            if known is not None
        ]
        player.standings = {control: known.standing() for control, known in figures}
        player.playing = frozenset(control for control, known in figures if known.pending_games)
        if reading.game is not None:
            self.games.take(reading.game, orjson.dumps(game), at=at, a_copy=True)
        self._to_rank[reading.player_id] = player
        cause = reading.cause
        if cause is not None and cause.kind in _CORRECTING and cause.game_id and cause.tournament_id:
            self.corrections.take(
                Correction(
                    cause.tournament_id,
                    cause.game_id,
                    cause.kind,
                    at,
                    (reading.player_id,),
                    cause.event_id or "",
                )
            )
        if self.loading:
            return None

        tournaments = {one.tournament_id for one in (cause, reading.game) if one and one.tournament_id}
        return Change(
            event="live-rating",
            value=value,
            player_id=reading.player_id,
            federation=player.federation,
            tournaments=frozenset(tournaments),
            time_controls=frozenset(reading.changed),
            person=player,
        )

    def _describe(self, player: Player, reading: LiveReading | Listed) -> None:
        if reading.name and reading.name != player.name:
            self.names.stale = True
        if reading.sex and player.sex is None:
            self.facets.sexes += 1
        if reading.birth_year and player.birth_year is None:
            self.facets.births += 1
        if reading.title and reading.title != player.title:
            self._entitle(player, reading.title)
        player.describe(reading)
        if reading.federation and reading.federation != player.federation:
            self._settle_in(player, reading.player_id, reading.federation)

    def _entitle(self, player: Player, title: str) -> None:
        titles = self.facets.titles
        if player.title is not None:
            titles[player.title] -= 1
        titles[title] = titles.get(title, 0) + 1
        player.title = title

    def _settle_in(self, player: Player, player_id: str, federation: str) -> None:
        federations = self.facets.federations
        if player.federation is not None:
            federations[player.federation].discard(player_id)
        federations.setdefault(federation, set()).add(player_id)
        player.federation = federation

    def _apply_game(self, reading: GameReading, value: bytes, at: int) -> Change | None:
        if not self.games.take(reading, value, at=at) or self.loading:
            return None
        controls = () if reading.time_control is None else (reading.time_control,)

        return Change(
            event="rated-game",
            value=value,
            player_id=reading.player_id,
            federation=None,
            tournaments=frozenset({reading.tournament_id}),
            time_controls=frozenset(controls),
            chosen_only=True,
        )

    def _apply_line(self, reading: LineReading, value: bytes, at: int) -> Change | None:
        if not self.lines.take(reading, value, at):
            return None
        player = self._players.get(reading.player_id or "")

        return Change(
            event="tournament-rating",
            value=value,
            player_id=reading.player_id,
            federation=None if player is None else player.federation,
            tournaments=frozenset({reading.tournament_id}),
            time_controls=frozenset(),
        )

    def _apply_listed(self, listed: Listed, value: bytes) -> Change | None:
        player = self._players.get(listed.player_id)
        if player is None:
            player = self._players[listed.player_id] = Player()
        listed_as = (listed.list, listed.revision)
        if listed_as <= player.listed_as:
            return None
        self.newest_list = max(self.newest_list, listed.list)
        player.listed, player.listed_as = value, listed_as
        player.inactive = listed.inactive
        self._describe(player, listed)
        player.ratings = listed.ratings
        self._to_rank[listed.player_id] = player
        if self.loading:
            return None
        # Where the processor follows a player it tells of the new list itself, with the settled figures.
        followed = player.standings or {}
        shown = [
            control
            for control, rating in zip(_CONTROLS, listed.ratings, strict=True)
            if rating and control not in followed
        ]
        if not shown:
            return None

        return Change(
            event="published-rating",
            value=value,
            player_id=listed.player_id,
            federation=player.federation,
            tournaments=frozenset(),
            time_controls=frozenset(shown),
            person=player,
        )

    def _by_rating(self) -> list[tuple[str, str]]:
        known = sorted(self._players.items(), key=lambda one: -max(one[1].ratings))

        return [(player_id, player.name or player_id) for player_id, player in known]
