"""Following a local server that plays a recorded round: moves, corrections, silence, disconnects."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from aiohttp import web

from elowire.contracts.events import GameResult
from elowire.domain import TimeControl
from elowire.ingest.broadcast_follow import Followers
from elowire.ingest.feed import feed_of
from elowire.ingest.readers.results_csv import read_results_csv
from elowire.ingest.service_intake import Intake
from elowire.ingest.service_store import Store
from tests.oracle import readings
from tests.services.ingest_http.broadcasting import Played, pgn, served, source
from tests.services.ingest_http.door import Kafka
from tests.stages.driver import Lane

CSV = Path(__file__).parents[2] / "data" / "events" / "womens-world-rapid-2024.csv"
WAIT_S = 60


class Rig:
    """An intake whose Kafka is a list, with a clock that never stands still."""

    def __init__(self, folder):
        self.kafka = Kafka()
        self.ms = 1_760_000_000_000
        self.store = Store(folder / "ingest.sqlite")
        self.intake = Intake(self.store, self.kafka, folder / "no-book.sqlite", self.now)
        self.followers = Followers(self.intake)
        self.newest = {}

    def now(self):
        self.ms += 1
        return datetime.fromtimestamp(self.ms / 1000, UTC)

    def games(self):
        return [one.data for one in self.kafka.events() if isinstance(one.data, GameResult)]

    async def until(self, met):
        async with asyncio.timeout(WAIT_S):
            while not met():
                await asyncio.sleep(0.02)

    async def follow(self, played, met, **facts):
        async with served(played) as address:
            await self.followers.follow((source(address, **facts),))
            try:
                await self.until(met)
                self.newest = self.followers.newest()
            finally:
                await self.followers.stop()


def recorded(rows, chance):
    """A round as it is streamed: all games at first, then every move, wrong results and late games."""
    steps = []
    late = set(chance.sample(range(len(rows)), len(rows) // 10))
    for number, row in enumerate(rows):
        if number not in late:
            steps.append(copy_of(number, row, "*", 0))
    order = [number for number in range(len(rows)) for _ in range(4)]
    chance.shuffle(order)
    moves = Counter()
    for number in order:
        moves[number] += 1
        row = rows[number]
        over = moves[number] >= 3
        result = row["result"] if over else "*"
        if moves[number] == 3 and chance.random() < 0.1:
            result = "1-0" if row["result"] != "1-0" else "0-1"
        steps.append(copy_of(number, row, result, moves[number]))
    return steps


def copy_of(number, row, result, moves):
    return pgn(
        number,
        result,
        moves=moves,
        Round=f"{row['round']}.{row['board']}",
        Date=row["date"],
        White=f"Player {row['white_fide_id']}",
        Black=f"Player {row['black_fide_id']}",
        WhiteElo=row["white_rating"],
        BlackElo=row["black_rating"],
        WhiteFideId=row["white_fide_id"],
        BlackFideId=row["black_fide_id"],
        WhiteTitle=row["white_title"] or None,
        TimeControl="900+10",
    )


def rows_of_first_round():
    head, *lines = CSV.read_text().split("\n")
    rows = [dict(zip(head.split(","), line.split(","), strict=True)) for line in lines if line]
    return head, [row for row in rows if row["round"] == "1" and row["result"] in {"1-0", "0-1", "1/2-1/2"}]


async def test_a_whole_round_with_disconnects_gives_one_final_result_per_game_and_the_ratings_of_its_csv(
    tmp_path,
):
    chance = random.Random(7)
    head, rows = rows_of_first_round()
    steps = recorded(rows, chance)
    third = len(steps) // 3
    copies = {}
    parts = []
    for end in (third, 2 * third, len(steps)):
        part = steps[max(0, end - third) if end < len(steps) else 2 * third : end]
        again = list(copies.values())
        copies.update({step.split('GameURL "')[1].split('"')[0]: step for step in part})
        cut = steps[end] if end < len(steps) else ""
        # A connection breaks off in the middle of a game's tags, of its moves, and of a character.
        parts.append([*again, *part, cut[: chance.randrange(len(cut))] if cut else "", Played.CUT])
    parts.append(list(copies.values()))
    rig = Rig(tmp_path)
    await rig.follow(
        played := Played(*parts), lambda: not played.parts and played.over.is_set(), tournament_name="Rapid",
        starts_on="2024-12-26", ends_on="2024-12-28",
    )  # fmt: skip
    finals = {}
    for event in rig.games():
        finals.setdefault(event.game_id, []).append(event)
    results = Counter(str(events[-1].result) for events in finals.values())

    assert len(finals) == len(rows)
    assert results == Counter(row["result"] for row in rows)
    for events in finals.values():
        written = [str(event.result) for event in events]
        assert all(before != after for before, after in pairwise(written)), written
        # Ongoing, then its result once; where the broadcast had it wrong at first, that one before it.
        assert "*" not in written[1:]
        assert len(written) <= 3
    assert live_ratings(rig.kafka.events()) == live_ratings_of_csv(head, rows)


def live_ratings(events):
    lane = Lane()
    lane.feed([(one.event_id, one.data) for one in events])
    return {player: data["rapid"]["live"] for player, data in readings.live_ratings(lane.read()).items()}


def live_ratings_of_csv(head, rows):
    text = "\n".join([head, *(",".join(row.values()) for row in rows)])
    report = read_results_csv(text.encode(), "open.csv").stated(
        time_control=TimeControl.RAPID, starts_on=date(2024, 12, 26), ends_on=date(2024, 12, 28)
    )
    feed = feed_of(report, time=datetime(2024, 12, 29, tzinfo=UTC))
    lane = Lane()
    for record in (*feed.opening, *feed.games):
        lane.append(record.topic, 0, record.key, record.value, record.headers)
    lane.run()
    return {player: data["rapid"]["live"] for player, data in readings.live_ratings(lane.read()).items()}


async def test_a_silent_stream_is_opened_again(tmp_path):
    rig = Rig(tmp_path)
    played = Played([pgn(1), 30.0], [pgn(1, "1-0"), 30.0])
    await rig.follow(played, lambda: len(rig.games()) == 2, silence_s=1.0)

    assert [str(game.result) for game in rig.games()] == ["*", "1-0"]
    assert list(rig.newest.values()) == pytest.approx([1_760_000_000], abs=60)


async def test_blank_lines_keep_a_stream_alive(tmp_path):
    rig = Rig(tmp_path)
    played = Played([pgn(1), *[0.4, "\n"] * 6, pgn(1, "0-1"), 30.0])
    await rig.follow(played, lambda: len(rig.games()) == 2, silence_s=1.0)

    assert len(played.requests) == 1


async def test_a_server_that_refuses_is_an_alarm_until_it_answers(tmp_path):
    rig = Rig(tmp_path)
    played = Played(web.Response(status=404), web.Response(status=503), [pgn(1), 30.0])
    alarms = []

    def met():
        alarms.extend(rig.followers.alarms().values())
        return rig.games()

    await rig.follow(played, met)

    assert any(alarm and "refuses it (status 404)" in alarm for alarm in alarms)


async def test_a_stream_that_turns_empty_is_an_alarm_and_annuls_nothing(tmp_path):
    rig = Rig(tmp_path)
    played = Played([pgn(1, "1-0")], [], [30.0])
    seen = []

    def met():
        seen.extend(alarm for alarm in rig.followers.alarms().values() if alarm)
        return any("has none any more" in alarm for alarm in seen)

    await rig.follow(played, met)

    assert [str(game.result) for game in rig.games()] == ["1-0"]


async def test_a_round_that_has_not_begun_is_no_alarm_and_one_kept_alive_without_its_games_is(tmp_path):
    rig = Rig(tmp_path)
    alive = [0.3, "\n"] * 100
    await rig.follow(Played(alive), lambda: rig.followers.alarms()["round"] is None, silence_s=1.0)
    await rig.follow(Played([pgn(1), 30.0]), rig.games)
    await rig.follow(
        Played(alive), lambda: "none any more" in str(rig.followers.alarms()["round"]), silence_s=1.0
    )

    assert len(rig.games()) == 1


async def test_polling_asks_conditionally_and_a_304_changes_nothing(tmp_path):
    rig = Rig(tmp_path)
    tagged = {"etag": '"a"', "last-modified": "Sun, 12 Oct 2025 10:00:00 GMT"}
    played = Played(
        web.Response(text=pgn(1), headers=tagged),
        web.Response(status=304),
        web.Response(text=pgn(1, "1-0").rstrip()),
    )
    await rig.follow(played, lambda: len(rig.games()) == 2, mode="poll")

    assert "if-none-match" not in {name.lower() for name in played.requests[0]}
    asked = {name.lower(): value for name, value in played.requests[1].items()}
    assert (asked["if-none-match"], asked["if-modified-since"]) == ('"a"', tagged["last-modified"])


async def test_a_file_is_read_when_it_has_changed(tmp_path):
    rig = Rig(tmp_path)
    path = tmp_path / "round.pgn"
    path.write_text(pgn(1) + pgn(2))
    await rig.followers.follow((source(str(path), "poll"),))
    await rig.until(lambda: len(rig.games()) == 2)
    path.write_text(pgn(1, "1-0") + pgn(2).split("\n\n")[0])
    await rig.until(lambda: len(rig.games()) == 3)
    path.write_text("")
    await rig.until(lambda: "has none any more" in str(rig.followers.alarms()))
    await rig.followers.stop()

    assert [str(game.result) for game in rig.games()] == ["*", "*", "1-0"]


async def test_while_kafka_is_away_a_result_is_kept_and_sent_afterwards(tmp_path):
    rig = Rig(tmp_path)
    rig.kafka.away = True
    async with served(Played([pgn(1, "1-0"), 30.0])) as address:
        await rig.followers.follow((source(address, silence_s=60.0),))
        await asyncio.sleep(1)
        rig.kafka.away = False
        await rig.until(rig.games)
        await rig.followers.stop()

    assert [str(game.result) for game in rig.games()] == ["1-0"]


async def test_after_a_restart_nothing_that_was_sent_is_sent_again(tmp_path):
    rig = Rig(tmp_path)
    await rig.follow(Played([pgn(1, "1-0"), 30.0]), rig.games)
    rig.store.close()
    again = Rig(tmp_path)
    again.ms = rig.ms
    await again.follow(Played([pgn(1, "1-0"), pgn(2, "0-1"), 30.0]), again.games)

    assert [game.game_id for game in again.games()] == ["gam00002"]
