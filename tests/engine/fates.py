"""What may become of a member, and who takes over then. Each fate returns where it hit the second member.

`first` is told beforehand at which of its steps something happens to it (`tests/fakes/member.py`); `then` is
the step of the second member, 0 for none.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from elowire.processor.ports import NotOwnerError
from tests.fakes.member import Crashed, Stopped, kill, until_done

TURNS = 40
"""How long a zombie may go on by itself while the owner stands still: some dozen steps."""
# Each turn of the lane commits and audits in these worlds, so that two without news are enough.
IDLE_FETCHES = 2


async def done(member, scene):
    """Run a member until it has nothing to do any more."""
    await until_done(member, scene.sources, idle_fetches=IDLE_FETCHES)


async def killed(scene, world, first, then):
    """It dies; a second one takes over, dies too (`then`), and a third one ends the work."""
    with suppress(Crashed):
        await done(first, scene)
    second = await take_over(scene, world, "B", at=then, how="before" if then else "")
    if second.where:
        await take_over(scene, world, "C")
    return second.where


async def ended(scene, world, first, _):
    """It notices by itself that it cannot go on, or goes on; a second one takes over."""
    with suppress(Stopped):
        await done(first, scene)
    await kill(first)
    await take_over(scene, world, "B")
    return ""


async def frozen(scene, world, first, then):
    """It freezes, a second one takes over; while that is at step `then` the first goes on where it was."""
    if not await stands(first, scene):
        return ""
    second = scene.member(world, "B", at=then, how="freeze")
    second.join()
    await stands(second, scene)
    await awake(first)
    second.thaw.set()
    await done(second, scene)
    await forgotten(first)
    await done(second, scene)
    await second.leave()
    return second.where


async def late(scene, world, first, then):
    """It dies, and what it sent arrives when a second one is at step `then`, or when that has left."""
    with suppress(Crashed):
        await done(first, scene)
    if first.late is None or first.where.split()[0] not in {"write", "commit"}:
        await take_over(scene, world, "B")
        return ""
    second = scene.member(world, "B", at=then, how="freeze")
    second.join()
    alive = await stands(second, scene)
    if not alive:
        second.at = 0  # it must not freeze while it leaves
        await second.leave()
    with suppress(NotOwnerError):
        world.tell("A", first.steps, "arrives late", first.where, first.late())
    if alive:
        second.thaw.set()
        await done(second, scene)
        await second.leave()
    else:
        await take_over(scene, world, "C")
    return second.where


async def shared(scene, world, first, then):
    """At this step the group takes its partitions and gives half to a second one; it may die on the way."""
    if not await stands(first, scene):
        return ""
    second = scene.member(world, "B")
    first.at, first.how = (first.steps + then, "before") if then else (0, "")
    place, first.where = first.where, ""
    revoked = asyncio.ensure_future(first.lane.revoked())
    for _ in range(3):
        await asyncio.sleep(0)
    first.thaw.set()
    try:
        await revoked
        first.join([0])
        second.join([1])
        await until_both_done(scene, first, second)
        await first.leave()
    except (Crashed, Stopped):
        revoked.cancel()
        await kill(first)
        if second.task is None:
            second.join()
        else:
            await second.lane.revoked()
            second.join()
        await done(second, scene)
    await second.leave()
    died, first.where = first.where, place
    return died


async def left(scene, world, first, then):
    """At this step it is told to leave; it may die on the way. A second one takes over."""
    if not await stands(first, scene):
        return ""
    first.at, first.how = (first.steps + then, "before") if then else (0, "")
    place, first.where = first.where, ""
    leaves = asyncio.ensure_future(first.leave())
    await asyncio.sleep(0)
    first.thaw.set()
    with suppress(Crashed):
        await leaves
    died, first.where = first.where, place
    await take_over(scene, world, "B")
    return died


async def silent(scene, world, first, _):
    """It freezes; a second one does all and leaves. It goes on while nobody owns anything, and dies with its
    first state, so that it repairs nothing; the logs are compacted before a third one comes. Only what it
    does not write at all does no harm."""
    if not await stands(first, scene):
        return ""
    await take_over(scene, world, "B")
    first.dies_after = "-changelog"
    await awake(first)
    await kill(first)
    for topic in {at.topic for at in world.logs if at.topic.endswith("-changelog")}:
        world.compact(topic)
    await take_over(scene, world, "C")
    return ""


FATES = {fate.__name__: fate for fate in (killed, ended, frozen, late, shared, left, silent)}


async def take_over(scene, world, name, **hit):
    """A new member owns all, does what is left and leaves, if nothing happens to it."""
    member = scene.member(world, name, **hit)
    member.join()
    try:
        await done(member, scene)
        await member.leave()
    except Crashed:
        await kill(member)
    return member


async def stands(member, scene):
    """Run a member until it freezes; false if it ends its work before."""
    if member.task is None:
        member.join()
    works = asyncio.ensure_future(done(member, scene))
    freezes = asyncio.ensure_future(member.frozen.wait())
    await asyncio.wait([works, freezes], return_when=asyncio.FIRST_COMPLETED)
    freezes.cancel()
    if works.done():
        works.result()
    works.cancel()
    return member.frozen.is_set()


async def awake(member):
    member.thaw.set()
    for _ in range(TURNS):
        await asyncio.sleep(0)


async def forgotten(member):
    """The zombie's client learns that it owns nothing."""
    member.mine = set()
    with suppress(Stopped):
        await member.lane.revoked()


async def until_both_done(scene, first, second):
    """Each may leave work to the other."""
    for member in (first, second, first, second):
        await done(member, scene)
