"""Starts an embedded broker as a program of its own, so that tests can kill it: DATA_DIR PORT [CACHE_DIR].

Says each step on standard error; what comes on standard output is a fault.
"""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path

from elowire.runtime.embedded.broker import EmbeddedKafka


def say(step: str) -> None:
    sys.stderr.write(f"{step}\n")
    sys.stderr.flush()


signal.signal(signal.SIGTERM, signal.default_int_handler)
cache = Path(sys.argv[3]) if len(sys.argv) > 3 else None
try:
    with EmbeddedKafka(Path(sys.argv[1]), int(sys.argv[2]), cache_dir=cache, progress=say):
        say("ready")
        threading.Event().wait()
except KeyboardInterrupt:
    say("stopped")
