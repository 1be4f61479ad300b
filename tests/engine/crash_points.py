"""Stops members of a world at every step and says what is wrong afterwards: fates, points, and the search.

A point is `at`, the step of the first member where something happens to it, and for fates of two members
`then`, the step of the second one where the first is heard of again. `sweep` goes through all of them, or
through every n-th, beginning where a seed says.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple

from aiokafka.structs import TopicPartition

from elowire.processor.parts import name_of
from elowire.processor.ports import NotOwnerError
from elowire.processor.stage import Record
from tests.fakes.member import Crashed, Member, Stopped, kill, until_done
from tests.fakes.world import Stored

TURNS = 40
"""How long a zombie may go on by itself while the owner stands still: some dozen steps."""
BEFORE_SHOWN = 30
# Each turn of the lane commits and audits in these worlds, so that two without news are enough.
IDLE_FETCHES = 2


class Scene(NamedTuple):
    """What is run. `world()` gives a fresh one, `stages(name)` a member's stages, `wrong(world)` judges.

    `first` says for each member, by name, which topic it reads first.
    """

    name: str
    world: object
    stages: object
    sources: tuple[str, ...]
    wrong: object
    pace: object
    first: dict = MappingProxyType({})

    def member(self, world, name, **hit):
        first = self.first.get(name, "")
        return Member(world, self.stages(name), name=name, pace=self.pace, first=first, **hit)


class Outcome(NamedTuple):
    """One run: what was done to whom and where, and what came of it."""

    scene: str
    fate: str
    how: str
    at: int
    then: int
    where: tuple[str, str]
    wrong: list[str]
    timeline: list

    def __str__(self):
        """The point, the first violation with its record, and what happened until then."""
        point = f"{self.scene}: {self.fate} {self.how} at {self.at} {self.where[0]!r}"
        point += f", then {self.then} {self.where[1]!r}" if self.then else ""
        shown = [" ".join(map(said, what)) for what in self.timeline[-BEFORE_SHOWN:]]
        return "\n".join([point, *self.wrong, "timeline:", *shown])


def said(what):
    """Write offsets and places as people do."""
    match what:
        case dict():
            return " ".join(f"{said(key)}={said(value)}" for key, value in what.items()) or "nothing"
        case TopicPartition():
            return name_of(what)
        case [Record() | Stored(), *_]:
            return f"{what[0].offset}..{what[-1].offset}"
        case _:
            return str(what)


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


FATES = {fate.__name__: fate for fate in (killed, ended, frozen, late, shared, silent)}


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


async def run(scene, fate, how, at, then=0):
    """One run from a fresh world to its end."""
    world = scene.world()
    first = scene.member(world, "A", at=at, how=how)
    first.join()
    wrong, where = [], ""
    try:
        where = await FATES[fate](scene, world, first, then)
    except TimeoutError:
        wrong.append("it does not come to an end")
    except Stopped as stopped:
        wrong.append(f"who took over ends itself: {stopped.args[0]}")
    finally:
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await kill(first)
    seen = [sentence for _, sentence in world.wrong]
    until = world.wrong[0][0] + 1 if world.wrong else None
    wrong = [*seen, *wrong, *scene.wrong(world)]
    return Outcome(scene.name, fate, how, at, then, (first.where, where), wrong, world.timeline[:until])


class Swept(NamedTuple):
    """What a sweep found: red runs, how many runs there were, and the places of the first member."""

    red: list[Outcome]
    runs: int
    places: set[str]


async def sweep(scene, fate, how, *, two=False, stride=1, seed=0, until_red=False, skip=()):
    """Run every point of a fate, or every `stride`-th from where `seed` says; `two`: of both members."""
    chance = random.Random(seed)
    red, runs, places = [], 0, set()
    at = chance.randrange(stride) + 1
    while True:
        then = chance.randrange(stride) + 1 if two else 0
        while True:
            outcome = await run(scene, fate, how, at, then)
            first, second = outcome.where
            runs += 1
            places.add(first)
            if outcome.wrong and not first.startswith(tuple(skip)):
                red.append(outcome)
            then += stride
            if not two or not first or not second or (red and until_red):
                break
        if not first or (red and until_red):
            return Swept(red, runs, places - {""})
        at += stride
