"""The port between the engine and the stages: records in, effects out, nothing else.

A stage is a pure function over a batch of records and the table of one partition. It has no clock, no
randomness and no I/O, so that the same log gives the same bytes. It never raises on bad input: a record that
cannot be processed becomes a dead letter among its emits.

Rules a stage must keep (engine.md 2.7 in one place):

* every changelog key is derived from the records of one source topic only, so that its states form one chain;
* a state carries a counter (see `version`) that grows by one with each change of that key;
* an emit is a function of the states in the table; a stage with several sources emits again when a record
  finds its own revision already in the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

Headers = Sequence[tuple[str, bytes]]


class Record(NamedTuple):
    """One record of a source topic. `timestamp` is the broker's, in milliseconds since 1970."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Headers


class Emit(NamedTuple):
    """One record to be sent, with its partition decided by the stage."""

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    headers: Headers = ()


Out = tuple[bytes | None, bytes | None, Headers]
"""An Emit without its place: key, value, headers."""


@dataclass(slots=True)
class Effects:
    """What a batch asks for: table changes in write order, records to send, counts for the metrics."""

    puts: dict[bytes, bytes] = field(default_factory=dict)
    emits: list[Emit] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


class Stage(Protocol):
    """One step of the work: co-partitioned sources, and a table with one partition per partition number."""

    name: str
    sources: tuple[str, ...]
    changelog: str | None

    def apply(
        self,
        records: Sequence[Record],
        table: dict[bytes, bytes],
        index: Any,  # noqa: ANN401  # what a stage derives from its table is its own affair
        partition: int,
    ) -> Effects:
        """Decide over a batch; the table is only read."""
        ...

    def version(self, state: bytes) -> tuple[int, int]:
        """Return what orders the states of a key: the counter, then the format, without decoding the rest.

        It raises for a state that this release does not read.
        """
        ...

    def new_index(self) -> Any:  # noqa: ANN401 - private to each stage
        """Return an empty derived index for one partition."""
        ...

    def note(self, index: Any, key: bytes, state: bytes) -> None:  # noqa: ANN401 - private to each stage
        """Take a state that recovery read into the derived index."""
        ...
