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
KEPT_WHOLE = 3 * MIB


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
def test_it_is_told_and_the_good_game_beside_it_is_rated(processor, name):
    event = Event(name)
    bad = BAD[name](event, processor)
    before = places(letters(processor))
    send(processor.bootstrap, [*event.opening(), bad, event.good_game()], prefix=processor.prefix)

    def ratings():
        found = live(processor.bootstrap, prefix=processor.prefix)
        return [found[one]["standard"]["live"] for one in (event.white, event.black) if one in found]

    def worked_off():
        assert processor.process.poll() is None, processor.err
        return ratings() == [LIVE_OF_WINNER, LIVE_OF_LOSER] and len(letters(processor)) > len(before)

    wait_until(worked_off, RATED_S, lambda: processor.err)
    (record,) = [one for one in letters(processor) if (one.partition, one.offset) not in before]
    size = len(bad.key) + len(bad.value) + sum(len(value) for _, value in bad.headers)

    assert read_dead_letter(record.headers).topic == f"{processor.prefix}game-results"
    if size > KEPT_WHOLE:
        assert dict(record.headers)["elowire-cut-from"] == b"%d" % size
        assert bad.value.startswith(record.value)
        assert bad.key.startswith(record.key)
    else:
        assert (record.key, record.value) == (bad.key, bad.value)


def letters(processor):
    return read(processor.bootstrap, f"{processor.prefix}dead-letters")


def places(records):
    return {(record.partition, record.offset) for record in records}
