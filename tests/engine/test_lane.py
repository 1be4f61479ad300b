"""What the lane does when the world is not as it should be: it goes on right, or ends with a reason."""

from __future__ import annotations

import asyncio
import dataclasses

import orjson
import pytest
from aiokafka.structs import TopicPartition

from elowire.processor.ports import NotOwnerError, RefusedError, Silent
from tests.fakes.member import PATIENT, Member, Stopped, kill, until_done
from tests.fakes.toy import CODEC, TOY_CHANGELOGS, TOY_SOURCES, TOY_TOPICS, SumStage, toy_stages
from tests.fakes.toy_oracle import faults
from tests.fakes.world import World

AMOUNTS, CHANGELOG = TopicPartition("amounts", 0), TopicPartition("amounts-changelog", 0)


@pytest.fixture
def world():
    return World([*TOY_TOPICS, *TOY_CHANGELOGS], partitions=1)


def amount(name, value=1, rev=0):
    return orjson.dumps({"id": name, "rev": rev, "amount": value})


def state(version, **amounts):
    total = sum(value[1] if isinstance(value, list) else value for value in amounts.values())
    return CODEC.encode({"s": version, "total": total, "amounts": amounts})


def fill(world, count=3):
    for n in range(count):
        world.append(AMOUNTS, b"a", amount(f"g{n}"))


async def work(world, **options):
    member = Member(world, [SumStage()], **options)
    member.join()
    await until_done(member, ["amounts"])
    return member


async def reason_of_end(member, *, patience_s=2.0):
    """Return why the member ended itself."""
    async with asyncio.timeout(patience_s):
        with pytest.raises(Stopped) as ended:
            await member.task
    return ended.value.args[0]


# Budgets.


async def test_a_batch_that_is_not_acknowledged_ends_the_process(world):
    fill(world)
    member = Member(world, [SumStage()], pace=dataclasses.replace(PATIENT, batch_s=0.05))
    member.send = lambda _: asyncio.sleep(60)
    member.join()

    assert await reason_of_end(member) == (
        "a batch did not end within 0.05 s: waited for acknowledgement of 2 outputs of sum"
    )


async def test_a_revoke_that_takes_too_long_ends_the_process(world):
    fill(world)
    member = Member(world, [SumStage()], pace=dataclasses.replace(PATIENT, revoke_s=0.05))
    held = asyncio.Event()

    async def never(_):
        held.set()
        await asyncio.sleep(60)

    member.send = never
    member.join()
    await held.wait()
    with pytest.raises(
        Stopped, match=r"revoke did not end within 0\.05 s: waited for acknowledgement of 2 outputs"
    ):
        await member.lane.revoked()
    await kill(member)


async def test_a_refused_record_ends_the_process_and_nothing_is_committed(world):
    fill(world)
    member = Member(world, [SumStage()])

    async def refuse(_):
        raise RefusedError("the broker refused a batch of 2 records for totals/0: too large")

    member.send = refuse
    member.join()

    assert "the lane failed" in await reason_of_end(member)
    assert world.lag(["amounts"]) == 3


async def test_a_stage_that_raises_ends_the_process(world):
    fill(world)
    stage = SumStage()
    stage.apply = lambda *_: 1 / 0
    member = Member(world, [stage])
    member.join()

    assert "the lane failed while it waited for records" in await reason_of_end(member)
    assert world.lag(["amounts"]) == 3


async def test_a_group_that_assigns_nothing_ends_the_process(world):
    member = Member(world, [SumStage()], pace=dataclasses.replace(PATIENT, orphan_s=0.05))
    member.task = asyncio.create_task(member.lane.run())

    assert "no assignment came for 0.05 s: waited for the group coordinator" in await reason_of_end(member)


async def test_partitions_that_were_added_end_the_process(world):
    member = Member(world, [SumStage()])

    with pytest.raises(Stopped, match=r"amounts/1 was assigned, but this processor knows 1 partitions"):
        member.lane.assigned([AMOUNTS, TopicPartition("amounts", 1)])


async def test_states_that_were_made_with_another_number_of_partitions_end_the_process(world):
    fill(world)
    await (await work(world)).leave()
    wider = World([*TOY_TOPICS, *TOY_CHANGELOGS], partitions=2)
    for at in world.logs:
        wider.logs[at] = world.logs[at]
    wider.offsets.update(world.offsets)
    member = Member(wider, [SumStage()])
    member.join()

    assert "the states of sum/0 were made with 1 partitions" in await reason_of_end(member)


