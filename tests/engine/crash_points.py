"""Stops members of a world at every step and says what is wrong afterwards: fates, points, and the search.

A point is `at`, the step of the first member where something happens to it, and for fates of two members
`then`, the step of the second one where the first is heard of again. `sweep` goes through all of them, or
through every n-th, beginning where a seed says.
"""

from __future__ import annotations

import asyncio
import random
from types import MappingProxyType
from typing import NamedTuple

from aiokafka.structs import TopicPartition

from elowire.processor.parts import name_of
from elowire.processor.stage import Record
from tests.engine.fates import FATES
from tests.fakes.member import Member, Stopped, kill
from tests.fakes.world import Stored

BEFORE_SHOWN = 30


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
