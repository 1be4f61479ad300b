"""The repository's own files keep its rules, and each rule bites."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.project.guards import (
    FOREIGN,
    LONGEST_MODULE,
    PACKAGE,
    ROOT,
    UNPROVED,
    UNREASONED,
    floats,
    length,
    matches,
    names,
    texts,
)

FILES = dict(texts())
MODULES = {path: text for path, text in FILES.items() if path.suffix == ".py" and path.parts[0] == "services"}
TESTS = {path: text for path, text in FILES.items() if path.suffix == ".py" and path.parts[0] == "tests"}
DOMAIN = {path: text for path, text in MODULES.items() if path.parts[2] == "domain"}
# The logistic formula of the performance rating is a formula in real numbers.
EXACT = {path: text for path, text in DOMAIN.items() if path.name != "performance.py"}


def test_every_file_speaks_of_the_product_alone():
    assert [finding for path, text in FILES.items() for finding in matches(path, text, FOREIGN)] == []


@pytest.mark.parametrize(
    "planted",
    [
        "cd /" + "work/main",
        "open('/" + "root/notes')",
        "/" + "home/ann/elowire",
        "--index-url https://pypi" + ".org/simp" + "le",
        "https://files.python" + "hosted.org/x.whl",
        "https://repo1" + ".maven.org/maven2",
        "as issue " + "3 says",
        "taken from the proto" + "type",
        "see shared/" + "rules/README.md",
    ],
)
def test_a_foreign_word_is_found(planted):
    assert matches(Path("notes.md"), f"first\n{planted}\n", FOREIGN)[0].startswith("notes.md:2: ")


@pytest.mark.parametrize(
    "innocent", ["framework/main", "the issue of a draw", "a simple/plain rule", "homework/x"]
)
def test_an_innocent_word_is_not_found(innocent):
    assert matches(Path("notes.md"), innocent, FOREIGN) == []


def test_what_git_ignores_is_not_read(tmp_path):
    (tmp_path / ".gitignore").write_text("var/\n*.egg-info/\n.coverage\n")
    for name in (".git/config", "var/log", "elowire.egg-info/PKG", ".coverage", "kept/text"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("words")

    assert [str(path) for path, _ in texts(tmp_path)] == [".gitignore", "kept/text"]


def test_every_module_is_read_in_one_sitting():
    assert [finding for path, text in MODULES.items() for finding in length(path, text)] == []


def test_a_long_module_is_found():
    long = "x = 1\n" * (LONGEST_MODULE + 1)

    assert "301 lines, at most 300" in length(Path("board.py"), long)[0]
    assert length(Path("board.py"), long[:-6]) == []
    assert length(Path("tables.py"), long) == []


def test_every_name_says_something():
    assert [finding for path, text in MODULES.items() for finding in names(path, text)] == []


@pytest.mark.parametrize(
    ("path", "source", "finding"),
    [
        ("utils.py", "", "a module called utils"),
        ("board.py", "class BoardManager: ...", "board.py:1: class BoardManager"),
        ("board.py", "class BaseBoard: ...", "class BaseBoard"),
        ("board.py", "from elowire.domain.tables import _ROWS", "_ROWS is private to elowire.domain.tables"),
    ],
    ids=["module", "class", "base-class", "private-import"],
)
def test_an_empty_name_is_found(path, source, finding):
    assert finding in names(Path(path), source)[0]


def test_a_speaking_name_is_not_found():
    assert names(Path("board.py"), "class Baseline(BaseModel): ...\nclass ProcessorSettings: ...") == []


def test_the_domain_counts_in_whole_hundredths():
    assert [finding for path, text in EXACT.items() for finding in floats(path, text)] == []


@pytest.mark.parametrize("source", ["half = 0.5", "float('2.5')", "mean = total / games", "total /= 2"])
def test_an_inexact_number_is_found(source):
    assert "is inexact" in floats(Path("change.py"), source)[0]


def test_whole_division_is_not_found():
    assert floats(Path("change.py"), "half = total // 2") == []


def test_division_of_fractions_is_not_found():
    assert floats(Path("change.py"), "from fractions import Fraction\nmean = Fraction(total) / games") == []


def test_every_exception_from_a_rule_has_its_reason():
    assert [finding for path, text in MODULES.items() for finding in matches(path, text, UNREASONED)] == []


@pytest.mark.parametrize("comment", ["noqa", "noqa: S310", "type: ignore", "type: ignore[arg-type]"])
def test_an_exception_without_reason_is_found(comment):
    bare = f"fetch()  # {comment}\n"

    assert "an exception without its reason" in matches(Path("jars.py"), bare, UNREASONED)[0]


@pytest.mark.parametrize(
    "comment", ["noqa: S310  # https alone", "noqa: S310, B008 - read once", "type: ignore[misc]  # no types"]
)
def test_an_exception_with_its_reason_is_kept(comment):
    assert matches(Path("jars.py"), f"fetch()  # {comment}\n", UNREASONED) == []


def test_every_test_runs_against_the_real_thing():
    assert [finding for path, text in TESTS.items() for finding in matches(path, text, UNPROVED)] == []


@pytest.mark.parametrize(
    "source", ["pytest.sk" + "ip('slow')", "@pytest.mark.xf" + "ail", "import unittest.mo" + "ck"]
)
def test_a_test_that_proves_nothing_is_found(source):
    assert matches(Path("test_board.py"), source, UNPROVED)


def test_every_test_belongs_to_a_step_of_make():
    named = re.findall(r"^(?:SUITES|APART) := (.+)$", FILES[Path("Makefile")], re.MULTILINE)
    suites = " ".join(named).split()
    forgotten = [path for path in TESTS if path.name.startswith("test_") and path.parts[1] not in suites]

    assert forgotten == []


def test_every_package_says_what_lives_in_it():
    folders = [path for path in [PACKAGE, *PACKAGE.iterdir()] if (path / "__init__.py").exists()]
    silent = [str(path.relative_to(ROOT)) for path in folders[1:] if not (path / "README.md").exists()]

    assert silent == []