async def test_a_worker_without_partitions_rests(world):
    member = Member(world, [SumStage()], pace=dataclasses.replace(PATIENT, orphan_s=0.05))
    member.join([])
    await asyncio.sleep(0.1)

    assert not member.task.done()
    await member.leave()


async def test_a_recovery_that_brings_nothing_ends_the_process(world):
    world.append(CHANGELOG, b"a", state(1))
    member = Member(world, [SumStage()], pace=dataclasses.replace(PATIENT, stall_s=0.05))

    async def nothing(_):
        while True:
            yield {}
            await asyncio.sleep(0.01)

    member.read = nothing
    member.join()

    assert (
        await reason_of_end(member) == "recovery brought nothing for 0.05 s: waited for amounts-changelog/0"
    )


# Assignments.


async def test_a_partition_without_its_sister_ends_the_process(world):
    stage = SumStage()
    stage.sources = ("amounts", "inbox")
    member = Member(world, [stage])
    with pytest.raises(Stopped, match="stage sum got partition 0 without inbox"):
        member.lane.assigned({AMOUNTS})


async def test_an_assignment_without_a_revoke_ends_the_process(world):
    member = Member(world, [SumStage()])
    member.join()
    with pytest.raises(Stopped, match="without a revoke"):
        member.join()
    await kill(member)


async def test_a_forgotten_static_member_ends_the_process(world):
    fill(world)
    member = Member(world, [SumStage()])

    async def forgotten(_):
        raise NotOwnerError("unknown member", forgotten=True)

    member.commit = forgotten
    member.join()

    assert "is its instance id used twice?" in await reason_of_end(member)


async def test_tables_of_partitions_that_stay_are_kept_and_the_others_go():
    world = World([*TOY_TOPICS, *TOY_CHANGELOGS], partitions=2)
    for n in (0, 1):
        world.append(TopicPartition("amounts", n), b"%d" % n, amount("g"))
    member = Member(world, [SumStage()])
    member.join()
    await until_done(member, ["amounts"])
    before = dict(member.lane.parts)
    await member.lane.revoked()
    member.join([1])
    await until_done(member, ["amounts"])

    assert list(member.lane.parts) == [("sum", 1)]
    assert member.lane.parts["sum", 1] is before["sum", 1]
    await member.leave()


async def test_a_rebalance_reads_nothing_of_ones_own_again():
    """However much a member wrote while it was up: its table is in memory, and nobody else has written."""
    world = World([*TOY_TOPICS, *TOY_CHANGELOGS], partitions=2)
    fill(world, 30)
    member = Member(world, [SumStage()])
    member.join()
    await until_done(member, ["amounts"])
    await member.lane.revoked()
    before = len(world.timeline)
    member.join([0])
    await until_done(member, ["amounts"])

    assert len(world.records("amounts-changelog")) >= 15
    assert [what for what in world.timeline[before:] if what[2] == "read"] == []
    await member.leave()


async def test_without_the_groups_offsets_all_is_read_again_and_counts_once(world):
    fill(world, 5)
    await (await work(world)).leave()
    states = world.records("amounts-changelog")
    world.offsets.clear()
    await (await work(world)).leave()

    assert world.records("amounts-changelog") == states
    assert world.lag(["amounts"]) == 0
    assert faults(*(world.records(topic) for topic in ("amounts", *TOY_TOPICS[1:], *TOY_CHANGELOGS))) == []


# Changelogs that do not belong to the offsets.


async def test_a_changelog_that_ends_in_a_hole_is_read_to_its_end(world):
    """As compaction and markers of transactions leave it."""
    world.append(CHANGELOG, b"a", state(1, old=[0, 5]))
    world.skip(CHANGELOG, 2)
    fill(world, 1)
    member = await work(world)

    assert member.lane.parts["sum", 0].table[b"a"] == state(2, old=[0, 5], g0=[0, 1])
    assert world.records("amounts-changelog")[-1].offset == 3
    await member.leave()


async def test_a_truncated_changelog_is_noticed(world):
    fill(world)
    await (await work(world)).leave()
    del world.logs[CHANGELOG][-1]
    member = Member(world, [SumStage()])
    member.join()
    reason = await reason_of_end(member)

    assert "changelog amounts-changelog/0 ends at 1, but records up to 2 were acknowledged" in reason
    assert "To rebuild it from the inputs" in reason


async def test_a_changelog_that_lost_its_beginning_is_noticed(world):
    fill(world)
    await (await work(world)).leave()
    world.firsts[CHANGELOG] = 1
    member = Member(world, [SumStage()])
    member.join()

    assert "changelog amounts-changelog/0 begins at 1: states were deleted" in await reason_of_end(member)


