"""What can be done with subscriptions, for the command line and HTTP alike."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from ipaddress import ip_network

import orjson
from pydantic import SecretStr

from elowire.contracts.envelope import rfc3339
from elowire.dispatch import deliveries
from elowire.dispatch import store_subscriptions as stored
from elowire.dispatch.egress import Egress, UrlRefusedError, check_url
from elowire.dispatch.signatures import new_secret
from elowire.dispatch.store import Store
from elowire.dispatch.subscriptions import (
    Change,
    RefusedError,
    Secret,
    Secrets,
    State,
    Subscription,
    Wanted,
)
from elowire.runtime.settings import Settings

BY_HAND = "disabled by hand"
TOKEN_PREFIX = "elo_"  # noqa: S105 - what tokens begin with, none of them
LEAST_TOKEN = 24
"""Characters of a token that an operator chooses."""

_EGRESS = "egress"


def egress_of(settings: Settings) -> Egress:
    """Give what the settings open."""
    return Egress(settings.dispatch_allowed_networks, settings.dispatch_allow_http)


def tell_egress(store: Store, egress: Egress) -> None:
    """Note what the running service opens, so that commands judge URLs as it does."""
    said = orjson.dumps({"http": egress.http, "networks": [*map(str, egress.networks)]}).decode()
    with store.transaction() as connection:
        stored.keep_fact(connection, _EGRESS, said)


def told_egress(store: Store, otherwise: Egress) -> Egress:
    """Give what the service opened when it ran last, else `otherwise`."""
    with store.reading() as connection:
        said = stored.fact(connection, _EGRESS)
    if said is None:
        return otherwise
    found = orjson.loads(said)
    return Egress(tuple(map(ip_network, found["networks"])), found["http"])


def add(
    store: Store, wanted: Wanted, *, egress: Egress, random: bytes, now: datetime
) -> tuple[Subscription, str]:
    """Add a subscription; gives it and its secret. Raises `RefusedError`."""
    _check(wanted.url, egress)
    secret = Secret(secret=wanted.secret or SecretStr(new_secret(random)), added=now)
    with store.transaction() as connection:
        made = stored.insert_subscription(
            connection,
            name=wanted.name,
            url=wanted.url,
            filters=wanted.filters,
            secrets=Secrets(secrets=(secret,)),
            created_ms=_ms(now),
        )
    return made, secret.secret.get_secret_value()


def change(store: Store, name: str, wanted: Change, *, egress: Egress, now: datetime) -> Subscription:
    """Change filters for what comes from now on, or the address, which is tried at once.

    Raises `RefusedError`.
    """
    if wanted.url is not None:
        _check(wanted.url, egress)
    with store.transaction() as connection:
        found = stored.subscription_named(connection, name)
        changed = found._replace(url=wanted.url or found.url, filters=wanted.filters or found.filters)
        stored.update_subscription(connection, changed)
        if changed.url != found.url and found.state is State.ACTIVE:
            stored.enable(connection, found.id, _ms(now))
    return changed


def rotate(
    store: Store, name: str, *, secret: SecretStr | None, random: bytes, overlap: timedelta, now: datetime
) -> str:
    """Give a subscription a new secret; those before it sign as well for `overlap`. Raises `RefusedError`."""
    newest = Secret(secret=secret or SecretStr(new_secret(random)), added=now)
    with store.transaction() as connection:
        found = stored.subscription_named(connection, name)
        stored.update_subscription(
            connection, found._replace(secrets=found.secrets.rotated(newest, overlap=overlap))
        )
    return newest.secret.get_secret_value()


def remove(store: Store, name: str) -> None:
    """Remove a subscription and all that waits for it. Raises `RefusedError`."""
    with store.transaction() as connection:
        stored.delete_subscription(connection, stored.subscription_named(connection, name).id)


def set_state(store: Store, name: str, state: State, *, now: datetime) -> Subscription:
    """Enable or disable a subscription. Raises `RefusedError`."""
    with store.transaction() as connection:
        found = stored.subscription_named(connection, name)
        if state is State.ACTIVE:
            stored.enable(connection, found.id, _ms(now))
        else:
            stored.disable(connection, found.id, BY_HAND)
        return stored.subscription_named(connection, name)


def queue_test(store: Store, name: str, *, random: bytes, now: datetime) -> int:
    """Queue a test delivery, also of a disabled subscription; gives its number. Raises `RefusedError`."""
    with store.transaction() as connection:
        found = stored.subscription_named(connection, name)
        return deliveries.queue_test(
            connection, found, unique=random.hex(), time=rfc3339(now), now_ms=_ms(now)
        )


def replay(
    store: Store,
    name: str,
    *,
    numbers: Sequence[int] = (),
    failed: bool = False,
    since: datetime | None = None,
    now: datetime,
) -> int:
    """Queue deliveries again; gives how many. Raises `RefusedError`."""
    if bool(numbers) + (failed or since is not None) != 1:
        raise RefusedError(
            "it is not clear what to send again",
            expected="either numbers of deliveries, or the failed ones, or a time since when",
            advice="`elowire subscriptions deliveries NAME` lists deliveries with their numbers.",
        )
    with store.transaction() as connection:
        found = stored.subscription_named(connection, name)
        return deliveries.replay(
            connection,
            found,
            numbers=numbers,
            failed=failed,
            since_ms=None if since is None else _ms(since),
            now_ms=_ms(now),
        )


def new_token(store: Store, name: str, *, random: str, now: datetime) -> str:
    """Make a bearer token; only its digest is kept. Raises `RefusedError`."""
    token = TOKEN_PREFIX + random
    with store.transaction() as connection:
        stored.keep_token(connection, name, digest_of(token), _ms(now))
    return token


def is_token(store: Store, token: str, own: bytes | None) -> bool | None:
    """Say whether a bearer token is good, in a time that tells nothing; None when there is none to be had.

    `own` is the digest of the token that the settings name.
    """
    with store.reading() as connection:
        digests = stored.token_digests(connection)
    if own is not None:
        digests.append(own)
    if not digests:
        return None
    given = digest_of(token)
    # No short cut: every digest is compared.
    return sum(hmac.compare_digest(given, one) for one in digests) > 0


def digest_of(token: str) -> bytes:
    """Return what is kept of a token; tokens are long and random, so that a plain digest will do."""
    return sha256(token.encode()).digest()


def _check(url: str, egress: Egress) -> None:
    try:
        check_url(url, egress)
    except UrlRefusedError as problem:
        raise RefusedError(
            problem.problem, field="url", expected=problem.expected, advice=problem.advice
        ) from None


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1000)
