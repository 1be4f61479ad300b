"""Runs Java and ends it when the process that started it is gone, however that ended.

Run as a script with its own interpreter, so that it imports nothing but a little of the standard library.
Standard input is a pipe whose other end the parent holds, and whoever inherits it to keep Java running: the
end of it means "stop", whether they closed it or were killed. This needs no polling, no process ids that may
be reused, and works alike on Linux and macOS. Java is asked by SIGTERM, and killed when it is not gone after
the grace time.

Arguments: grace time in seconds, then Java's command line. Exits with Java's exit code.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading

_PR_SET_PDEATHSIG = 1


def main() -> int:
    """Run the command until it ends or standard input does."""
    grace_s, command = float(sys.argv[1]), sys.argv[2:]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    java = subprocess.Popen(  # noqa: S603 - the command is Elowire's own
        command,
        stdin=subprocess.DEVNULL,
        close_fds=False,
        preexec_fn=_prepare,  # noqa: PLW1509 - there are no threads yet
    )
    threading.Thread(target=_stop_with_parent, args=(java, grace_s), daemon=True).start()
    return java.wait()


def _prepare() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    if sys.platform == "linux":
        # Should the watcher itself be killed. The signal is tied to the thread that calls, the main one.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _stop_with_parent(java: subprocess.Popen[bytes], grace_s: float) -> None:
    # Not by `sys.stdin`: its lock would stop the interpreter from ending when Java ends first.
    while os.read(0, 1024):
        pass
    java.terminate()
    try:
        java.wait(grace_s)
    except subprocess.TimeoutExpired:
        java.kill()


if __name__ == "__main__":
    sys.exit(main() & 0xFF)
