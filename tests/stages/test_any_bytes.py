"""Nothing raises, whatever the bytes are: every record becomes an effect or a dead letter."""

from __future__ import annotations

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from elowire.contracts.envelope import input_record
from elowire.contracts.topics import partition_of
from elowire.processor.first import First
from tests.oracle.events import entrant, game, published, reported, tournament
from tests.oracle.promises import broken_promises
from tests.oracle.readings import dead_letters
from tests.stages.driver import Lane
from tests.stages.scene import Scene

TOPICS = ("tournament-events", "game-results", "rating-lists", "player-events")
KEYS = st.none() | st.binary(max_size=12) | st.sampled_from([b"t", b"1"])
NAMES = ["ce_id", "ce_type", "ce_time", "ce_specversion", "ce_source", "content-type", "traceparent"]
HEADERS = st.lists(st.tuples(st.sampled_from(NAMES), st.binary(max_size=20)), max_size=6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
VALUES = (
    st.none()
    | st.binary(max_size=40)
    | JSON.map(lambda value: orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS) if _fits(value) else b"{}")
)
AT_TOTAL = First._fields.index("total")
MANY = settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])


def _fits(value):
    try:
        orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError):
        return False
    return True


def _every_record_is_accounted_for(lane):
    strays = sum(
        bool(record.key) and record.partition != partition_of(record.key, lane.partitions)
        for topic in TOPICS
        for record in lane.all(topic)
    )
    return len(lane.all("dead-letters")) + strays


@MANY
@given(st.sampled_from(TOPICS), KEYS, VALUES, HEADERS)
def test_any_record_in_any_topic(topic, key, value, headers):
    lane = Lane(partitions=2)
    lane.append(topic, 0, key, value, headers)
    lane.run()
    assert _every_record_is_accounted_for(lane) >= 1


GOOD = [
    tournament(system="round-robin", edition="2009-draft", status="finished"),
    entrant("1", 2000, 20),
    entrant("2", unrated=True),
    game("g", "1", "2", "1/2-1/2", round=1),
    reported("1", "0.50"),
    published("1", "2025-10", 2000, 20),
]


@st.composite
def broken(draw, value):
    """A good body with one member taken out or replaced by anything."""
    body = orjson.loads(value)
    at, name = body, draw(st.sampled_from(sorted(body)))
    while isinstance(at[name], dict) and at[name] and draw(st.booleans()):
        at, name = at[name], draw(st.sampled_from(sorted(at[name])))
    if draw(st.booleans()):
        del at[name]
    else:
        at[name] = draw(JSON.filter(_fits))
    return orjson.dumps(body)


@MANY
@given(st.data())
def test_input_events_with_any_member_broken(data):
    scene = Scene(partitions=2)
    events = data.draw(st.permutations(GOOD))
    for number, event in enumerate(events):
        record = input_record(event, event_id=f"b{number}", source="tests")
        value = data.draw(broken(record.value)) if data.draw(st.booleans()) else record.value
        at = partition_of(record.key, 2)
        scene.lane.append(record.topic, at, record.key, value, record.headers)
    scene.lane.run()
    assert list(broken_promises(scene.lane.read(), 2)) == []


@MANY
@given(st.data())
def test_player_events_of_another_shape_are_refused_and_stop_nothing(data):
    source = Lane().feed([(f"e{number}", event) for number, event in enumerate(GOOD)])
    record = data.draw(st.sampled_from(source.all("player-events")))
    lane = Lane()
    lane.append("player-events", 0, record.key, data.draw(broken(record.value)))
    lane.append("player-events", 0, b"77", source.all("player-events")[-1].value)
    lane.run()
    refused = set(dead_letters(lane.read()).values())
    assert refused <= {"unprocessable"}


def test_a_side_of_another_shape_loses_nothing_beside_it():
    scene = Scene().say(tournament(), entrant("1", 2000, 20), entrant("2", 2000, 20))
    scene.lane.append("player-events", 0, b"1", b'{"t":"side"}')
    scene.say(game("g", "1", "2", "1-0"))
    scene.lane.append("player-events", 0, b"1", b'{"t":"side","g":"t:x","T":"t"}')
    scene.lane.append("player-events", 0, b"1", b'{"t":"first","T":"t","f":[1]}')
    scene.say(game("h", "1", "2", "1-0"))
    assert scene.change("1") == "20.00"
    assert scene.dead() == ["unprocessable"] * 3


@pytest.mark.parametrize("total", [[1, 0], [0, 0], [], [1e400, 1], ["1", 1]])
def test_a_first_rating_of_impossible_points_is_refused(total):
    scene = Scene().say(
        tournament(edition="2024-03", status="finished"), entrant("1", 2000, 20), entrant("2", unrated=True)
    )
    scene.say(game("g", "1", "2", "0-1"))
    good = scene.lane.all("player-events")
    first = next(orjson.loads(r.value) for r in reversed(good) if orjson.loads(r.value)["t"] == "first")
    first["f"][0] += 1
    first["f"][AT_TOTAL] = total
    before = scene.rating("2")
    scene.lane.append("player-events", partition_of(b"2", scene.lane.partitions), b"2", orjson.dumps(first))
    scene.lane.run()
    assert scene.dead() == ["unprocessable"]
    assert scene.rating("2") == before
