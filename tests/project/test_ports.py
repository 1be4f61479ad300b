"""Test runs beside each other have ports of their own."""

from __future__ import annotations

import subprocess
import sys

PROCESSES = 6
ASK = "from tests.ports import free_ports; print(*free_ports(20), flush=True); input()"


def test_processes_beside_each_other_never_choose_the_same_port():
    asked = [
        subprocess.Popen(
            [sys.executable, "-c", ASK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(PROCESSES)
    ]
    chosen = [one.stdout.readline().split() for one in asked]
    for one in asked:
        one.communicate("\n")
    ports = [port for of_one in chosen for port in of_one]

    assert len(ports) == len(set(ports)) == PROCESSES * 20
