"""Create the topics of the catalogue, and refuse to work with topics that are not as it says.

`plan` compares, `apply` creates what is missing. Nothing that exists is ever changed: a wrong number of
partitions would send keys elsewhere and a wrong clean-up loses records, so a person decides about drift.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from aiokafka.admin import NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import TopicAlreadyExistsError, for_code

from elowire.contracts.topics import CATALOGUE, DEFAULT_PARTITIONS
from elowire.runtime.kafka import TopicMissingError, admin_client, end_offsets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aiokafka.admin import AIOKafkaAdminClient

    from elowire.contracts.topics import Topic
    from elowire.runtime.security import Cluster

_VISIBLE_S = 15.0
_PAUSE_S = 0.05
_ATTEMPTS = round(_VISIBLE_S / _PAUSE_S)


class Verdict(StrEnum):
    """What `plan` found about one setting of one topic."""

    MISSING = "missing"
    DRIFT = "drift"


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as the catalogue says; for a missing topic `setting` is ``topic``."""

    topic: str
    verdict: Verdict
    setting: str
    expected: str
    found: str | None

    def __str__(self) -> str:
        if self.verdict is Verdict.MISSING:
            return f"{self.topic} does not exist ({self.expected} expected)"
        return f"{self.topic}: {self.setting} is {self.found}, expected {self.expected}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What all topics of a cluster have in common."""

    partitions: int = DEFAULT_PARTITIONS
    replication_factor: int = 1
    min_insync: int = 1


_DEFAULT = Shape()


class TopicDriftError(RuntimeError):
    """Topics exist but are not as the catalogue says; `differences` lists each setting."""

    def __init__(self, differences: Sequence[Difference]) -> None:
        self.differences = tuple(differences)
        lines = "\n".join(f"  {difference}" for difference in self.differences)
        super().__init__(
            f"topics are not as this release needs them, and nothing was changed:\n{lines}\n"
            "Set a wrong setting right with Kafka's own tools. A wrong number of partitions cannot be "
            "changed in place: use a new cluster, or delete the topic and feed its events again"
        )


class TopicRefusedError(RuntimeError):
    """The cluster would not create a topic; the message names it and the reason."""


async def plan(
    cluster: Cluster, catalogue: Sequence[Topic] = CATALOGUE, *, shape: Shape = _DEFAULT
) -> list[Difference]:
    """Compare the cluster's topics with `catalogue`: missing topics and drifted settings, in its order.

    Raises `KafkaUnreachableError`.
    """
    async with admin_client(cluster) as admin:
        return await _compare(admin, catalogue, shape)


async def apply(
    cluster: Cluster, catalogue: Sequence[Topic] = CATALOGUE, *, shape: Shape = _DEFAULT
) -> list[str]:
    """Create the topics that are missing, and return their names when every broker can be asked for them.

    May be called by several processes at once. Raises `TopicDriftError` before it creates anything,
    `TopicRefusedError`, or `KafkaUnreachableError`.
    """
    async with admin_client(cluster) as admin:
        differences = await _compare(admin, catalogue, shape)
        drift = [difference for difference in differences if difference.verdict is Verdict.DRIFT]
        if drift:
            raise TopicDriftError(drift)
        missing = {difference.topic for difference in differences}
        new = [
            NewTopic(
                topic.name,
                shape.partitions,
                shape.replication_factor,
                topic_configs=topic.config(min_insync=shape.min_insync),
            )
            for topic in catalogue
            if topic.name in missing
        ]
        if not new:
            return []
        created = _accepted(await admin.create_topics(new))
        await _visible(admin, missing, shape.partitions)
        # What another process created in the meantime may be something else.
        if drift := await _settled(admin, catalogue, shape):
            raise TopicDriftError(drift)
        await _read(cluster, sorted(missing))

    return created


