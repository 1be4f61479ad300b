"""The log of deliveries: look, send again, test, forget."""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Connection
from typing import Any, NamedTuple

import orjson

from elowire.dispatch.lanes import TEST_LANE, advance
from elowire.dispatch.readings import body_of, webhook_id_of
from elowire.dispatch.store import Store
from elowire.dispatch.subscriptions import Subscription, UnknownSubscriptionError

TYPE_TEST = "elowire.webhook-test.v1"
STATES = ("queued", "delivered", "failed")
MOST_LISTED = 1000
MOST_FINISHED = 200_000
"""Finished deliveries that are kept of one subscription."""

SEEN_MS = 400 * 86_400_000
"""How long it is remembered what was seen of a game or a tournament's line: as long as their topics."""

_ROW = (
    "SELECT delivery.id, subscription.name, event.webhook_id, event.event_id, event.kind, delivery.state, "
    "delivery.attempts, delivery.created_ms, delivery.finished_ms, delivery.reason, lane.due_ms "
    "FROM delivery JOIN event ON event.id = delivery.event "
    "JOIN subscription ON subscription.id = delivery.subscription "
    "LEFT JOIN lane ON lane.subscription = delivery.subscription AND lane.head = delivery.id "
    "AND lane.lane = delivery.lane "
)


class Delivery(NamedTuple):
    """A delivery as the log has it; times are milliseconds since 1970.

    `next_ms` is when it is tried next; None while an older one of the same player is before it, and once it
    is finished.
    """

    id: int
    subscription: str
    webhook_id: str
    event_id: str
    kind: str
    state: str
    attempts: int
    created_ms: int
    finished_ms: int | None
    reason: str | None
    next_ms: int | None


class Logged(NamedTuple):
    """One attempt in the log."""

    at_ms: int
    took_ms: int
    outcome: str
    status: int | None
    reason: str


def listed_deliveries(
    connection: Connection,
    subscription: Subscription,
    *,
    state: str | None = None,
    before: int | None = None,
    limit: int = 50,
) -> list[Delivery]:
    """Give deliveries of a subscription, newest first; `before` is the id from which to go on."""
    rows = connection.execute(
        _ROW + "WHERE delivery.subscription = ? AND (? IS NULL OR delivery.state = ?) "
        "AND delivery.id < ? ORDER BY delivery.id DESC LIMIT ?",
        (subscription.id, state, state, before or 2**63 - 1, min(limit, MOST_LISTED)),
    ).fetchall()
    return [Delivery(*row) for row in rows]


def delivery_numbered(connection: Connection, number: int) -> tuple[Delivery, list[Logged], bytes]:
    """Find a delivery, its attempts and its body. Raises `UnknownSubscriptionError`."""
    row = connection.execute(_ROW + "WHERE delivery.id = ?", (number,)).fetchone()
    if row is None:
        raise UnknownSubscriptionError(
            f"there is no delivery {number}",
            advice="`elowire subscriptions deliveries NAME` lists those that are kept.",
        )
    attempts = connection.execute(
        "SELECT at_ms, took_ms, outcome, status, reason FROM attempt WHERE delivery = ? ORDER BY id",
        (number,),
    ).fetchall()
    (body,) = connection.execute(
        "SELECT body FROM event JOIN delivery ON delivery.event = event.id WHERE delivery.id = ?", (number,)
    ).fetchone()
    return Delivery(*row), [Logged(*one) for one in attempts], body


def counts(connection: Connection, subscription: Subscription) -> dict[str, int]:
    """Count the deliveries of a subscription by state."""
    return dict.fromkeys(STATES, 0) | dict(
        connection.execute(
            "SELECT state, COUNT(*) FROM delivery WHERE subscription = ? GROUP BY state", (subscription.id,)
        ).fetchall()
    )


