"""Made-up tournaments as input records: the same seed gives the same records."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from elowire.contracts.envelope import EventRecord, input_record
from elowire.contracts.events import Entrant, GameResult, PublishedRating, Side, Tournament
from elowire.contracts.ratings import PublishedFigures
from elowire.contracts.vocabulary import GameStatus, Result, TournamentStatus
from elowire.domain import System, TimeControl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

START, LASTS = date(2025, 10, 12), timedelta(days=8)
SENT = datetime(2025, 10, 12, 12, tzinfo=UTC)
RESULTS = (Result.WHITE_WINS, Result.DRAW, Result.BLACK_WINS)


class Size(NamedTuple):
    """How much is made up."""

    tournaments: int
    entrants: int
    rounds: int
    players: int

    @property
    def games(self) -> int:
        """Games in all."""
        return self.tournaments * self.rounds * (self.entrants // 2)


def facts(size: Size, seed: int, begins: date = START) -> tuple[list[EventRecord], dict[str, list[str]]]:
    """Return tournaments that begin on a day, their entrants, and who plays where."""
    chance = random.Random(seed)
    records, entries = [], {}
    for number in range(size.tournaments):
        tournament_id = f"open-{seed}-{number}"
        records.append(_tournament(tournament_id, begins, 0, TournamentStatus.RUNNING))
        players = [str(100_000 + one) for one in chance.sample(range(size.players), size.entrants)]
        entries[tournament_id] = players
        for player_id in players:
            entrant = Entrant(
                tournament_id=tournament_id,
                player_id=player_id,
                revision=0,
                rating=chance.randint(1400, 2700),
                k=chance.choice((10, 20, 40)),
                rating_list=f"{begins:%Y-%m}",
                source="list",
            )
            records.append(_record(entrant, f"{tournament_id}/{player_id}"))

    return records, entries


def finishes(entries: Iterable[str], begins: date) -> Iterator[EventRecord]:
    """Yield the ends of tournaments that `facts` began."""
    return (_tournament(name, begins, 1, TournamentStatus.FINISHED) for name in entries)


def rating_list(players: int, month: date, seed: int) -> Iterator[EventRecord]:
    """Yield a month's list of all players: it settles the games of the month before."""
    chance = random.Random(seed)
    for number in range(players):
        figures = PublishedFigures(rating=chance.randint(1400, 2700), k=20)
        player_id = str(100_000 + number)
        line = PublishedRating(
            player_id=player_id, list=f"{month:%Y-%m}", revision=0, federation="NOR", standard=figures
        )
        yield _record(line, f"{line.list}/{player_id}")


def games(size: Size, entries: dict[str, list[str]], seed: int) -> Iterator[EventRecord]:
    """Yield games round by round over all tournaments, as they would be played side by side."""
    chance = random.Random(seed + 1)
    for round_number in range(1, size.rounds + 1):
        for tournament_id, players in entries.items():
            order = players[:]
            chance.shuffle(order)
            for board in range(size.entrants // 2):
                game = GameResult(
                    tournament_id=tournament_id,
                    game_id=f"{round_number}.{board + 1}",
                    revision=0,
                    status=GameStatus.PLAYED,
                    round=round_number,
                    board=board + 1,
                    white=Side(player_id=order[2 * board]),
                    black=Side(player_id=order[2 * board + 1]),
                    result=chance.choice(RESULTS),
                )
                yield _record(game, f"{tournament_id}/{game.game_id}")


def _tournament(tournament_id: str, begins: date, revision: int, status: TournamentStatus) -> EventRecord:
    event = Tournament(
        tournament_id=tournament_id,
        revision=revision,
        name=f"Open {tournament_id.rpartition('-')[2]}",
        time_control=TimeControl.STANDARD,
        system=System.SWISS,
        starts_on=begins,
        ends_on=begins + LASTS,
        status=status,
    )
    return _record(event, f"{tournament_id}/t{revision or ''}")


def _record(event: Tournament | Entrant | GameResult | PublishedRating, event_id: str) -> EventRecord:
    return input_record(event, event_id=event_id, source="bench", time=SENT)