async def _settled(admin: AIOKafkaAdminClient, catalogue: Sequence[Topic], shape: Shape) -> list[Difference]:
    """Compare again while a topic that was created is missing: a node learns of it after another."""
    for _ in range(_ATTEMPTS):
        differences = await _compare(admin, catalogue, shape)
        if all(difference.verdict is Verdict.DRIFT for difference in differences):
            return differences
        await asyncio.sleep(_PAUSE_S)

    return await _compare(admin, catalogue, shape)


async def _read(cluster: Cluster, names: Sequence[str]) -> None:
    """Read the ends of new topics, which waits for their leaders; again while a node does not know one."""
    for _ in range(_ATTEMPTS):
        with suppress(TopicMissingError):
            await end_offsets(cluster, names)
            return
        await asyncio.sleep(_PAUSE_S)
    await end_offsets(cluster, names)


async def _compare(
    admin: AIOKafkaAdminClient,
    catalogue: Sequence[Topic],
    shape: Shape,
) -> list[Difference]:
    layouts = await _layouts(admin)
    configs = await _configs(admin, [topic.name for topic in catalogue if topic.name in layouts])
    differences: list[Difference] = []
    for topic in catalogue:
        layout = layouts.get(topic.name)
        if layout is None:
            expected = f"{shape.partitions} partitions, {shape.replication_factor} replicas"
            differences.append(Difference(topic.name, Verdict.MISSING, "topic", expected, None))
            continue
        wanted = {
            "partitions": str(shape.partitions),
            "replication": str(shape.replication_factor),
            **topic.config(min_insync=shape.min_insync),
        }
        found = {"partitions": str(layout[0]), "replication": str(layout[1]), **configs[topic.name]}
        differences += [
            Difference(topic.name, Verdict.DRIFT, setting, value, found.get(setting))
            for setting, value in wanted.items()
            if not _equal(value, found.get(setting))
        ]

    return differences


def _equal(expected: str, found: str | None) -> bool:
    """Compare settings; a list ("compact,delete") has no order."""
    return found is not None and sorted(expected.split(",")) == sorted(found.replace(" ", "").split(","))


async def _layouts(admin: AIOKafkaAdminClient) -> dict[str, tuple[int, int]]:
    """Return topic -> number of partitions, smallest number of replicas."""
    return {
        described["topic"]: (
            len(described["partitions"]),
            min((len(partition["replicas"]) for partition in described["partitions"]), default=0),
        )
        for described in await admin.describe_topics()
        if not described["error_code"]
    }


async def _configs(admin: AIOKafkaAdminClient, names: Sequence[str]) -> dict[str, dict[str, str]]:
    if not names:
        return {}
    answers = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name) for name in names])
    configs: dict[str, dict[str, str]] = {}
    for answer in answers:
        for code, message, _, name, entries in answer.resources:
            if code:
                raise TopicRefusedError(f"the settings of topic {name} cannot be read: {_why(code, message)}")
            configs[name] = {entry[0]: entry[1] for entry in entries}

    return configs


def _accepted(answer: Any) -> list[str]:  # noqa: ANN401 - a response of aiokafka's protocol
    """Return the topics that were created; one that another process created first is as good."""
    created: list[str] = []
    for name, code, *rest in answer.topic_errors:
        if code == TopicAlreadyExistsError.errno:
            continue
        if code:
            raise TopicRefusedError(f"topic {name} was not created: {_why(code, rest[0] if rest else None)}")
        created.append(name)

    return created


def _why(code: int, message: str | None) -> str:
    return message or str(for_code(code).__name__)


async def _visible(admin: AIOKafkaAdminClient, names: set[str], partitions: int) -> None:
    """Wait until the metadata has every new topic with a leader for each partition."""
    async with asyncio.timeout(_VISIBLE_S):
        while True:
            seen = {
                described["topic"]
                for described in await admin.describe_topics(sorted(names))
                if not described["error_code"] and _led(described["partitions"]) == partitions
            }
            if seen >= names:
                return
            await asyncio.sleep(_PAUSE_S)


def _led(partitions: Sequence[Mapping[str, Any]]) -> int:
    return sum(partition["leader"] >= 0 and not partition["error_code"] for partition in partitions)
