"""A real open with 138 unrated players, through Kafka in any order, gives the figures of the offline report.

The event is `swiss-open-2005.trf`; the figures of every player are compared as bytes after the finish, after
three corrections that come later, and after the tournament was reopened and finished again.
"""

from __future__ import annotations

import dataclasses
import random
from datetime import UTC, datetime

import orjson
import pytest

from elowire.contracts.vocabulary import Result
from elowire.domain import TimeControl
from elowire.ingest.feed import feed_of
from elowire.ingest.offline import rate_event
from elowire.ingest.offline_rows import event_row
from elowire.ingest.readers.files import read_event
from tests.broker.acceptance.topics import send, settle, values
from tests.services.ingest.line_figures import figures_of

pytestmark = pytest.mark.broker
NOW = datetime(2025, 10, 25, tzinfo=UTC)
UNRATED = 138
OTHER_RESULT = {
    Result.WHITE_WINS: Result.BLACK_WINS,
    Result.BLACK_WINS: Result.DRAW,
    Result.DRAW: Result.WHITE_WINS,
}


def corrected(report, games):
    """The report with other results of these games."""
    return dataclasses.replace(
        report.stated(revision=1),
        games=tuple(
            dataclasses.replace(game, result=OTHER_RESULT[game.result]) if game.game_id in games else game
            for game in report.games
        ),
    )


def offline(report):
    """Every player's figures as the offline report has them."""
    return {
        player["player_id"]: orjson.dumps(figures_of(player))
        for player in event_row(rate_event(report))["players"]
    }


def lines(processor):
    """The line in force of every entrant: that of the highest revision."""
    latest = {}
    for line in values(processor.bootstrap, f"{processor.prefix}tournament-ratings"):
        known = latest.get(line["entrant_id"])
        if known is None or line["revision"] > known["revision"]:
            latest[line["entrant_id"]] = line
    return latest


def through_kafka(processor):
    settle(processor)
    return {name: orjson.dumps(figures_of(line)) for name, line in lines(processor).items()}


@pytest.mark.parametrize("edition", ["2003", "2014-07", "2024-03"])
def test_random_order_corrections_reopened_and_finished_again(processors, events, edition):
    processor = processors(prefix=f"swiss-{edition}-")
    chance = random.Random(2005)
    report = read_event(events / "swiss-open-2005.trf").stated(
        edition=edition, time_control=TimeControl.STANDARD
    )
    first = feed_of(report, time=NOW, finish=True)
    records = [*first.opening, *first.games, *first.closing]
    chance.shuffle(records)
    send(processor.bootstrap, records, prefix=processor.prefix)
    assert through_kafka(processor) == offline(report)
    assert sum(line["initial"] is not None for line in lines(processor).values()) == UNRATED

    played = [game.game_id for game in report.games if game.result in OTHER_RESULT]
    wrong = set(chance.sample(played, 3))
    mended = corrected(report, wrong)
    again = feed_of(mended, time=NOW, finish=True)
    changed = [record for record in again.games if orjson.loads(record.value)["game_id"] in wrong]
    assert len(changed) == len(wrong)
    send(processor.bootstrap, changed, prefix=processor.prefix)
    expected = offline(mended)
    assert expected != offline(report)
    assert through_kafka(processor) == expected

    send(processor.bootstrap, again.opening[:1], prefix=processor.prefix)
    settle(processor)
    assert not any(line["initial"]["final"] for line in lines(processor).values() if line["initial"])

    send(processor.bootstrap, again.closing, prefix=processor.prefix)
    assert through_kafka(processor) == expected
    assert all(line["initial"]["final"] for line in lines(processor).values() if line["initial"])
