"""`elowire ingest`: signed events, tournament files and broadcasts into Kafka, as one service."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from elowire.cli.errors import Failure
from elowire.runtime import logs
from elowire.runtime.settings import load_settings


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(ingest)


def ingest(
    *,
    bootstrap: Annotated[
        str | None, typer.Option(help="Kafka's address, HOST:PORT. [env: ELOWIRE_BOOTSTRAP]")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Directory of sources, rating book and memory. [env: ELOWIRE_DATA_DIR]"
        ),
    ] = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on. [env: ELOWIRE_HOST]")] = None,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port of events and files. [env: ELOWIRE_INGEST_PORT]"),
    ] = None,
    admin_port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port of health and metrics. [env: ELOWIRE_INGEST_ADMIN_PORT]"),
    ] = None,
) -> None:
    """Take signed events and files, and follow broadcasts, until SIGTERM or Ctrl-C.

    Nobody may send before `elowire sources add`.

    Example: elowire ingest --bootstrap broker1:9092 --data /var/lib/elowire
    """
    from elowire.ingest.service import run_ingest  # noqa: PLC0415 - FastAPI loads slowly, others need it not
    from elowire.ingest.service_store import StoreError  # noqa: PLC0415 - as above

    settings = load_settings(
        bootstrap=bootstrap, data_dir=data, host=host, ingest_port=port, ingest_admin_port=admin_port
    )
    logs.configure(settings)
    try:
        run_ingest(settings)
    except StoreError as problem:
        raise Failure(str(problem)) from None
