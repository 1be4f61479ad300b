"""What the repository asks of its own files beyond a linter. Each guard returns its findings as lines."""

from __future__ import annotations

import ast
import os
import re
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "services" / "elowire"
LONGEST_MODULE = 300
EMPTY_NAMES = {"common", "helpers", "misc", "types", "utils"}
EMPTY_ENDINGS = ("Handler", "Helper", "Manager", "Processor", "Util", "Utils")

# Written so that no pattern matches itself.
FOREIGN = {
    "a path of one machine": r"(?<![\w.])/(?:work|root|home/\w+)[/]|/tmp[/]elo\b|\.librar[y]\b|/opt/wheel[s]",
    "the address of a package registry": (
        r"pypi[.]org|files[.]pythonhosted|repo1?[.]maven|registry[.]npmjs|crates[.]io|deb[.]debian[.]org|[/]simple/"
    ),
    "a word on how the work was organised": (
        r"\bissues? #?\d{1,2}\b|\bissues sho[w]\b|\bprototyp[e]\b|\bsub-?agent[s]?\b|\bLL[M]\b|\bCE[O]\b"
        r"|\bhelper[ ]session|\bshared/(?:design|rules|cases|events)[/]"
    ),
}
UNPROVED = {
    "a test that is skipped or may fail": r"\bpytest[.](?:mark[.])?(?:skip|skipif|xfail|importorskip)\b",
    "a stand-in for the real thing": r"\bunittest[.]mock\b|\bfrom unittest import mock\b|\bMagicMock\b",
}
UNREASONED = {
    "an exception without its reason": r"#\s*(?:noqa|type:\s*ignore)\b(?!(?::\s*|\[)[\w, -]+\]?\s+[#-]\s*\w)",
}


def texts(root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Every text file that is kept, with its path from the root: what `.gitignore` names is left out."""
    ignored = [line.strip("/") for line in (root / ".gitignore").read_text().split()]
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name != ".git" and not _matches(name, ignored))
        for name in sorted(files):
            path = Path(folder, name)
            if _matches(name, ignored) or name == ".git":
                continue
            try:
                yield path.relative_to(root), path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def _matches(name: str, patterns: list[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def matches(path: Path, text: str, patterns: dict[str, str]) -> list[str]:
    """`file:line: what: the words` for every place where one of the patterns occurs."""
    return [
        f"{path}:{text.count(chr(10), 0, found.start()) + 1}: {what}: {found.group()}"
        for what, pattern in patterns.items()
        for found in re.finditer(pattern, text)
    ]


def length(path: Path, text: str) -> list[str]:
    """A module that is read in one sitting; printed tables keep their printed shape."""
    lines = len(text.splitlines())
    if path.name == "tables.py" or lines <= LONGEST_MODULE:
        return []

    return [f"{path}: {lines} lines, at most {LONGEST_MODULE}: cut it where the subject changes"]


def names(path: Path, text: str) -> list[str]:
    """Modules and classes whose name says nothing, and private names taken from another module."""
    found = []
    if path.stem in EMPTY_NAMES:
        found.append(f"{path}: a module called {path.stem} says nothing about what it holds")
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.ClassDef(name=name) if name.endswith(EMPTY_ENDINGS) or re.match("Base([A-Z]|$)", name):
                found.append(f"{path}:{node.lineno}: class {name}: say what it is in the subject's words")
            case ast.ImportFrom(module=str(module), names=taken) if module.startswith("elowire"):
                found += [
                    f"{path}:{node.lineno}: {alias.name} is private to {module}"
                    for alias in taken
                    if alias.name.startswith("_")
                ]
            case _:
                pass

    return found


def floats(path: Path, text: str) -> list[str]:
    """Inexact numbers: FIDE's figures are whole hundredths, and division is exact between fractions alone."""
    exact_division = "from fractions import Fraction" in text
    found = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Constant(value=float()) | ast.Name(id="float"):
                found.append(f"{path}:{node.lineno}: {ast.unparse(node)} is inexact")
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()) if not exact_division:
                found.append(f"{path}:{node.lineno}: {ast.unparse(node)} is inexact")
            case _:
                pass

    return found
