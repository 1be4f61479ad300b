"""Text of others on a terminal: what somebody sent must not steer the screen."""

from __future__ import annotations

from datetime import UTC, datetime


def plain(text: str) -> str:
    """Return text with everything that is not printable written as an escape."""
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text
    )


def age_text(seconds: float) -> str:
    """Write an age as people say it: "12 s", "5 min", "3 h", "9 days"."""
    whole = max(0, int(seconds))
    for size, unit, until in ((1, "s", 120), (60, "min", 120), (3600, "h", 48)):
        if whole // size < until:
            return f"{whole // size} {unit}"
    return f"{whole // 86_400} days"


def moment(milliseconds: int) -> str:
    """Write a time in milliseconds since 1970 as RFC 3339 in UTC, to the second."""
    return datetime.fromtimestamp(milliseconds // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