@pytest.mark.parametrize(
    ("topic", "reason"),
    [
        ("amounts-changelog", "changelog amounts-changelog is another topic than the one that was written"),
        ("amounts", "amounts is another topic than the one that was read up to 3 in partition 0"),
    ],
)
async def test_a_topic_that_was_created_again_is_noticed_however_long_it_is(world, topic, reason):
    fill(world)
    await (await work(world)).leave()
    world.ids[topic] = f"{topic}#2"
    member = Member(world, [SumStage()])
    member.join()
    told = await reason_of_end(member)

    assert reason in told
    assert "run `elowire processor --rebuild`" in told


@pytest.mark.parametrize("topic", ["amounts-changelog", "amounts"])
async def test_a_topic_that_is_created_again_at_work_is_noticed(world, topic):
    fill(world)
    member = await work(world)
    world.ids[topic] = f"{topic}#2"

    assert f"{topic} is another topic" in await reason_of_end(member)


async def test_a_changelog_of_other_inputs_is_noticed_without_offsets(world):
    fill(world)
    await (await work(world)).leave()
    world.offsets.clear()
    world.ids["amounts"] = "amounts#2"
    member = Member(world, [SumStage()])
    member.join()
    told = await reason_of_end(member)

    assert "amounts-changelog/0 was made from another amounts (id amounts#1, not amounts#2)" in told


async def test_deleted_offsets_are_made_again_from_the_inputs(world):
    fill(world)
    await (await work(world)).leave()
    before = list(world.logs[CHANGELOG])
    world.offsets.clear()
    await (await work(world)).leave()

    assert world.offsets[AMOUNTS][0] == 3
    assert world.logs[CHANGELOG] == before


@pytest.mark.parametrize(
    "note", ["2", "2 - -", "", "x", "2 amounts-changelog#1", "2 amounts-changelog#1 amounts#1"]
)
async def test_a_note_of_an_older_release_is_understood(world, note):
    fill(world)
    await (await work(world)).leave()
    world.offsets[AMOUNTS] = (3, note)
    await (await work(world)).leave()

    assert world.offsets[AMOUNTS] == (3, "2 amounts-changelog#1 amounts#1 1")


async def test_topics_without_ids_are_taken_as_they_are(world):
    world.ids.clear()
    fill(world)
    await (await work(world)).leave()

    assert world.offsets[AMOUNTS] == (3, "2 - - 1")
    await (await work(world)).leave()


async def test_an_empty_changelog_beside_offsets_of_unknown_origin_is_noticed(world):
    fill(world)
    world.offsets[AMOUNTS] = (2, "")
    member = Member(world, [SumStage()])
    member.join()

    assert "amounts/0 was read up to 2, but changelog amounts-changelog/0 is empty" in await reason_of_end(
        member
    )


async def test_a_changelog_that_saw_more_than_the_source_has_is_noticed(world):
    fill(world)
    await (await work(world)).leave()
    world.logs[AMOUNTS].clear()
    world.offsets.clear()
    member = Member(world, [SumStage()])
    member.join()

    assert "amounts/0 ends at 0, but records up to 3 were read from it" in await reason_of_end(member)


async def test_a_changelog_that_never_had_anything_is_fine(world):
    for _ in range(3):
        world.append(AMOUNTS, b"a", b"not json")
    await (await work(world)).leave()

    assert world.offsets[AMOUNTS] == (3, "0 amounts-changelog#1 amounts#1 1")
    await (await work(world)).leave()


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        pytest.param(b"a", None, "has a record without key or value at 1: not our changelog", id="tombstone"),
        pytest.param(
            None, state(2), "has a record without key or value at 1: not our changelog", id="no-key"
        ),
        pytest.param(
            b"a", state(1, other=5), "has two states of one version for b'a', the second at 1", id="fork"
        ),
    ],
)
async def test_a_foreign_record_in_a_changelog_ends_the_process(world, key, value, reason):
    world.append(CHANGELOG, b"a", state(1))
    world.append(CHANGELOG, key, value)
    member = Member(world, [SumStage()])
    member.join()

    assert reason in await reason_of_end(member)


async def test_an_older_state_after_a_newer_one_is_repaired(world):
    world.append(CHANGELOG, b"a", b'\x01{"s":2,"total":2,"amounts":{}}')
    world.append(CHANGELOG, b"a", b'\x01{"s":1,"total":1,"amounts":{}}')
    await (await work(world)).leave()

    assert world.records("amounts-changelog")[-1].value == b'\x01{"s":2,"total":2,"amounts":{}}'


