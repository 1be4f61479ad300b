"""Forget the state, so that the next processor makes it again from the inputs: `elowire processor --rebuild`.

The changelogs are deleted and created empty, then the group's offsets are set to the beginnings. In this
order a rebuild that is cut off half way is noticed at the next start, and can be asked for again.

Versions go on where they were: what `player-events` still holds from its beginning gives the same versions
again; once it has lost its beginning (it is kept 30 days), every account begins with the version that was
last published, so that no reader takes a new figure for an old one.
"""

from __future__ import annotations

import asyncio
import dataclasses
import re
from typing import TYPE_CHECKING

import orjson
from aiokafka import AIOKafkaConsumer
from aiokafka.errors import CommitFailedError, KafkaError
from aiokafka.structs import TopicPartition

from elowire.contracts.topics import CATALOGUE, LIVE_RATINGS, PLAYER_EVENTS, Cleanup, partition_of
from elowire.processor import state as states
from elowire.processor.entries import new_account
from elowire.runtime import topics
from elowire.runtime.clock import monotonic
from elowire.runtime.kafka import (
    ConfirmedProducer,
    OutRecord,
    TopicMissingError,
    admin_client,
    read_all,
    stop_consumer,
)
from elowire.runtime.security import connection, is_secured

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from elowire.processor.stage import Stage
    from elowire.runtime.settings import Settings

# A worker that was killed stays a member until its session is over (`session_s`).
LEFT_S = 30.0
GONE_S = 30.0
_PAUSE_S = 0.1
_UUID = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_NOBODY = frozenset({"Empty", "Dead", ""})


class RebuildRefusedError(RuntimeError):
    """A rebuild would lose something, or somebody is in its way; nothing was changed unless it says so."""


async def rebuild(
    settings: Settings,
    stages: Sequence[Stage],
    say: Callable[[str], None],
    *,
    left_s: float | None = None,
) -> None:
    """Empty the changelogs and set the group back; `say` is told each step.

    Waits for `left_s` seconds (default: `LEFT_S`, or two sessions where they are longer) until the group
    has no member, and says whom it waits for. Raises `RebuildRefusedError`, or
    `KafkaUnreachableError`, `TopicMissingError` and their like.
    """
    prefix = settings.topic_prefix
    sources = sorted({topic for stage in stages for topic in stage.sources})
    changelogs = sorted(stage.changelog for stage in stages if stage.changelog)
    await _require_alone(settings, say, left_s or max(LEFT_S, 2 * settings.session_s))
    beginnings = await _beginnings(settings, sources)
    _require_inputs(beginnings, prefix)
    versions: Mapping[bytes, int] = {}
    if any(first for at, first in beginnings.items() if at.topic == f"{prefix}{PLAYER_EVENTS.name}"):
        say(f"reading {prefix}{LIVE_RATINGS.name}: the last version of every player")
        versions = await _versions(settings)
    say(f"deleting and creating {', '.join(changelogs)}")
    await _empty(settings, changelogs)
    if versions:
        say(f"writing the versions of {len(versions)} players")
        [changelog] = [stage.changelog for stage in stages if stage.name == "player" and stage.changelog]
        await _seed(settings, changelog, versions)
    say(f"setting group {settings.group} back to the beginnings")
    await _set_back(settings, beginnings)


async def _require_alone(settings: Settings, say: Callable[[str], None], left_s: float) -> None:
    deadline = monotonic() + left_s
    told: list[str] | None = None
    async with admin_client(settings) as admin:
        while True:
            try:
                [answer] = await admin.describe_consumer_groups([settings.group])
                [(code, _, state, *_)] = answer.groups
                members = sorted(map(_member, answer.to_object()["groups"][0]["members"]))
            except KafkaError as fault:
                if not fault.retriable:
                    raise
                code, state, members = 0, f"not to be asked ({type(fault).__name__})", []
            if not code and state in _NOBODY:
                return
            names = ", ".join(members) or "their names are not known"
            if monotonic() > deadline:
                raise RebuildRefusedError(
                    f"group {settings.group} still has processors after {left_s:g} s (it is {state}): "
                    f"{names}. Nothing was changed. Stop every one of them first; for that of `elowire up`, "
                    "stop it and start it with `elowire up --rebuild`"
                )
            if members and told != members:
                told = members
                say(
                    f"group {settings.group} has processors: {names}. Stop them, this waits for "
                    f"{deadline - monotonic():.0f} s; one that has been stopped may be a member "
                    f"for {settings.session_s:g} s more"
                )
            await asyncio.sleep(_PAUSE_S)


