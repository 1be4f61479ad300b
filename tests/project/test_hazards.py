"""The table of hazards in tests/README.md: whole, and every test that it names exists."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from itertools import groupby

import pytest

from tests.project.guards import ROOT

TABLE = (ROOT / "tests" / "README.md").read_text()
LETTERS = {"A": 12, "B": 17, "C": 12, "D": 10, "E": 1, "F": 5, "G": 13}
NO_TEST = ("not applicable: ", "not covered")
# In a cell: `folder/test_file.py::test_function`.
NAMED = re.compile(r"\b([\w/]+\.py)::([\w:]+)")


def rows(text):
    """(id, what is named and said) of every row."""
    return re.findall(r"^\| ([A-Z]\d+) \| [^|]+ \| ([^|]*) \|$", text, re.MULTILINE)


@lru_cache
def functions_of(path):
    """Names of the functions in a file; those of a class behind its name."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}::{part.name}" for part in node.body if hasattr(part, "name")}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
    return found


def faults(text):
    """What is wrong with a table."""
    wrong = []
    ids = [name for name, _ in rows(text)]
    counts = {letter: len(list(names)) for letter, names in groupby(ids, key=lambda name: name[0])}
    if counts != LETTERS or ids != [f"{letter}{n + 1}" for letter in LETTERS for n in range(LETTERS[letter])]:
        wrong.append(f"rows are missing, double or out of order: {counts}")
    for name, cell in rows(text):
        named = NAMED.findall(cell)
        if not named and not cell.startswith(NO_TEST):
            wrong.append(f"{name} names no test and does not say why")
        for file, test in named:
            path = ROOT / "tests" / file
            if not path.is_file():
                wrong.append(f"{name}: there is no {file}")
            elif test not in functions_of(path):
                wrong.append(f"{name}: {file} has no {test}")

    return wrong


def test_every_hazard_has_its_row_and_every_test_that_is_named_exists():
    assert faults(TABLE) == []


@pytest.mark.parametrize(
    ("here", "there", "fault"),
    [
        ("| A7 |", "| A8 |", "out of order"),
        ("| not applicable: nobody calls it |", "| fine |", "B10 names no test"),
        (
            "engine/test_stop.py::test_it",
            "engine/test_end.py::test_it",
            "G11: there is no engine/test_end.py",
        ),
        (
            "::test_it_exits_with_70",
            "::test_it_exits_with_71",
            "engine/test_stop.py has no test_it_exits_with_71",
        ),
    ],
)
def test_a_fault_in_the_table_is_found(here, there, fault):
    assert TABLE.count(here) == 1
    assert any(fault in found for found in faults(TABLE.replace(here, there)))
