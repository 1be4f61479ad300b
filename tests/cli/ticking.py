"""A real ticker for the commands to ask: records of the real stages, over HTTP, in a thread of its own."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import uvicorn

from elowire.cli.demo_event import demo_event
from elowire.contracts.events import Entrant, GameResult, PublishedFigures, PublishedRating, Side, Tournament
from elowire.contracts.topics import partition_of
from elowire.contracts.vocabulary import GameStatus, Result, TournamentStatus
from elowire.domain import System, TimeControl, previous_period
from elowire.ingest.http_app import create_app as ingest_app
from elowire.runtime import clock
from elowire.ticker.api import create_app
from elowire.ticker.board import TOPICS, Board
from elowire.ticker.feed import Feed
from elowire.ticker.sources import Sources
from elowire.ticker.stream import Stream
from elowire.ticker.streaming import heartbeat_data
from tests.stages.driver import Lane

CASES = Path(__file__).parents[1] / "data" / "cases"
CHAMPIONSHIP = demo_event(datetime(2025, 10, 25, tzinfo=UTC))


class World:
    """The stages with everything they wrote, and how far a ticker has read it."""

    def __init__(self):
        self.lane = Lane()
        self._read = dict.fromkeys(TOPICS, 0)

    def send(self, records):
        """Take input records and work on them."""
        for one in records:
            partition = partition_of(one.key, self.lane.partitions)
            self.lane.append(one.topic, partition, one.key, one.value, one.headers)
        self.lane.run()
        return self

    def feed(self, *events):
        """Take input events and work on them."""
        self.lane.feed([(f"e{number}", event) for number, event in enumerate(events)])
        return self

    def rest(self):
        """What the stages have written since the last look."""
        found = []
        for topic in TOPICS:
            records = self.lane.all(topic)
            found += records[self._read[topic] :]
            self._read[topic] = len(records)
        return found


class Serving:
    """An application on a port of this machine."""

    def __init__(self, app, port=0):
        self._server = uvicorn.Server(
            uvicorn.Config(app, port=port, log_config=None, lifespan="off", timeout_graceful_shutdown=2)
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._server.serve(),))

    def __enter__(self):
        self._thread.start()
        deadline = clock.monotonic() + 10
        while not self._server.started:
            assert clock.monotonic() < deadline, "the server did not start"
            threading.Event().wait(0.01)
        return self

    def __exit__(self, *_):
        self._server.should_exit = True
        self._thread.join(10)
        self._loop.close()

    @property
    def port(self):
        return self._server.servers[0].sockets[0].getsockname()[1]

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"


class Ticking(Serving):
    """One ticker."""

    def __init__(self, world, port=0):
        self.world = world
        self._board, self._stream = Board(), Stream(f"{clock.now_ms():x}")
        self.feed = Feed("127.0.0.1:1", self._board, self._stream)
        self.feed.progress.caught_up, self.feed.progress.fault = True, None
        super().__init__(create_app(Sources(self._board, self._stream, self.feed.progress, clock.now)), port)

    def __exit__(self, *fault):
        self._loop.call_soon_threadsafe(self._stream.close)
        super().__exit__(*fault)

    def catch_up(self):
        """Let the ticker read what the stages wrote."""
        self._in_loop(self.feed.take, self.world.rest())
        return self

    def beat(self):
        self._in_loop(
            lambda: self._stream.beat(json.dumps(heartbeat_data(self.feed.progress, clock.now)).encode())
        )

    def watchers(self):
        return len(self._stream)

    def _in_loop(self, function, *arguments):
        done = threading.Event()

        def call():
            function(*arguments)
            done.set()

        self._loop.call_soon_threadsafe(call)
        assert done.wait(10)


@contextmanager
def ticker_of(world, port=0):
    with Ticking(world, port) as ticking:
        yield ticking.catch_up()


def championship(rounds=11, *, reported=False):
    """The US Championship 2025 after some rounds; `reported` adds the sums of other events of the period."""
    world = World().send(CHAMPIONSHIP.opening)
    for number in range(rounds):
        world.send(CHAMPIONSHIP.rounds[number])
    return world.send(CHAMPIONSHIP.reported) if reported else world


def tournament(name, starts_on, ends_on, status=TournamentStatus.RUNNING):
    return Tournament(
        tournament_id=name,
        revision=0,
        name=name,
        time_control=TimeControl.STANDARD,
        system=System.SWISS,
        starts_on=starts_on,
        ends_on=ends_on,
        status=status,
    )


def game(name, number, white, black, opponent_rating, result):
    """A game whose black side has a rating printed beside it, and no entry."""
    return GameResult(
        tournament_id=name,
        game_id=f"{name}-{number}",
        revision=0,
        status=GameStatus.PLAYED,
        round=number,
        white=Side(player_id=white),
        black=Side(player_id=black, rating=opponent_rating),
        result=result,
    )


def official_period(case_id):
    """A player's rating period as FIDE shows it: player "9", opponents' ratings printed beside the games."""
    cases = json.loads((CASES / "fide-published-periods.json").read_text())
    case = next(case for case in cases if case["id"] == case_id)
    year, month = map(int, case["rating_period"].split("-"))
    last = date(year, month, 1) - timedelta(days=1)
    results = {"1.00": Result.WHITE_WINS, "0.50": Result.DRAW, "0.00": Result.BLACK_WINS}
    before = previous_period(case["rating_period"])
    figures = PublishedFigures(rating=case["published"][before], k=case["k_on_previous_list"])
    events = [PublishedRating(player_id="9", list=before, revision=0, standard=figures)]
    for number, event in enumerate(case["events"], 1):
        name, own, k = f"event-{number}", event["own_rating_used"], case["k_on_previous_list"]
        events += [
            tournament(name, last.replace(day=1), last),
            Entrant(
                tournament_id=name,
                revision=0,
                player_id="9",
                name="Period, Of",
                rating=own,
                k=k,
                override=True,
            ),
        ]
        events += [
            game(name, place, "9", f"x:{number}-{place}", one["opponent"], results[one["points"]])
            for place, one in enumerate(event["games"], 1)
        ]
    return World().feed(*events), case


def newcomer():
    """The newcomer of December 2025 with FIDE's published first rating of 1922; player "7"."""
    facts = json.loads((CASES / "first-rating.json").read_text())
    results = {1: Result.WHITE_WINS, 0.5: Result.DRAW, 0: Result.BLACK_WINS}
    event = tournament("first", date(2025, 11, 1), date(2025, 11, 9), TournamentStatus.FINISHED)
    entrant = Entrant(tournament_id="first", revision=0, player_id="7", name="New, Player", unrated=True)
    games = [
        game("first", number, "7", f"x:{number}", one["opp"], results[one["score"]])
        for number, one in enumerate(facts["games"], 1)
    ]
    return World().feed(event, entrant, *games), facts


