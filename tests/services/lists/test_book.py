"""The rating book: whole lists, corrections with revisions, look-ups as of a list."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from elowire.domain import TimeControl
from elowire.ingest.book import Book, BookError
from elowire.ingest.book_load import Arrival, ImplausibleList, load
from elowire.ingest.lists.files import inspect, read_list
from elowire.ingest.plausibility import Comparison, doubts_of
from elowire.ingest.readers.report import Findings
from elowire.runtime.data_dir import Hold, open_data_dir
from elowire.runtime.settings import child_environment
from tests.services.lists.made_up import Player, players

STANDARD, RAPID, BLITZ = TimeControl
ANNA = Player(101, "Anna", "NOR", "F", "WGM", "WGM", standard=(2300, 9, 10), rapid=(2200, 0, 20), flag="w")
BELA = Player(102, "Bela", "HUN", standard=(2500, 0, 10), birth_year=1980)
CARA = Player(103, "Cara", "ITA", "F")


def look_up(book_path, rating_list, *ids):
    with Book(book_path) as book:
        return book.lines(rating_list, ids)


def test_a_list_is_looked_up_by_player(list_file, load_into, book_path):
    loaded = load_into(list_file([BELA, ANNA, CARA]), "2026-09")

    found = look_up(book_path, "2026-09", 101, 102, 103, 104)
    assert loaded.lines == 3
    assert loaded.first
    assert sorted(found) == [101, 102, 103]
    assert found[101].title == "WGM"
    assert found[101].sex == "F"
    assert found[101].standard == (2300, 10, 9, False)
    assert found[101].rapid == (2200, 20, 0, None)
    assert found[103].standard.rating is None
    assert found[102].birth_year == 1980


def test_each_list_keeps_its_own_figures(list_file, load_into, book_path):
    load_into(list_file([ANNA]), "2026-09")
    load_into(list_file([replace(ANNA, standard=(2310, 4, 10))]), "2026-10")

    assert look_up(book_path, "2026-09", 101)[101].standard.rating == 2300
    assert look_up(book_path, "2026-10", 101)[101].standard.rating == 2310
    assert look_up(book_path, "2026-11", 101) == {}
    with Book(book_path) as book:
        assert [kept.rating_list for kept, _ in book.history(101)] == ["2026-09", "2026-10"]
        assert book.record(101, STANDARD, "2026-09") == (2300, 9, "2026-09")
        assert book.record(101, STANDARD, "2026-10") == (2310, 13, "2026-09")


def test_a_list_loaded_again_revises_the_lines_that_differ(list_file, load_into, book_path):
    load_into(list_file([ANNA, BELA, CARA]), "2026-09", revision=1_000)
    again = load_into(
        list_file([ANNA, replace(BELA, standard=(2505, 0, 10))]),
        "2026-09",
        revision=2_000,
        accept_doubts=True,
    )

    found = look_up(book_path, "2026-09", 101, 102, 103)
    assert (again.first, again.changed, again.withdrawn) == (False, 1, 1)
    assert (found[101].revision, found[101].kind) == (1_000, "list")
    assert (found[102].revision, found[102].kind, found[102].standard.rating) == (2_000, "correction", 2505)
    assert (found[103].revision, found[103].kind, found[103].standard.rating) == (2_000, "correction", None)


def test_the_same_list_again_changes_nothing(list_file, load_into, book_path):
    load_into(list_file(players(500)), "2026-09", revision=1_000)
    again = load_into(list_file(players(500)), "2026-09", revision=2_000)

    assert (again.changed, again.withdrawn) == (0, 0)
    assert look_up(book_path, "2026-09", 100_000)[100_000].revision == 1_000


def test_a_revision_grows_even_when_the_clock_went_back(list_file, load_into, book_path):
    load_into(list_file([ANNA]), "2026-09", revision=2_000)
    load_into(list_file([replace(ANNA, standard=(2301, 9, 10))]), "2026-09", revision=1_000)

    assert look_up(book_path, "2026-09", 101)[101].revision == 2_001


def test_lists_of_one_rating_make_one_list_together(list_file, load_into, book_path):
    rapid = replace(ANNA, standard=ANNA.rapid)
    load_into(list_file([ANNA, BELA], "standard"), "2026-10", time_control=STANDARD, revision=1_000)
    load_into(list_file([rapid], "standard"), "2026-10", time_control=RAPID, revision=2_000)

    found = look_up(book_path, "2026-10", 101, 102)
    with Book(book_path) as book:
        assert book.lists()[0].classes == (STANDARD, RAPID)
        assert book.lists()[0].lines == 2
    assert (found[101].standard.rating, found[101].rapid.rating) == (2300, 2200)
    assert (found[102].standard.rating, found[102].rapid.rating) == (2500, None)
    # Nothing that was said before is taken back, so it is no correction.
    assert {line.kind for line in found.values()} == {"list"}
    assert {line.revision for line in found.values()} == {2_000}


def test_a_player_printed_twice_counts_once_as_first_printed(list_file, load_into, book_path):
    loaded = load_into(list_file([ANNA, replace(ANNA, standard=(1500, 0, 40))]), "2026-09")

    assert (loaded.lines, loaded.repeated) == (1, 1)
    assert look_up(book_path, "2026-09", 101)[101].standard.rating == 2300


def test_half_a_list_is_refused_and_changes_nothing(list_file, load_into, book_path):
    load_into(list_file(players(4_000)), "2026-09")
    half = list(players(4_000, moved=0.1, month=1))[:2_000]

    with pytest.raises(
        ImplausibleList, match=r"2000 lines, where 2026-09 has 4000: perhaps a part"
    ) as problem:
        load_into(list_file(half), "2026-10")

    assert any("of the best 100 players" in doubt for doubt in problem.value.doubts)
    with Book(book_path) as book:
        assert [kept.rating_list for kept in book.lists()] == ["2026-09"]


def test_the_list_of_another_month_is_doubted(list_file, load_into):
    load_into(list_file(players(4_000)), "2026-09")

    with pytest.raises(ImplausibleList, match="nothing differs from 2026-09: perhaps that list again"):
        load_into(list_file(players(4_000)), "2026-10")
    with pytest.raises(ImplausibleList, match="the file's name says 2026-08, not 2026-10"):
        load_into(list_file(players(4_000, moved=0.1, month=1), name="players_aug26frl.txt"), "2026-10")


def test_a_usual_month_is_not_doubted(list_file, load_into):
    load_into(list_file(players(4_000)), "2026-09")
    loaded = load_into(list_file(players(4_100, moved=0.1, month=1)), "2026-10")

    assert loaded.doubts == ()
    assert loaded.comparison.reference == "2026-09"
    assert 100 < loaded.comparison.changed < 250


def test_an_empty_list_is_refused_even_with_doubts_accepted(list_file, load_into, book_path):
    with pytest.raises(ImplausibleList, match="no line that can be used"):
        load_into(list_file([]), "2026-09", accept_doubts=True)
    with Book(book_path) as book:
        assert book.lists() == ()


def compared(**facts):
    usual = {
        "rating_list": "2026-10",
        "reference": "2026-09",
        "lines": 100_000,
        "reference_lines": 99_900,
        "rated": {STANDARD: (50_000, 49_900)},
        "in_both": 49_000,
        "changed": 5_000,
        "top": 100,
        "top_missing": 1,
    }
    return Comparison(**usual | facts)


@pytest.mark.parametrize(
    ("facts", "doubt"),
    [
        ({}, None),
        ({"lines": 97_000}, "97000 lines"),
        ({"rated": {STANDARD: (40_000, 49_900)}}, "40000 standard ratings"),
        ({"changed": 30_000}, "30000 of 49000 rated players differ"),
        ({"changed": 30_000, "rating_list": "2024-03", "reference": "2024-02"}, None),
        ({"changed": 30_000, "reference": "2026-01"}, None),
        ({"changed": 0}, "nothing differs"),
        ({"changed": 0, "rating_list": "2026-09"}, None),
        ({"top_missing": 11}, "11 of the best 100"),
    ],
)
def test_plausibility(facts, doubt):
    comparison = compared(**facts)
    found = doubts_of(comparison, lines=1, refused=0, rating_list=comparison.rating_list, named=None)

    assert [text[: len(doubt or "")] for text in found] == ([doubt] if doubt else [])


def test_many_refused_lines_are_doubted():
    assert doubts_of(None, lines=98, refused=2, rating_list="2026-10", named=None) == [
        "2 of 100 lines cannot be used"
    ]


def test_a_second_load_at_the_same_time_is_refused(list_file, load_into, book_path):
    hold = Hold(book_path.with_name(book_path.name + ".lock"))
    hold.take()
    try:
        with pytest.raises(BookError, match=f"another load .* is running \\(pid {os.getpid()}\\)"):
            load_into(list_file([ANNA]), "2026-09")
    finally:
        hold.release()


def test_a_file_that_is_no_book_is_left_alone(book_path):
    book_path.write_text("something else entirely, and long enough to be read as a page" * 20)

    with pytest.raises(BookError, match="cannot be used as the rating book"):
        Book(book_path)
    assert book_path.read_text().startswith("something else")


def test_a_reader_sees_the_old_list_until_the_switch(list_file, load_into, book_path):
    load_into(list_file([ANNA]), "2026-09")
    with Book(book_path) as reader:
        seen = []
        path = list_file([replace(ANNA, standard=(2400, 9, 10))])
        original = reader.lines("2026-09", [101])[101].standard.rating

        def judge(_comparison, _lines):
            seen.append(reader.lines("2026-09", [101])[101].standard.rating)
            return []

        file = inspect(path)
        lines = read_list(file, rating_list="2026-09", time_control=None, findings=Findings())
        arrival = Arrival("2026-09", file.classes(None), 2_000, "x")
        load(book_path, arrival, lines, judge)

        assert (original, seen) == (2300, [2300])
        assert reader.lines("2026-09", [101])[101].standard.rating == 2400


@pytest.mark.parametrize("moment", ["reading", "storing"])
def test_a_load_that_is_killed_leaves_the_old_list(list_file, tmp_path, moment):
    data = open_data_dir(tmp_path / "data")
    first = list_file(players(1_000), name="first.txt")
    second = list_file(players(40_000, moved=0.5, month=2), name="second.txt")
    assert loading(first, data).wait(60) == 0

    child = loading(second, data)
    watched = Path(data, "rating-book.sqlite.loading" if moment == "reading" else "rating-book.sqlite-wal")
    deadline = time.monotonic() + 60
    while not (watched.exists() and watched.stat().st_size > 0):
        assert child.poll() is None, "the load ended before it could be killed"
        assert time.monotonic() < deadline
    child.send_signal(signal.SIGKILL)
    assert child.wait(10) == -signal.SIGKILL

    with Book(data / "rating-book.sqlite") as book:
        (kept,) = book.lists()
        assert kept.lines == 1_000
        assert len(book.lines("2026-09", range(100_000, 400_000, 7))) == 1_000
    assert loading(second, data).wait(60) == 0
    with Book(data / "rating-book.sqlite") as book:
        assert book.lists()[0].lines == 40_000


def loading(file, data):
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "elowire", "lists", "load", str(file), "--list", "2026-09"),
            *("--no-publish", "--accept-doubts", "--data", str(data)),
        ],
        env=child_environment(),
        stdout=subprocess.DEVNULL,
    )
