"""Records that compress well and are larger than the processor could send on: told, and nobody is stopped."""

from __future__ import annotations

import pytest

from elowire.contracts.dead_letters import read_dead_letter
from elowire.contracts.topics import MIB, partition_of
from tests.broker.acceptance.programs import wait_until
from tests.broker.acceptance.rows import LIVE_OF_LOSER, LIVE_OF_WINNER, Event
from tests.broker.acceptance.topics import live, read, send

pytestmark = pytest.mark.broker
RATED_S = 60


@pytest.fixture(scope="module")
def processor(processors):
    # Topics as the catalogue has them: the broker looks at the compressed size alone.
    return processors(prefix="large-")


def another_partition(event, processor):
    return (partition_of(event.id.encode(), processor.partitions) + 1) % processor.partitions


BAD = {
    "large-value": lambda event, _: event.game()._replace(value=b" " * (9 * MIB // 2)),
    "large-value-in-the-wrong-partition": lambda event, processor: event.game()._replace(
        value=b" " * (9 * MIB // 2), partition=another_partition(event, processor)
    ),
    "large-key": lambda event, _: event.game()._replace(key=b"k" * (2 * MIB)),
    "large-key-and-value": lambda event, _: event.game()._replace(
        key=b"k" * (2 * MIB), value=b" " * (5 * MIB // 2)
    ),
    "large-header": lambda event, _: event.game()._replace(
        value=b"", headers=[*event.game().headers, ("x-notes", b"n" * (9 * MIB // 2))]
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_the_good_game_beside_it_is_rated(processor, name):
    event = Event(name)
    bad = BAD[name](event, processor)
    topic = f"{processor.prefix}dead-letters"
    before = len(read(processor.bootstrap, topic))
    send(processor.bootstrap, [*event.opening(), bad, event.good_game()], prefix=processor.prefix)

    def ratings():
        found = live(processor.bootstrap, prefix=processor.prefix)
        return [found[one]["standard"]["live"] for one in (event.white, event.black) if one in found]

    def rated():
        assert processor.process.poll() is None, processor.err
        return ratings() == [LIVE_OF_WINNER, LIVE_OF_LOSER] and len(read(processor.bootstrap, topic)) > before

    wait_until(rated, RATED_S, lambda: processor.err)
    letters = [read_dead_letter(record.headers) for record in read(processor.bootstrap, topic)]

    assert len(letters) == before + 1
    assert letters[-1].topic == f"{processor.prefix}game-results"
