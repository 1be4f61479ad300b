"""`python -m tests.mutants MODULE...`: changes modules of the domain and names what no test noticed."""

from __future__ import annotations

import ast
import importlib.util
import io
import os
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib.abc import Loader, MetaPathFinder
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.mutants.changes import changes_of
from tests.mutants.explained import EXPLAINED

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

ROOT = Path(__file__).parents[2]
DOMAIN = ROOT / "services" / "elowire" / "domain"
LONGEST_S = 90
NOT_RULES = {"__init__", "articles"}
"""Modules without a decision in them."""


class Changed(MetaPathFinder, Loader):
    """Imports one module of the domain from a changed tree."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        self.name = f"elowire.domain.{module}"
        self.path = str(DOMAIN / f"{module}.py")
        self.code = compile(ast.fix_missing_locations(tree), self.path, "exec")

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.path, loader=self)

    def create_module(self, _: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)  # noqa: S102 - this is what a mutant is


def survives(module: str, tree: ast.Module) -> bool:
    """Whether all tests pass with the changed module; what never ends counts as noticed."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    signal.alarm(LONGEST_S)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            sys.meta_path.insert(0, Changed(module, tree))
            own = ROOT / "tests" / "domain" / f"test_{module}.py"
            files = [str(own)] if own.exists() else []
            quick = ["-x", "-q", "-p", "no:cacheprovider", "--disable-warnings"]
            failed = bool(files) and pytest.main([*quick, *files]) != 0
            status = 1 if failed else int(pytest.main([*quick, str(ROOT / "tests" / "domain")]) != 0)
        except BaseException:  # noqa: BLE001 - a module that cannot even be imported is noticed too
            status = 1
    os._exit(status)


def say(line: str) -> None:
    """Tell at once: a run takes minutes."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(modules: list[str]) -> int:
    """Change the modules, all of the domain when none is named; 1 when something survives unexplained."""
    chosen = modules or sorted(path.stem for path in DOMAIN.glob("*.py") if path.stem not in NOT_RULES)
    unexplained = 0
    for module in chosen[:1]:
        if not survives(module, ast.parse((DOMAIN / f"{module}.py").read_text())):
            say("the tests fail without any change: mend that first")
            return 1
    for module in chosen:
        changes = list(changes_of((DOMAIN / f"{module}.py").read_text()))
        alive = 0
        for text, tree in changes:
            if survives(module, tree):
                alive += 1
                reason = EXPLAINED.get((module, text.partition(": ")[2]))
                unexplained += reason is None
                say(f"{module}.py:{text}: {reason or 'no test notices'}")
        say(f"{module}: {len(changes)} changes, {alive} survive")

    return int(unexplained > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
