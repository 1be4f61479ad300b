"""Brokers that are hurt: killed, restarted, filled up, or reached through a proxy."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
from pathlib import Path

import psutil

from elowire.runtime.embedded.broker import EmbeddedKafka
from tests.broker.acceptance.programs import free_ports

# A second door, whose advertised address is a proxy's.
PROXIED = {
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT",
}


class OwnBroker:
    """A broker of a test's own. `proxy_port` is where clients of the second door, `door_port`, must call."""

    def __init__(self, folder, port=None, **properties):
        self.port, controller, self.door_port, self.proxy_port = free_ports(4)
        self.port = port or self.port
        listeners = f"PLAINTEXT://127.0.0.1:{self.port},PROXIED://127.0.0.1:{self.door_port}"
        self.folder = Path(folder)
        self._broker = EmbeddedKafka(
            self.folder,
            self.port,
            properties={
                **PROXIED,
                "listeners": f"{listeners},CONTROLLER://127.0.0.1:{controller}",
                "controller.quorum.voters": f"1@127.0.0.1:{controller}",
                "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self.port},"
                f"PROXIED://127.0.0.1:{self.proxy_port}",
                **properties,
            },
        )
        self.bootstrap = self._broker.bootstrap

    @property
    def java(self):
        """The process of the broker itself; its parent is a watcher."""
        [java] = psutil.Process(self._broker._process.pid).children()
        return java

    @property
    def running(self):
        return self._broker.running

    def start(self):
        self._broker.start()

    def kill(self):
        """SIGKILL to Java: the watcher ends with it, and nothing is written or told any more."""
        java = self.java
        java.send_signal(signal.SIGKILL)
        self._broker.wait(30)
        assert not java.is_running()
        self._broker.stop()

    def stop(self):
        self._broker.stop()

    def log(self):
        """What the broker said, its older part first."""
        return "".join(
            path.read_text(errors="replace")
            for path in (self.folder / "kafka.log.1", self.folder / "kafka.log")
            if path.exists()
        )


class FullDisk:
    """A small disk for a broker: a tmpfs where one may be mounted, else a limit on the size of its files."""

    def __init__(self, folder, size_mb=48):
        self.folder, self.size_mb = Path(folder), size_mb
        self.folder.mkdir(parents=True, exist_ok=True)
        self._filler = self.folder / "filler"
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", str(self.folder)]
        try:
            self.mounted = not subprocess.run(mount, check=False, capture_output=True).returncode
        except FileNotFoundError:
            self.mounted = False

    def fill(self, broker):
        """Leave no room: the next writes of the broker fail."""
        if not self.mounted:
            resource.prlimit(broker.java.pid, resource.RLIMIT_FSIZE, (1, 1))
            return
        with self._filler.open("wb", buffering=0) as filler, contextlib.suppress(OSError):
            while filler.write(bytes(1 << 16)):
                pass

    @property
    def free(self):
        """Bytes that can still be written; None where that is not the limit."""
        return os.statvfs(self.folder).f_bavail * os.statvfs(self.folder).f_frsize if self.mounted else None

    def empty(self):
        self._filler.unlink(missing_ok=True)

    def remove(self):
        if self.mounted:
            unmount = ["umount", "-l", str(self.folder)]
            subprocess.run(unmount, check=True)
