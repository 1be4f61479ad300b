"""Who may send, and whom we follow: the sources of an installation, in one file that only its owner reads.

A webhook source has secrets (several while they are rotated), a broadcast an address. Secrets appear in no
representation and in no log: they are written to the file, and shown once by the command that makes them.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_serializer,
    model_validator,
)

from elowire.contracts.fields import ID, EditionId, Period, Text
from elowire.domain import System, TimeControl
from elowire.ingest.signatures import key_of, new_secret

FILE = "sources.json"
MOST_SOURCES = 50
"""Every secret is tried on every request, so their number is part of its cost."""

MOST_SECRETS = 5
_OWNER_ONLY = 0o600
_CLOSED = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

NAME = r"^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$"
Name = Annotated[str, Field(pattern=NAME)]


class SourcesError(RuntimeError):
    """The file of sources cannot be used, or the change asked for makes no sense; the message says why."""


class Secret(BaseModel):
    """One secret; `until` is when it ends, None while it is the newest."""

    model_config = _CLOSED

    secret: SecretStr
    added: AwareDatetime
    until: AwareDatetime | None = None

    @property
    def key(self) -> bytes:
        """The bytes that sign."""
        return key_of(self.secret.get_secret_value())

    @field_serializer("secret", when_used="json")
    def _written(self, secret: SecretStr) -> str:
        return secret.get_secret_value()

    @model_validator(mode="after")
    def _is_a_secret(self) -> Self:
        key_of(self.secret.get_secret_value())
        return self


class WebhookSource(BaseModel):
    """Somebody who sends signed requests; an `operator` may also correct results."""

    model_config = _CLOSED

    kind: Literal["webhook"] = "webhook"
    name: Name
    operator: bool = False
    secrets: tuple[Secret, ...]

    def in_force(self, now: datetime) -> tuple[Secret, ...]:
        """Give the secrets that count at a time, newest first."""
        return tuple(one for one in self.secrets if one.until is None or one.until > now)


class Mode(StrEnum):
    """How a broadcast is followed: one answer that never ends, or asking again and again."""

    STREAM = "stream"
    POLL = "poll"


class BroadcastSource(BaseModel):
    """A broadcast and the tournament that its games belong to."""

    model_config = _CLOSED

    kind: Literal["broadcast"] = "broadcast"
    name: Name
    mode: Mode
    address: Annotated[str, Field(min_length=1, max_length=2048)]
    """https:// or http:// address; for `poll` also the path of a file."""
    every_s: Annotated[float, Field(ge=1, le=3600)] = 15.0
    """Seconds between two looks at what is polled."""
    silence_s: Annotated[float, Field(ge=1, le=3600)] = 90.0
    """Seconds without a byte after which a stream is taken for dead and opened again."""
    tournament_id: Annotated[str, Field(pattern=ID)]
    tournament_name: Text | None = None
    time_control: TimeControl | None = None
    system: System | None = None
    starts_on: date | None = None
    ends_on: date | None = None
    edition: EditionId | None = None
    rated_in: Period | None = None
    rated: bool = True

    @model_validator(mode="after")
    def _can_be_followed(self) -> Self:
        on_the_web = self.address.startswith(("https://", "http://"))
        if self.mode is Mode.STREAM and not on_the_web:
            raise ValueError("a stream has an address that begins with https:// or http://")
        if (self.starts_on is None) != (self.ends_on is None):
            raise ValueError("the first and the last day are stated together, or neither of them")
        if self.starts_on is not None and self.ends_on is not None and self.ends_on < self.starts_on:
            raise ValueError(f"the last day {self.ends_on} lies before the first, {self.starts_on}")
        return self


Source = Annotated[WebhookSource | BroadcastSource, Field(discriminator="kind")]


