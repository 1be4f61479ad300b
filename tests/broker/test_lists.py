"""`elowire lists` on a real broker: what a list changed is in the topic, and its verdicts are summed up."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import replace

import pytest

from elowire.contracts.envelope import decode, input_record
from elowire.contracts.events import Entrant
from elowire.contracts.topics import RATING_LISTS, RECONCILIATIONS
from elowire.contracts.vocabulary import ListKind
from elowire.runtime.kafka import ConfirmedProducer, OutRecord, read_all
from elowire.runtime.settings import child_environment
from tests.services.lists.made_up import Player, written

pytestmark = pytest.mark.broker

RESTING = Player(101, "Resting", standard=(2300, 0, 10))
PLAYING = Player(102, "Playing", standard=(2500, 9, 10))
NEWCOMER = Player(103, "Newcomer")


@pytest.fixture
def lists(kafka, tmp_path):
    """A `lists` command on the test's own data directory and the session's broker."""

    def run(command, *arguments):
        return subprocess.run(
            [
                *(sys.executable, "-m", "elowire", "lists", command, *map(str, arguments)),
                *("--data", str(tmp_path / "data")),
                *(() if command == "show" or "--bootstrap" in arguments else ("--bootstrap", kafka)),
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env=child_environment(),
        )

    return run


@pytest.fixture
def write(tmp_path):
    def file(*made):
        path = tmp_path / "players_list_foa.txt"
        path.write_text("".join(written(made, "combined")), newline="")
        return path

    return file


async def send(kafka, *records):
    async with ConfirmedProducer(kafka) as producer:
        await producer.send_all(records)


def published(kafka):
    async def read():
        return [record async for batch in read_all(kafka, [RATING_LISTS.name]) for record in batch]

    records = asyncio.run(read())
    events = [decode(record.topic, record.key, record.value, record.headers).data for record in records]
    return [(event.player_id, event.list, event.kind) for event in sorted(events, key=lambda e: e.revision)]


def test_a_list_sends_what_it_changed_and_whom_is_followed(kafka, fresh_catalogue, lists, write):
    asyncio.run(fresh_catalogue())
    entrant = Entrant(tournament_id="open", player_id="103", revision=1, unrated=True)
    record = input_record(entrant, event_id="e", source="test")
    asyncio.run(send(kafka, OutRecord(*record)))

    first = lists("load", write(RESTING, PLAYING, NEWCOMER), "--list", "2026-09")
    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout)["published"] == 3
    second = lists("load", write(RESTING, PLAYING, NEWCOMER), "--list", "2026-10", "--followed")
    assert json.loads(second.stdout)["published"] == 1
    corrected = lists(
        "load", write(RESTING, replace(PLAYING, standard=(2490, 9, 10)), NEWCOMER), "--list", "2026-09"
    )
    # The correction, and once more the followed player, whose line is as it was.
    assert json.loads(corrected.stdout)["published"] == 2

    assert sorted(set(published(kafka))) == [
        ("101", "2026-09", ListKind.LIST),
        ("102", "2026-09", ListKind.CORRECTION),
        ("102", "2026-09", ListKind.LIST),
        ("103", "2026-09", ListKind.LIST),
        ("103", "2026-10", ListKind.LIST),
    ]


def test_reconciliations_are_summed_up(kafka, fresh_catalogue, lists, write):
    asyncio.run(fresh_catalogue())
    assert lists("load", write(RESTING, PLAYING), "--list", "2026-10", "--no-publish").returncode == 0

    def compared(published, predicted, verdict):
        return {
            "published": published,
            "predicted": predicted,
            "difference": published - predicted,
            "verdict": verdict,
            "sides": 9,
        }

    def verdict(player, rating_list="2026-10", **said):
        value = json.dumps({"player_id": player, "list": rating_list, **said}).encode()
        return OutRecord(RECONCILIATIONS.name, player.encode(), value)

    asyncio.run(
        send(
            kafka,
            verdict("101", standard=compared(2300, 2300, "equal"), rapid=compared(2200, 2200, "equal")),
            verdict("102", standard=compared(2500, 2400, "unexplained")),
            verdict("102", standard=compared(2500, 2499, "unknown-games")),
            verdict("102", standard=compared(2500, 2499, "unknown-games")),
            verdict("104", "2026-09", standard=compared(2000, 1990, "unexplained")),
        )
    )
    done = lists("reconcile", "2026-10")

    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["players"] == 2
    assert said["verdicts"] == {"standard": {"equal": 1, "unknown-games": 1}, "rapid": {"equal": 1}}
    assert [(row["player_id"], row["name"], row["difference"]) for row in said["differences"]] == [
        ("102", "Playing", 1)
    ]
    assert lists("reconcile", "2026-11").returncode == 1


def test_an_unreachable_broker_is_named_and_the_list_is_kept(lists, write):
    done = lists("load", write(RESTING), "--list", "2026-10", "--bootstrap", "127.0.0.1:31001")

    assert done.returncode == 1
    assert "list 2026-10 is in the rating book but not published: no Kafka broker answers" in done.stderr
    assert json.loads(lists("show").stdout)[0]["lines"] == 1
