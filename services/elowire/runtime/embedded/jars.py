"""The broker's jars: a committed lock, a cache shared by all clones, and jgo that fills it.

The lock lists every jar as ``group:artifact:version:sha256``. A jar enters the cache only after its
hash was compared, by a rename, so that the cache never holds half a jar; and it is compared again at
each start, so that a damaged cache is noticed before Java runs it.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from elowire.runtime.embedded.faults import JarError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

KAFKA_VERSION = "4.4.0"
_CONNECTIONS = 4
_TIMEOUT_S = 30
_FIELDS = 4

log = logging.getLogger(__name__)


class Jar(NamedTuple):
    """One line of the lock."""

    group: str
    artifact: str
    version: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}"

    def path(self, cache: Path) -> Path:
        """Where the jar lies in a cache, in the layout of a Maven repository."""
        folder = cache.joinpath(*self.group.split("."), self.artifact, self.version)
        return folder / f"{self.artifact}-{self.version}.jar"


def locked_jars() -> tuple[Jar, ...]:
    """Return the lock that ships with this release, in class path order."""
    return parse_lock(files("elowire.runtime.embedded").joinpath("kafka-jars.lock").read_text("ascii"))


def parse_lock(text: str) -> tuple[Jar, ...]:
    """Jars of a lock file's text; ``#`` begins a comment. Raises `JarError` naming a bad line."""
    jars: list[Jar] = []
    for number, line in enumerate(text.splitlines(), 1):
        entry = line.partition("#")[0].strip()
        if not entry:
            continue
        fields = entry.split(":")
        if len(fields) != _FIELDS or len(fields[-1]) != hashlib.sha256().digest_size * 2:
            raise JarError(
                f"kafka-jars.lock, line {number}: expected group:artifact:version:sha256, got {entry!r}"
            )
        jars.append(Jar(*fields))
    return tuple(jars)


def class_path(
    cache: Path, progress: Callable[[str], None], jars: Sequence[Jar] | None = None, *, offline: bool = False
) -> list[Path]:
    """Every jar of the lock, verified, as files under `cache`; fetches what is missing or damaged there.

    `progress` is told how many jars are fetched. Raises `JarError` when a jar cannot be had or is not the
    locked one; `offline` refuses to fetch.
    """
    jars = locked_jars() if jars is None else jars
    missing = [jar for jar in jars if sha256_of(jar.path(cache)) != jar.sha256]
    if missing and offline:
        raise JarError(_unavailable(missing, jars, cache, "fetching is switched off"))
    if missing:
        _fetch(missing, jars, cache, progress)
    return [jar.path(cache) for jar in jars]


def sha256_of(path: Path) -> str | None:
    """Hash of a file in hexadecimal; None when there is none."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def _fetch(missing: Sequence[Jar], jars: Sequence[Jar], cache: Path, progress: Callable[[str], None]) -> None:
    # jgo is needed here only: a start with a full cache does not pay for importing it.
    from jgo.maven import MavenContext  # noqa: PLC0415 - see above

    cache.mkdir(parents=True, exist_ok=True)
    done = len(jars) - len(missing)
    progress(f"fetching Kafka: {done} of {len(jars)} jars")
    with (
        tempfile.TemporaryDirectory(dir=cache, prefix="fetching-") as folder,
        ThreadPoolExecutor(_CONNECTIONS, thread_name_prefix="jars") as pool,
    ):
        maven = MavenContext(repo_cache=Path(folder), timeout=_TIMEOUT_S)

        def fetch(jar: Jar) -> None:
            fetched = maven.project(jar.group, jar.artifact).at_version(jar.version).artifact().resolve()
            _keep(jar, fetched, cache)

        for future in as_completed({pool.submit(fetch, jar) for jar in missing}):
            fault = future.exception()
            if fault is not None:
                pool.shutdown(wait=True, cancel_futures=True)
                if isinstance(fault, JarError):
                    raise fault
                left = [jar for jar in missing if not jar.path(cache).exists()]
                raise JarError(_unavailable(left, jars, cache, _reason(fault))) from fault
            done += 1
            progress(f"fetching Kafka: {done} of {len(jars)} jars")


def _keep(jar: Jar, fetched: Path, cache: Path) -> None:
    found = sha256_of(fetched)
    if found != jar.sha256:
        raise JarError(
            f"the jar {jar} that was fetched is not the locked one: expected sha256 {jar.sha256}, "
            f"got {found}. It was thrown away and nothing was started. Try again; if it happens again, do "
            "not trust the network you are on"
        )
    kept = jar.path(cache)
    kept.parent.mkdir(parents=True, exist_ok=True)
    fetched.replace(kept)


def _unavailable(left: Sequence[Jar], jars: Sequence[Jar], cache: Path, why: str) -> str:
    return (
        f"{len(left)} of {len(jars)} jars of Apache Kafka {KAFKA_VERSION} are not in {cache} and could "
        f"not be fetched (first: {left[0]}): {why}. Connect to the network once, or copy that folder from "
        "a machine that has it, or use a Kafka cluster with --bootstrap"
    )


def _reason(fault: BaseException) -> str:
    """Return the innermost cause in one line: the outer ones only say that something was tried."""
    while (inner := fault.__cause__ or fault.__context__) is not None:
        fault = inner
    return " ".join(str(fault).split())[:300] or type(fault).__name__
