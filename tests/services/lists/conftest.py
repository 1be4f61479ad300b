"""Lists on disk, and a rating book to load them into."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from elowire.ingest.book import FILE
from elowire.ingest.book_load import Arrival, load
from elowire.ingest.lists.files import inspect, read_list
from elowire.ingest.plausibility import doubts_of
from elowire.ingest.readers.report import Findings
from tests.services.lists.made_up import MARKUP, written

DATA = Path(__file__).parents[2] / "data" / "lists"


@pytest.fixture
def samples():
    """The tiny made-up list of each format."""
    return DATA


@pytest.fixture
def list_file(tmp_path):
    """Write a list, zipped or not; gives its path."""

    def write(players, shape="combined", *, name=None, zipped=False):
        name = name or f"players_list_{shape}.{'xml' if shape in MARKUP else 'txt'}"
        text = "".join(written(players, shape))
        path = tmp_path / name
        path.write_bytes(text.encode())
        if not zipped:
            return path
        packed = path.with_suffix(".zip")
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(path, name)
        return packed

    return write


@pytest.fixture
def read():
    """Read a file: its lines and what was refused."""

    def reading(path, *, rating_list="2026-10", time_control=None):
        findings = Findings()
        lines = list(
            read_list(inspect(path), rating_list=rating_list, time_control=time_control, findings=findings)
        )
        return lines, findings.imported()

    return reading


@pytest.fixture
def book_path(tmp_path):
    """Where the book of a test is."""
    return tmp_path / FILE


@pytest.fixture
def load_into(book_path):
    """Load a file into the test's book."""

    def loading(path, rating_list, *, time_control=None, revision=1_000, **options):
        file = inspect(path)
        findings = Findings()
        lines = read_list(file, rating_list=rating_list, time_control=time_control, findings=findings)
        arrival = Arrival(rating_list, file.classes(time_control), revision, path.name)
        return load(
            book_path,
            arrival,
            lines,
            lambda comparison, count: doubts_of(
                comparison,
                lines=count,
                refused=findings.refused,
                rating_list=rating_list,
                named=file.named_in_file,
            ),
            **options,
        )

    return loading
