"""Standard Webhooks 1.0, the sender's side: secrets, and the headers of an attempt.

Source: standard-webhooks specification 1.0.0; the signature itself is the published library's.
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from standardwebhooks import Webhook

if TYPE_CHECKING:
    from collections.abc import Sequence

PREFIX = "whsec_"
LEAST_BYTES, MOST_BYTES = 24, 64
SECRET_BYTES = 32


def new_secret(random: bytes) -> str:
    """Write random bytes as a secret: "whsec_" and base64."""
    if not LEAST_BYTES <= len(random) <= MOST_BYTES:
        raise ValueError(f"a secret has {LEAST_BYTES} to {MOST_BYTES} bytes, not {len(random)}")
    return PREFIX + b64encode(random).decode()


def check_secret(secret: str) -> str:
    """Return the secret if it is one. Raises `ValueError`, which never quotes it."""
    try:
        key = b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(PREFIX) or not LEAST_BYTES <= len(key) <= MOST_BYTES:
        raise ValueError(f"expected {PREFIX} followed by {LEAST_BYTES} to {MOST_BYTES} bytes in base64")
    return secret


def signed_headers(
    secrets: Sequence[str], *, webhook_id: str, timestamp_s: int, body: bytes
) -> dict[str, str]:
    """Return the three headers of an attempt, signed with every secret that is in force."""
    # The library takes the time as one in UTC, whatever its zone says.
    at = datetime.fromtimestamp(timestamp_s, UTC)
    text = body.decode()
    return {
        "webhook-id": webhook_id,
        "webhook-timestamp": str(timestamp_s),
        "webhook-signature": " ".join(Webhook(secret).sign(webhook_id, at, text) for secret in secrets),
    }
