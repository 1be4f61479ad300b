"""`elowire subscriptions test|deliveries|delivery|replay|token`: what became of deliveries, and once more."""

from __future__ import annotations

import secrets
import time
from typing import Annotated, Any

import typer

from elowire.cli.errors import Failure
from elowire.cli.output import Format, FormatOption, chosen, console, print_json, print_rows
from elowire.cli.plain import plain
from elowire.cli.subscription_options import (
    DataOption,
    NameArgument,
    opened,
    print_facts,
    require_running,
    say,
    time_of,
)
from elowire.dispatch import deliveries as log
from elowire.dispatch import desk
from elowire.dispatch import store_subscriptions as stored
from elowire.dispatch.store import Store
from elowire.dispatch.subscriptions import State
from elowire.dispatch.views import delivery_view, detailed_view
from elowire.runtime import clock

_POLL_S = 0.1
_LOG = {
    "delivery": "Delivery",
    "event_id": "Event",
    "kind": "Kind",
    "state": "State",
    "attempts": "Attempts",
    "created_at": "Since",
    "next_attempt_at": "Next attempt",
    "reason": "Last answer",
}
_ATTEMPTS = {"at": "At", "took_ms": "ms", "outcome": "Outcome", "reason": "Reason"}


def add_to(commands: typer.Typer) -> None:
    """Add the commands to `elowire subscriptions`."""
    commands.command("test")(try_out)
    for command in (deliveries, delivery, replay, token):
        commands.command()(command)


def try_out(
    name: NameArgument,
    *,
    wait: Annotated[float, typer.Option(min=1, max=120, help="Seconds to wait for the answer.")] = 30.0,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Send one test delivery and say what the receiver answered; works while disabled, too.

    Example: elowire subscriptions test club-site
    """
    with opened(data) as store:
        require_running(store)
        number = desk.queue_test(store, name, random=secrets.token_bytes(16), now=clock.now())
        until = clock.monotonic() + wait
        found = _delivery(store, number)
        while found["state"] == "queued" and clock.monotonic() < until:
            time.sleep(_POLL_S)
            found = _delivery(store, number)
    if found["state"] == "queued":
        raise Failure(
            f"no answer within {wait:g} s; look again with `elowire subscriptions delivery {number}`"
        )
    if found["state"] != "delivered":
        raise Failure(f"the test was not taken: {plain(found['reason'])}")
    if chosen(form) is Format.JSON:
        print_json(found)
    else:
        console().print(f"delivered: {found['reason']}", markup=False)


def deliveries(
    name: NameArgument,
    *,
    state: Annotated[str | None, typer.Option(help="queued, delivered or failed.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=log.MOST_LISTED)] = 20,
    before: Annotated[int | None, typer.Option(metavar="NUMBER", help="Go on from this delivery.")] = None,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """List deliveries, newest first, each with its last answer.

    Example: elowire subscriptions deliveries club-site --state failed
    """
    if state is not None and state not in log.STATES:
        raise typer.BadParameter(f"{state!r} is no state; expected one of {', '.join(log.STATES)}")
    with opened(data) as store, store.reading() as connection:
        found = stored.subscription_named(connection, name)
        rows = [
            delivery_view(one, found.state)
            for one in log.listed_deliveries(connection, found, state=state, before=before, limit=limit)
        ]
    if not rows and chosen(form) is Format.TABLE:
        console().print("No delivery.", markup=False)
        return
    print_rows([{**row, "reason": _last_answer(row, form)} for row in rows], _LOG, form)


def delivery(
    number: Annotated[int, typer.Argument(metavar="NUMBER", min=1)],
    *,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Show one delivery: every attempt with its reason, and the body.

    Example: elowire subscriptions delivery 17 --format json
    """
    with opened(data) as store:
        found = _delivery(store, number)
    if chosen(form) is Format.JSON:
        print_json(found)
        return
    print_facts({name: said for name, said in found.items() if name not in {"log", "body"}}, form)
    print_rows([{**one, "reason": plain(one["reason"])} for one in found["log"]], _ATTEMPTS, form)


def replay(
    name: NameArgument,
    numbers: Annotated[
        list[int] | None, typer.Argument(metavar="[NUMBER]...", help="Deliveries, by their numbers.")
    ] = None,
    *,
    failed: Annotated[bool, typer.Option("--failed", help="Those that were given up.")] = False,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="All since then, or with --failed the failed ones.")
    ] = None,
    data: DataOption = None,
) -> None:
    """Send deliveries again, under their old ids and with a fresh schedule.

    Example: elowire subscriptions replay club-site --failed
    """
    at = time_of(since, "--since")
    with opened(data) as store:
        queued = desk.replay(store, name, numbers=numbers or (), failed=failed, since=at, now=clock.now())
        with store.reading() as connection:
            state = stored.subscription_named(connection, name).state
    held = "" if state is State.ACTIVE else f"; they are held until `elowire subscriptions enable {name}`"
    say(f"Deliveries of {name} that go out again: {queued}{held}.")


def token(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose token it is, such as web-team.")],
    *,
    remove: Annotated[bool, typer.Option("--remove", help="Let this token in no more.")] = False,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Make a bearer token for subscriptions over HTTP. It is shown once; only its digest is kept.

    Example: elowire subscriptions token web-team
    """
    with opened(data) as store:
        if remove:
            with store.transaction() as connection:
                stored.remove_token(connection, name)
            say(f"The token {name} is removed.")
            return
        made = desk.new_token(store, name, random=secrets.token_urlsafe(32), now=clock.now())
    if chosen(form) is Format.JSON:
        print_json({"name": name, "token": made})
    else:
        console().print(made, markup=False, soft_wrap=True)
    say("This token is shown once; send it as `Authorization: Bearer TOKEN`.")


def _last_answer(row: dict[str, Any], form: Format | None) -> str | None:
    if chosen(form) is Format.JSON or row["reason"]:
        return row["reason"] and plain(row["reason"])
    behind = row["state"] == "queued" and row["next_attempt_at"] is None
    return "waits for an older one of the same player" if behind else None


def _delivery(store: Store, number: int) -> dict[str, Any]:
    with store.reading() as connection:
        found, attempts, body = log.delivery_numbered(connection, number)
        state = stored.subscription_named(connection, found.subscription).state
    return detailed_view(found, attempts, body, state)
