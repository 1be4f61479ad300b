"""The locks hold what `pyproject.toml` asks for: compared here without a network."""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from elowire.runtime.embedded.jars import KAFKA_VERSION, locked_jars, parse_lock
from tests.project.guards import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
GROUPS = PROJECT["dependency-groups"]
RUNTIME = PROJECT["project"]["dependencies"]
EMBEDDED = [*RUNTIME, *PROJECT["project"]["optional-dependencies"]["embedded"]]
INSTALLER = GROUPS["installer"]
BUILD = GROUPS["build"]
DEV = [*EMBEDDED, *INSTALLER, *BUILD, *(line for line in GROUPS["dev"] if isinstance(line, str))]
LOCKS = {
    "installer": INSTALLER,
    "runtime": RUNTIME,
    "embedded": EMBEDDED,
    "build": BUILD,
    "audit": GROUPS["audit"],
    "peers": GROUPS["peers"],
    "dev": DEV,
}


class Lock:
    """The entries of a lock: versions, hashes, and which of them `pyproject.toml` itself asks for."""

    def __init__(self, name: str):
        text = (ROOT / "requirements" / f"{name}.txt").read_text()
        blocks = re.findall(r"^(\S+)==(\S+)([^\n]*\n(?:[ ]+\S.*\n)*)", text, re.MULTILINE)
        self.versions = {}
        for package, version, _ in blocks:
            self.versions.setdefault(package, set()).add(version)
        self.unhashed = [package for package, _, rest in blocks if "--hash=sha256:" not in rest]
        self.asked = {package for package, _, rest in blocks if "elowire (pyproject.toml" in rest}


def stale(lock: Lock, wanted: list[str]) -> list[str]:
    """What differs between a lock and the requirements that it was made from."""
    requirements = {canonicalize_name(one.name): one for one in map(Requirement, wanted)}
    missing = [f"{name} is not locked" for name in requirements if name not in lock.versions]
    wrong = [
        f"{name} {version} does not fit {requirement}"
        for name, requirement in requirements.items()
        for version in lock.versions.get(name, ())
        if version not in requirement.specifier
    ]
    extra = [f"{name} is locked and no longer asked for" for name in sorted(lock.asked - requirements.keys())]

    return [*missing, *wrong, *extra]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_is_fresh_or_make_lock_makes_it_so(name):
    assert stale(Lock(name), LOCKS[name]) == []


def test_a_stale_lock_is_found():
    changed = ["aiohttp<3", "chessboard>=1", *RUNTIME[2:]]

    found = stale(Lock("runtime"), changed)

    assert [line.split()[-3:] for line in found] == [
        ["is", "not", "locked"],
        ["not", "fit", "aiohttp<3"],
        ["longer", "asked", "for"],
    ]


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_package_has_its_hashes(name):
    lock = Lock(name)

    assert lock.versions
    assert lock.unhashed == []


def test_the_jars_of_the_bench_are_of_the_broker_they_meet():
    jars = parse_lock((ROOT / "requirements" / "peers-jars.lock").read_text())
    ours = {(jar.group, jar.artifact): jar.version for jar in locked_jars()}
    other = [jar for jar in jars if jar.version != ours.get((jar.group, jar.artifact), jar.version)]

    assert [jar.version for jar in jars if jar.group == "org.apache.kafka"] == [KAFKA_VERSION] * 2
    assert other == []


@pytest.mark.parametrize(
    ("smaller", "larger"),
    [("runtime", "embedded"), ("embedded", "dev"), ("installer", "dev"), ("build", "dev")],
)
def test_locks_agree(smaller, larger):
    inner, outer = Lock(smaller).versions, Lock(larger).versions

    assert {name: outer.get(name) for name in inner} == inner
