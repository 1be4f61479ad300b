"""What the lane needs from the world: a membership in the group, the log, a sink, an observer, a way to end.

Each port has one real form (`host`, `reader`, `sink`, `stop`) and one in the tests' fakes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, NoReturn, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Collection, Mapping, Sequence

    from aiokafka.structs import TopicPartition

    from elowire.processor.batches import Decided
    from elowire.processor.parts import Held
    from elowire.processor.stage import Headers, Out, Record


class NotOwnerError(Exception):
    """The coordinator or the consumer says that these partitions are not ours (any more).

    `forgotten` is true when the coordinator does not know this member, though its identity is fixed.
    """

    def __init__(self, message: str, *, forgotten: bool = False) -> None:
        super().__init__(message)
        self.forgotten = forgotten


class RefusedError(Exception):
    """The broker refused a record, or it can never be sent; the message names topic, partition and why."""


class Group(Protocol):
    """A membership in the consumer group, with the consumer that goes with it."""

    async def fetch(
        self, sources: Collection[TopicPartition], *, timeout_s: float, limit: int
    ) -> Mapping[TopicPartition, Sequence[Record]]:
        """Fetch from the consumer's positions; `NotOwnerError` if one of `sources` is not assigned."""
        ...

    def fetch_ahead(self) -> None:
        """Begin the next fetch, so that there is something when it is asked for."""
        ...

    async def seek(self, positions: Mapping[TopicPartition, int]) -> None:
        """Set the consumer's positions; partitions that are not assigned are left out."""
        ...

    async def positions(self, sources: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Return the consumer's positions of those that are assigned."""
        ...

    async def commit(self, offsets: Mapping[TopicPartition, tuple[int, str]]) -> None:
        """Commit offset and metadata in our generation; `NotOwnerError` if the coordinator refuses."""
        ...


class Logged(Protocol):
    """A record of a changelog."""

    key: bytes | None
    value: bytes | None
    offset: int
    headers: Headers


class Log(Protocol):
    """Reading beside the group: offsets, and the records of changelogs."""

    async def committed(self) -> Mapping[TopicPartition, tuple[int, str]]:
        """Return the group's committed offsets with their metadata."""
        ...

    async def beginnings(self, of: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Return the offset of the first record of each."""
        ...

    async def ids(self, topics: Collection[str]) -> Mapping[str, str]:
        """Return Kafka's own ids of topics, as far as they have one."""
        ...

    async def ends(self, of: Collection[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Return the offset after the last record of each."""
        ...

    def read(
        self, spans: Mapping[TopicPartition, tuple[int, int]]
    ) -> AsyncGenerator[Mapping[TopicPartition, Sequence[Logged]]]:
        """Yield what comes of each span (first offset, end), also when nothing comes, until all is read."""
        ...


class Span(NamedTuple):
    """Offsets of the first and the last record of one write, as the broker acknowledged them."""

    first: int
    last: int


class Sink(Protocol):
    """Confirmed writing."""

    async def send(self, writes: Mapping[TopicPartition, Sequence[Out]]) -> Mapping[TopicPartition, Span]:
        """Return when every record is acknowledged; raise `RefusedError` if one never will be.

        The records of one partition become durable in the given order: what a kill leaves is a prefix.
        """
        ...


class Batch(NamedTuple):
    """A batch that is durable, and how many seconds each step of it took."""

    decided: Decided
    decide_s: float
    outputs_s: float
    changelog_s: float


class Observer(Protocol):
    """Who wants to know: metrics."""

    def on_batch(self, batch: Batch) -> None:
        """Take note of a batch that is durable."""
        ...

    def on_audit(self, held: Held) -> None:
        """Take note of what the process holds; asked for every few seconds."""
        ...

    def on_recovering(self, read: int, remaining: int) -> None:
        """Take note of the progress of a recovery, in records."""
        ...

    def on_recovered(self, *, parts: int, read: int, keys: int, repaired: int, seconds: float) -> None:
        """Take note of tables that are complete; `repaired` keys are written again."""
        ...

    def on_foreign_write(self, part: str) -> None:
        """Take note of another process that wrote to our changelog."""
        ...

    def on_lease_lost(self) -> None:
        """Take note of a batch that was dropped because the partitions are not ours any more."""
        ...


class Silent:
    """An observer that does nothing."""

    def on_batch(self, batch: Batch) -> None:
        """Ignore it."""

    def on_audit(self, held: Held) -> None:
        """Ignore it."""

    def on_recovering(self, read: int, remaining: int) -> None:
        """Ignore it."""

    def on_recovered(self, *, parts: int, read: int, keys: int, repaired: int, seconds: float) -> None:
        """Ignore it."""

    def on_foreign_write(self, part: str) -> None:
        """Ignore it."""

    def on_lease_lost(self) -> None:
        """Ignore it."""


class Stop(Protocol):
    """How a process ends that cannot keep its promise; it does not return."""

    def __call__(self, reason: str, cause: BaseException | None = None) -> NoReturn:
        """End the process with `reason`: what was waited for or found, and what to do."""
        ...


class Probe(Protocol):
    """A point where tests look in: `where` in the batch, and which stages it concerns."""

    def __call__(self, where: str, stages: str = "") -> None:
        """Do nothing, or what the test wants to happen here."""
        ...


def no_probe(where: str, stages: str = "") -> None:
    """Do nothing: the probe of production."""


class Ports(NamedTuple):
    """All that a lane needs."""

    group: Group
    log: Log
    sink: Sink
    stop: Stop
    observer: Observer
    probe: Probe
