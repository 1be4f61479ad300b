"""A real event of 605 games ends in the same figures however it arrives: twice, shuffled, corrected and back.

The event is the Women's World Rapid Championship 2024 (110 players); figures are compared as bytes.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest

from elowire.contracts.dead_letters import read_dead_letter
from elowire.domain import TimeControl
from elowire.ingest.feed import feed_of
from elowire.ingest.readers.files import read_event
from tests.broker.acceptance.programs import feed
from tests.broker.acceptance.topics import figures, read, send, settle

pytestmark = pytest.mark.broker
FILE = "womens-world-rapid-2024.csv"
OPTIONS = ("--time-control", "rapid", "--finish")
CORRECTED = 30
OTHER_RESULT = {"1-0": "0-1", "0-1": "1/2-1/2", "1/2-1/2": "1-0"}
NOW = datetime(2024, 12, 28, tzinfo=UTC)


@pytest.fixture(scope="module")
def processor(processors):
    return processors()


@pytest.fixture(scope="module")
def once(processor, events):
    """The figures after the file was fed once."""
    (sent,) = feed(processor.bootstrap, events / FILE, *OPTIONS)
    settle(processor)
    found = figures(processor.bootstrap)
    assert sent["sent"] == {"tournaments": 2, "entrants": 110, "games": 605}
    assert len(found) == 110
    return found


@pytest.fixture(scope="module")
def wrong_file(events, tmp_path_factory):
    """The same file with the results of 30 games changed."""
    head, *lines = (events / FILE).read_text().splitlines()
    for number in random.Random(CORRECTED).sample(range(len(lines)), CORRECTED):
        before, result, day = lines[number].rsplit(",", 2)
        lines[number] = f"{before},{OTHER_RESULT[result]},{day}"
    path = tmp_path_factory.mktemp("wrong") / FILE
    path.write_text("\n".join([head, *lines, ""]))
    return path


def records_of(path, revision=0):
    """Everything that `elowire feed` sends of a file."""
    facts = read_event(path).stated(time_control=TimeControl.RAPID, revision=revision)
    sent = feed_of(facts, time=NOW, finish=True)
    return [*sent.opening, *sent.games, *sent.closing]


def test_fed_twice(processor, once, events):
    feed(processor.bootstrap, events / FILE, *OPTIONS)
    settle(processor)

    assert figures(processor.bootstrap) == once
    assert read(processor.bootstrap, "dead-letters") == []


def test_corrected_and_back(processor, once, events, wrong_file):
    feed(processor.bootstrap, wrong_file, *OPTIONS, "--revision", "1")
    settle(processor)
    wrong = figures(processor.bootstrap)
    feed(processor.bootstrap, events / FILE, *OPTIONS, "--revision", "2")
    settle(processor)

    assert CORRECTED < sum(wrong[player_id] != once[player_id] for player_id in once) <= 2 * CORRECTED
    assert figures(processor.bootstrap) == once
    assert read(processor.bootstrap, "dead-letters") == []


def test_shuffled(processors, once, events):
    processor = processors(prefix="shuffled-")
    records = records_of(events / FILE)
    random.Random(605).shuffle(records)
    send(processor.bootstrap, records, prefix=processor.prefix)
    settle(processor)

    assert figures(processor.bootstrap, prefix=processor.prefix) == once


def test_everything_twice_with_corrections_and_back_all_shuffled_together(
    processors, once, events, wrong_file
):
    processor = processors(prefix="together-")
    records = [
        *records_of(events / FILE),
        *records_of(wrong_file, revision=1),
        *records_of(events / FILE, revision=2),
    ] * 2
    random.Random(CORRECTED).shuffle(records)
    send(processor.bootstrap, records, prefix=processor.prefix)
    settle(processor)
    letters = [
        read_dead_letter(r.headers) for r in read(processor.bootstrap, f"{processor.prefix}dead-letters")
    ]

    assert figures(processor.bootstrap, prefix=processor.prefix) == once
    # What came after a higher revision is said, once for each record, and nothing else is.
    assert {letter.reason for letter in letters} == {"older-revision"}
