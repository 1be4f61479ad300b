from __future__ import annotations

import pytest
from aiokafka.partitioner import murmur2 as aiokafka_murmur2
from hypothesis import given
from hypothesis import strategies as st

from elowire.contracts import topics
from elowire.contracts.events import INPUTS
from elowire.contracts.outputs import OUTPUTS

DAY = 86_400_000


@given(st.binary(max_size=200))
def test_murmur2_is_the_clients(data):
    assert topics.murmur2(data) == aiokafka_murmur2(data) & 0xFFFFFFFF


# Figures of Apache Kafka's own UtilsTest.testMurmur2 (official), as unsigned numbers.
@pytest.mark.parametrize(
    ("key", "hashed"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_murmur2_gives_kafkas_published_figures(key, hashed):
    assert topics.murmur2(key) == hashed & 0xFFFFFFFF


@given(st.binary(min_size=1, max_size=50), st.integers(1, 200))
def test_partition_is_one_of_them(key, partitions):
    assert 0 <= topics.partition_of(key, partitions) < partitions


def test_catalogue_holds_the_topics_of_the_contract():
    assert [topic.name for topic in topics.CATALOGUE] == [
        "game-results",
        "tournament-events",
        "rating-lists",
        "player-events",
        "live-ratings",
        "rated-games",
        "tournament-ratings",
        "reconciliations",
        "dead-letters",
        "elowire-tournaments-changelog",
        "elowire-players-changelog",
    ]


@pytest.mark.parametrize(
    ("name", "cleanup", "retention"),
    [
        ("game-results", "delete", "-1"),
        ("tournament-events", "delete", "-1"),
        ("rating-lists", "compact", None),
        ("player-events", "delete", str(30 * DAY)),
        ("live-ratings", "compact", None),
        ("rated-games", "compact,delete", str(400 * DAY)),
        ("tournament-ratings", "delete", str(30 * DAY)),
        ("reconciliations", "delete", str(400 * DAY)),
        ("dead-letters", "delete", str(90 * DAY)),
        ("elowire-tournaments-changelog", "compact", None),
        ("elowire-players-changelog", "compact", None),
    ],
)
def test_topic_is_kept_as_the_contract_says(name, cleanup, retention):
    config = topics.topic_named(name).config(min_insync=1)

    assert config["cleanup.policy"] == cleanup
    assert config.get("retention.ms") == retention


def test_live_ratings_keep_every_version_for_thirty_days():
    assert topics.LIVE_RATINGS.config(min_insync=1)["min.compaction.lag.ms"] == str(30 * DAY)


@pytest.mark.parametrize("topic", [topics.TOURNAMENTS_CHANGELOG, topics.PLAYERS_CHANGELOG])
def test_changelogs_give_a_zombie_ten_minutes(topic):
    config = topic.config(min_insync=2)

    assert config["min.compaction.lag.ms"] == "600000"
    assert config["segment.bytes"] == str(16 << 20)


def test_dead_letters_take_what_the_inputs_may_carry_and_more():
    limits = {topic.name: int(topic.config(min_insync=1)["max.message.bytes"]) for topic in topics.CATALOGUE}

    assert limits.pop("dead-letters") == 4 << 20
    assert set(limits.values()) == {1 << 20}


@pytest.mark.parametrize("topic", topics.CATALOGUE, ids=lambda topic: topic.name)
def test_no_topic_loses_records_to_an_unclean_leader(topic):
    config = topic.config(min_insync=2)

    assert config["unclean.leader.election.enable"] == "false"
    assert config["min.insync.replicas"] == "2"


def test_every_event_type_travels_on_exactly_one_topic():
    stated = {entry.name: entry.topic for entry in INPUTS} | {entry.name: entry.topic for entry in OUTPUTS}
    listed = {name: topic for topic in topics.CATALOGUE for name in topic.types}

    assert stated == listed


def test_unknown_topic_is_answered_with_the_known_ones():
    with pytest.raises(
        KeyError, match=r"'game-result' is not in the catalogue; known topics: game-results, "
    ):
        topics.topic_named("game-result")


def test_rated_game_is_keyed_by_player_and_game():
    assert topics.rated_game_key("2020009", "r1/b1") == b"2020009/r1/b1"
