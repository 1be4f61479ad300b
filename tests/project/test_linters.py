"""The configured linters, type checker and import contracts fail on a planted offence."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.project.guards import ROOT

TOOLS = Path(sys.executable).parent
FUTURE = "from __future__ import annotations\n\n"
TIME = "runtime/clock.py` alone reads the time"
ENVIRONMENT = "runtime/settings.py` alone reads the environment"
LONG_FUNCTION = "def board(x: int) -> int:\n" + "    x += 1\n" * 41 + "    return x\n"
PACKAGES = ("cli", "contracts", "dispatch", "domain", "ingest", "processor", "runtime", "ticker")


def run(*command: str | Path, cwd: Path = ROOT, source: str | None = None, path: str = "") -> tuple[int, str]:
    """Run one of the installed tools; gives its exit code and all that it printed."""
    done = subprocess.run(
        [TOOLS / command[0], *command[1:]],
        cwd=cwd,
        input=source,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={"PATH": f"{TOOLS}:/usr/bin:/bin", "PYTHONPATH": path, "COLUMNS": "200", "NO_COLOR": "1"},
    )

    return done.returncode, done.stdout + done.stderr


RUFF = ("ruff", "check", "--no-cache", "--output-format=concise", "--stdin-filename")


def ruff(path: str, source: str) -> tuple[int, str]:
    """Check a module as if it stood at `path`, with the project's own rules."""
    return run(*RUFF, path, "-", source=source)


@pytest.mark.parametrize(
    ("path", "source", "finding"),
    [
        pytest.param("domain/x.py", "import datetime\n\nD = datetime.date.today()\n", TIME, id="today"),
        pytest.param("ticker/x.py", "import datetime as d\n\nN = d.datetime.now(d.UTC)\n", TIME, id="now"),
        pytest.param("ingest/x.py", "import time\n\nN = time.time()\n", TIME, id="time"),
        pytest.param(
            "processor/x.py", "from time import monotonic\n\nN = monotonic()\n", TIME, id="monotonic"
        ),
        pytest.param("runtime/x.py", "import os\n\nH = os.environ['HOME']\n", ENVIRONMENT, id="environ"),
        pytest.param("cli/x.py", "import os\n\nH = os.getenv('HOME')\n", ENVIRONMENT, id="getenv"),
        pytest.param("dispatch/x.py", "from random import random\n\nR = random()\n", "TID251", id="random"),
        pytest.param(
            "domain/x.py", LONG_FUNCTION, "PLR0915 Too many statements (41 > 40)", id="long-function"
        ),
        pytest.param("domain/x.py", "K = 1  # TO" + "DO: later\n", "FIX002", id="open-end"),
        pytest.param("domain/x.py", "def k(of: int) -> int:\n    return of\n", "D103", id="no-docstring"),
        pytest.param("runtime/x.py", "print('hello')\n", "T201", id="print"),
        pytest.param(
            "runtime/x.py", "try:\n    X = 1\nexcept Exception:\n    X = 2\n", "BLE001", id="broad-except"
        ),
    ],
)
def test_a_rule_bites(path, source, finding):
    code, printed = ruff(f"services/elowire/{path}", f'"""A module."""\n\n{FUTURE}{source}')

    assert code == 1
    assert finding in printed


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("runtime/clock.py", "import time\n\nN = time.time()\n"),
        ("runtime/settings.py", "import os\n\nH = os.environ\n"),
    ],
    ids=["clock", "settings"],
)
def test_the_one_reader_of_time_and_of_the_environment_may(path, source):
    assert ruff(f"services/elowire/{path}", f'"""A module."""\n\n{FUTURE}{source}')[0] == 0


def test_a_module_without_late_annotations_is_found():
    assert "I002" in ruff("services/elowire/domain/x.py", '"""A module."""\n\nK = 1\n')[1]


@pytest.mark.parametrize("folder", ["domain", "contracts", "stages"])
def test_unit_tests_read_no_clock(folder):
    code, printed = ruff(f"tests/{folder}/test_x.py", f"{FUTURE}import time\n\nN = time.time()\n")

    assert code == 1
    assert TIME in printed


def test_the_form_is_checked():
    code, printed = run(
        "ruff", "format", "--no-cache", "--check", "--stdin-filename", "x.py", "-", source="k = 'ten'"
    )

    assert code == 1, printed


@pytest.fixture
def tree(tmp_path):
    """A tree with the project's configuration and its packages, all empty."""
    for name in ("pyproject.toml", ".yamllint.yaml", ".gitignore"):
        shutil.copy(ROOT / name, tmp_path / name)
    for package in ("", *PACKAGES):
        folder = tmp_path / "services" / "elowire" / package
        folder.mkdir(parents=True)
        (folder / "__init__.py").touch()

    return tmp_path


def plant(tree: Path, path: str, source: str) -> None:
    target = tree / "services" / "elowire" / path
    target.parent.mkdir(exist_ok=True)
    target.write_text(source)


def test_the_packages_here_are_those_of_the_product():
    found = {path.parent.name for path in (ROOT / "services" / "elowire").glob("*/__init__.py")}

    assert found == set(PACKAGES)


def lint_imports(tree: Path) -> tuple[int, str]:
    return run("lint-imports", "--no-logo", "--no-cache", cwd=tree, path=str(tree / "services"))


def test_an_empty_tree_keeps_every_import_contract(tree):
    code, printed = lint_imports(tree)

    assert code == 0, printed
    assert "0 broken" in printed


