"""Bad records on a real broker: each is told with its place and what to do; what is beside it is rated."""

from __future__ import annotations

import pytest

from elowire.contracts.dead_letters import original_headers, read_dead_letter
from elowire.contracts.topics import partition_of
from tests.broker.acceptance.programs import wait_until
from tests.broker.acceptance.rows import LIVE_OF_LOSER, LIVE_OF_WINNER, ROWS, TWO_MB, Event
from tests.broker.acceptance.topics import live, read, send, settle, values

pytestmark = pytest.mark.broker
RATED_S = 60


class World:
    """One processor, and the dead letters that the tests have accounted for."""

    def __init__(self, processor):
        self.processor, self.bootstrap = processor, processor.bootstrap
        self.known = set()

    def send(self, *records):
        send(self.bootstrap, records)

    def live(self, *players):
        """The live ratings, None for a player without one."""
        found = live(self.bootstrap)
        return tuple(found[player]["standard"]["live"] if player in found else None for player in players)

    def rates(self, players, wanted):
        wait_until(
            lambda: self.live(*players) == wanted,
            RATED_S,
            lambda: f"{self.live(*players)} is {wanted}; {self.processor.err[-3000:]}",
        )

    def new_letters(self, count):
        """The letters since the last question, which must be `count`."""

        def new():
            return [
                r for r in read(self.bootstrap, "dead-letters") if (r.partition, r.offset) not in self.known
            ]

        if count:
            wait_until(lambda: len(new()) >= count, RATED_S, lambda: f"{count} letters, not {new()}")
        found = new()
        self.known |= {(record.partition, record.offset) for record in found}
        assert [read_dead_letter(record.headers) for record in found][count:] == []
        return found

    def sides(self, game_id, tournament_id):
        """What was published of a game's sides, in order."""
        return [
            one
            for one in values(self.bootstrap, "rated-games")
            if (one["game_id"], one["tournament_id"]) == (game_id, tournament_id)
        ]


@pytest.fixture(scope="module")
def world(processors):
    # Somebody has raised what the topic takes: the broker no longer refuses what is too large.
    return World(processors(largest={"game-results": 2 * TWO_MB}))


@pytest.mark.parametrize("name", ROWS)
def test_a_dead_letter_tells_and_the_good_game_beside_it_is_rated(world, name):
    row, event = ROWS[name], Event(name)
    bad = row.bad(event)
    world.send(*event.opening(), *row.before(event), bad, event.good_game())

    world.rates((event.white, event.black), (LIVE_OF_WINNER, LIVE_OF_LOSER))
    (record,) = world.new_letters(1)
    letter = read_dead_letter(record.headers)

    assert (letter.reason, letter.field) == (row.reason, row.field)
    assert row.detail in letter.detail
    assert row.expected in letter.expected
    assert row.advice in letter.advice
    assert (record.key, record.value) == (bad.key, bad.value)
    assert original_headers(record.headers) == list(bad.headers)
    stood = world_record(world, letter)
    assert (stood.key, stood.value, list(stood.headers)) == (bad.key, bad.value, list(bad.headers))
    assert world.live(event.third) == (row.left,)


def world_record(world, letter):
    """The record that the letter says it is about."""
    return next(
        record
        for record in read(world.bootstrap, letter.topic)
        if (record.partition, record.offset) == (letter.partition, letter.offset)
    )


def test_a_record_in_the_wrong_partition_goes_to_its_own_and_counts_once(world):
    event, partitions = Event("wrong-partition"), world.processor.partitions
    own = partition_of(event.id.encode(), partitions)
    before = world.processor.metric("elowire_processor_effects_total", effect="rerouted")
    astray = event.game()._replace(partition=(own + 1) % partitions)
    world.send(*event.opening(), astray, event.good_game())

    world.rates((event.white, event.black), (LIVE_OF_WINNER, LIVE_OF_LOSER))
    world.rates((event.third, event.fourth), (LIVE_OF_WINNER, LIVE_OF_LOSER))
    counted = [live(world.bootstrap)[player] for player in (event.third, event.fourth)]
    again = [r for r in read(world.bootstrap, "game-results") if r.value == astray.value]

    assert sorted(r.partition for r in again) == sorted([own, (own + 1) % partitions])
    assert {tuple(r.headers) for r in again} == {tuple(astray.headers)}
    assert {one["version"] for one in counted} == {1}
    assert {one["standard"]["pending_games"] for one in counted} == {1}
    assert world.processor.metric("elowire_processor_effects_total", effect="rerouted") == before + 1
    assert world.new_letters(0) == []


def test_a_game_of_an_unknown_tournament_waits_where_it_can_be_seen_and_is_rated_when_it_comes(world):
    event = Event("unknown-tournament")
    world.send(event.game())
    wait_until(lambda: len(world.sides("g1", event.id)) == 2, RATED_S, "two sides of the waiting game")
    waiting = world.sides("g1", event.id)
    world.send(*event.opening(), event.good_game())
    world.rates((event.third, event.fourth), (LIVE_OF_WINNER, LIVE_OF_LOSER))
    world.rates((event.white, event.black), (LIVE_OF_WINNER, LIVE_OF_LOSER))

    assert {(one["refusal"], one["status"], one["delta"]) for one in waiting} == {
        ("unknown-tournament", "pending", None)
    }
    assert {one["player_id"]: one["delta"] for one in world.sides("g1", event.id)} == {
        event.third: "0.36",
        event.fourth: "-0.36",
    }
    assert world.new_letters(0) == []


def test_a_game_before_its_entrants_waits_and_is_rated_when_they_come(world):
    event = Event("unknown-entrants")
    world.send(event.tournament(), event.game())
    wait_until(lambda: len(world.sides("g1", event.id)) == 2, RATED_S, "two sides of the waiting game")
    waiting = world.sides("g1", event.id)
    world.send(*event.entrants(), event.good_game())
    world.rates((event.third, event.fourth), (LIVE_OF_WINNER, LIVE_OF_LOSER))
    world.rates((event.white, event.black), (LIVE_OF_WINNER, LIVE_OF_LOSER))

    assert {(one["refusal"], one["status"], one["delta"]) for one in waiting} == {
        ("unresolved-rating", "pending", None)
    }
    assert world.new_letters(0) == []


def test_in_the_end_nothing_else_is_among_the_dead_letters(world):
    settle(world.processor)

    assert world.new_letters(0) == []
    assert world.processor.process.poll() is None
