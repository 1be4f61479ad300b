"""Which part of a cluster `verify` looks at: what stood in its topics at one moment, and what was done."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from aiokafka.errors import GroupAuthorizationFailedError, KafkaError

from elowire.contracts.topics import (
    GAME_RESULTS,
    LIVE_RATINGS,
    PLAYER_EVENTS,
    RATED_GAMES,
    RATING_LISTS,
    RECONCILIATIONS,
    TOURNAMENT_EVENTS,
    TOURNAMENT_RATINGS,
)
from elowire.runtime.clock import monotonic
from elowire.runtime.kafka import KafkaForbiddenError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aiokafka.admin import AIOKafkaAdminClient

    from elowire.runtime.kafka_reading import SpanReader
    from elowire.runtime.settings import Settings

OF_PLAYERS = (LIVE_RATINGS.name, RATED_GAMES.name, RECONCILIATIONS.name)
OUTPUTS = (*OF_PLAYERS, TOURNAMENT_RATINGS.name)
TOURNAMENTS = (TOURNAMENT_EVENTS.name, GAME_RESULTS.name)
SOURCES = (*TOURNAMENTS, RATING_LISTS.name, PLAYER_EVENTS.name)
_PATIENCE_S = 20.0
_PAUSE_S = 0.2


class InputsCutError(RuntimeError):
    """An input topic has lost its beginning, so that nothing can be made again from it."""


class Span(NamedTuple):
    """A topic's partition at the cut: first offset, how far the processors were, next offset."""

    first: int
    done: int
    end: int


class Cut(NamedTuple):
    """The moment that is looked at: (topic without prefix, partition) -> Span."""

    spans: Mapping[tuple[str, int], Span]
    partitions: int

    @property
    def records(self) -> int:
        """How many records there are to be read."""
        return sum(span.end - span.first for span in self.spans.values())


async def cut_of(settings: Settings, admin: AIOKafkaAdminClient, reader: SpanReader) -> Cut:
    """Look at effects before causes, so that whatever is below a cut has its cause below one."""
    committed = await _committed(settings.group, admin)
    spans = {}
    partitions = 0
    for name in (*OUTPUTS, PLAYER_EVENTS.name, RATING_LISTS.name, *reversed(TOURNAMENTS)):
        topic = f"{settings.topic_prefix}{name}"
        for number, (first, end) in (await reader.bounds(topic)).items():
            partitions = max(partitions, number + 1)
            done = end if name in OUTPUTS else min(end, max(first, committed.get((topic, number), 0)))
            if first and name in TOURNAMENTS:
                raise InputsCutError(
                    f"{topic}/{number} begins at {first}, expected 0: inputs are kept for ever, and without "
                    "the first ones nothing can be made again from them"
                )
            spans[name, number] = Span(first, done, end)

    return Cut(spans, partitions)


async def _committed(group: str, admin: AIOKafkaAdminClient) -> dict[tuple[str, int], int]:
    deadline = monotonic() + _PATIENCE_S
    while True:
        try:
            found = await admin.list_consumer_group_offsets(group)
        except GroupAuthorizationFailedError as fault:
            raise KafkaForbiddenError.to("describe", f"group {group}") from fault
        except KafkaError as fault:
            if not fault.retriable or monotonic() > deadline:
                raise
            await asyncio.sleep(_PAUSE_S)
        else:
            return {(at.topic, at.partition): max(0, entry.offset) for at, entry in found.items()}
