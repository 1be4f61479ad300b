"""Each kind of bad input at the stages: a dead letter that says what to do, and nothing lost beside it."""

from __future__ import annotations

import orjson
import pytest

from elowire.contracts.envelope import encode_headers, input_record
from elowire.contracts.topics import partition_of
from tests.oracle.events import entrant, game, published, tournament
from tests.oracle.promises import broken_promises
from tests.oracle.readings import dead_letters
from tests.stages.driver import Lane
from tests.stages.scene import Scene

GAME = "elowire.game-result.v1"


def spoilt(change=None, *, value=None, key=b"t", type_=GAME, topic="game-results", headers=None):
    """One bad record in the middle of good ones; returns what became of it."""
    scene = Scene().say(tournament(), entrant("1", 2000, 20), entrant("2", 2000, 20))
    if value is None:
        body = orjson.loads(game("bad", "1", "2", "1-0").model_dump_json(exclude_none=True))
        body |= change or {}
        value = orjson.dumps(body)
    sent = headers if headers is not None else encode_headers(type_, event_id="bad", source="tests")
    scene.lane.append(topic, 0, key, None if value == b"tombstone" else value, sent)
    scene.say(game("good", "1", "2", "1-0"))
    # Nothing beside it is lost.
    assert scene.change("1") == "10.00"
    assert list(broken_promises(scene.lane.read(), 1)) == []
    assert len(scene.dead()) == 1
    said = scene.dead_letter()
    record = scene.lane.all("dead-letters")[-1]
    assert (record.key, record.value) == (key, None if value == b"tombstone" else value)
    assert said["advice"]
    return said


@pytest.mark.parametrize(
    ("change", "field"),
    [
        pytest.param({"status": "finished"}, "status", id="unknown status"),
        pytest.param({"result": "2-0"}, "result", id="unknown result word"),
        pytest.param({"revision": "1"}, "revision", id="wrong type"),
        pytest.param({"white": {"player_id": "2"}}, "black", id="both colours the same player"),
        pytest.param({"white": {"player_id": "1", "rating": -5}}, "white.rating", id="negative rating"),
        pytest.param({"white": {"player_id": "1", "k": 0}}, "white.k", id="K 0"),
        pytest.param({"played_on": "1901-01-01"}, "played_on", id="date outside every edition"),
        pytest.param({"colour": "red"}, "colour", id="unknown field"),
    ],
)
def test_a_field_that_is_not_as_agreed_is_named(change, field):
    said = spoilt(change)
    assert (said["reason"], said["field"]) == ("invalid-field", field)
    assert said["expected"]


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        pytest.param({"value": b"{half"}, "not-json", id="not JSON"),
        pytest.param({"value": b""}, "not-json", id="empty"),
        pytest.param({"value": b"\xff\xfe{}"}, "not-utf8", id="not UTF-8"),
        pytest.param({"value": b"tombstone"}, "tombstone", id="tombstone"),
        pytest.param({"key": b""}, "missing-key", id="empty key"),
        pytest.param({"key": None}, "missing-key", id="no key"),
        pytest.param({"key": b"other"}, "key-mismatch", id="key that does not match the body"),
        pytest.param({"type_": "elowire.game-result.v2"}, "unknown-version", id="unknown version"),
        pytest.param({"type_": "elowire.weather.v1"}, "unknown-type", id="unknown type"),
        pytest.param({"topic": "tournament-events"}, "wrong-topic", id="wrong topic"),
        pytest.param({"headers": [("ce_type", GAME.encode())]}, "missing-attribute", id="no event id"),
        pytest.param({"value": b" " * (2 << 20)}, "too-large", id="2 MB"),
    ],
)
def test_a_record_that_is_no_event_keeps_its_bytes(facts, reason):
    assert spoilt(**facts)["reason"] == reason


def test_a_record_beyond_what_a_dead_letter_can_carry_is_cut_and_its_place_named():
    scene = Scene().say(tournament())
    value = b"x" * (5 << 20)
    scene.lane.append("game-results", 0, b"t", value)
    scene.lane.run()
    kept = scene.lane.all("dead-letters")[0]
    assert kept.key == b"t"
    assert 0 < len(kept.value) < 4 << 20
    assert value.startswith(kept.value)
    said = scene.dead_letter()
    assert int(said["cut-from"]) >= len(value)
    assert (said["topic"], said["partition"], said["offset"]) == ("game-results", "0", "0")


