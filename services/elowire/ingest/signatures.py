"""Standard Webhooks 1.0: who sent a request, proved over its id, its time and its body.

Source: standard-webhooks specification 1.0.0. The signed text is `id.timestamp.body` in bytes: tournament
files come in any encoding, which is why the published library, which signs text, is a check in the tests.
"""

from __future__ import annotations

import binascii
import hmac
import re
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple

PREFIX = "whsec_"
LEAST_BYTES, MOST_BYTES = 24, 64
TOLERANCE_S = 300
"""How far the time of an attempt may lie from the present; an older one is a replay."""

MOST_SIGNATURES = 10
_ID = re.compile(r"[!-~]{1,256}")
_TIME = re.compile(r"[0-9]{1,12}")


class UnsignedError(ValueError):
    """A request does not prove who sent it; `field` is the header, the message is for its sender."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


class Attempt(NamedTuple):
    """The three headers of a signed request. `webhook_id` stays the same when the sender tries again."""

    webhook_id: str
    timestamp: str
    signatures: tuple[bytes, ...]


def new_secret(random: bytes) -> str:
    """Write `LEAST_BYTES` to `MOST_BYTES` random bytes as a secret: "whsec_" and base64."""
    if not LEAST_BYTES <= len(random) <= MOST_BYTES:
        raise ValueError(f"a secret has {LEAST_BYTES} to {MOST_BYTES} bytes, not {len(random)}")
    return PREFIX + b64encode(random).decode()


def key_of(secret: str) -> bytes:
    """Return the bytes of a secret. Raises `ValueError`, which never quotes the secret."""
    try:
        key = b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(PREFIX) or not LEAST_BYTES <= len(key) <= MOST_BYTES:
        raise ValueError(
            f"a secret is {PREFIX} followed by {LEAST_BYTES} to {MOST_BYTES} bytes in base64; "
            "`elowire sources rotate` makes a new one"
        )
    return key


def sign(key: bytes, webhook_id: str, timestamp: int, body: bytes) -> str:
    """Return the value of `webhook-signature` for one key; `timestamp` in seconds since 1970."""
    return "v1," + b64encode(_digest(key, webhook_id, str(timestamp), body)).decode()


def attempt_of(headers: Mapping[str, str], now_s: float) -> Attempt:
    """Read the headers of a request at a time in seconds since 1970. Raises `UnsignedError`."""
    webhook_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    said = headers.get("webhook-signature", "")
    for name, value in (
        ("webhook-id", webhook_id),
        ("webhook-timestamp", timestamp),
        ("webhook-signature", said),
    ):
        if not value:
            raise UnsignedError(name, f"the header {name} is missing; sign the request (Standard Webhooks)")
    if not _ID.fullmatch(webhook_id):
        raise UnsignedError("webhook-id", "webhook-id is no text of 1 to 256 printable ASCII characters")
    if not _TIME.fullmatch(timestamp):
        raise UnsignedError("webhook-timestamp", "webhook-timestamp is no whole number of seconds since 1970")
    late = now_s - int(timestamp)
    if abs(late) > TOLERANCE_S:
        which = "old" if late > 0 else "far in the future"
        raise UnsignedError(
            "webhook-timestamp",
            f"webhook-timestamp is too {which}: {abs(late):.0f} seconds, at most {TOLERANCE_S} are allowed. "
            "Sign every attempt anew, and check the sender's clock",
        )
    return Attempt(webhook_id, timestamp, _signatures(said))


def signer(attempt: Attempt, body: bytes, keys: Iterable[tuple[str, bytes]]) -> str | None:
    """Return whose key signed the request, or None. All keys are tried, so that time tells nothing."""
    found = None
    for name, key in keys:
        expected = _digest(key, attempt.webhook_id, attempt.timestamp, body)
        for signature in attempt.signatures:
            if hmac.compare_digest(expected, signature):
                found = name
    return found


def _digest(key: bytes, webhook_id: str, timestamp: str, body: bytes) -> bytes:
    return hmac.new(key, f"{webhook_id}.{timestamp}.".encode() + body, sha256).digest()


def _signatures(said: str) -> tuple[bytes, ...]:
    """Read the signatures of version 1; others and broken ones are passed over, as the specification asks."""
    read = []
    for one in said.split()[:MOST_SIGNATURES]:
        version, _, signature = one.partition(",")
        if version != "v1":
            continue
        try:
            read.append(b64decode(signature, validate=True))
        except (binascii.Error, ValueError):
            continue
    return tuple(read)
