"""Too many refused records end the process before they are poured away; what is usual does not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import orjson
import pytest
from aiokafka.structs import TopicPartition

from elowire.contracts.dead_letters import DeadLetterReason
from elowire.processor.batches import Decided
from elowire.processor.limit import DeadLetterLimit
from elowire.processor.lists import ListsStage
from tests.fakes.member import PATIENT, Member, Stopped, until_done
from tests.fakes.world import World

LISTS = TopicPartition("rating-lists", 0)


def batch(records, refused=0, reason=DeadLetterReason.NOT_JSON):
    return Decided("test", records=records, counts=Counter({f"dead_letter_{reason}": refused}))


def verdicts(limit, *batches):
    return [limit.exceeded(decided, now) is not None for now, decided in batches]


def test_number_and_share_must_both_be_exceeded():
    assert verdicts(DeadLetterLimit(10, 0.5), (0, batch(100, 11)), (1, batch(0, 0))) == [False, False]
    assert verdicts(DeadLetterLimit(10, 0.5), (0, batch(10, 10))) == [False]
    assert verdicts(DeadLetterLimit(10, 0.5), (0, batch(22, 11))) == [False]
    assert verdicts(DeadLetterLimit(10, 0.5), (0, batch(21, 11))) == [True]


def test_what_is_older_than_a_minute_counts_no_more():
    limit = DeadLetterLimit(10, 0.5)
    assert verdicts(limit, (0, batch(6, 6)), (60, batch(4, 4)), (60.5, batch(2, 2))) == [False, False, False]
    assert verdicts(limit, (61, batch(5, 5))) == [True]


def test_good_records_of_the_same_minute_keep_the_share_down():
    limit = DeadLetterLimit(10, 0.5)
    assert verdicts(limit, (0, batch(100)), (1, batch(60, 60)), (2, batch(50, 50))) == [False, False, True]


@pytest.mark.parametrize("reason", ["older-revision", "revision-conflict"])
def test_superseded_revisions_are_no_loss(reason):
    assert verdicts(DeadLetterLimit(10, 0.5), (0, batch(99, 99, reason))) == [False]


def test_zero_means_no_limit():
    assert verdicts(DeadLetterLimit(0, 0.0), (0, batch(99_999, 99_999))) == [False]


def test_the_reason_names_number_kind_limit_and_what_to_do():
    why = DeadLetterLimit(10, 0.25).exceeded(batch(20, 11), 0)
    assert why.startswith(
        "11 of the last 20 records were refused within 60 s, in the last batch as not-json (11); "
        "the limit is 10 and 25%. Nothing of this batch was written."
    )
    assert "ELOWIRE_DEAD_LETTER_LIMIT" in why


# In the lane.


def member_of(world, limit):
    member = Member(world, [ListsStage(partitions=1)], pace=replace(PATIENT, max_records=100))
    member.lane.limit = limit
    return member


def pour(world, count):
    for _ in range(count):
        world.append(LISTS, b"1503014", b"no event")


@pytest.fixture
def world():
    return World(["rating-lists", "player-events", "dead-letters"], partitions=1)


async def test_a_batch_beyond_the_limit_ends_the_process_and_is_not_written(world):
    pour(world, 6)
    member = member_of(world, DeadLetterLimit(5, 0.5))
    member.join()
    with pytest.raises(Stopped, match="6 of the last 6 records were refused"):
        await member.task
    assert not world.logs[TopicPartition("dead-letters", 0)]
    assert world.offsets.get(LISTS, (0, ""))[0] == 0


async def test_a_restart_stops_at_the_same_record_until_somebody_decides(world):
    pour(world, 6)
    for _ in range(2):
        member = member_of(world, DeadLetterLimit(5, 0.5))
        member.join()
        with pytest.raises(Stopped):
            await member.task
    member = member_of(world, DeadLetterLimit(0))
    member.join()
    await until_done(member, ["rating-lists"])
    letters = world.logs[TopicPartition("dead-letters", 0)]
    assert [letter.value for letter in letters] == [b"no event"] * 6


async def test_below_the_limit_the_letters_go_their_way(world):
    pour(world, 5)
    world.append(LISTS, b"1503014", orjson.dumps({"not": "an event"}))
    member = member_of(world, DeadLetterLimit(6, 0.5))
    member.join()
    await until_done(member, ["rating-lists"])
    assert len(world.logs[TopicPartition("dead-letters", 0)]) == 6
