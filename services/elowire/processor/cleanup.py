"""A look at the start whether the broker will keep what must be kept."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from elowire.contracts.topics import CATALOGUE
from elowire.runtime import topics
from elowire.runtime.logs import get_logger
from elowire.runtime.security import is_secured
from elowire.runtime.topics import Shape, TopicDriftError, TopicRefusedError, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from elowire.processor.stage import Stage
    from elowire.runtime.settings import Settings

_FOR_EVER = "-1"

_logger = get_logger("elowire.processor")


async def require_cleanup(settings: Settings, stages: Sequence[Stage]) -> None:
    """Return if no topic of the stages is compacted or deleted otherwise than the catalogue says.

    Raises `TopicDriftError`. In a secured cluster that does not show a processor the settings of topics
    nothing is known, and that is logged.
    """
    read = {topic for stage in stages for topic in (*stage.sources, stage.changelog) if topic}
    prefix = settings.topic_prefix
    named = [
        dataclasses.replace(topic, name=f"{prefix}{topic.name}")
        for topic in CATALOGUE
        if f"{prefix}{topic.name}" in read
    ]
    try:
        found = await topics.plan(settings, named, shape=Shape(partitions=settings.partitions))
    except TopicRefusedError as fault:
        if not is_secured(settings):
            raise
        _logger.info("whether topics are kept as they must be is not known", reason=str(fault))
        return
    # What loses records where it is wrong; the rest is for `elowire topics plan`.
    if lost := [
        one
        for one in found
        if one.verdict is Verdict.DRIFT and (one.setting == "cleanup.policy" or one.expected == _FOR_EVER)
    ]:
        raise TopicDriftError(lost)
