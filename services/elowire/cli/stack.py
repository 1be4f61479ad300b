"""Everything on one machine: the embedded broker (or a given cluster), the topics, the services."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from elowire.cli.errors import Failure
from elowire.cli.supervisor import Service, Supervisor
from elowire.runtime import clock, topics
from elowire.runtime.data_dir import HeldError, Hold, alive, open_data_dir
from elowire.runtime.embedded.broker import EmbeddedKafka
from elowire.runtime.ports import why_taken
from elowire.runtime.settings import Settings

READY_S = 90.0
PORTS_S = 10.0
_PORTS_POLL_S = 0.1
_WATCH_S = 1.0
PORTS = (
    "ticker_port",
    "ingest_port",
    "dispatch_port",
    "processor_admin_port",
    "ticker_admin_port",
    "ingest_admin_port",
    "dispatch_admin_port",
)


@dataclass(frozen=True, slots=True)
class Stack:
    """A running stack and where to reach it."""

    settings: Settings
    broker: EmbeddedKafka | None
    supervisor: Supervisor

    async def watch(self, say: Callable[[str], None]) -> None:
        """Keep the embedded broker running for ever; the services find it again by themselves."""
        while True:
            await asyncio.sleep(_WATCH_S)
            if self.broker is not None and not self.broker.running:
                say("Kafka ended; it starts again")
                # A service that starts meanwhile must not inherit what is being closed.
                self.supervisor.lifeline = None
                await asyncio.to_thread(self.broker.stop)
                await asyncio.to_thread(self.broker.start)
                self.supervisor.lifeline = self.broker.lifeline


@asynccontextmanager
async def running(
    settings: Settings,
    *,
    embedded: bool,
    say: Callable[[str], None],
    log: int | None = None,
    rebuild: bool = False,
) -> AsyncIterator[Stack]:
    """Start a stack, give it when every service is ready, and stop it in the reverse order.

    `log` is the file descriptor for the services' own output; `rebuild` forgets the state first.
    Raises `Failure` with a sentence for the user.
    """
    broker = None
    if embedded:
        open_data_dir(settings.data_dir)
        _require_first(settings)
    await require_free(settings, say)
    if embedded:
        broker = EmbeddedKafka(settings.data_dir / "kafka", settings.kafka_port, progress=say)
    try:
        if broker is not None:
            await asyncio.to_thread(broker.start)
        shape = topics.Shape(
            partitions=settings.partitions,
            replication_factor=settings.replication_factor,
            min_insync=settings.min_insync,
        )
        say("checking the topics")
        await topics.apply(settings, shape=shape)
        if rebuild:
            await _forget(settings, say)
        # Killed, we leave as we would in order: a service that still works needs Kafka to finish.
        lifeline = None if broker is None else broker.lifeline
        supervisor = Supervisor(_services(settings), say, log, lifeline)
        await supervisor.start()
        try:
            say("starting the services")
            await supervisor.ready(host=settings.host, within_s=READY_S)
            yield Stack(settings, broker, supervisor)
        finally:
            await supervisor.stop()
    except TimeoutError as fault:
        raise Failure(str(fault)) from fault
    finally:
        if broker is not None:
            await asyncio.to_thread(broker.stop)


async def _forget(settings: Settings, say: Callable[[str], None]) -> None:
    from elowire.processor.rebuild import RebuildRefusedError, rebuild  # noqa: PLC0415 - as below
    from elowire.processor.service import stages_of  # noqa: PLC0415 - Faust loads slowly, others need it not

    try:
        await rebuild(settings, stages_of(settings), say)
    except RebuildRefusedError as fault:
        raise Failure(str(fault)) from fault


def _services(settings: Settings) -> tuple[Service, ...]:
    environment = {
        "ELOWIRE_BOOTSTRAP": settings.bootstrap,
        # The embedded broker asks nobody who he is, whatever a cluster elsewhere does.
        "ELOWIRE_KAFKA_SECURITY_PROTOCOL": settings.kafka_security_protocol,
        "ELOWIRE_HOST": settings.host,
        "ELOWIRE_DATA_DIR": str(settings.data_dir),
        "ELOWIRE_PARTITIONS": str(settings.partitions),
        "ELOWIRE_TICKER_PORT": str(settings.ticker_port),
        "ELOWIRE_TICKER_ADMIN_PORT": str(settings.ticker_admin_port),
        "ELOWIRE_PROCESSOR_ADMIN_PORT": str(settings.processor_admin_port),
        "ELOWIRE_INGEST_PORT": str(settings.ingest_port),
        "ELOWIRE_INGEST_ADMIN_PORT": str(settings.ingest_admin_port),
        "ELOWIRE_DISPATCH_PORT": str(settings.dispatch_port),
        "ELOWIRE_DISPATCH_ADMIN_PORT": str(settings.dispatch_admin_port),
        # One worker on one machine: with a static id it takes its partitions back without waiting for the
        # session of a killed predecessor to run out.
        "ELOWIRE_INSTANCE_ID": "local",
    }

    return (
        Service("processor", ("processor",), environment, settings.processor_admin_port),
        Service("ticker", ("ticker",), environment, settings.ticker_admin_port),
        Service("ingest", ("ingest",), environment, settings.ingest_admin_port),
        Service("dispatch", ("dispatch",), environment, settings.dispatch_admin_port),
    )


def _require_first(settings: Settings) -> None:
    """Refuse to run beside another one on the same data; it has the ports too, which would hide the reason.

    A killed one may have left its broker, on its way out: that is for the broker's own start to wait for.
    """
    lock = settings.data_dir / "kafka" / "kafka.lock"
    if not lock.exists():
        return
    hold = Hold(lock)
    try:
        hold.take()
    except HeldError as fault:
        if fault.pid is not None and alive(fault.pid):
            raise Failure(f"{fault}. Stop it first, or use another data directory") from fault
    else:
        hold.release()


async def require_free(settings: Settings, say: Callable[[str], None], *, within_s: float = PORTS_S) -> None:
    """Wait for the ports: a killed predecessor's services need a moment to end."""
    deadline = clock.monotonic() + within_s
    told = False
    while taken := next((why for name in PORTS if (why := _taken(settings, name))), None):
        if clock.monotonic() > deadline:
            raise Failure(taken)
        if not told:
            told = True
            say(f"{taken.partition('. ')[0]}; trying again for {within_s:g} s")
        await asyncio.sleep(_PORTS_POLL_S)


def _taken(settings: Settings, name: str) -> str | None:
    """Return a sentence for the user if a service cannot listen on its port."""
    port = getattr(settings, name)
    if (why := why_taken(settings.host, port)) is None:
        return None

    return (
        f"port {port} on {settings.host} cannot be used ({why}). Stop the program that has it, or choose "
        f"another with ELOWIRE_{name.upper()}"
    )
