"""`elowire processor`: one worker that turns results into live ratings."""

from __future__ import annotations

from typing import Annotated

import typer

from elowire.cli.errors import Failure
from elowire.runtime import logs
from elowire.runtime.data_dir import DataDirError, open_data_dir
from elowire.runtime.settings import load_settings


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(processor)


def processor(
    *,
    bootstrap: Annotated[
        str | None, typer.Option(help="Kafka's address, HOST:PORT. [env: ELOWIRE_BOOTSTRAP]")
    ] = None,
    instance_id: Annotated[
        str | None,
        typer.Option(help="Static member id, one for each worker. [env: ELOWIRE_INSTANCE_ID]"),
    ] = None,
    admin_port: Annotated[
        int | None,
        typer.Option(
            min=1, max=65535, help="Port of health and metrics. [env: ELOWIRE_PROCESSOR_ADMIN_PORT]"
        ),
    ] = None,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--rebuild",
            help="Forget the state and end; processors that start afterwards make it anew from the inputs.",
        ),
    ] = False,
) -> None:
    """Process results until SIGTERM or Ctrl-C; exit 70 means: cannot keep the promise, start me again.

    With --rebuild no processor of the group may run. It deletes the changelogs and creates them empty.

    Example: elowire processor --bootstrap broker1:9092 --instance-id worker-1
    """
    from elowire.processor.rebuild import RebuildRefusedError  # noqa: PLC0415 - as below
    from elowire.processor.service import forget, run  # noqa: PLC0415 - Faust loads slowly, others need it not

    settings = load_settings(bootstrap=bootstrap, instance_id=instance_id, processor_admin_port=admin_port)
    logs.configure(settings)
    if rebuild:
        try:
            forget(settings, lambda step: typer.echo(step, err=True))
        except RebuildRefusedError as fault:
            raise Failure(str(fault)) from fault
        typer.echo("start the processors: they make the state anew from the inputs")
        return
    try:
        open_data_dir(settings.data_dir)
    except DataDirError as fault:
        raise Failure(str(fault)) from fault
    run(settings)