def queue_test(
    connection: Connection, subscription: Subscription, *, unique: str, time: str, now_ms: int
) -> int:
    """Queue a test delivery, which is tried once, before everything else; gives its number."""
    event_id = f"test:{unique}"
    data: dict[str, Any] = {"subscription": subscription.name, "message": "A test of this subscription."}
    body = body_of(
        TYPE_TEST,
        event_id,
        orjson.dumps(data),
        source="elowire/dispatch",
        time=time,
        subject=subscription.name,
    )
    event = connection.execute(
        "INSERT INTO event (webhook_id, event_id, kind, body) VALUES (?, ?, 'test', ?)",
        (webhook_id_of(TYPE_TEST, event_id), event_id, body),
    ).lastrowid
    lane = TEST_LANE + unique
    number = connection.execute(
        "INSERT INTO delivery (subscription, event, lane, state, created_ms) VALUES (?, ?, ?, 'queued', ?)",
        (subscription.id, event, lane, now_ms),
    ).lastrowid
    # Due since ever: it goes before a whole queue.
    connection.execute("INSERT INTO lane VALUES (?, ?, 0, ?)", (subscription.id, lane, number))
    return int(number or 0)


def replay(
    connection: Connection,
    subscription: Subscription,
    *,
    numbers: Sequence[int] = (),
    failed: bool = False,
    since_ms: int | None = None,
    now_ms: int,
) -> int:
    """Queue deliveries again, with their old ids and a fresh schedule; gives how many.

    Given `numbers` are those; else the failed ones, or all, that were made at `since_ms` or later.
    Raises `UnknownSubscriptionError` when a number is not one of this subscription.
    """
    if numbers:
        known = {
            number
            for number in numbers
            if connection.execute(
                "SELECT 1 FROM delivery WHERE id = ? AND subscription = ?", (number, subscription.id)
            ).fetchone()
        }
        for number in numbers:
            if number not in known:
                raise UnknownSubscriptionError(
                    f"{subscription.name} has no delivery {number}",
                    advice=f"`elowire subscriptions deliveries {subscription.name}` lists what is kept.",
                )
        chosen = [(number,) for number in dict.fromkeys(numbers)]
    else:
        chosen = connection.execute(
            "SELECT id FROM delivery WHERE subscription = ? AND created_ms >= ? "
            "AND (state = 'failed' OR (state = 'delivered' AND NOT ?)) AND lane NOT GLOB ' test/*' "
            "ORDER BY id",
            (subscription.id, since_ms or 0, failed),
        ).fetchall()
    lanes: set[str] = set()
    for (number,) in chosen:
        connection.execute(
            "UPDATE delivery SET state = 'queued', attempts = 0, first_ms = NULL, finished_ms = NULL "
            "WHERE id = ?",
            (number,),
        )
        (lane,) = connection.execute("SELECT lane FROM delivery WHERE id = ?", (number,)).fetchone()
        lanes.add(lane)
    for lane in lanes:
        advance(connection, subscription.id, lane, now_ms)
    return len(chosen)


def prune(store: Store, now_ms: int, *, keep_ms: int, most: int = MOST_FINISHED) -> int:
    """Forget what was finished, or is held for a disabled subscription, for longer than `keep_ms`.

    Gives how many events were forgotten with it.
    """
    old = now_ms - keep_ms
    with store.transaction() as connection:
        for number, disabled in connection.execute(
            "SELECT id, state = 'disabled' FROM subscription"
        ).fetchall():
            (oldest,) = connection.execute(
                "SELECT coalesce((SELECT finished_ms FROM delivery "
                "WHERE subscription = ? AND state <> 'queued' "
                "ORDER BY finished_ms DESC LIMIT 1 OFFSET ?), 0)",
                (number, most),
            ).fetchone()
            connection.execute(
                "DELETE FROM delivery WHERE subscription = ? AND state <> 'queued' AND finished_ms <= ?",
                (number, max(old, oldest)),
            )
            if disabled:
                lanes = connection.execute(
                    "DELETE FROM delivery WHERE subscription = ? AND state = 'queued' AND created_ms <= ? "
                    "RETURNING lane",
                    (number, old),
                ).fetchall()
                for (lane,) in dict.fromkeys(lanes):
                    advance(connection, number, lane, now_ms)
        connection.execute(
            "DELETE FROM seen WHERE at_ms <= ? AND kind <> 'live-rating'",
            (now_ms - SEEN_MS,),
        )
        connection.execute(
            "DELETE FROM attempt WHERE NOT EXISTS "
            "(SELECT 1 FROM delivery WHERE delivery.id = attempt.delivery)"
        )
        return connection.execute(
            "DELETE FROM event WHERE NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.event = event.id)"
        ).rowcount
