"""What became of a dead letter: a marker beside it in `dead-letters`; the letter itself is never touched.

A marker is an empty record with the letter's key, in the letter's partition. It stands after its
letter, and goes after it when the topic's time is up.
"""

from __future__ import annotations

from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from elowire.contracts.dead_letters import MAX_HEADER_CHARACTERS, PREFIX

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from elowire.contracts.dead_letters import DeadLetter

    Headers = Sequence[tuple[str, bytes]]

RESOLUTION = f"{PREFIX}resolution"
RESOLUTION_REASON = f"{PREFIX}resolution-reason"
RESOLUTION_DIGEST = f"{PREFIX}resolution-digest"
RESOLVED_AT = f"{PREFIX}resolved-at"
_REFUSAL = f"{PREFIX}reason"
_PLACE = (f"{PREFIX}topic", f"{PREFIX}partition", f"{PREFIX}offset")
_DIGEST_BYTES = 16


class Outcome(StrEnum):
    """How a dead letter was dealt with."""

    REPLAYED = "replayed"
    DISCARDED = "discarded"


class Resolution(NamedTuple):
    """What a marker says; `id` and `digest` name the letter, `at` is RFC 3339 in UTC."""

    id: str
    digest: str
    outcome: Outcome
    reason: str | None
    at: str


def digest_of(key: bytes | None, value: bytes | None) -> str:
    """Return what tells a letter from another one of the same id, as after its topic was made anew (hex)."""
    parts = [b"-" if part is None else b"%d:%s" % (len(part), part) for part in (key, value)]

    return blake2b(b"".join(parts), digest_size=_DIGEST_BYTES).hexdigest()


def is_resolution(headers: Headers) -> bool:
    """Whether a record of `dead-letters` is a marker; what carries a refusal never is."""
    names = {name for name, _ in headers}

    return RESOLUTION in names and _REFUSAL not in names


def resolution_headers(
    letter: DeadLetter, digest: str, outcome: Outcome, *, at: str, reason: str | None = None
) -> list[tuple[str, bytes]]:
    """Return the headers of a letter's marker."""
    place = (letter.topic, str(letter.partition), str(letter.offset))
    said = dict(zip(_PLACE, place, strict=True))
    said |= {RESOLUTION: outcome.value, RESOLUTION_DIGEST: digest, RESOLVED_AT: at}
    if reason is not None:
        said[RESOLUTION_REASON] = reason[:MAX_HEADER_CHARACTERS]

    return [(name, text.encode("utf-8", "backslashreplace")) for name, text in said.items()]


def read_resolution(headers: Headers) -> Resolution:
    """Return what a marker says, or raise ValueError naming the header that is wrong."""
    said = {name: (value or b"").decode("utf-8", "replace") for name, value in headers}
    for name in (*_PLACE, RESOLUTION_DIGEST, RESOLVED_AT):
        if not said.get(name):
            raise ValueError(f"header {name} of a marker is missing; it was put there by something else")
    try:
        outcome = Outcome(said[RESOLUTION])
    except ValueError:
        raise ValueError(
            f"header {RESOLUTION} of a marker is {said[RESOLUTION]!r}: expected {' or '.join(Outcome)}"
        ) from None

    return Resolution(
        "/".join(said[name] for name in _PLACE),
        said[RESOLUTION_DIGEST],
        outcome,
        said.get(RESOLUTION_REASON),
        said[RESOLVED_AT],
    )


class Resolutions:
    """Which letters are resolved: markers are taken first, then letters are asked about.

    It keeps 16 bytes for each marker, and the whole of it for the letters named in `remember`.
    """

    def __init__(self, remember: Collection[str] = ()) -> None:
        self._names: set[bytes] = set()
        self._said: dict[tuple[str, str], Resolution] = {}
        self._remember = frozenset(remember)

    def take(self, resolution: Resolution) -> None:
        """Take what a marker says."""
        self._names.add(_name(resolution.id, resolution.digest))
        if resolution.id in self._remember:
            self._said[resolution.id, resolution.digest] = resolution

    def resolved(self, letter_id: str, digest: str) -> bool:
        """Whether there is a marker for this letter."""
        return _name(letter_id, digest) in self._names

    def of(self, letter_id: str, digest: str) -> Resolution | None:
        """Return what became of a letter that was to be remembered; None while it is open."""
        return self._said.get((letter_id, digest))


def _name(letter_id: str, digest: str) -> bytes:
    return blake2b(f"{letter_id} {digest}".encode(), digest_size=_DIGEST_BYTES).digest()
