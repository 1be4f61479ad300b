"""A process that cannot keep its promise ends at once, with its reason on one line."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

ENDS = """
import threading, time
from elowire.processor.stop import stop_process
from elowire.runtime.logs import configure
from elowire.runtime.settings import load_settings

configure(load_settings(log_format="json"))
threading.Thread(target=time.sleep, args=[60]).start()
try:
    {how}
finally:
    print("cleaned up")
"""
SAYS = 'stop_process("a batch did not end: waited for 3 outputs", ValueError("late"))'


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(SAYS, id="in-the-main-thread"),
        pytest.param(
            f"threading.Thread(target=lambda: {SAYS}).start(); time.sleep(60)", id="in-another-thread"
        ),
    ],
)
def test_it_exits_with_70_and_cleans_nothing_up(how):
    done = subprocess.run(
        [sys.executable, "-c", ENDS.format(how=how)], capture_output=True, text=True, timeout=60, check=False
    )
    line = json.loads(done.stderr.splitlines()[-1])

    assert done.returncode == 70
    assert line["reason"] == "a batch did not end: waited for 3 outputs"
    assert line["cause"] == "ValueError('late')"
    assert line["level"] == "critical"
    assert "cleaned up" not in done.stdout
