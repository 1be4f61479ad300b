"""`elowire subscriptions add|list|show|change|remove|...`: who receives webhooks, and what became of them."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Annotated, Any

import typer

from elowire.cli import subscription_log
from elowire.cli.errors import Failure
from elowire.cli.output import Format, FormatOption, chosen, console, print_json, print_rows
from elowire.cli.subscription_options import (
    CausesOption,
    DataOption,
    FederationsOption,
    KindsOption,
    MinChangeOption,
    NameArgument,
    PlayersOption,
    SecretFileOption,
    TimeControlsOption,
    TournamentsOption,
    egress_here,
    filters_of,
    opened,
    print_facts,
    read_as,
    say,
    secret_in,
    shown_value,
)
from elowire.dispatch import deliveries as log
from elowire.dispatch import desk
from elowire.dispatch import store_subscriptions as stored
from elowire.dispatch.signatures import SECRET_BYTES
from elowire.dispatch.store import Store
from elowire.dispatch.subscriptions import Change, State, Wanted
from elowire.dispatch.views import subscription_view
from elowire.runtime import clock

_LIST = {
    "name": "Name",
    "state": "State",
    "url": "URL",
    "wants": "Wants",
    "queued": "Waiting",
    "failed": "Failed",
    "last_success_at": "Last success",
    "reason": "Reason",
}

commands = typer.Typer(help="Who receives signed webhooks, and what became of them.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    subscription_log.add_to(commands)
    app.add_typer(commands, name="subscriptions")


@commands.command()
def add(  # noqa: PLR0913 - one option for each filter
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Small letters, digits, hyphens, such as club-site.")
    ],
    url: Annotated[str, typer.Argument(metavar="URL", help="Where deliveries are posted to.")],
    *,
    player: PlayersOption = None,
    tournament: TournamentsOption = None,
    federation: FederationsOption = None,
    time_control: TimeControlsOption = None,
    kind: KindsOption = None,
    cause: CausesOption = None,
    min_change: MinChangeOption = None,
    secret_file: SecretFileOption = None,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Subscribe an address to what changes from now on. A secret that is made is shown once.

    Filters of different kinds must all hold; of one kind, any.

    Example: elowire subscriptions add club-site https://club.example/elo --player 1503014 --min-change 2.5
    """
    said: dict[str, Any] = {"name": name, "url": url, "secret": secret_in(secret_file)}
    filters = filters_of(player, tournament, federation, time_control, kind, cause, min_change)
    wanted = read_as(Wanted, {**said, "filters": filters})
    with opened(data) as store:
        made, secret = desk.add(
            store,
            wanted,
            egress=egress_here(store),
            random=secrets.token_bytes(SECRET_BYTES),
            now=clock.now(),
        )
    _show_secret(made.name, None if secret_file else secret, form)


@commands.command("list")
def list_subscriptions(*, data: DataOption = None, form: FormatOption = None) -> None:
    """List the subscriptions; secrets are never shown again.

    Example: elowire subscriptions list
    """
    with opened(data) as store, store.reading() as connection:
        found = [
            subscription_view(one, log.counts(connection, one), clock.now())
            for one in stored.all_subscriptions(connection)
        ]
    if chosen(form) is Format.JSON:
        print_json(found)
    elif found:
        print_rows([_row(one) for one in found], _LIST, form)
    else:
        console().print(
            "No subscription yet; add one with `elowire subscriptions add NAME URL`.", markup=False
        )


@commands.command()
def show(name: NameArgument, *, data: DataOption = None, form: FormatOption = None) -> None:
    """Show one subscription: address, filters, state and how deliveries go.

    Example: elowire subscriptions show club-site
    """
    with opened(data) as store:
        found = _shown(store, name)
    print_facts(found, form)


