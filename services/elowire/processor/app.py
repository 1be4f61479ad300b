"""The processor as a Faust application.

    group ──records──▶ lane ──▶ stages ──▶ outputs ──▶ changelog ──▶ offsets
    (Faust's consumer)          (pure)     (confirmed producer)      (group)

Faust keeps the application and its life cycle, the worker, the topics, the consumer with its group membership
and the assignor. The lane takes the records and owns positions, tables, changelogs and what is written.
"""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import TYPE_CHECKING, NoReturn

import faust
from mode import Service, get_logger

from elowire.processor.checks import HOW_TO_GROW
from elowire.processor.credentials import credentials_of
from elowire.processor.host import SCHEME, CoPartitioned, FaustGroup
from elowire.processor.lane import Lane
from elowire.processor.limit import DeadLetterLimit
from elowire.processor.pace import Pace
from elowire.processor.ports import Ports, Silent, no_probe
from elowire.processor.reader import KafkaLog
from elowire.processor.sink import KafkaSink
from elowire.processor.stop import stop_process
from elowire.runtime.security import connection

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from elowire.processor.ports import Observer, Probe, Stop
    from elowire.processor.stage import Stage
    from elowire.runtime.settings import Settings

HEARTBEAT_S = 3.0
REBALANCE_S = 30.0
METADATA_S = 30.0  # so soon it is noticed that partitions were added
REQUEST_S = 40.0
PRODUCE_REQUEST_S = 8.0
A_DAY_S = 86_400.0
SHUTDOWN_S = 30.0
STARTS_WITHIN_BATCHES = 3


def build_app(
    settings: Settings,
    stages: Sequence[Stage],
    *,
    observer: Observer | None = None,
    stop: Stop = stop_process,
    probe: Probe = no_probe,
    started: Callable[[], None] = lambda: None,
) -> faust.App:
    """Wire stages, lane and group; nothing connects before the application is started.

    `started` is called when the lane takes over, which has deadlines of its own.
    """
    app = _faust_app(settings)
    group = FaustGroup(app, stop, static=settings.instance_id is not None)
    for topic in sorted({topic for stage in stages for topic in stage.sources}):
        app.topics.add(
            app.topic(topic, key_type=bytes, value_type=bytes, key_serializer="raw", value_serializer="raw")
        )
    pace = Pace(
        session_s=settings.session_s,
        batch_s=settings.batch_s,
        revoke_s=settings.batch_s + 4,
        orphan_s=3 * REBALANCE_S,
        pace_s=settings.pace_s,
    )

    @app.service
    class LaneService(Service):
        """Starts and stops the lane and its connections with the application."""

        logger = get_logger("faust.lane")

        async def on_start(self) -> None:
            self.log_reader = KafkaLog(settings.group, **connection(settings))
            self.sink = KafkaSink(**connection(settings), request_timeout_ms=int(PRODUCE_REQUEST_S * 1000))
            await self.log_reader.start()
            await self.sink.start()
            await _require_topics(self.log_reader, stages, settings.partitions, stop)
            ports = Ports(group, self.log_reader, self.sink, stop, observer or Silent(), probe)
            self.lane = Lane(stages, ports, pace, partitions=settings.partitions)
            self.lane.limit = DeadLetterLimit(settings.dead_letter_limit, settings.dead_letter_share)
            started()
            group.drive(self.lane)
            self.work = self.add_future(self.lane.run())
            few_collections()

        async def on_stop(self) -> None:
            if hasattr(self, "work"):
                await asyncio.wait([self.work])  # a recovery sees at its next fetch that the lane was closed
                await self.sink.stop()
                await self.log_reader.stop()

    @app.on_before_shutdown.connect(weak=False)
    async def _close_lane(_app: object, **_: object) -> None:
        await group.close()

    return app


def run_processor(
    settings: Settings,
    stages: Sequence[Stage],
    *,
    observer: Observer | None = None,
    stop: Stop = stop_process,
    probe: Probe = no_probe,
) -> NoReturn:
    """Run a processor until SIGTERM or SIGINT; exits with 0 then, with 70 if it cannot keep its promise."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    start_s = STARTS_WITHIN_BATCHES * settings.batch_s
    late = _deadline(start_s, stop, f"the start did not end within {start_s:g} s: waited for Kafka's answers")
    app = build_app(settings, stages, observer=observer, stop=stop, probe=probe, started=late.cancel)
    worker = _BoundedWorker(app, loop=loop, quiet=True, override_logging=False, redirect_stdouts=False)
    worker.spinner = None
    worker.stop_in_time = stop
    worker.execute_from_commandline()


def _deadline(seconds: float, stop: Stop, reason: str) -> threading.Timer:
    """End the process after so many seconds, whatever its loop is waiting for; may be cancelled."""
    late = threading.Timer(seconds, stop, [reason])
    late.daemon = True
    late.start()

    return late


class _BoundedWorker(faust.Worker):
    """A Faust worker whose shutdown ends in time, whatever hangs."""

    stop_in_time: Stop

    async def stop(self) -> None:
        _deadline(
            SHUTDOWN_S,
            self.stop_in_time,
            f"the shutdown did not end within {SHUTDOWN_S} s: waited for Faust",
        )
        await super().stop()


def _faust_app(settings: Settings) -> faust.App:
    settings.data_dir.mkdir(parents=True, exist_ok=True)

    return faust.App(
        settings.group,
        broker=[f"{SCHEME}://{address}" for address in settings.bootstrap.split(",")],
        broker_credentials=credentials_of(settings),
        datadir=settings.data_dir / "faust",
        processing_guarantee="at_least_once",
        PartitionAssignor=CoPartitioned,
        table_standby_replicas=1,  # no standbys: see CoPartitioned
        topic_allow_declare=False,
        topic_disable_leader=True,
        topic_partitions=settings.partitions,
        web_enabled=False,
        consumer_auto_offset_reset="earliest",
        consumer_group_instance_id=settings.instance_id,
        broker_session_timeout=settings.session_s,
        broker_heartbeat_interval=min(HEARTBEAT_S, settings.session_s / 3),
        broker_rebalance_timeout=REBALANCE_S,
        broker_request_timeout=REQUEST_S,
        broker_max_poll_interval=A_DAY_S,
        consumer_metadata_max_age_ms=int(METADATA_S * 1000),
    )


async def _require_topics(log: KafkaLog, stages: Sequence[Stage], partitions: int, stop: Stop) -> None:
    wanted = {topic for stage in stages for topic in (*stage.sources, stage.changelog) if topic}
    counts = await log.partition_counts(wanted)
    if wrong := {topic: counts.get(topic, 0) for topic in wanted if counts.get(topic, 0) != partitions}:
        found = ", ".join(f"{topic} has {count}" for topic, count in sorted(wrong.items()))
        advice = HOW_TO_GROW if any(wrong.values()) else "Create them with `elowire topics`"
        stop(f"every topic must have {partitions} partitions, but {found}. {advice}")


def few_collections() -> None:
    """Keep the garbage collector off what lives as long as the process: a full pass takes 100 ms and more."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 50)
