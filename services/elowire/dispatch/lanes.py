"""The queue's fronts: of each player's deliveries in a subscription only the oldest may be under way.

A lane is the line of one player; the row of a lane is its head and when that is due. A lane without waiting
deliveries has no row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from sqlite3 import Connection
from typing import NamedTuple, assert_never

from elowire.dispatch.schedule import (
    Decision,
    Delivered,
    GiveUp,
    Gone,
    Reply,
    RetryAt,
    is_dead,
    places_now,
)
from elowire.dispatch.store import Store
from elowire.dispatch.store_subscriptions import all_subscriptions, disable
from elowire.dispatch.subscriptions import State, Subscription

TEST_LANE = " test/"
"""Begins with a space, as no id does. What waits there goes out even to a disabled subscription."""

_AFTER_TEST_LANES = " test0"


class Head(NamedTuple):
    """A delivery that may be sent now; `attempts` were made before."""

    subscription: Subscription
    lane: str
    delivery: int
    attempts: int
    webhook_id: str
    body: bytes

    @property
    def is_test(self) -> bool:
        """Whether somebody only tries the endpoint."""
        return self.lane.startswith(TEST_LANE)


class Attempt(NamedTuple):
    """One attempt as it went: when it began, how long it took (milliseconds), what came back."""

    at_ms: int
    took_ms: int
    reply: Reply


_HEADS = (
    "SELECT lane.lane, delivery.id, delivery.attempts, event.webhook_id, event.body FROM lane "
    "JOIN delivery ON delivery.id = lane.head JOIN event ON event.id = delivery.event "
    "WHERE lane.subscription = ? AND lane.due_ms <= ? "
)


def due(store: Store, now_ms: int, places: int, busy: Mapping[int, AbstractSet[str]]) -> list[Head]:
    """Give what may be sent now; `busy` are the lanes under way, by subscription.

    Each subscription has `places` of its own, so that nobody waits for anybody else.
    """
    found: list[Head] = []
    with store.reading() as connection:
        for subscription in all_subscriptions(connection):
            under_way = busy.get(subscription.id, frozenset())
            free = places_now(places, subscription.failures) - len(under_way)
            is_open = subscription.state is State.ACTIVE and subscription.rest_ms <= now_ms
            if is_open and free > 0:
                rows = connection.execute(
                    _HEADS + "ORDER BY lane.due_ms, lane.head LIMIT ?",
                    (subscription.id, now_ms, free + len(under_way)),
                ).fetchall()
                free_rows = [row for row in rows if row[0] not in under_way][:free]
            else:
                rows = connection.execute(
                    _HEADS + "AND lane.lane > ? AND lane.lane < ? LIMIT ?",
                    (subscription.id, now_ms, TEST_LANE, _AFTER_TEST_LANES, places),
                ).fetchall()
                free_rows = [row for row in rows if row[0] not in under_way]
            found += [Head(subscription, *row) for row in free_rows]
    return found


def finish(
    store: Store, head: Head, attempt: Attempt, decision: Decision, now_ms: int, delays_s: Sequence[int]
) -> str | None:
    """Write an attempt and what follows from it; gives the reason when it disabled the subscription."""
    with store.transaction() as connection:
        row = connection.execute(
            "SELECT state, first_ms FROM delivery WHERE id = ?", (head.delivery,)
        ).fetchone()
        if row is None:
            return None  # The subscription was removed meanwhile.
        state, first_ms = row
        reply = attempt.reply
        connection.execute(
            "INSERT INTO attempt (delivery, at_ms, took_ms, outcome, status, reason) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (head.delivery, attempt.at_ms, attempt.took_ms, reply.outcome, reply.status, reply.reason),
        )
        connection.execute(
            "UPDATE delivery SET attempts = attempts + 1, first_ms = coalesce(first_ms, ?), reason = ? "
            "WHERE id = ?",
            (attempt.at_ms, reply.reason, head.delivery),
        )
        if state != "queued":
            return None
        if head.is_test and not isinstance(decision, Delivered):
            _end(connection, head, "failed", now_ms)
            return None
        first_ms = attempt.at_ms if first_ms is None else first_ms
        return _follow(connection, head, first_ms, reply, decision, now_ms, delays_s)


def _follow(
    connection: Connection,
    head: Head,
    first_ms: int,
    reply: Reply,
    decision: Decision,
    now_ms: int,
    delays_s: Sequence[int],
) -> str | None:
    number = head.subscription.id
    if isinstance(decision, Delivered):
        connection.execute(
            "UPDATE subscription SET failures = 0, failing_since_ms = NULL, last_success_ms = ? WHERE id = ?",
            (now_ms, number),
        )
        _end(connection, head, "delivered", now_ms)
        return None
    connection.execute(
        "UPDATE subscription SET failures = failures + 1, failing_since_ms = coalesce(failing_since_ms, ?) "
        "WHERE id = ?",
        (now_ms, number),
    )
    failing_since_ms, success_ms, state = connection.execute(
        "SELECT failing_since_ms, last_success_ms, state FROM subscription WHERE id = ?", (number,)
    ).fetchone()
    reason = None
    match decision:
        case Gone():
            reason = "the receiver answered 410: it wants no deliveries any more"
        case GiveUp() if success_ms is not None and success_ms >= first_ms:
            # Others arrive: it is this one that the receiver does not take.
            _end(connection, head, "failed", now_ms)
        case GiveUp():
            reason = (
                f"nothing arrived for a whole schedule of {len(delays_s) + 1} attempts; last: {reply.reason}"
            )
        case RetryAt(due_ms=due_ms, rest_ms=rest_ms):
            advance(connection, number, head.lane, due_ms)
            connection.execute(
                "UPDATE subscription SET rest_ms = max(rest_ms, ?) WHERE id = ?", (rest_ms, number)
            )
            if is_dead(failing_since_ms, now_ms, delays_s):
                reason = f"every attempt has failed for as long as a whole schedule; last: {reply.reason}"
        case _:
            assert_never(decision)
    if reason is None or state == State.DISABLED:
        return None
    disable(connection, number, reason)
    return reason


def advance(connection: Connection, subscription: int, lane: str, due_ms: int) -> None:
    """Put the oldest waiting delivery of a lane at its head, or take the lane away when none waits."""
    (head,) = connection.execute(
        "SELECT MIN(id) FROM delivery WHERE subscription = ? AND lane = ? AND state = 'queued'",
        (subscription, lane),
    ).fetchone()
    if head is None:
        connection.execute("DELETE FROM lane WHERE subscription = ? AND lane = ?", (subscription, lane))
    else:
        connection.execute(
            "INSERT OR REPLACE INTO lane VALUES (?, ?, ?, ?)", (subscription, lane, due_ms, head)
        )


def _end(connection: Connection, head: Head, state: str, now_ms: int) -> None:
    connection.execute(
        "UPDATE delivery SET state = ?, finished_ms = ? WHERE id = ?", (state, now_ms, head.delivery)
    )
    advance(connection, head.subscription.id, head.lane, now_ms)
