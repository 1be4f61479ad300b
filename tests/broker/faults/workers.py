"""Worker processes that are started, hurt and watched."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

WORKER = Path(__file__).with_name("worker.py")
EXIT_STOPPED = 70
TERM_PATIENCE_S = 40
PATTERNS = {
    "assigned": r'"event":"assigned"',
    "holes": r'"event":"hole"',
    "strayed": r'"event":"the consumer strayed"',
    "dropped": r"batch dropped",
    "foreign": r"foreign write",
    "refused": r'"event":"commit refused"',
    "failstops": r'"event":"the process ends itself"',
}


class Workers:
    """Slots with a process in each. `static` gives every slot a fixed identity."""

    def __init__(self, folder, *, static=False, **environment):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = {**os.environ, **{name: str(value) for name, value in environment.items()}}
        self.static = static
        self.processes = {}
        self.count = Counter()

    def start(self, slot, **extra):
        environment = {**self.environment, **{name: str(value) for name, value in extra.items()}}
        if self.static:
            environment["INSTANCE"] = f"{environment['NAME']}-{slot}"
        with (self.folder / f"worker-{slot}.log").open("ab") as log:
            self.processes[slot] = subprocess.Popen(
                [sys.executable, str(WORKER)], env=environment, stdout=log, stderr=subprocess.STDOUT
            )
        self.count["started"] += 1

    def restart_dead(self, **extra):
        """Start what has ended by itself again, as a supervisor does."""
        for slot, process in list(self.processes.items()):
            if process.poll() is not None:
                self._ended(slot, process.returncode)
                self.start(slot, **extra)

    def leave(self, slot, *, hard=False):
        """End a worker by SIGTERM or SIGKILL."""
        process = self.processes.pop(slot)
        if process.poll() is not None:
            self._ended(slot, process.returncode)
            return
        self.count["killed" if hard else "terminated"] += 1
        process.send_signal(signal.SIGKILL if hard else signal.SIGTERM)
        try:
            code = process.wait(TERM_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.count["hung"] += 1
            process.kill()
            process.wait()
        else:
            if code and not hard:
                self.count[f"terminated with {code}"] += 1

    def leave_all(self):
        for slot in list(self.processes):
            self.leave(slot)

    def kill_all(self):
        for process in self.processes.values():
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
        self.processes.clear()

    def frozen(self, slot):
        """Whether the process is stopped."""
        state = Path(f"/proc/{self.processes[slot].pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        return state == "T"

    def signal(self, slot, number):
        self.processes[slot].send_signal(number)

    def log_of(self, slot):
        return (self.folder / f"worker-{slot}.log").read_text(errors="replace")

    def log(self):
        return "".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("worker-*.log")))

    def seen(self):
        """Count what the logs tell."""
        text = self.log()
        seen = Counter({name: len(re.findall(pattern, text)) for name, pattern in PATTERNS.items()})
        seen["repaired"] = sum(map(int, re.findall(r"TEST .* repaired=(\d+)", text)))
        places = Counter(re.findall(r"(?:kill -9 self|stopping self) at (.*)", text))
        return +seen, places

    def _ended(self, slot, code):
        known = {-signal.SIGKILL: "killed itself", EXIT_STOPPED: "ended itself"}
        self.count[known.get(code, f"exit {code}")] += 1
        print(f"{time.time():.3f} worker {slot} exit {code}", flush=True)
