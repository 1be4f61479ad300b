"""Three nodes of Apache Kafka on this machine, each broker and controller, from the embedded's jars."""

from __future__ import annotations

import base64
import signal
import subprocess
import time
import uuid
from pathlib import Path

from elowire.runtime.embedded.broker import silent
from elowire.runtime.embedded.java import LOG4J, java_command
from elowire.runtime.embedded.properties import logging_properties, properties_text, server_properties
from elowire.runtime.embedded.ready import cluster_id_at
from elowire.runtime.settings import load_settings
from tests.broker.acceptance.programs import free_ports

HOST = "127.0.0.1"
HEAP_MB = 192
START_S = 90.0
FAST = {
    # A node that is gone is noticed within seconds, as the engine's measured runs had it.
    "broker.session.timeout.ms": "4000",
    "broker.heartbeat.interval.ms": "1000",
    "replica.lag.time.max.ms": "4000",
    "controller.quorum.election.timeout.ms": "1000",
    "controller.quorum.fetch.timeout.ms": "2000",
    "offsets.topic.replication.factor": "3",
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2",
    "default.replication.factor": "3",
    "min.insync.replicas": "2",
    "unclean.leader.election.enable": "false",
}
PROTOCOLS = "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,BETWEEN:PLAINTEXT,CONTROLLER:PLAINTEXT"


class Node:
    """One node. Clients come by `port`, or by `proxied` through a proxy on `proxied_door`.

    The other nodes come by `between`, through a proxy on `between_door`.
    """

    def __init__(self, number, folder):
        self.number, self.folder = number, Path(folder)
        ports = free_ports(6)
        self.port, self.proxied, self.proxied_door, self.between, self.between_door, self.controller = ports
        self.process = None
        self.bootstrap = f"{HOST}:{self.port}"

    def configure(self, nodes, cluster_id):
        """Write the configuration and format the data."""
        self.folder.mkdir(parents=True)
        (self.folder / LOG4J).write_text(properties_text(logging_properties()), "ascii")
        listen = {"PLAINTEXT": self.port, "PROXIED": self.proxied, "BETWEEN": self.between}
        tell = {"PLAINTEXT": self.port, "PROXIED": self.proxied_door, "BETWEEN": self.between_door}
        own = {
            "node.id": str(self.number),
            "controller.quorum.voters": ",".join(f"{n.number}@{HOST}:{n.controller}" for n in nodes),
            "listener.security.protocol.map": PROTOCOLS,
            "listeners": _addresses(listen | {"CONTROLLER": self.controller}),
            "advertised.listeners": _addresses(tell),
            "inter.broker.listener.name": "BETWEEN",
        }
        values = server_properties(
            self.folder / "data", host=HOST, port=self.port, controller_port=self.controller, extra=FAST | own
        )
        self.config = self.folder / "node.properties"
        self.config.write_text(properties_text(values), "ascii")
        tool = ["kafka.tools.StorageTool", "format", f"--cluster-id={cluster_id}", "-c", str(self.config)]
        subprocess.run([*self._java(), *tool], check=True, capture_output=True, cwd=self.folder)

    def start(self):
        with (self.folder / "out").open("ab") as out:
            self.process = subprocess.Popen(
                [*self._java(), "kafka.Kafka", str(self.config)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                cwd=self.folder,
            )

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        assert self.process.wait(30) == -signal.SIGKILL

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    @property
    def running(self):
        return self.process is not None and self.process.poll() is None

    def _java(self):
        return java_command(self.folder, load_settings().cache_dir, HEAP_MB, silent)


class Cluster:
    """Three nodes; `bootstrap` names the doors that no proxy stands before."""

    def __init__(self, folder):
        self.nodes = [Node(number, Path(folder) / f"node-{number}") for number in (1, 2, 3)]
        self.bootstrap = ",".join(node.bootstrap for node in self.nodes)
        self.cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")

    def start(self):
        for node in self.nodes:
            node.configure(self.nodes, self.cluster_id)
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            self.until_up(node)

    def until_up(self, node):
        deadline = time.monotonic() + START_S
        while cluster_id_at(HOST, node.port) != self.cluster_id:
            assert node.running, (node.folder / "out").read_text(errors="replace")[-3000:]
            assert time.monotonic() < deadline, f"node {node.number} does not answer"
            time.sleep(0.1)

    def node(self, number):
        return self.nodes[number - 1]

    def revive(self):
        """Start every node that a test has left dead."""
        for node in self.nodes:
            if not node.running:
                node.start()
        for node in self.nodes:
            self.until_up(node)

    def stop(self):
        for node in self.nodes:
            if node.running:
                node.process.terminate()
        for node in self.nodes:
            node.stop()


def _addresses(ports):
    return ",".join(f"{name}://{HOST}:{port}" for name, port in ports.items())