def capped():
    """Player "8", rated 2000, has beaten a player rated 2500 in October 2025 (8.3.1: counts as 400)."""
    event = tournament("open", date(2025, 10, 1), date(2025, 10, 9))
    entrant = Entrant(tournament_id="open", revision=0, player_id="8", name="Cap, Ped", rating=2000, k=20)
    return World().feed(event, entrant, game("open", 1, "8", "x:1", 2500, Result.WHITE_WINS))


def another_service():
    """The door of ingest, which is no ticker."""
    # None of the three is asked for anything at an address that ingest does not have.
    return Serving(ingest_app(None, None, None))


def two_periods(november_list=None):
    """Player "6", rated 1500 with K 40: one win in October 2025, 18 draws in November, all against equals.

    `november_list` is the list whose ratings are used in November; by default that of November itself.
    """
    events = []
    for name, month, games, result in (
        ("october", 10, 1, Result.WHITE_WINS),
        ("november", 11, 18, Result.DRAW),
    ):
        entrant = Entrant(tournament_id=name, revision=0, player_id="6", rating=1500, k=40)
        event = tournament(name, date(2025, month, 1), date(2025, month, 9))
        events += [event.model_copy(update={"rating_list": november_list if month == 11 else None}), entrant]
        events += [game(name, number, "6", f"x:{number}", 1500, result) for number in range(1, games + 1)]
    return World().feed(*events)
