"""One game per player and round: the verdict on a record is that of the log, whoever reads it and how often.

After a crash records are read again by a process whose table may already be far ahead of them.
"""

from __future__ import annotations

import random

import pytest

from elowire.processor.tournament import TournamentStage
from tests.oracle.events import entrant, game, tournament
from tests.stages.driver import Faults, Lane, Part
from tests.stages.test_two_owners import Log, part_of, take


@pytest.fixture
def log():
    return Log()


def read_again(records, *, durable):
    """The table of who reads `records` again, with what their batch left of its states being durable."""
    part = part_of()
    part.absorb(durable)
    take(part, *records)
    return part.table


def dead(part, *records):
    effects = part.stage.apply(list(records), part.table, part.index, 0)
    part.table.update(effects.puts)
    return [(emit.key, emit.value, emit.headers) for emit in effects.emits if emit.topic == "dead-letters"]


def gone(other_round):
    """How game a makes room in round 1: annulled, or played in another round."""
    facts = {"round": 2} if other_round else {"round": 1, "status": "annulled"}
    return game("a", "1", "2", revision=2, **facts)


class TestARefusedRecordStaysRefused:
    @pytest.mark.parametrize("other_round", [False, True])
    def test_read_again_when_there_is_room(self, log, other_round):
        first = log(game("a", "1", "2", round=1), "a1")
        refused = log(game("b", "1", "3", round=1), "b1")
        part = part_of(first)
        letters = dead(part, refused)
        assert len(letters) == 1
        take(part, log(gone(other_round), "a2"))
        table = dict(part.table)
        assert dead(part, refused) == letters
        assert part.table == table

    def test_sent_anew_it_is_judged_anew(self, log):
        first, refused = log(game("a", "1", "2", round=1), "a1"), log(game("b", "1", "3", round=1), "b1")
        part = part_of(first, refused, log(gone(other_round=False), "a2"))
        assert dead(part, log(game("b", "1", "3", round=1), "b1")) == []
        assert b"t\x1fg\x1fb" in part.table
        # In force now, it is not refused for what it once was.
        table = dict(part.table)
        dead(part, refused)
        assert part.table == table


class TestAnAcceptedRecordStaysAccepted:
    def test_read_again_when_another_has_taken_its_place(self, log):
        records = [
            log(game("b", "1", "3", round=1), "b1"),
            log(game("b", "1", "3", round=2, revision=2), "b2"),
            log(game("a", "1", "2", round=1), "a1"),
        ]
        part = part_of(*records)
        table = dict(part.table)
        assert dead(part, *records) == []
        assert part.table == table


def test_whatever_a_batch_left_the_verdicts_are_those_of_the_first_reading(log):
    """Of a batch a beginning may be durable, in which each game stands as the whole batch left it."""
    records = [
        log(game("b", "1", "3", round=1), "b1"),
        log(game("c", "2", "3", round=1), "c1"),
        log(game("b", "1", "3", round=2, revision=2), "b2"),
        log(game("a", "1", "2", round=1), "a1"),
        log(game("d", "2", "4", round=1), "d1"),
        log(game("b", "1", "3", round=2, revision=3, result="0-1"), "b3"),
        log(gone(other_round=False), "a2"),
        log(game("b", "1", "3", round=1, revision=4), "b4"),
    ]
    part = part_of()
    _, states = take(part, *records)
    assert [key for key, _ in states] == [b"t\x1fg\x1fa", b"t\x1fg\x1fb"]
    for many in range(len(states) + 1):
        assert read_again(records, durable=states[:many]) == part.table


def crowded(seed):
    """Games of a few players who are moved, annulled and put back, so that they meet again and again."""
    chance = random.Random(seed)
    yield "t", tournament()
    for player in "123456":
        yield f"e{player}", entrant(player, 2000, 20)
    for number in range(120):
        white, black = chance.sample("123456", 2)
        facts = {"round": chance.choice([1, 2, 3, None]), "revision": number // 10 + chance.randint(0, 3)}
        if chance.random() < 0.3:
            facts["status"] = "annulled"
        yield f"g{number:03}", game(chance.choice("abcdefgh"), white, black, **facts)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    "faults", [Faults(crash=0.2, drop=0.1), Faults(zombie=0.3), Faults(crash=0.15, drop=0.05, zombie=0.2)]
)
def test_the_table_is_that_of_one_pass_over_the_log(seed, faults):
    lane = Lane(seed=seed, most=9, faults=faults).feed(crowded(seed))
    assert lane.bitten > 3
    once = Part(TournamentStage(partitions=1), 0)
    for topic in once.stage.sources:
        take(once, *lane.topics[topic][0])
    letters = {record.value for record in lane.all("dead-letters")}
    assert len(letters) > 10
    assert next(part for part in lane.parts if part.stage.name == "tournament").table == once.table
