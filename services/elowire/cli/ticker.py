"""`elowire ticker`: the live page, the data and the stream, as one service."""

from __future__ import annotations

from typing import Annotated

import typer

from elowire.runtime import logs
from elowire.runtime.settings import load_settings


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(ticker)


def ticker(
    *,
    bootstrap: Annotated[
        str | None, typer.Option(help="Kafka's address, HOST:PORT. [env: ELOWIRE_BOOTSTRAP]")
    ] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on. [env: ELOWIRE_HOST]")] = None,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port of the page and the data. [env: ELOWIRE_TICKER_PORT]"),
    ] = None,
    admin_port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port of health and metrics. [env: ELOWIRE_TICKER_ADMIN_PORT]"),
    ] = None,
) -> None:
    """Serve the live page, the data and the stream until SIGTERM or Ctrl-C.

    Example: elowire ticker --bootstrap broker1:9092 --host 0.0.0.0
    """
    from elowire.ticker.service import run_ticker  # noqa: PLC0415 - FastAPI loads slowly, others need it not

    settings = load_settings(bootstrap=bootstrap, host=host, ticker_port=port, ticker_admin_port=admin_port)
    logs.configure(settings)
    run_ticker(settings)
