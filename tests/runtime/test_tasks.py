"""A task is ended even when what it waits with loses a cancellation."""

from __future__ import annotations

import asyncio

import pytest

from elowire.runtime import tasks


async def tries_for_ever(lost):
    """Wait as `asyncio.wait_for` of Python 3.11 does when a fault comes at the same time, `lost` times."""
    while True:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            if not lost:
                raise
            lost -= 1


@pytest.mark.parametrize("lost", [0, 1, 2])
async def test_a_lost_cancellation_is_asked_for_again(lost):
    task = asyncio.create_task(tries_for_ever(lost))
    await asyncio.sleep(0)

    async with asyncio.timeout(10):
        await tasks.end(task)

    assert task.cancelled()


async def test_what_has_ended_already_is_left_as_it_is():
    async def fails():
        raise OSError("away")

    task = asyncio.create_task(fails())
    await asyncio.wait([task])
    await tasks.end(task)
    await tasks.end()

    with pytest.raises(OSError, match="away"):
        task.result()


@pytest.mark.parametrize("lost", [0, 1, 2])
async def test_what_works_together_ends_together(lost):
    async def fails():
        raise OSError("away")

    async with asyncio.timeout(15):
        with pytest.raises(OSError, match="away"):
            await tasks.together(tries_for_ever(lost), fails(), tries_for_ever(0))

    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("lost", [0, 1, 2])
async def test_work_of_several_parts_is_ended_as_a_whole(lost):
    task = asyncio.create_task(tasks.together(tries_for_ever(lost), tries_for_ever(0)))
    await asyncio.sleep(0.01)

    async with asyncio.timeout(15):
        await tasks.end(task)

    assert task.cancelled()
    assert asyncio.all_tasks() == {asyncio.current_task()}
