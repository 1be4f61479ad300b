"""Subscriptions, tokens and facts in dispatch's file; each function works in its caller's transaction."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from elowire.dispatch.filters import Filters
from elowire.dispatch.subscriptions import (
    MOST_SUBSCRIPTIONS,
    RefusedError,
    Secrets,
    State,
    Subscription,
    UnknownSubscriptionError,
)

if TYPE_CHECKING:
    from sqlite3 import Connection

_COLUMNS = (
    "id, name, url, filters, secrets, state, reason, created_ms, failures, failing_since_ms, rest_ms, "
    "last_success_ms"
)


def all_subscriptions(connection: Connection) -> list[Subscription]:
    """Give all subscriptions by name."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM subscription ORDER BY name").fetchall()  # noqa: S608 - columns of ours
    return [_subscription(row) for row in rows]


def subscription_named(connection: Connection, name: str) -> Subscription:
    """Find a subscription. Raises `UnknownSubscriptionError`."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM subscription WHERE name = ?",  # noqa: S608 - columns of ours
        (name,),
    ).fetchone()
    if row is None:
        known = [one for (one,) in connection.execute("SELECT name FROM subscription ORDER BY name LIMIT 11")]
        names = ", ".join(known[:10]) + (", ..." if len(known) > 10 else "")  # noqa: PLR2004 - enough to recognise
        raise UnknownSubscriptionError(
            f"there is no subscription {name[:64]!r} (known: {names or 'none yet'})",
            advice="`elowire subscriptions list` shows all.",
        )
    return _subscription(row)


def insert_subscription(
    connection: Connection, *, name: str, url: str, filters: Filters, secrets: Secrets, created_ms: int
) -> Subscription:
    """Add a subscription. Raises `RefusedError` for a name that is taken, or one subscription too many."""
    (taken,) = connection.execute("SELECT COUNT(*) FROM subscription WHERE name = ?", (name,)).fetchone()
    if taken:
        raise RefusedError(
            f"there is a subscription {name!r} already",
            field="name",
            expected="a new name",
            advice=f"Choose another, change it (`elowire subscriptions change {name}`), or remove it first.",
        )
    (number,) = connection.execute("SELECT COUNT(*) FROM subscription").fetchone()
    if number >= MOST_SUBSCRIPTIONS:
        raise RefusedError(
            f"there are {MOST_SUBSCRIPTIONS} subscriptions already",
            expected=f"at most {MOST_SUBSCRIPTIONS}",
            advice="Remove one that is not used.",
        )
    connection.execute(
        "INSERT INTO subscription (name, url, filters, secrets, state, created_ms) VALUES (?, ?, ?, ?, ?, ?)",
        (
            name,
            url,
            filters.model_dump_json(exclude_defaults=True),
            secrets.model_dump_json(),
            State.ACTIVE,
            created_ms,
        ),
    )
    return subscription_named(connection, name)


def update_subscription(connection: Connection, subscription: Subscription) -> None:
    """Write url, filters and secrets of a subscription."""
    connection.execute(
        "UPDATE subscription SET url = ?, filters = ?, secrets = ? WHERE id = ?",
        (
            subscription.url,
            subscription.filters.model_dump_json(exclude_defaults=True),
            subscription.secrets.model_dump_json(),
            subscription.id,
        ),
    )


def delete_subscription(connection: Connection, subscription_id: int) -> None:
    """Remove a subscription with all that waits for it and its log."""
    connection.execute(
        "DELETE FROM attempt WHERE delivery IN (SELECT id FROM delivery WHERE subscription = ?)",
        (subscription_id,),
    )
    for table in ("lane", "delivery"):
        connection.execute(f"DELETE FROM {table} WHERE subscription = ?", (subscription_id,))  # noqa: S608 - ours
    connection.execute("DELETE FROM subscription WHERE id = ?", (subscription_id,))


def disable(connection: Connection, subscription_id: int, reason: str) -> None:
    """Stop sending; what waits is held."""
    connection.execute(
        "UPDATE subscription SET state = ?, reason = ? WHERE id = ?",
        (State.DISABLED, reason, subscription_id),
    )


def enable(connection: Connection, subscription_id: int, now_ms: int) -> None:
    """Send again, with a fresh schedule: what was held goes out at once."""
    connection.execute(
        "UPDATE subscription SET state = ?, reason = NULL, failures = 0, failing_since_ms = NULL, "
        "rest_ms = 0 WHERE id = ?",
        (State.ACTIVE, subscription_id),
    )
    connection.execute(
        "UPDATE delivery SET attempts = 0, first_ms = NULL WHERE subscription = ? AND state = 'queued'",
        (subscription_id,),
    )
    connection.execute("UPDATE lane SET due_ms = ? WHERE subscription = ?", (now_ms, subscription_id))


def forget_down_time(connection: Connection, now_ms: int) -> None:
    """Count the time for which endpoints have failed from now on: before, nobody tried them."""
    connection.execute(
        "UPDATE subscription SET failing_since_ms = ? WHERE failing_since_ms IS NOT NULL", (now_ms,)
    )


def keep_fact(connection: Connection, name: str, said: str) -> None:
    """Note something that commands beside the service should know."""
    connection.execute("INSERT OR REPLACE INTO fact VALUES (?, ?)", (name, said))


def fact(connection: Connection, name: str) -> str | None:
    """Give what was noted."""
    row = connection.execute("SELECT said FROM fact WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def keep_token(connection: Connection, name: str, digest: bytes, now_ms: int) -> None:
    """Let a token in from now on. Raises `RefusedError` for a name that is taken."""
    taken = connection.execute("SELECT 1 FROM token WHERE name = ?", (name,)).fetchone()
    if taken:
        raise RefusedError(
            f"there is a token {name!r} already",
            expected="a new name",
            advice="Choose another, or remove it first with --remove.",
        )
    connection.execute("INSERT INTO token VALUES (?, ?, ?)", (name, digest, now_ms))


def remove_token(connection: Connection, name: str) -> None:
    """Let a token in no more. Raises `RefusedError`."""
    if not connection.execute("DELETE FROM token WHERE name = ?", (name,)).rowcount:
        known = ", ".join(one for (one,) in connection.execute("SELECT name FROM token ORDER BY name"))
        raise RefusedError(f"there is no token {name!r} (known: {known or 'none yet'})")


def token_digests(connection: Connection) -> list[bytes]:
    """Give the digests of all tokens."""
    return [digest for (digest,) in connection.execute("SELECT digest FROM token")]


def _subscription(row: tuple[Any, ...]) -> Subscription:
    number, name, url, filters, secrets, state, *rest = row
    return Subscription(number, name, url, _filters(filters), _secrets(secrets), State(state), *rest)


@lru_cache(maxsize=2 * MOST_SUBSCRIPTIONS)
def _filters(text: str) -> Filters:
    return Filters.model_validate_json(text)


@lru_cache(maxsize=2 * MOST_SUBSCRIPTIONS)
def _secrets(text: str) -> Secrets:
    return Secrets.model_validate_json(text)
