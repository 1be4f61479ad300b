"""`elowire dispatch`: live ratings to subscribers as signed webhooks, as one service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from elowire.cli.errors import Failure
from elowire.runtime import logs
from elowire.runtime.settings import load_settings


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(dispatch)


def dispatch(
    *,
    bootstrap: Annotated[
        str | None, typer.Option(help="Kafka's address, HOST:PORT. [env: ELOWIRE_BOOTSTRAP]")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Directory of subscriptions and queue. [env: ELOWIRE_DATA_DIR]"),
    ] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on. [env: ELOWIRE_HOST]")] = None,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port of subscriptions over HTTP. [env: ELOWIRE_DISPATCH_PORT]"),
    ] = None,
    admin_port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port of health and metrics. [env: ELOWIRE_DISPATCH_ADMIN_PORT]"),
    ] = None,
) -> None:
    """Send what changes to subscribers, signed and with retries, until SIGTERM or Ctrl-C.

    Nobody receives anything before `elowire subscriptions add`.

    Example: elowire dispatch --bootstrap broker1:9092 --data /var/lib/elowire
    """
    from elowire.dispatch.service import run_dispatch  # noqa: PLC0415 - FastAPI loads slowly, others need it not
    from elowire.dispatch.store import StoreError  # noqa: PLC0415 - as above

    settings = load_settings(
        bootstrap=bootstrap, data_dir=data, host=host, dispatch_port=port, dispatch_admin_port=admin_port
    )
    logs.configure(settings)
    try:
        run_dispatch(settings)
    except StoreError as problem:
        raise Failure(str(problem)) from None
