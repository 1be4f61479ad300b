"""State after a set of events does not depend on their order, their repetition or the cut of the batches."""

from __future__ import annotations

import pytest

from tests.oracle.generator import Sizes, generate, shuffled
from tests.oracle.oracle import expect
from tests.oracle.promises import broken_promises
from tests.oracle.readings import differences, figures
from tests.stages.driver import Faults, Lane

SMALL = Sizes(tournaments=12, entrants=8, rounds=4, players=40)
# Every kind of tournament comes in every stream; each seed draws other disturbances.
SEEDS = range(1, 5)


def told(lane, expected):
    """The differences from the one-pass calculation, short enough to read."""
    topics = lane.read()
    found = (*differences(topics, expected), *broken_promises(topics, lane.partitions))
    return [sentence[:1200] for _, sentence in found][:3]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("order", ["arrival", "reverse", "shuffled"])
def test_the_outcome_is_the_one_pass_calculation_in_any_order(seed, order):
    events = generate(seed, SMALL)
    orders = {"arrival": events, "reverse": events[::-1], "shuffled": shuffled(events, seed)}
    lane = Lane(partitions=2, seed=seed).feed(orders[order])
    assert told(lane, expect(events)) == []


@pytest.mark.parametrize("most", [1, 7, 5000])
def test_the_outcome_does_not_depend_on_the_cut_of_the_batches(most):
    events = generate(20, SMALL)
    lane = Lane(seed=most, most=most).feed(events)
    assert told(lane, expect(events)) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_fed_twice_and_shuffled_is_fed_once(seed):
    events = generate(seed, SMALL)
    once = Lane(seed=seed).feed(events)
    twice = Lane(seed=seed).feed(events).feed(shuffled(events, seed))
    assert figures(twice.read()) == figures(once.read())
    assert told(twice, expect(events)) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_repeated_log_says_nothing_new(seed):
    lane = Lane(seed=seed).feed(generate(seed, SMALL))
    said = [len(lane.all(topic)) for topic in ("live-ratings", "rated-games", "dead-letters")]
    lane.rewind(1.0)
    assert [len(lane.all(topic)) for topic in ("live-ratings", "rated-games", "dead-letters")] == said
    assert told(lane, expect(generate(seed, SMALL))) == []


@pytest.mark.parametrize("seed", range(1, 7))
def test_crashes_between_the_barriers_change_nothing(seed):
    events = generate(seed, SMALL)
    lane = Lane(partitions=2, seed=seed, most=15, faults=Faults(crash=0.15, drop=0.1)).feed(events)
    assert lane.bitten > 10
    assert told(lane, expect(events)) == []


@pytest.mark.parametrize("seed", range(1, 7))
def test_a_zombie_that_writes_late_changes_nothing(seed):
    events = generate(seed, SMALL)
    lane = Lane(partitions=2, seed=seed, most=15, faults=Faults(zombie=0.2)).feed(events)
    assert lane.bitten > 5
    assert told(lane, expect(events)) == []


@pytest.mark.parametrize("seed", range(1, 7))
def test_crashes_and_zombies_together_change_nothing(seed):
    events = shuffled(generate(seed, SMALL), seed)
    faults = Faults(crash=0.1, drop=0.05, zombie=0.1)
    lane = Lane(partitions=2, seed=seed, most=15, faults=faults).feed(events)
    assert told(lane, expect(events)) == []
