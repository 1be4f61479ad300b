"""Subscriptions and deliveries as data, for the command line and HTTP alike. Secrets are never in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import orjson

from elowire.contracts.envelope import rfc3339
from elowire.dispatch.deliveries import Delivery, Logged
from elowire.dispatch.subscriptions import State, Subscription, shown_filters


def subscription_view(
    subscription: Subscription, counted: Mapping[str, int], now: datetime
) -> dict[str, Any]:
    """Give a subscription; `counted` are its deliveries by state."""
    return {
        "name": subscription.name,
        "url": subscription.url,
        "state": subscription.state.value,
        "reason": subscription.reason,
        "filters": shown_filters(subscription.filters),
        "created_at": moment(subscription.created_ms),
        "last_success_at": moment(subscription.last_success_ms),
        "failures_in_a_row": subscription.failures,
        "failing_since": moment(subscription.failing_since_ms),
        "secrets_in_force": len(subscription.secrets.in_force(now)),
        "deliveries": dict(counted),
    }


def delivery_view(delivery: Delivery, state: State | None = None) -> dict[str, Any]:
    """Give a delivery; what waits for a disabled subscription is `held`."""
    held = delivery.state == "queued" and state is State.DISABLED and delivery.kind != "test"
    return {
        "delivery": delivery.id,
        "subscription": delivery.subscription,
        "webhook_id": delivery.webhook_id,
        "event_id": delivery.event_id,
        "kind": delivery.kind,
        "state": "held" if held else delivery.state,
        "attempts": delivery.attempts,
        "created_at": moment(delivery.created_ms),
        "finished_at": moment(delivery.finished_ms),
        "next_attempt_at": None if held or not delivery.next_ms else moment(delivery.next_ms),
        "reason": delivery.reason,
    }


def detailed_view(
    delivery: Delivery, attempts: Sequence[Logged], body: bytes, state: State | None = None
) -> dict[str, Any]:
    """Give a delivery with every attempt and the body that is sent."""
    return {
        **delivery_view(delivery, state),
        "log": [
            {
                "at": moment(one.at_ms),
                "took_ms": one.took_ms,
                "outcome": one.outcome,
                "status": one.status,
                "reason": one.reason,
            }
            for one in attempts
        ],
        "body": orjson.loads(body),
    }


def moment(milliseconds: int | None) -> str | None:
    """Write a time in milliseconds since 1970 as RFC 3339 in UTC, to the second."""
    if milliseconds is None:
        return None
    return rfc3339(datetime.fromtimestamp(milliseconds // 1000, UTC))
