"""Large and senseless files end quickly, in bounded memory, with one clear message."""

from __future__ import annotations

import random
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from elowire.ingest.readers.cloudevents import HOPELESS_LINES
from elowire.ingest.readers.files import read_event, read_feedable, read_ratable
from elowire.ingest.readers.report import KEPT_NOTICES, Notice, UnreadableFile

if TYPE_CHECKING:
    from pathlib import Path

MB = 1024 * 1024
ENDINGS = [".trf", ".csv", ".pgn", ".json"]


@pytest.fixture(scope="module")
def fifty_megabytes(tmp_path_factory):
    path = tmp_path_factory.mktemp("garbage") / "garbage"
    block = random.Random(50).randbytes(MB)
    with path.open("wb") as stream:
        for _ in range(50):
            stream.write(block)
    return path


def linked(path: Path, ending: str) -> Path:
    link = path.with_suffix(ending)
    if not link.exists():
        link.symlink_to(path)
    return link


@pytest.mark.parametrize("ending", ENDINGS)
def test_50_mb_of_garbage_are_refused_by_their_size(fifty_megabytes, ending):
    tracemalloc.start()
    try:
        with pytest.raises(UnreadableFile, match="more than 32 MB"):
            read_ratable(linked(fifty_megabytes, ending))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 40 * MB


def test_50_mb_of_garbage_as_lines_of_events_are_given_up(fifty_megabytes):
    tracemalloc.start()
    refused = 0
    try:
        for line in read_feedable(linked(fifty_megabytes, ".jsonl")):
            assert isinstance(line, Notice)
            refused += 1
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert refused == HOPELESS_LINES + 1
    assert peak < 16 * MB


@pytest.mark.parametrize("ending", ENDINGS)
def test_binary_garbage_below_the_limit_names_the_first_senseless_byte(tmp_path, ending):
    path = tmp_path / f"binary{ending}"
    path.write_bytes(random.Random(1).randbytes(2 * MB))

    with pytest.raises(UnreadableFile, match=r"line \d+, column \d+: byte 0x|UTF-16"):
        read_ratable(path)


@pytest.mark.parametrize("ending", [".trf", ".csv", ".pgn"])
def test_a_line_of_10_mb_is_left_out(tmp_path, ending):
    path = tmp_path / f"long{ending}"
    path.write_text("x" * 10 * MB)

    with pytest.raises(
        UnreadableFile, match=r"no line of text|line 1: has 10485760 characters|no game was found"
    ):
        read_event(path)


def test_notices_are_counted_beyond_those_that_are_kept(tmp_path):
    path = tmp_path / "many.csv"
    head = "round,white_fide_id,white_rating,black_fide_id,black_rating,result"
    rows = ["1,1,2000,2,2000,1-0", *(f"{n},x,2000,y,2000,1-0" for n in range(5000))]
    path.write_text("\n".join([head, *rows]))
    imported = read_event(path).imported

    assert (imported.refused, len(imported.notices), imported.left_out()) == (
        5000,
        KEPT_NOTICES,
        5000 - KEPT_NOTICES,
    )


def test_a_report_of_9998_players_is_read_in_linear_time(tmp_path):
    path = tmp_path / "many.trf"
    lines = [
        f"001 {rank:>4} m    {f'Player, {rank}':<33} 2000 GER {rank + 9000000:>11} 1980/01/01"
        f"  0.5 {rank:>4}  "
        f"{rank + 1 if rank % 2 else rank - 1:>4} {'w' if rank % 2 else 'b'} ="
        for rank in range(1, 9999)
    ]
    path.write_text("\n".join(lines))

    assert len(read_event(path).games) == 4999


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing.trf", "no such file"),
        ("event.xlsx", "ends in .xlsx; expected an event as .trf, .csv, .pgn or .json"),
        ("event", "ends in nothing"),
    ],
)
def test_files_that_are_none(tmp_path, name, words):
    if not name.startswith("nothing"):
        (tmp_path / name).write_text("x")

    with pytest.raises(UnreadableFile, match=words):
        read_ratable(tmp_path / name)


def test_a_folder_is_no_file(tmp_path):
    folder = tmp_path / "folder.csv"
    folder.mkdir()

    with pytest.raises(UnreadableFile, match="is a folder"):
        read_ratable(folder)
