"""The embedded broker: Apache Kafka as one node, for as long as the process that started it lives."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Self

from elowire.runtime import clock
from elowire.runtime.data_dir import DataDirError, HeldError, Hold, alive, open_data_dir
from elowire.runtime.embedded import watcher
from elowire.runtime.embedded.faults import AlreadyRunningError, DataRefusedError, EmbeddedKafkaError
from elowire.runtime.embedded.java import LOG4J, java_command
from elowire.runtime.embedded.properties import (
    LOG_FILE,
    logging_properties,
    properties_text,
    server_properties,
)
from elowire.runtime.embedded.ready import cluster_id_at
from elowire.runtime.embedded.storage import check_data, draft_dir, format_data, log_dir
from elowire.runtime.ports import free_ports, why_taken
from elowire.runtime.settings import child_environment, load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

HOST = "127.0.0.1"
START_S = 90.0
STOP_S = 20.0
# An orphaned broker stops when nobody has its lifeline any more; so long a new start waits for it.
ORPHAN_S = STOP_S + 5.0
_LINES_QUOTED = 15
_PAUSE_S = 0.05


def silent(_step: str) -> None:
    """Progress callback that tells nobody."""


class EmbeddedKafka:
    """Apache Kafka on 127.0.0.1 with its data in `data_dir`: a context manager, or `start` and `stop`.

    `progress` is told each step ("fetching Kafka: 12 of 45 jars", "formatting Kafka's data", "starting
    Kafka"). `cache_dir` holds the jars (default: the platform's cache directory); `properties` are broker
    settings that win over the built-in ones; `heap_mb` is Java's heap in MiB, `java_options` come after all.
    Calls block and are safe from any thread: under asyncio use `asyncio.to_thread`.
    """

    def __init__(
        self,
        data_dir: Path,
        port: int,
        *,
        progress: Callable[[str], None] = silent,
        cache_dir: Path | None = None,
        properties: Mapping[str, str] | None = None,
        heap_mb: int = 256,
        java_options: Sequence[str] = (),
    ) -> None:
        self.data_dir = data_dir.expanduser().absolute()
        self.port = port
        self._progress = progress
        self._cache = cache_dir or load_settings().cache_dir
        self._extra = dict(properties or {})
        self._heap_mb = heap_mb
        self._java_options = java_options
        self._hold: Hold | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._guard = threading.Lock()
        self._ran = False

    @property
    def bootstrap(self) -> str:
        """Address for clients, ``host:port``."""
        return f"{HOST}:{self.port}"

    @property
    def log_file(self) -> Path:
        """The broker's log."""
        return self.data_dir / LOG_FILE

    @property
    def running(self) -> bool:
        """Whether the broker process lives."""
        return self._process is not None and self._process.poll() is None

    @property
    def lifeline(self) -> int | None:
        """File descriptor that keeps the broker running; None when it does not run.

        A process that inherits it keeps the broker for as long as it lives, should we be killed.
        """
        process = self._process

        return None if process is None or process.stdin is None else process.stdin.fileno()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start the broker and return when it answers a metadata request.

        Raises `EmbeddedKafkaError` (or one of its kinds) and leaves nothing running.
        """
        with self._guard:
            if self._process is not None:
                raise EmbeddedKafkaError("this broker was started already")
            try:
                self._start()
            except BaseException as fault:
                self._stop()
                if isinstance(fault, DataDirError):
                    raise DataRefusedError(str(fault)) from fault
                raise

    def stop(self) -> None:
        """Stop the broker in order, by force after `STOP_S` seconds; returns when it is gone."""
        with self._guard:
            self._stop()

    def wait(self, timeout_s: float | None = None) -> int | None:
        """Block until the broker process ends; its exit code, or None when `timeout_s` passed before."""
        if self._process is None:
            raise EmbeddedKafkaError("this broker was not started")
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def last_lines(self, count: int = _LINES_QUOTED) -> str:
        """Return the end of the broker's log and of what Java said itself, for error messages."""
        lines: list[str] = []
        for path in (self.log_file, self.data_dir / "kafka.out"):
            if path.exists():
                lines += path.read_bytes()[-65536:].decode("utf-8", "replace").splitlines()[-count:]
        return "\n".join(f"  {line[:300]}" for line in lines)

    def _start(self) -> None:
        for path, mark in ((self.data_dir, ","), (self._cache, ":")):
            if mark in str(path):
                raise EmbeddedKafkaError(
                    f"{path}: Kafka cannot use a path with {mark!r} in it. Choose another one"
                )
        open_data_dir(self.data_dir)
        self._lock()
        controller_port = self._controller_port()
        java = java_command(self.data_dir, self._cache, self._heap_mb, self._progress)
        (self.data_dir / LOG4J).write_text(properties_text(logging_properties()), "ascii")
        cluster_id = self._formatted(java, controller_port)
        self._progress("starting Kafka")
        self._write_config("kafka.properties", controller_port, log_dir(self.data_dir))
        self._process = self._run(
            [*java, *self._java_options, "kafka.Kafka", str(self.data_dir / "kafka.properties")]
        )
        self._ran = True
        self._await_ready(cluster_id)

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            try:
                process.wait(STOP_S + 5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        hold, self._hold = self._hold, None
        if hold is not None:
            hold.release()

    def _lock(self) -> None:
        hold = Hold(self.data_dir / "kafka.lock")
        deadline = clock.monotonic() + ORPHAN_S
        while True:
            try:
                hold.take()
            except HeldError as fault:
                # Its starter or its watcher was killed and the broker is on its way out: worth a short wait.
                ours = self._ran and fault.pid == os.getpid()
                orphaned = ours or (fault.pid is not None and not alive(fault.pid))
                if not orphaned or clock.monotonic() > deadline:
                    raise AlreadyRunningError(
                        f"{fault}. Stop it first, or use another data directory"
                    ) from None
                self._progress("waiting for the broker of a killed process to end")
                threading.Event().wait(0.2)
            else:
                self._hold = hold
                return

    def _held(self) -> int:
        """Return the descriptor of the lock, for Java to inherit: the data is locked while it lives."""
        if self._hold is None:
            raise EmbeddedKafkaError("the data directory is not locked")
        return self._hold.fileno()

    def _controller_port(self) -> int:
        """Return a free port for the controller; raise when the broker's own is taken."""
        if why_taken(HOST, self.port) is not None:
            raise EmbeddedKafkaError(
                f"port {self.port} on {HOST} is taken by another program. Stop that program, or give Kafka "
                "another port (ELOWIRE_KAFKA_PORT)"
            )
        following = self.port + 1
        if following <= 65535 and why_taken(HOST, following) is None:  # noqa: PLR2004 - the largest port
            return following
        return free_ports(HOST, 1)[0]

    def _formatted(self, java: list[str], controller_port: int) -> str:
        """Return the cluster id of the data, which is formatted if it is new."""
        if log_dir(self.data_dir).exists():
            return check_data(self.data_dir)
        self._progress("formatting Kafka's data")
        config = self._write_config("kafka-format.properties", controller_port, draft_dir(self.data_dir))
        try:
            return format_data(self.data_dir, java, config, self._held())
        finally:
            config.unlink()

    def _write_config(self, name: str, controller_port: int, folder: Path) -> Path:
        values = server_properties(
            folder, host=HOST, port=self.port, controller_port=controller_port, extra=self._extra
        )
        path = self.data_dir / name
        path.write_text(properties_text(values), "ascii")
        return path

    def _run(self, command: list[str]) -> subprocess.Popen[bytes]:
        with (self.data_dir / "kafka.out").open("wb") as out:
            return subprocess.Popen(  # noqa: S603 - our own Java and class path
                [sys.executable, "-I", "-S", watcher.__file__, str(STOP_S), *command],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=self.data_dir,
                env=child_environment(LC_ALL="C.UTF-8"),
                pass_fds=(self._held(),),
                # Ctrl-C in a terminal reaches the whole foreground group; the broker stops in order, later.
                start_new_session=True,
            )

    def _await_ready(self, cluster_id: str) -> None:
        deadline = clock.monotonic() + START_S
        while clock.monotonic() < deadline:
            if not self.running:
                code = self.wait(0)
                raise EmbeddedKafkaError(
                    f"Kafka ended with code {code} while starting. Its last lines:\n{self.last_lines()}"
                )
            found = cluster_id_at(HOST, self.port)
            if found == cluster_id:
                return
            if found is not None:
                raise EmbeddedKafkaError(
                    f"another Kafka (cluster {found}) answers on {self.bootstrap}. Stop it first"
                )
            threading.Event().wait(_PAUSE_S)
        raise EmbeddedKafkaError(
            f"Kafka did not answer within {START_S:g} s. Its last lines:\n{self.last_lines()}"
        )
