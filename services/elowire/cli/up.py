"""`elowire up`: all services on one machine, with an embedded Kafka unless a cluster is given."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Annotated, Any

import typer

from elowire.cli.output import console
from elowire.cli.stack import running
from elowire.runtime import logs
from elowire.runtime.security import without_security
from elowire.runtime.settings import Settings, load_settings


def _port(name: str, purpose: str) -> Any:  # noqa: ANN401 - typer's own kind
    default = Settings.model_fields[name].default

    return typer.Option(min=1, max=65535, help=f"{purpose} [env: ELOWIRE_{name.upper()}; default: {default}]")


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(up)


def up(  # noqa: PLR0913 - one option for each address
    *,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Where everything is kept; it survives a restart. "
            "[env: ELOWIRE_DATA_DIR; default: your user data folder]"
        ),
    ] = None,
    bootstrap: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Use this Kafka. [env: ELOWIRE_BOOTSTRAP; default: the embedded one]",
        ),
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(help="Address to listen on. [env: ELOWIRE_HOST; default: 127.0.0.1]"),
    ] = None,
    kafka_port: Annotated[
        int | None, _port("kafka_port", "The embedded Kafka; the next one is taken too, for itself.")
    ] = None,
    ticker_port: Annotated[int | None, _port("ticker_port", "Live page, REST and stream.")] = None,
    ingest_port: Annotated[int | None, _port("ingest_port", "Results by HTTP.")] = None,
    dispatch_port: Annotated[int | None, _port("dispatch_port", "Subscriptions by HTTP.")] = None,
    processor_admin_port: Annotated[
        int | None, _port("processor_admin_port", "Health and metrics of the processor.")
    ] = None,
    ticker_admin_port: Annotated[
        int | None, _port("ticker_admin_port", "Health and metrics of the ticker.")
    ] = None,
    ingest_admin_port: Annotated[
        int | None, _port("ingest_admin_port", "Health and metrics of ingest.")
    ] = None,
    dispatch_admin_port: Annotated[
        int | None, _port("dispatch_admin_port", "Health and metrics of dispatch.")
    ] = None,
    rebuild: Annotated[
        bool,
        typer.Option(
            "--rebuild", help="Forget the state first; the processor makes it anew from the inputs."
        ),
    ] = False,
) -> None:
    """Start everything and keep it running until Ctrl-C or SIGTERM.

    On other ports tell the commands too: `feed --bootstrap HOST:PORT`, `live --ticker URL`, or the same
    variables in the environment of both.

    Example: elowire up --data ./elowire-data
    """
    settings = load_settings(
        data_dir=data,
        bootstrap=bootstrap,
        host=host,
        kafka_port=kafka_port,
        ticker_port=ticker_port,
        ingest_port=ingest_port,
        dispatch_port=dispatch_port,
        processor_admin_port=processor_admin_port,
        ticker_admin_port=ticker_admin_port,
        ingest_admin_port=ingest_admin_port,
        dispatch_admin_port=dispatch_admin_port,
    )
    embedded = bootstrap is None and "bootstrap" not in settings.model_fields_set
    if embedded:
        settings = without_security(settings, f"127.0.0.1:{settings.kafka_port}")
    logs.configure(settings)
    asyncio.run(_run(settings, embedded=embedded, rebuild=rebuild))


async def _run(settings: Settings, *, embedded: bool, rebuild: bool) -> None:
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, asked.set)
    starting = asyncio.current_task()
    screen = console(errors=True)

    def say(sentence: str) -> None:
        screen.print(sentence, markup=False, soft_wrap=True)

    async def give_up_early() -> None:
        # Ctrl-C while Kafka is still starting must not wait for it.
        await asked.wait()
        if starting is not None:
            starting.cancel()

    early = asyncio.create_task(give_up_early())
    try:
        async with running(settings, embedded=embedded, say=say, rebuild=rebuild) as stack:
            early.cancel()
            _print_addresses(settings, embedded=embedded)
            watching = asyncio.create_task(stack.watch(say))
            stopping = asyncio.create_task(asked.wait())
            await asyncio.wait([watching, stopping], return_when=asyncio.FIRST_COMPLETED)
            if watching.done():
                # Kafka does not come back: without it nothing here is worth keeping up.
                stopping.cancel()
                watching.result()
            say("stopping")
            watching.cancel()
    except asyncio.CancelledError:
        if not asked.is_set():
            raise


def _print_addresses(settings: Settings, *, embedded: bool) -> None:
    kafka = settings.bootstrap + (f"  (embedded, data in {settings.data_dir})" if embedded else "")
    screen = console()
    for name, address in (
        ("live page", f"http://{settings.host}:{settings.ticker_port}/"),
        ("data", f"http://{settings.host}:{settings.ticker_port}/docs"),
        ("results in", f"http://{settings.host}:{settings.ingest_port}/v1/events"),
        ("webhooks out", f"http://{settings.host}:{settings.dispatch_port}/v1/subscriptions"),
        ("Kafka", kafka),
        ("processor health", f"http://{settings.host}:{settings.processor_admin_port}/readyz"),
        ("ticker health", f"http://{settings.host}:{settings.ticker_admin_port}/readyz"),
        ("ingest health", f"http://{settings.host}:{settings.ingest_admin_port}/readyz"),
        ("dispatch health", f"http://{settings.host}:{settings.dispatch_admin_port}/readyz"),
    ):
        screen.print(f"{name:<17} {address}", markup=False, soft_wrap=True)
    screen.print("ready; stop with Ctrl-C", markup=False)
