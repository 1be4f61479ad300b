"""`elowire lists`: what a person sees of lists, book and players, without a broker."""

from __future__ import annotations

import pytest

from tests.services.lists.made_up import Player, players, written

ANNA = Player(101, "Aasen, Anna", "NOR", "F", "WGM", standard=(2300, 9, 10), rapid=(2200, 0, 20))
BELA = Player(102, "Aalto, Bela", "HUN", standard=(2100, 5, 20))


@pytest.fixture
def lists(elowire, tmp_path):
    """A `lists` command on the test's own data directory."""

    def run(command, *arguments):
        return elowire("lists", command, *arguments, "--data", tmp_path / "data")

    return run


@pytest.fixture
def write(tmp_path):
    """Write a list; gives its path."""

    def file(made, name="players_list_foa.txt", shape="combined"):
        path = tmp_path / name
        path.write_text("".join(written(made, shape)), newline="")
        return path

    return file


def test_a_list_is_loaded_and_shown(lists, write):
    done = lists("load", write([ANNA, BELA]), "--list", "2026-10", "--no-publish")
    shown = lists("show", "101")

    assert done.status == 0, done.err
    assert done.json()["lines"] == 2
    assert [(row["list"], row["standard"], row["rapid_k"]) for row in shown.json()] == [("2026-10", 2300, 20)]
    assert lists("show").json()[0]["lines"] == 2


def test_a_player_is_found_by_the_beginning_of_the_name(lists, write):
    lists("load", write([ANNA, BELA]), "--list", "2026-10", "--no-publish")

    assert [row["player_id"] for row in lists("show", "Aasen").json()] == ["101"]
    assert [row["player_id"] for row in lists("show", "aa").json()] == ["101", "102"]
    assert "no name on the newest list" in lists("show", "Nobody").err


@pytest.mark.parametrize(
    ("name", "shape", "options", "message"),
    [
        ("players_list_foa.txt", "combined", [], "state it with --list YYYY-MM"),
        ("rapid.txt", "standard", ["--list", "2026-09"], "the header names the list 2026-10"),
        ("mine.txt", "standard", [], "state it with --time-control"),
        ("rapid_oct26frl.txt", "standard", ["--time-control", "blitz"], "the name says rapid"),
        ("players_list_foa.txt", "combined", ["--list", "2026-10", "--time-control", "blitz"], "all ratings"),
        ("players_sep26frl.txt", "combined", ["--list", "2026-10"], "says 2026-09, not 2026-10"),
        ("standard_oct26frl.txt", "standard", ["--list", "2026-13"], "is not a list"),
    ],
)
def test_a_list_that_contradicts_itself_is_refused(lists, write, name, shape, options, message):
    done = lists("load", write([ANNA], name, shape), *options, "--no-publish")

    assert done.status in (1, 2)
    assert message in " ".join(done.err.split())
    assert lists("show").json() == []


def test_a_missing_file_is_named(lists, tmp_path):
    done = lists("load", tmp_path / "none.zip", "--no-publish")

    assert done.status == 1
    assert f"{tmp_path / 'none.zip'}: there is no such file" in done.err


def test_check_finds_half_a_list_and_changes_nothing(lists, write):
    lists("load", write(players(3_000)), "--list", "2026-09", "--no-publish")
    half = write(list(players(3_000, moved=0.1, month=1))[:1_500])
    checked = lists("check", half, "--list", "2026-10", "--format", "table")
    refused = lists("load", half, "--list", "2026-10", "--no-publish")

    assert checked.status == 1
    assert "doubt: 1500 lines, where 2026-09 has 3000: perhaps a part of the list" in checked.out
    assert refused.status == 1
    assert "--accept-doubts" in refused.err
    assert len(lists("show").json()) == 1


def test_check_of_a_good_list_succeeds(lists, write):
    lists("load", write(players(3_000)), "--list", "2026-09", "--no-publish")

    assert lists("check", write(players(3_000, moved=0.1, month=1)), "--list", "2026-10").status == 0
    assert len(lists("show").json()) == 1


def test_refused_lines_are_counted_and_named(lists, write):
    made = [*players(300), Player(7, "Low", standard=(99, 0, 20))]
    done = lists("load", write(made), "--list", "2026-10", "--no-publish")

    assert done.status == 0
    assert done.json()["refused"] == 1
    assert "refused: players_list_foa.txt: line 302: a rating of 99; expected 1400 to 4000" in done.err
