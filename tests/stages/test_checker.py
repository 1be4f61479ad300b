"""The checker that judges real brokers, over topics made in memory: green when all is well, red when not."""

from __future__ import annotations

from functools import lru_cache

import orjson
import pytest

from tests.broker.check.verdict import violations
from tests.oracle.generator import Sizes, generate
from tests.stages.driver import CALM, Faults, Lane

SMALL = Sizes(tournaments=12, entrants=8, rounds=3, players=40)
PARTITIONS = 2


@lru_cache
def fed(seed, faults):
    lane = Lane(partitions=PARTITIONS, seed=seed, most=15, faults=faults).feed(generate(seed, SMALL))
    assert lane.bitten > 5 or faults == CALM
    return lane


def topics_of(seed=3, **faults):
    """The topics after a run, in lists of their own."""
    return fed(seed, Faults(**faults)).read()


def red(topics):
    """The first violation; the checker must have found one."""
    found = violations(topics, PARTITIONS)
    assert found
    return found[0]


@pytest.mark.parametrize("seed", range(1, 4))
def test_it_is_green_after_crashes_dropped_batches_and_zombies(seed):
    assert violations(topics_of(seed, crash=0.1, drop=0.05, zombie=0.1), PARTITIONS) == []


@pytest.mark.parametrize("guard_off", ["outputs-first", "commit-last", "newest-wins"])
def test_a_missing_guard_of_the_engine_turns_it_red(guard_off):
    topics = topics_of(crash=0.15, zombie=0.2 if guard_off == "newest-wins" else 0.0, guard_off=guard_off)
    assert red(topics)


def without(topics, topic, number=-1):
    return {**topics, topic: topics[topic][:number] + topics[topic][number + 1 :]}


@pytest.mark.parametrize("share", [0, 0.5, 0.99])
@pytest.mark.parametrize("topic", ["live-ratings", "dead-letters", "reconciliations"])
def test_one_missing_output_turns_it_red(topic, share):
    topics = topics_of()
    assert red(without(topics, topic, int(share * len(topics[topic]))))


def test_a_missing_side_turns_it_red():
    topics = topics_of()
    sides = {}
    for number, record in enumerate(topics["player-events"]):
        event = orjson.loads(record.value)
        if event["t"] == "side" and event.get("f") is None:
            sides[record.key, event["g"]] = number
    assert red(without(topics, "player-events", max(sides.values())))


def test_another_content_under_one_version_turns_it_red():
    topics = topics_of()
    last = topics["live-ratings"][-1]
    data = orjson.loads(last.value)
    data["changed"] = ["rapid"] if data["changed"] == ["blitz"] else ["blitz"]
    topics["live-ratings"].append(last._replace(value=orjson.dumps(data)))
    assert "has two contents" in "".join(violations(topics, PARTITIONS))


def test_an_output_without_cause_turns_it_red_and_shows_the_timeline():
    topics = topics_of()
    last = topics["live-ratings"][-1]
    data = orjson.loads(last.value)
    data["version"] += 1
    name = f"{data['player_id']}:{data['version']}".encode()
    headers = [(k, name if k == "ce_id" else v) for k, v in last.headers]
    topics["live-ratings"].append(last._replace(value=orjson.dumps(data), headers=headers))
    first = red(topics)
    assert "does not follow from the player's log" in first
    assert "\n  2025-10" in first


def test_an_input_that_nobody_accounted_for_turns_it_red():
    topics = topics_of()
    spoilt = topics["game-results"][-1]
    topics["game-results"].append(spoilt._replace(value=b"not json", offset=spoilt.offset + 1))
    assert "expected in the dead letters for not-json" in red(topics)


def test_a_stale_last_state_turns_it_red():
    topics = topics_of()
    first, second = (b"\x01" + orjson.dumps({"s": s, "d": {}}) for s in (1, 2))
    record = topics["game-results"][-1]
    topics["elowire-players-changelog"] = [
        record._replace(key=b"1", value=second),
        record._replace(key=b"1", value=first),
    ]
    assert "though 2 was written" in red(topics)