@pytest.mark.parametrize(
    ("path", "source", "broken"),
    [
        pytest.param("domain/x.py", "import elowire.contracts", "Imports go one way", id="upwards"),
        pytest.param("runtime/x.py", "import elowire.processor", "Imports go one way", id="runtime-service"),
        pytest.param("ticker/x.py", "import elowire.processor", "Imports go one way", id="service-service"),
        pytest.param("rumours/__init__.py", "", "Imports go one way", id="forgotten-package"),
        pytest.param("domain/x.py", "import asyncio", "The regulations need no clock", id="domain-asyncio"),
        pytest.param("domain/x.py", "import logging", "The regulations need no clock", id="domain-logging"),
        pytest.param("domain/x.py", "import os", "The regulations need no clock", id="domain-os"),
        pytest.param("domain/x.py", "import random", "The regulations need no clock", id="domain-random"),
        pytest.param("domain/x.py", "import socket", "The regulations need no clock", id="domain-socket"),
        pytest.param("domain/x.py", "import time", "The regulations need no clock", id="domain-time"),
        pytest.param("domain/x.py", "import pydantic", "The regulations need no clock", id="domain-pydantic"),
        pytest.param("contracts/x.py", "import aiokafka", "The wire needs pydantic", id="contracts-aiokafka"),
        pytest.param("runtime/x.py", "import faust", "Faust and Mode stay", id="faust"),
        pytest.param("cli/x.py", "import mode", "Faust and Mode stay", id="mode"),
        pytest.param("ticker/x.py", "import prometheus_client", "prometheus_client stays", id="metrics"),
        pytest.param("ingest/x.py", "import typer", "typer and rich stay", id="typer"),
        pytest.param("processor/x.py", "import rich", "typer and rich stay", id="rich"),
        pytest.param("processor/x.py", "import fastapi", "HTTP stays", id="http"),
    ],
)
def test_an_import_contract_bites(tree, path, source, broken):
    plant(tree, path, source)

    code, printed = lint_imports(tree)

    assert code == 1
    assert [line for line in printed.splitlines() if line.startswith(broken) and line.endswith("BROKEN")], (
        printed
    )


def declared() -> set[str]:
    """The import names of every library that Elowire declares."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["embedded"]]
    wanted = {canonicalize_name(Requirement(line).name) for line in lines}

    return {
        module
        for module, owners in packages_distributions().items()
        if wanted & {canonicalize_name(owner) for owner in owners} and not module.startswith("_")
    }


@pytest.mark.parametrize(("contract", "allowed"), [("domain", set()), ("contracts", {"orjson", "pydantic"})])
def test_no_declared_library_is_missing_in_the_contract(contract, allowed):
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    forbidden = next(set(one["forbidden_modules"]) for one in contracts if one["id"] == contract)

    assert declared() - forbidden == allowed


def test_a_circle_of_siblings_is_found(tree):
    plant(tree, "domain/x.py", "import elowire.domain.y")
    plant(tree, "domain/y.py", "import elowire.domain.x")

    code, printed = lint_imports(tree)

    assert code == 1
    assert "No cycles are allowed in elowire.domain" in printed


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("processor/x.py", "import faust, mode"),
        ("runtime/x.py", "import prometheus_client, fastapi"),
        ("cli/x.py", "import typer, rich, elowire.processor, elowire.ticker"),
        ("contracts/x.py", "import pydantic, orjson, elowire.domain"),
    ],
    ids=["processor", "runtime", "cli", "contracts"],
)
def test_the_owner_of_a_library_may_import_it(tree, path, source):
    plant(tree, path, source)

    assert lint_imports(tree)[0] == 0


MISTYPED = """
from typing import Literal

Result = Literal["white", "black"]

def untyped(k):
    return k

def wrong(k: int) -> str:
    return k  # type: ignore

def forgotten(result: Result) -> int:
    match result:
        case "white":
            return 1
    return 0

def unreachable(k: int) -> int:
    if isinstance(k, int):
        return k
    return 0

def unbound(k: int) -> int:
    if k:
        change = 1
    return change
"""


def test_every_strictness_of_the_type_checker_bites(tree):
    plant(tree, "domain/x.py", MISTYPED)

    code, printed = run("mypy", "--no-incremental", cwd=tree)

    assert code == 1
    for expected in (
        "[no-untyped-def]",
        "[ignore-without-code]",
        "[exhaustive-match]",
        "[unreachable]",
        "[possibly-undefined]",
    ):
        assert expected in printed


@pytest.mark.parametrize(
    ("planted", "finding"),
    [("import requests", "'requests' imported but"), ("", "'aiohttp' defined as a dependency but not used")],
    ids=["undeclared", "unused"],
)
def test_the_dependency_check_bites(tree, planted, finding):
    plant(tree, "runtime/x.py", planted)

    code, printed = run("deptry", "services", cwd=tree)

    assert code == 1
    assert finding in printed


def test_the_spelling_check_bites(tree):
    plant(tree, "domain/x.py", "# the rating is calcul" + "ted here\n")

    code, printed = run("codespell", cwd=tree)

    assert code != 0
    assert "==> calculated" in printed


def test_the_yaml_check_bites(tree):
    (tree / "alerts.yml").write_text("groups:\n  - name: lag\n    name: again\n")

    code, printed = run("yamllint", "--strict", ".", cwd=tree)

    assert code == 1
    assert "duplication of key" in printed
