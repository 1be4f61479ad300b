"""The processor as a service: its stages, its metrics, its admin port, until somebody stops it."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, NoReturn

from elowire.processor.app import run_processor
from elowire.processor.cleanup import require_cleanup
from elowire.processor.credentials import require_entry
from elowire.processor.lists import ListsStage
from elowire.processor.player import PlayerStage
from elowire.processor.rebuild import rebuild
from elowire.processor.stop import stop_process
from elowire.processor.tournament import TournamentStage
from elowire.runtime import clock
from elowire.runtime.admin import AdminServer
from elowire.runtime.kafka import KafkaForbiddenError, KafkaUnreachableError, TopicMissingError
from elowire.runtime.metrics import ProcessorMetrics, Registry
from elowire.runtime.topics import TopicDriftError, TopicRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from elowire.processor.parts import Held
    from elowire.processor.ports import Batch
    from elowire.processor.stage import Stage
    from elowire.runtime.settings import Settings

# A worker that recovers says so in between; one that is silent for longer has lost its way.
_SILENT_S = 120.0
_REFUSALS = (
    KafkaForbiddenError,
    KafkaUnreachableError,
    TopicDriftError,
    TopicMissingError,
    TopicRefusedError,
)


def stages_of(settings: Settings) -> tuple[Stage, ...]:
    """Return the stages: results to sides, lists to players, sides to live ratings."""
    partitions, prefix, release = settings.partitions, settings.topic_prefix, version("elowire")

    return (
        TournamentStage(partitions=partitions, prefix=prefix, release=release),
        ListsStage(partitions=partitions, prefix=prefix, release=release),
        PlayerStage(partitions=partitions, prefix=prefix, release=release),
    )


class Watched:
    """The lane's observer: turns what it hears into metrics, and knows whether the worker is ready."""

    def __init__(self, metrics: ProcessorMetrics) -> None:
        self._metrics = metrics
        self._waits = {"group": "not a member yet: no partitions were assigned"}
        self._heard = clock.monotonic()

    def on_batch(self, batch: Batch) -> None:
        """Count a batch that is durable."""
        self._metrics.batch(
            records=batch.decided.topics,
            counts=batch.decided.counts,
            decide_s=batch.decide_s,
            outputs_s=batch.outputs_s,
            changelog_s=batch.changelog_s,
            delay_s=_age_s(batch.decided.oldest_ms),
        )

    def on_audit(self, held: Held) -> None:
        """Set what the process holds."""
        self._metrics.phases(held.phases)
        self._metrics.state_keys(held.keys)
        self._metrics.lag(held.lag)

    def on_recovering(self, read: int, remaining: int) -> None:
        """Note the progress of a recovery."""
        self._heard = clock.monotonic()
        self._waits = {"recovery": f"{read} changelog records read, {remaining} to go"}
        self._metrics.recovering(remaining)

    def on_recovered(self, *, parts: int, read: int, keys: int, repaired: int, seconds: float) -> None:
        """Note tables that are complete."""
        del parts, keys
        self._waits = {}
        self._metrics.recovered(seconds=seconds, records=read, repaired=repaired)

    def on_foreign_write(self, part: str) -> None:
        """Count another process's write to our changelog."""
        del part
        self._metrics.foreign_write()

    def on_lease_lost(self) -> None:
        """Count a batch that was dropped."""
        self._metrics.lease_lost()

    def live(self) -> str | None:
        """Say why the process should be restarted: a recovery that stands still."""
        if "recovery" in self._waits and clock.monotonic() - self._heard > _SILENT_S:
            return f"no progress for {_SILENT_S:g} s: {self._waits['recovery']}"

        return None

    def ready(self) -> dict[str, str]:
        """Say what the worker waits for; nothing when it works."""
        return dict(self._waits)


def forget(settings: Settings, say: Callable[[str], None]) -> None:
    """Empty the state, so that the next processor makes it from the inputs; see `rebuild`."""
    asyncio.run(rebuild(settings, stages_of(settings), say))


def run(settings: Settings) -> NoReturn:
    """Run a processor until SIGTERM or SIGINT; exits with 0 then, with 70 if it cannot keep its promise."""
    registry = Registry("processor")
    watched = Watched(ProcessorMetrics(registry))
    admin = AdminServer(
        settings.host,
        settings.processor_admin_port,
        live=watched.live,
        ready=watched.ready,
        registry=registry,
    )
    stages = stages_of(settings)
    with _beside(admin):
        try:
            asyncio.run(_require_world(settings, stages))
        except _REFUSALS as fault:
            stop_process(str(fault))
        run_processor(settings, stages, observer=watched)


async def _require_world(settings: Settings, stages: Sequence[Stage]) -> None:
    """Return if the cluster lets us in and keeps our topics as the catalogue says."""
    await require_entry(settings, stages)
    await require_cleanup(settings, stages)


def _age_s(appended_ms: int) -> float | None:
    """Return how old a record is, in seconds; None where there was none. A producer's clock may be ahead."""
    return max(0, clock.now_ms() - appended_ms) / 1000 if appended_ms else None


@contextmanager
def _beside(admin: AdminServer) -> Iterator[None]:
    """Serve the admin port from a thread of its own: it must answer while the worker's loop is busy."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="admin", daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(admin.start(), loop).result()
    try:
        yield
    finally:
        asyncio.run_coroutine_threadsafe(admin.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