@commands.command()
def change(  # noqa: PLR0913 - one option for each filter
    name: NameArgument,
    *,
    url: Annotated[str | None, typer.Option(help="The new address.")] = None,
    player: PlayersOption = None,
    tournament: TournamentsOption = None,
    federation: FederationsOption = None,
    time_control: TimeControlsOption = None,
    kind: KindsOption = None,
    cause: CausesOption = None,
    min_change: MinChangeOption = None,
    no_filters: Annotated[bool, typer.Option("--no-filters", help="Send every live rating.")] = False,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Change the address, or put these filters in place of all the old ones. The secret stays.

    Example: elowire subscriptions change club-site --player 1503014 --player 2016192
    """
    filters = filters_of(player, tournament, federation, time_control, kind, cause, min_change)
    if not (url or filters or no_filters):
        raise Failure("nothing to change; give --url, filters such as --player ID, or --no-filters")
    if filters and no_filters:
        raise Failure("--no-filters and filters contradict each other; give one of them")
    wanted = read_as(Change, {"url": url} | ({"filters": filters} if filters or no_filters else {}))
    with opened(data) as store:
        desk.change(store, name, wanted, egress=egress_here(store), now=clock.now())
        found = _shown(store, name)
    print_facts(found, form)


@commands.command()
def remove(name: NameArgument, *, data: DataOption = None) -> None:
    """Remove a subscription with everything that waits for it, and its log.

    Example: elowire subscriptions remove club-site
    """
    with opened(data) as store:
        desk.remove(store, name)
    say(f"{name} is removed.")


@commands.command()
def enable(name: NameArgument, *, data: DataOption = None) -> None:
    """Send again: what was held goes out at once, in order, with a fresh schedule.

    Example: elowire subscriptions enable club-site
    """
    with opened(data) as store:
        desk.set_state(store, name, State.ACTIVE, now=clock.now())
        waiting = _shown(store, name)["deliveries"]["queued"]
    say(f"{name} is active; deliveries that go out now: {waiting}.")


@commands.command()
def disable(name: NameArgument, *, data: DataOption = None) -> None:
    """Stop sending; what comes is held until `enable`.

    Example: elowire subscriptions disable club-site
    """
    with opened(data) as store:
        desk.set_state(store, name, State.DISABLED, now=clock.now())
    say(f"{name} is disabled; what comes is held until `elowire subscriptions enable {name}`.")


@commands.command()
def rotate(
    name: NameArgument,
    *,
    overlap_hours: Annotated[
        float, typer.Option(min=0, max=720, help="Hours for which the secret before signs as well.")
    ] = 24.0,
    secret_file: SecretFileOption = None,
    data: DataOption = None,
    form: FormatOption = None,
) -> None:
    """Sign with a new secret, which is shown once; the one before signs as well for a while.

    Example: elowire subscriptions rotate club-site --overlap-hours 1
    """
    given = read_as(Wanted, {"name": "x", "url": "", "secret": secret_in(secret_file)}).secret
    with opened(data) as store:
        secret = desk.rotate(
            store,
            name,
            secret=given,
            random=secrets.token_bytes(SECRET_BYTES),
            overlap=timedelta(hours=overlap_hours),
            now=clock.now(),
        )
    _show_secret(name, None if given else secret, form)


def _shown(store: Store, name: str) -> dict[str, Any]:
    with store.reading() as connection:
        found = stored.subscription_named(connection, name)
        return subscription_view(found, log.counts(connection, found), clock.now())


def _row(found: dict[str, Any]) -> dict[str, Any]:
    wants = [f"{name}: {shown_value(said)}" for name, said in found["filters"].items()]
    return {
        **found,
        "wants": "; ".join(wants),
        "queued": found["deliveries"]["queued"],
        "failed": found["deliveries"]["failed"],
    }


def _show_secret(name: str, secret: str | None, form: Format | None) -> None:
    if secret is None:
        say(f"{name} is signed with the secret of your file.")
        return
    if chosen(form) is Format.JSON:
        print_json({"name": name, "secret": secret})
    else:
        console().print(secret, markup=False, soft_wrap=True)
    say(f"This secret of {name} is shown once: its receiver verifies signatures with it.")
