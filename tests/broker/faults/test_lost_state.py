"""State that does not belong to the offsets: noticed at the start or at work, and made anew by command."""

from __future__ import annotations

import asyncio

import orjson
import pytest
from aiokafka.admin import RecordsToDelete
from aiokafka.structs import TopicPartition

from elowire.processor.rebuild import RebuildRefusedError, rebuild
from elowire.processor.service import stages_of
from elowire.runtime.kafka import admin_client
from elowire.runtime.settings import load_settings
from tests.broker.faults.scene import Scene
from tests.broker.faults.workers import EXIT_STOPPED

pytestmark = pytest.mark.broker

PLAYERS, TOURNAMENTS = "elowire-players-changelog", "elowire-tournaments-changelog"


@pytest.fixture
async def scene(kafka, tmp_path):
    """The product, which has done its first thousand records and left."""
    scene = Scene(kafka, tmp_path, kind="product")
    await scene.topics()
    scene.rest = scene.stream(1300)
    await scene.send(scene.rest, 1000)
    assert await scene.works_until_drained() == {}
    yield scene
    scene.workers.kill_all()


async def refuses_to_work(scene):
    scene.workers.start(0)
    code, reason = await scene.end()
    scene.workers.leave(0)
    assert code == EXIT_STOPPED
    return reason


async def rebuilt(scene):
    """Make the state anew and let a worker do all, new records too."""
    code, said = await scene.rebuild()
    assert code == 0, said
    await scene.send(scene.rest)
    assert await scene.works_until_drained() == {}
    return said


async def test_a_lost_changelog_beside_the_groups_offsets(scene):
    await scene.create_again(PLAYERS)
    assert await scene.records(PLAYERS) == []
    reason = await refuses_to_work(scene)

    assert f"changelog {scene.prefix}{PLAYERS} is another topic than the one that was written" in reason
    assert "run `elowire processor --rebuild`" in reason
    await rebuilt(scene)
    assert await scene.faults() == []


async def test_a_foreign_changelog_that_is_longer_than_ours(scene):
    """What was restored from a copy has other offsets, however much it looks like the state."""
    copy = await scene.records(TOURNAMENTS)
    await scene.create_again(TOURNAMENTS, records=[*copy, *copy])
    assert len(await scene.records(TOURNAMENTS)) == 2 * len(copy) > 0
    reason = await refuses_to_work(scene)

    assert f"changelog {scene.prefix}{TOURNAMENTS} is another topic" in reason
    await rebuilt(scene)
    assert await scene.faults() == []


async def test_an_input_that_was_created_again_is_noticed_however_long_it_is(scene):
    """Kafka forgets the group's offsets of a topic that is deleted: the changelog alone knows of it."""
    games = await scene.records("game-results")
    await scene.create_again("game-results", records=[*games, *games])
    assert sum((await scene.lag()).values()) == 2 * len(games) > 0
    reason = await refuses_to_work(scene)

    assert f"{scene.prefix}{TOURNAMENTS}/" in reason
    assert f"was made from another {scene.prefix}game-results" in reason
    await rebuilt(scene)
    assert await scene.faults() == []


@pytest.mark.parametrize("topic", ["game-results", PLAYERS])
async def test_a_topic_that_is_created_again_under_a_worker(scene, topic):
    before = await scene.records(topic)
    scene.workers.start(0)
    await scene.send(scene.rest, 100)
    assert await scene.drained() == {}
    await scene.create_again(topic, records=before)
    code, reason = await scene.end()

    scene.workers.leave(0)

    assert code == EXIT_STOPPED
    assert f"{scene.prefix}{topic}" in reason  # missing, when a rebalance came in between
    assert f"another {scene.prefix}{topic}" in (again := await refuses_to_work(scene)) or (
        f"{scene.prefix}{topic} is another topic" in again
    )


async def test_deleted_offsets_are_made_again_from_the_inputs(scene):
    await scene.send(scene.rest)
    assert await scene.works_until_drained() == {}
    written = len(await scene.records(PLAYERS))
    assert set(await scene.forget_group()) == {0}
    assert len(await scene.lag()) > 8
    assert await scene.works_until_drained() == {}

    assert len(await scene.records(PLAYERS)) == written
    assert await scene.faults() == []


async def test_versions_go_on_where_the_log_of_the_players_has_lost_its_beginning(scene):
    def figures(records):
        newest = {}
        for record in records:
            event = orjson.loads(record.value)
            if event["version"] > newest.get(record.key, (0, None))[0]:
                newest[record.key] = event["version"], event.get("standard"), event.get("rapid")
        return newest

    before = figures(await scene.records("live-ratings"))
    async with admin_client(scene.kafka) as admin:
        log = [TopicPartition(f"{scene.prefix}player-events", n) for n in range(scene.partitions)]
        await admin.delete_records(dict.fromkeys(log, RecordsToDelete(before_offset=-1)))
    assert await scene.records("player-events") == []
    await scene.create_again(PLAYERS)
    await refuses_to_work(scene)
    code, said = await scene.rebuild()
    assert code == 0, said
    assert f"writing the versions of {len(before)} players" in said
    assert await scene.works_until_drained() == {}
    records = await scene.records("live-ratings")
    after = figures(records)
    contents = {}
    for record in records:
        contents.setdefault((record.key, orjson.loads(record.value)["version"]), set()).add(record.value)

    assert {len(each) for each in contents.values()} == {1}
    assert all(after[key][0] > before[key][0] for key in before)
    assert {key: rest for key, (_, *rest) in after.items()} == {
        key: rest for key, (_, *rest) in before.items()
    }


async def test_a_rebuild_refuses_beside_a_processor_and_where_inputs_lack_their_beginning(scene):
    scene.workers.start(0)
    await scene.send(scene.rest, 100)
    assert await scene.drained() == {}
    settings = load_settings(bootstrap=scene.kafka, group=scene.name, topic_prefix=scene.prefix, partitions=4)
    said = []
    refusal = f"group {scene.name} still has processors after 1 s.*start it with `elowire up --rebuild`"
    with pytest.raises(RebuildRefusedError, match=refusal):
        await rebuild(settings, stages_of(settings), said.append, left_s=1)
    [waits] = said
    assert waits.startswith(f"group {scene.name} has processors: ")
    assert " at 127.0.0.1. Stop them, this waits for 1 s" in waits
    await asyncio.to_thread(scene.workers.leave, 0)
    before = await scene.records(PLAYERS)
    async with admin_client(scene.kafka) as admin:
        first = {TopicPartition(f"{scene.prefix}game-results", 0): RecordsToDelete(before_offset=5)}
        await admin.delete_records(first)
    code, said = await scene.rebuild()

    assert code == 1
    assert f"{scene.prefix}game-results/0 begins at 5" in said
    assert len(await scene.records(PLAYERS)) == len(before) > 0