async def test_a_write_of_somebody_else_is_seen_by_the_audit(world):
    member = await work(world)
    world.append(CHANGELOG, b"z", state(1))
    await until_done(member, ["amounts"])

    assert member.lane.parts["sum", 0].table == {b"z": state(1)}
    await member.leave()


async def test_states_without_a_changelog_end_the_process(world):
    fill(world)
    stage = SumStage()
    stage.changelog = None
    member = Member(world, [stage])
    member.join()

    assert "stage sum put states without having a changelog" in await reason_of_end(member)


# Positions.


async def test_records_that_are_gone_end_the_process(world):
    fill(world)
    member = Member(world, [SumStage()])

    async def later(of):
        return {at: 2 if at == AMOUNTS else 0 for at in of}

    world.offsets[AMOUNTS] = (1, "0")
    member.beginnings = later
    member.join()

    assert "amounts/0 begins at 2, but 1 comes next: records were deleted unread" in await reason_of_end(
        member
    )


async def test_a_hole_is_fetched_again_and_then_believed(world):
    fill(world, 1)
    world.skip(AMOUNTS, 2)
    fill(world, 2)
    sought = []
    member = Member(world, [SumStage()])
    seek = member.seek

    async def counted(positions):
        sought.append(dict(positions))
        await seek(positions)

    member.seek = counted
    member.join()
    await until_done(member, ["amounts"])

    assert sought.count({AMOUNTS: 1}) == 4  # after the record before it, and after each of three tries
    assert world.offsets[AMOUNTS][0] == 5
    await member.leave()


async def test_a_consumer_that_strays_is_brought_back(world):
    member = await work(world)
    member.position[AMOUNTS] = 7
    await asyncio.sleep(0.01)
    fill(world, 3)
    await until_done(member, ["amounts"])

    assert len(world.records("totals")) == 3
    await member.leave()


async def test_a_consumer_that_jumps_ahead_loses_nothing(world):
    fill(world, 5)
    member = Member(world, [SumStage()])
    fetch, jumped = member.fetch, []

    async def jumping(sources, **how):
        if not jumped:
            jumped.append(True)
            member.position[AMOUNTS] = 3
        return await fetch(sources, **how)

    member.fetch = jumping
    member.join()
    await until_done(member, ["amounts"])

    assert [orjson.loads(record.value)["version"] for record in world.records("totals")] == [1, 2, 3, 4, 5]
    await member.leave()


async def test_offsets_are_committed_by_records_too(world):
    fill(world, 10)
    member = Member(world, [SumStage()], pace=dataclasses.replace(PATIENT, commit_s=3600, commit_records=4))
    member.join()
    while world.offsets.get(AMOUNTS, (0, ""))[0] < 8:
        await asyncio.sleep(0)

    assert world.offsets[AMOUNTS][0] < 10 or world.lag(["amounts"]) == 0
    await member.leave()


# What it tells.


async def test_the_observer_hears_of_batches_and_recoveries(world):
    class Hears(Silent):
        def __init__(self):
            self.batches, self.recovered, self.held = [], [], None

        def on_batch(self, batch):
            self.batches.append(batch)

        def on_audit(self, held):
            self.held = held

        def on_recovered(self, **what):
            self.recovered.append(what)

    fill(world, 3)
    world.append(AMOUNTS, b"a", b"not json")
    hears = Hears()
    member = await work(world, observer=hears)

    assert sum(batch.decided.records for batch in hears.batches) == 4
    assert sum(batch.decided.emits for batch in hears.batches) == 4
    assert sum(batch.decided.counts["refused"] for batch in hears.batches) == 1
    assert hears.recovered[0]["read"] == 0
    assert sum(batch.decided.topics["amounts"] for batch in hears.batches) == 4
    assert hears.held == ({"running": 1}, {"sum": 1}, {AMOUNTS: 0})
    await member.leave()


async def test_a_recovery_is_told_before_its_first_record(world):
    class Hears(Silent):
        def __init__(self):
            self.recovering = []

        def on_recovering(self, read, remaining):
            self.recovering.append((read, remaining))

    fill(world, 3)
    first = await work(world)
    await first.leave()
    hears = Hears()
    second = await work(world, observer=hears)

    assert hears.recovering[0] == (0, hears.recovering[0][1])
    assert hears.recovering[0][1] > 0
    assert hears.recovering[-1][1] == 0
    await second.leave()


async def test_both_stages_share_a_batch(world):
    for n in range(4):
        world.append(TopicPartition("inbox", 0), b"a", amount(f"g{n}"))
    member = Member(world, toy_stages(partitions=1))
    member.join()
    await until_done(member, TOY_SOURCES)

    assert len(world.records("totals")) == 4
    await member.leave()
