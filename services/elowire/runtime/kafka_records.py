"""Records as clients read and write them, and what can go wrong on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Sequence


class Record(NamedTuple):
    """One record as it stands in a topic; `timestamp` is in milliseconds since 1970."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes]]


class OutRecord(NamedTuple):
    """One record to be written; without a partition the key's murmur2 hash chooses it."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes]] = ()
    partition: int | None = None


class KafkaUnreachableError(ConnectionError):
    """No broker answers at the bootstrap address, none lets this client in, or none acknowledges."""

    @classmethod
    def at(cls, bootstrap: str) -> Self:
        """Return the fault for this address."""
        return cls(
            f"no Kafka broker answers at {bootstrap}. Start one (`elowire up`), or name another with "
            "--bootstrap"
        )

    @classmethod
    def silent(cls, bootstrap: str, seconds: float) -> Self:
        """Return the fault of a cluster that was there and then took nothing for this long."""
        return cls(
            f"Kafka at {bootstrap} has not acknowledged within {seconds:g} seconds: it is gone, or has too "
            "few brokers. Nothing is counted twice: when it is back, send the same again"
        )

    @classmethod
    def refused(cls, bootstrap: str, why: str, advice: str) -> Self:
        """Return the fault of a broker that is there and does not let this client in."""
        return cls(f"Kafka at {bootstrap} does not let this client in: {why}. {advice}")


class KafkaForbiddenError(PermissionError):
    """The broker knows this client and does not allow what it asked for."""

    @classmethod
    def to(cls, action: str, resource: str) -> Self:
        """Return the fault of an action (such as "read") on a resource (such as "topic x")."""
        return cls(
            f"Kafka does not allow this user to {action} {resource}. Grant what `elowire topics acls` lists, "
            "or use another user (ELOWIRE_KAFKA_USERNAME)"
        )


class TopicMissingError(LookupError):
    """A topic does not exist, or this user may not see it; `elowire topics apply` creates it."""

    @classmethod
    def named(cls, topics: Sequence[str], *, secured: bool = False) -> Self:
        """Return the fault for these topics; a secured cluster hides what a user may not see."""
        hidden = ", or let this user see it (`elowire topics acls`)" if secured else ""

        return cls(f"no topic {', '.join(topics)}. Create it with `elowire topics apply`{hidden}")


class RecordRefusedError(RuntimeError):
    """The broker or the client refused a record; the message names its topic and key."""
