"""Configuration files of the broker: its own, and the one of its log."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NODE_ID = 1
OFFSETS_KEPT_DAYS = 60
MOST_BYTES = 5 << 20
LOG_BYTES = 4 << 20
LOG_FILES = 2


def server_properties(
    log_dir: Path, *, host: str, port: int, controller_port: int, extra: Mapping[str, str]
) -> dict[str, str]:
    """Return the configuration of a broker that is its own controller; `extra` wins."""
    return {
        "process.roles": "broker,controller",
        "node.id": str(NODE_ID),
        "controller.quorum.voters": f"{NODE_ID}@{host}:{controller_port}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://{host}:{port},CONTROLLER://{host}:{controller_port}",
        "advertised.listeners": f"PLAINTEXT://{host}:{port}",
        "inter.broker.listener.name": "PLAINTEXT",
        "log.dirs": str(log_dir),
        "auto.create.topics.enable": "false",
        "message.max.bytes": str(MOST_BYTES),
        "min.insync.replicas": "1",
        "default.replication.factor": "1",
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "1",
        "offsets.retention.minutes": str(OFFSETS_KEPT_DAYS * 24 * 60),
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "transaction.state.log.num.partitions": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
        "share.coordinator.state.topic.num.partitions": "1",
        "group.initial.rebalance.delay.ms": "0",
        # One machine, one small heap: the defaults are for a server of its own.
        "num.network.threads": "2",
        "num.io.threads": "4",
        "background.threads": "2",
        "log.cleaner.dedupe.buffer.size": str(16 << 20),
        "log.index.size.max.bytes": str(1 << 20),
        **extra,
    }


def logging_properties(log_file: Path) -> dict[str, str]:
    """Return the settings of java.util.logging: `LOG_FILES` files of `LOG_BYTES`, the newest is number 0."""
    handler = "java.util.logging.FileHandler"
    return {
        "handlers": handler,
        ".level": "INFO",
        "kafka.level": "INFO",
        f"{handler}.pattern": f"{str(log_file).replace('%', '%%')}.%g",
        f"{handler}.limit": str(LOG_BYTES),
        f"{handler}.count": str(LOG_FILES),
        f"{handler}.append": "true",
        f"{handler}.encoding": "UTF-8",
        f"{handler}.formatter": "java.util.logging.SimpleFormatter",
        "java.util.logging.SimpleFormatter.format": "%1$tF %1$tT.%1$tL %4$s %5$s (%3$s)%6$s%n",
        # Each prints its whole configuration, some hundred lines, at every start.
        "org.apache.kafka.common.config.AbstractConfig.level": "WARNING",
        "kafka.server.KafkaConfig.level": "WARNING",
    }


def properties_text(values: Mapping[str, str]) -> str:
    """Return a Java properties file: ASCII, every other character escaped as the format demands."""
    return "".join(f"{_escaped(key, ' :=#!')}={_escaped(value, '')}\n" for key, value in values.items())


def _escaped(text: str, special: str) -> str:
    out = []
    for unit in memoryview(text.encode("utf-16-be")).tobytes().decode("utf-16-be"):
        if unit == "\\" or unit in special:
            out.append("\\" + unit)
        elif " " <= unit <= "~":
            out.append(unit)
        else:
            code = unit.encode("utf-16-be")
            out += [f"\\u{code[i]:02x}{code[i + 1]:02x}" for i in range(0, len(code), 2)]
    text = "".join(out)
    return f"\\{text}" if text.startswith(" ") else text