class TestRevisions:
    @pytest.fixture
    def scene(self):
        return Scene().say(tournament(), entrant("1", 2000, 20), entrant("2", 2000, 20))

    def test_a_revision_lower_than_known(self, scene):
        scene.say(game("g", "1", "2", "1-0", revision=5), game("g", "1", "2", "0-1", revision=4))
        said = scene.dead_letter()
        assert (said["reason"], said["field"]) == ("older-revision", "revision")
        assert scene.change("1") == "10.00"
        scene.holds()

    def test_two_contents_at_one_revision(self, scene):
        scene.say(game("g", "1", "2", "1-0"), game("g", "1", "2", "0-1"))
        assert scene.dead_letter()["reason"] == "revision-conflict"
        assert scene.change("1") == "-10.00"  # the greater event id, in any order
        scene.holds()

    @pytest.mark.parametrize(
        "event",
        [tournament(name="Other", revision=0), entrant("1", 1990, 20, revision=0)],
        ids=["tournament", "entrant"],
    )
    def test_of_tournaments_and_entrants_too(self, scene, event):
        scene.say(event)
        assert scene.dead() == ["older-revision"]
        scene.holds()

    def test_a_result_for_an_annulled_game(self, scene):
        scene.say(game("g", "1", "2", "1-0"), game("g", "1", "2", "1-0", revision=3, status="annulled"))
        scene.say(game("g", "1", "2", "1-0", revision=2))
        assert scene.dead() == ["older-revision"]
        assert scene.change("1") == "0.00"
        scene.holds()

    def test_repeated_they_say_the_same_once_more_at_most(self, scene):
        scene.say(game("g", "1", "2", "1-0", revision=5), game("g", "1", "2", "0-1", revision=4))
        scene.repeat(3, 4)
        assert len(scene.dead()) == 1
        scene.holds()


class TestUnknown:
    """Not refused: they wait in sight."""

    def test_an_unknown_tournament(self):
        scene = Scene().say(game("g", "1", "2", "1-0"))
        assert scene.dead() == []
        assert scene.rated_game("1", "g")["refusal"] == "unknown-tournament"

    def test_a_game_before_its_entrant(self):
        scene = Scene().say(tournament(), game("g", {"entrant_id": "n1"}, "2", "1-0"))
        assert scene.dead() == []
        assert scene.rated_game("2", "g")["refusal"] == "unresolved-entrant"


class TestTwiceInARound:
    @pytest.fixture
    def scene(self):
        scene = Scene().say(tournament(), *(entrant(str(n), 2000, 20) for n in range(1, 5)))
        return scene.say(game("a", "1", "2", "1-0", round=1))

    def test_the_second_game_is_refused_and_names_the_first(self, scene):
        scene.say(game("b", "1", "3", "1-0", round=1))
        said = scene.dead_letter()
        assert (said["reason"], said["field"]) == ("player-twice-in-round", "round")
        assert "game a" in said["detail"]
        assert (scene.change("1"), scene.change("3")) == ("10.00", None)

    def test_two_games_of_a_pair_in_one_round_are_a_double_round(self, scene):
        scene.say(game("b", "2", "1", "1-0", round=1))
        assert (scene.dead(), scene.change("1")) == ([], "0.00")
        scene.holds()

    def test_an_annulled_game_makes_room(self, scene):
        scene.say(game("a", "1", "2", "1-0", round=1, status="annulled", revision=2))
        scene.say(game("b", "1", "3", "1-0", round=1))
        assert scene.dead() == []
        scene.holds()

    def test_another_round_is_no_clash(self, scene):
        scene.say(game("b", "1", "3", "1-0", round=2), game("c", "1", "4", "1-0"))
        assert scene.dead() == []
        scene.holds()


class TestRouting:
    def test_a_record_in_the_wrong_partition_is_sent_on_once_and_counts_once(self):
        lane = Lane(partitions=4)
        lane.feed([("e1", tournament()), ("e2", entrant("1", 2000, 20)), ("e3", entrant("2", 2000, 20))])
        record = input_record(game("g", "1", "2", "1-0"), event_id="e4", source="tests")
        wrong = (partition_of(record.key, 4) + 1) % 4
        lane.append(record.topic, wrong, record.key, record.value, record.headers)
        lane.run()
        home = lane.topics["game-results"][partition_of(record.key, 4)]
        assert [(r.key, r.value, r.headers) for r in home] == [(record.key, record.value, record.headers)]
        assert len(lane.all("live-ratings")) == 2
        assert dead_letters(lane.read()) == {}

    def test_a_bad_record_in_the_wrong_partition_has_one_dead_letter(self):
        lane = Lane(partitions=4)
        wrong = (partition_of(b"t", 4) + 1) % 4
        lane.append("game-results", wrong, b"t", b"not json")
        lane.run()
        assert len(lane.all("dead-letters")) == 1


class TestPlayerEvents:
    """The internal topic: whoever else writes to it is told so, and stops nothing."""

    @pytest.mark.parametrize("value", [None, b"", b"[]", b'{"t":"other"}', b"\xff", b'"side"'], ids=repr)
    def test_what_the_stages_did_not_write(self, value):
        lane = Lane()
        lane.append("player-events", 0, b"1", value)
        lane.run()
        assert list(dead_letters(lane.read()).values()) == ["unprocessable"]

    def test_without_a_key(self):
        lane = Lane()
        lane.append("player-events", 0, None, b'{"t":"side"}')
        lane.run()
        assert list(dead_letters(lane.read()).values()) == ["unprocessable"]


def test_lists_stage_refuses_and_names_the_field():
    lane = Lane()
    body = orjson.dumps({"player_id": "1", "list": "2025-13", "revision": 1})
    headers = encode_headers("elowire.published-rating.v1", event_id="l", source="tests")
    lane.append("rating-lists", 0, b"1", body, headers)
    lane.feed([("l2", published("1", "2025-10", 2000, 20))])
    assert list(dead_letters(lane.read()).values()) == ["invalid-field"]
    assert len(lane.all("player-events")) == 1
