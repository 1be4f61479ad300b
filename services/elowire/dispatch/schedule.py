"""When to try again, and when to stop: decided as values; time and chance are arguments.

Source: Standard Webhooks 1.0, "Deliverability and reliability" and "Delivery success and failure".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

DELAYS_S = (5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 21_600, 39_600)
"""Seconds after the first, second ... failed attempt; 24 hours and 42 minutes together."""

JITTER = 0.25
"""A pause is longer by up to this share, so that what failed together does not come back together."""

LONGEST_RETRY_AFTER_S = 86_400
"""A receiver may ask for a day; who wants more is better served by a disabled subscription."""

FEW_FAILURES = 3
"""From so many failed attempts in a row on, an endpoint is probed by one request at a time."""

_SUCCESS = range(200, 300)
_REDIRECT = range(300, 400)
_GONE = 410
_TOO_MANY = 429
_OVERLOADED = frozenset({_TOO_MANY, 502, 503, 504})
_LONGEST_NUMBER = 12


class Outcome(StrEnum):
    """What became of an attempt: also the label of metrics."""

    DELIVERED = "delivered"
    REDIRECT = "redirect"
    GONE = "gone"
    THROTTLED = "throttled"
    CLIENT_ERROR = "client-error"
    SERVER_ERROR = "server-error"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    DNS = "dns"
    TLS = "tls"
    REFUSED_ADDRESS = "refused-address"


class Reply(NamedTuple):
    """What an attempt brought back: a status, or why there is none.

    `reason` is a sentence for the log; `retry_after` is the header as it came.
    """

    outcome: Outcome
    reason: str
    status: int | None = None
    retry_after: str | None = None


@dataclass(frozen=True, slots=True)
class Delivered:
    """The receiver has it."""


@dataclass(frozen=True, slots=True)
class RetryAt:
    """Try this delivery again at `due_ms`; until `rest_ms` (0: no rest) nothing else goes there either."""

    due_ms: int
    rest_ms: int


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The schedule is over."""


@dataclass(frozen=True, slots=True)
class Gone:
    """The receiver wants nothing any more."""


Decision = Delivered | RetryAt | GiveUp | Gone


def outcome_of(status: int) -> Outcome:
    """Name what a status means."""
    if status in _SUCCESS:
        return Outcome.DELIVERED
    if status in _REDIRECT:
        return Outcome.REDIRECT
    if status == _GONE:
        return Outcome.GONE
    if status in _OVERLOADED:
        return Outcome.THROTTLED
    return Outcome.CLIENT_ERROR if 400 <= status < 500 else Outcome.SERVER_ERROR  # noqa: PLR2004 - HTTP's own


def decide_next(
    attempts: int, reply: Reply, *, now_ms: int, jitter: float, delays_s: Sequence[int] = DELAYS_S
) -> Decision:
    """Decide what follows the last of `attempts` attempts (1 or more); `jitter` is between 0 and 1."""
    if reply.outcome is Outcome.DELIVERED:
        return Delivered()
    if reply.outcome is Outcome.GONE:
        return Gone()
    if attempts > len(delays_s):
        return GiveUp()
    due_ms = now_ms + _pause_ms(delays_s[attempts - 1], jitter)
    asked_s = retry_after_s(reply.retry_after, now_ms)
    if asked_s is not None:
        # The jitter comes on top: a receiver that says "in a minute" to all must not see all in a minute.
        due_ms = max(due_ms, now_ms + _pause_ms(asked_s, jitter))
    if reply.outcome is not Outcome.THROTTLED:
        return RetryAt(due_ms, 0)
    rest_ms = _pause_ms(delays_s[0], jitter) if asked_s is None else _pause_ms(asked_s, 0)
    return RetryAt(due_ms, now_ms + rest_ms)


def retry_after_s(text: str | None, now_ms: int) -> int | None:
    """Read `Retry-After` (seconds, or an HTTP date) as seconds from now; None where it is unusable."""
    if text is None:
        return None
    text = text.strip()
    if text.isascii() and text.isdecimal():
        return min(int(text[:_LONGEST_NUMBER]), LONGEST_RETRY_AFTER_S)
    try:
        at = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    seconds = (at - datetime.fromtimestamp(now_ms / 1000, UTC)).total_seconds()
    return int(min(max(seconds, 0), LONGEST_RETRY_AFTER_S))


def is_dead(failing_since_ms: int | None, now_ms: int, delays_s: Sequence[int] = DELAYS_S) -> bool:
    """Say whether an endpoint has failed without a break for as long as a whole schedule."""
    return failing_since_ms is not None and now_ms - failing_since_ms >= sum(delays_s) * 1000


def places_now(places: int, failures: int) -> int:
    """Return how many requests may be under way to an endpoint after so many failures in a row."""
    return places if failures < FEW_FAILURES else 1


def _pause_ms(seconds: int, jitter: float) -> int:
    return int(seconds * 1000 * (1 + JITTER * jitter))