class Sources(BaseModel):
    """All sources of an installation."""

    model_config = _CLOSED

    layout: Literal[1] = 1
    sources: tuple[Source, ...] = ()

    def webhooks(self) -> tuple[WebhookSource, ...]:
        """Give those who send."""
        return tuple(one for one in self.sources if isinstance(one, WebhookSource))

    def broadcasts(self) -> tuple[BroadcastSource, ...]:
        """Give those whom we follow."""
        return tuple(one for one in self.sources if isinstance(one, BroadcastSource))

    def named(self, name: str) -> WebhookSource | BroadcastSource:
        """Find a source. Raises `SourcesError`."""
        for one in self.sources:
            if one.name == name:
                return one
        known = ", ".join(one.name for one in self.sources) or "none yet"
        raise SourcesError(f"there is no source {name!r} (known: {known})")

    def keys(self, now: datetime) -> Iterator[tuple[str, bytes]]:
        """Give (name, key) for every secret in force."""
        for source in self.webhooks():
            for secret in source.in_force(now):
                yield source.name, secret.key

    def with_source(self, source: WebhookSource | BroadcastSource) -> Self:
        """Add a source. Raises `SourcesError` for a name that is taken."""
        if any(one.name == source.name for one in self.sources):
            raise SourcesError(
                f"there is a source {source.name!r} already; choose another name, or remove it first"
            )
        if len(self.sources) >= MOST_SOURCES:
            raise SourcesError(f"there are {MOST_SOURCES} sources already; remove one that is not used")
        return self.model_copy(update={"sources": (*self.sources, source)})

    def without(self, name: str) -> Self:
        """Remove a source. Raises `SourcesError`."""
        gone = self.named(name)
        return self.model_copy(update={"sources": tuple(one for one in self.sources if one is not gone)})

    def rotated(self, name: str, secret: Secret, *, overlap: timedelta) -> Self:
        """Give a source a new secret; those before it count for `overlap` longer. Raises `SourcesError`."""
        source = self.named(name)
        if not isinstance(source, WebhookSource):
            raise SourcesError(f"{name} is a broadcast that we follow; it has no secret")
        until = secret.added + overlap
        older = [
            one.model_copy(update={"until": min(until, one.until or until)})
            for one in source.in_force(secret.added)
        ]
        kept = [one for one in older if one.until is not None and one.until > secret.added]
        changed = source.model_copy(update={"secrets": (secret, *kept)[:MOST_SECRETS]})
        return self.model_copy(
            update={"sources": tuple(changed if one is source else one for one in self.sources)}
        )


def made_secret(random: bytes, now: datetime) -> Secret:
    """Make a secret of random bytes."""
    return Secret(secret=SecretStr(new_secret(random)), added=now)


def read_sources(path: Path) -> Sources:
    """Read the file; no file is no source. Raises `SourcesError`, which never quotes a secret."""
    try:
        with path.open("rb") as stream:
            mode = stat.S_IMODE(os.fstat(stream.fileno()).st_mode)
            raw = stream.read()
    except FileNotFoundError:
        return Sources()
    except OSError as problem:
        raise SourcesError(f"{path} cannot be read: {problem.strerror}") from None
    if mode & ~_OWNER_ONLY:
        raise SourcesError(
            f"{path} holds secrets and may be read by others (mode {mode:o}); run chmod 600 on it, "
            "and rotate the secrets if somebody may have read them"
        )
    try:
        return Sources.model_validate_json(raw)
    except ValidationError as problem:
        # Not the value: it may be a secret.
        first = problem.errors(include_input=False, include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or "the file"
        raise SourcesError(
            f"{path}: {field} is not as it should be ({first['type']}). "
            "Restore the file, or remove it and add the sources again"
        ) from None


@contextmanager
def changed_sources(path: Path) -> Iterator[list[Sources]]:
    """Hold the file for a change: gives a list with what it holds, and writes what the list holds at the end.

    Raises `SourcesError`.
    """
    lock = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _OWNER_ONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        held = [read_sources(path)]
        yield held
        _write(path, held[0])
    finally:
        os.close(lock)


def _write(path: Path, sources: Sources) -> None:
    draft = path.with_suffix(f".{os.getpid()}.new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _OWNER_ONLY)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(sources.model_dump_json(indent=1).encode() + b"\n")
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)
