"""Configuration files of the broker: its own, and the one of its log."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NODE_ID = 1
OFFSETS_KEPT_DAYS = 60
MOST_BYTES = 5 << 20
LOG_FILE = "kafka.log"
LOG_MB = 4


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


def logging_properties() -> dict[str, str]:
    """Return the settings of log4j: `LOG_FILE` and one older part, in the directory in which Java runs."""
    return {
        "status": "error",
        # Else the log would end where the shutdown begins.
        "shutdownHook": "disable",
        "appender.file.type": "RollingFile",
        "appender.file.name": "file",
        "appender.file.fileName": LOG_FILE,
        "appender.file.filePattern": f"{LOG_FILE}.1",
        "appender.file.layout.type": "PatternLayout",
        "appender.file.layout.pattern": "%d{yyyy-MM-dd HH:mm:ss.SSS} %p %m (%c)%n",
        "appender.file.policies.type": "Policies",
        "appender.file.policies.size.type": "SizeBasedTriggeringPolicy",
        "appender.file.policies.size.size": f"{LOG_MB}MB",
        "appender.file.strategy.type": "DefaultRolloverStrategy",
        "appender.file.strategy.max": "1",
        "rootLogger.level": "info",
        "rootLogger.appenderRef.file.ref": "file",
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