def _member(member: Mapping[str, object]) -> str:
    """Name a member as an operator knows it, and its machine.

    Kafka makes a member's id of its static id, or of the client's name, and a UUID.
    """
    name = _UUID.sub("", str(member["member_id"]))

    return f"{name} at {str(member['client_host']).removeprefix('/')}"


async def _beginnings(settings: Settings, sources: Sequence[str]) -> dict[TopicPartition, int]:
    async with admin_client(settings) as admin:
        described = {topic["topic"]: topic["partitions"] for topic in await admin.describe_topics()}
    if missing := [topic for topic in sources if not described.get(topic)]:
        raise TopicMissingError.named(missing, secured=is_secured(settings))
    places = [TopicPartition(topic, part["partition"]) for topic in sources for part in described[topic]]
    consumer = AIOKafkaConsumer(**connection(settings))
    await consumer.start()
    try:
        found: dict[TopicPartition, int] = await consumer.beginning_offsets(places)
    finally:
        await stop_consumer(consumer)

    return found


def _require_inputs(beginnings: Mapping[TopicPartition, int], prefix: str) -> None:
    """Refuse if an input that is kept for ever has lost its beginning: its games would be forgotten."""
    for_ever = {
        f"{prefix}{topic.name}"
        for topic in CATALOGUE
        if topic.cleanup is Cleanup.DELETE and topic.retention_ms == -1
    }
    for at, first in sorted(beginnings.items()):
        if at.topic in for_ever and first > 0:
            raise RebuildRefusedError(
                f"{at.topic}/{at.partition} begins at {first}: what was before it would be forgotten, so "
                "nothing was changed. Restore the topic, or send its events again and delete the topic first"
            )


async def _versions(settings: Settings) -> dict[bytes, int]:
    """Return the last version that was published of every player."""
    found: dict[bytes, int] = {}
    async for records in read_all(settings, [f"{settings.topic_prefix}{LIVE_RATINGS.name}"]):
        for record in records:
            if record.key is not None and record.value is not None:
                version = int(orjson.loads(record.value)["version"])
                found[record.key] = max(version, found.get(record.key, 0))

    return found


async def _empty(settings: Settings, changelogs: Sequence[str]) -> None:
    shape = topics.Shape(
        partitions=settings.partitions,
        replication_factor=settings.replication_factor,
        min_insync=settings.min_insync,
    )
    prefix = settings.topic_prefix
    named = [dataclasses.replace(topic, name=f"{prefix}{topic.name}") for topic in CATALOGUE]
    async with admin_client(settings) as admin:
        there = sorted(set(changelogs) & set(await admin.list_topics()))
        if there:
            await admin.delete_topics(there)
        async with asyncio.timeout(GONE_S):
            while set(changelogs) & set(await admin.list_topics()):  # noqa: ASYNC110 - the broker tells nobody
                await asyncio.sleep(_PAUSE_S)
    await topics.apply(settings, [topic for topic in named if topic.name in changelogs], shape=shape)


async def _seed(settings: Settings, changelog: str, versions: Mapping[bytes, int]) -> None:
    """Write an account that knows nothing but its version; any account that was fed is newer."""
    async with ConfirmedProducer(settings) as producer:
        await producer.send_all(
            OutRecord(
                changelog,
                key,
                states.encode(new_account() | {"v": version}),
                partition=partition_of(key, settings.partitions),
            )
            for key, version in versions.items()
        )


async def _set_back(settings: Settings, beginnings: Mapping[TopicPartition, int]) -> None:
    consumer = AIOKafkaConsumer(group_id=settings.group, enable_auto_commit=False, **connection(settings))
    await consumer.start()
    try:
        consumer.assign(list(beginnings))
        await consumer.commit({at: (first, "") for at, first in beginnings.items()})
    except CommitFailedError as fault:
        raise RebuildRefusedError(
            f"a processor has joined group {settings.group} meanwhile; the changelogs are empty already. "
            "Stop it and run the same command again: no processor works in between"
        ) from fault
    finally:
        await stop_consumer(consumer)
