"""What can go wrong with the embedded broker."""

from __future__ import annotations


class EmbeddedKafkaError(RuntimeError):
    """The embedded broker cannot start or go on; the message says what, where and what to do."""


class JarError(EmbeddedKafkaError):
    """A jar of the broker is missing or not the locked one; the message names it."""


class DataRefusedError(EmbeddedKafkaError):
    """The data directory is not Elowire's, or cannot be used; the message says why."""


class AlreadyRunningError(EmbeddedKafkaError):
    """Another process runs on the data directory; the message names its process id."""
