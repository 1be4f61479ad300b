"""Refused records: why, in a closed set of words, and how a dead letter carries its record on."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from elowire.contracts.topics import DEAD_LETTERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    Headers = Sequence[tuple[str, bytes]]

PREFIX = "elowire-"
# A header is for reading; a record's size must not grow with what somebody sent.
MAX_HEADER_CHARACTERS = 1000


class DeadLetterReason(StrEnum):
    """Why a record was refused; also a metric label."""

    NOT_JSON = "not-json"
    NOT_UTF8 = "not-utf8"
    TOO_LARGE = "too-large"
    TOMBSTONE = "tombstone"
    MISSING_ATTRIBUTE = "missing-attribute"
    INVALID_ATTRIBUTE = "invalid-attribute"
    UNKNOWN_TYPE = "unknown-type"
    UNKNOWN_VERSION = "unknown-version"
    WRONG_TOPIC = "wrong-topic"
    INVALID_FIELD = "invalid-field"
    MISSING_KEY = "missing-key"
    KEY_MISMATCH = "key-mismatch"
    OLDER_REVISION = "older-revision"
    REVISION_CONFLICT = "revision-conflict"
    PLAYER_TWICE_IN_ROUND = "player-twice-in-round"
    UNPROCESSABLE = "unprocessable"


class Refused(NamedTuple):
    """A record that cannot be processed: why, where, what was expected, and what to do about it."""

    reason: DeadLetterReason
    detail: str
    field: str | None = None
    expected: str | None = None
    advice: str | None = None


class DeadLetter(BaseModel):
    """The part of a dead letter's headers that says why and where from."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reason: str
    """A reason of this release, or the word of a newer one."""
    detail: str
    field: str | None = None
    expected: str | None = None
    advice: str | None = None
    topic: str
    partition: Annotated[int, Field(ge=0)]
    offset: Annotated[int, Field(ge=0)]
    release: str

    @property
    def id(self) -> str:
        """The id that commands use: topic/partition/offset of the refused record."""
        return f"{self.topic}/{self.partition}/{self.offset}"


def dead_letter_headers(
    refused: Refused, topic: str, partition: int, offset: int, release: str
) -> list[tuple[str, bytes]]:
    """Return the headers that say why a record was refused and where it stood.

    They follow the record's `original_headers`; key and value go on unchanged.
    """
    said = {
        "reason": refused.reason.value,
        "detail": refused.detail,
        "field": refused.field,
        "expected": refused.expected,
        "advice": refused.advice,
        "topic": topic,
        "partition": str(partition),
        "offset": str(offset),
        "release": release,
    }

    return [
        (PREFIX + name, text[:MAX_HEADER_CHARACTERS].encode("utf-8", "backslashreplace"))
        for name, text in said.items()
        if text is not None
    ]


def original_headers(headers: Headers) -> list[tuple[str, bytes]]:
    """Return a record's headers without the reasons of an earlier refusal: what a replay sends."""
    return [(name, value) for name, value in headers if not name.startswith(PREFIX)]


def read_dead_letter(headers: Headers) -> DeadLetter:
    """Return why a record of `dead-letters` is there, or raise ValueError naming the header that is wrong."""
    said = {
        name.removeprefix(PREFIX): value.decode("utf-8", "replace")
        for name, value in headers
        if name.startswith(PREFIX) and value is not None
    }
    try:
        return DeadLetter.model_validate(said)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        header = PREFIX + ".".join(str(step) for step in first["loc"])
        raise ValueError(
            f"header {header} of a record in {DEAD_LETTERS.name} is missing or not as written by Elowire "
            f"({first['msg']}); the record was put there by something else"
        ) from error
