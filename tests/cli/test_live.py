"""`elowire live` beside the live figures of the US Championship 2025 (official list, computed rounds)."""

from __future__ import annotations

import csv
import json

import pytest

from elowire.cli.standings import places, signed
from elowire.cli.ticker_client import ticker_address
from tests.cli.ticking import CASES, CHAMPIONSHIP, Ticking, World, another_service, championship, ticker_of
from tests.oracle.events import published

PLAYERS = list(CHAMPIONSHIP.outcomes)
_EVENT = json.loads((CASES.parent / "events" / "us-championship-2025.json").read_text())
LISTED = {str(player["fide_id"]): player["published_rating"] for player in _EVENT["players"]}


def live_after(number):
    with (CASES / "us-championship-2025-live.csv").open(newline="") as stream:
        return [row[f"r{number}"] for row in csv.DictReader(stream)]


def test_the_top_list_is_in_order_of_the_live_ratings(elowire):
    with ticker_of(championship()) as ticker:
        done = elowire("live", "--ticker", ticker.address, "--time-control", "standard")
        short = elowire("live", "--ticker", ticker.address, "--limit", 3)

    rows = done.json()["standard"]
    assert sorted((row["live"] for row in rows), key=float, reverse=True) == [row["live"] for row in rows]
    assert sorted(row["live"] for row in rows) == sorted(live_after(11))
    assert [len(rows) for rows in short.json().values()] == [3, 0, 0]


def test_chosen_players_have_their_figures(elowire):
    with ticker_of(championship(6)) as ticker:
        done = elowire("live", *PLAYERS, "--ticker", ticker.address)

    assert [view["standard"]["live"] for view in done.json()] == live_after(6)


def test_without_a_rating_list_nobody_has_a_place_in_the_world(elowire):
    with ticker_of(championship()) as ticker:
        done = elowire("live", "--ticker", ticker.address, "--format", "table")

    first = next(line for line in done.out.splitlines() if "2797.3" in line)
    assert first.split()[0] in PLAYERS


def test_the_table_fits_eighty_columns_and_says_what_moved(elowire):
    world = World().feed(*(published(player, "2025-10", rating) for player, rating in LISTED.items()))
    world.send(CHAMPIONSHIP.opening)
    for records in CHAMPIONSHIP.rounds:
        world.send(records)
    with ticker_of(world) as ticker:
        done = elowire("live", "--ticker", ticker.address, "--format", "table")

    assert max(len(line) for line in done.out.splitlines()) <= 80
    first = next(line for line in done.out.splitlines() if "2797.3" in line)
    assert first.split()[0] == "1"
    assert {"2789", "+8.30", "2797", "11"} <= set(first.split())
    assert "▲" in done.out
    assert "▼" in done.out


def test_an_unknown_player_is_named_after_the_others_were_printed(elowire):
    with ticker_of(championship(1)) as ticker:
        done = elowire("live", PLAYERS[0], "404", "--ticker", ticker.address)

    assert done.status == 1
    assert [view["player_id"] for view in done.json()] == PLAYERS[:1]
    assert "no rating of 404 has been seen" in done.err


def test_an_empty_world_is_said(elowire):
    with ticker_of(World()) as ticker:
        done = elowire("live", "--ticker", ticker.address, "--format", "table")

    assert (done.status, done.out.strip()) == (
        0,
        "No player has a rating yet. Load a list or feed a tournament.",
    )


def test_a_ticker_that_is_not_there_is_named_with_what_to_do(elowire):
    done = elowire("live", "--ticker", "http://127.0.0.1:30899")

    assert done.status == 1
    assert "the ticker at http://127.0.0.1:30899 cannot be reached" in done.err
    assert "elowire up" in done.err


@pytest.mark.parametrize(
    "command", [["live"], ["live", "404"], ["explain", "404"], ["watch"], ["watch", "404"]]
)
def test_another_service_is_not_taken_for_a_ticker(elowire, command):
    with another_service() as service:
        address = service.address
        done = elowire(*command, "--ticker", address)

    assert done.status == 1
    assert f"no ticker answers at {address}, but another service" in done.err
    assert "--ticker" in done.err
    assert "has been seen" not in done.err


def test_a_ticker_that_is_not_ready_is_quoted(elowire):
    with Ticking(World()) as ticker:
        ticker.feed.progress.caught_up = False
        done = elowire("live", "--ticker", ticker.address)

    assert done.status == 1
    assert "The board is not complete yet" in done.err


@pytest.mark.parametrize("address", ["127.0.0.1:8080", "ftp://x", "http://"])
def test_an_address_that_is_none_is_refused_with_an_example(elowire, address):
    done = elowire("live", "--ticker", address)

    assert done.status == 1
    assert "expected one such as http://127.0.0.1:8080" in done.err


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:8123"),
        ("0.0.0.0", "http://127.0.0.1:8123"),  # noqa: S104 - what a server listens on
        ("::", "http://[::1]:8123"),
        ("ticker.example", "http://ticker.example:8123"),
    ],
)
def test_without_an_address_the_settings_say_where_the_ticker_is(monkeypatch, host, address):
    monkeypatch.setenv("ELOWIRE_HOST", host)
    monkeypatch.setenv("ELOWIRE_TICKER_PORT", "8123")

    assert ticker_address(None) == address


def test_a_change_has_its_sign():
    assert [signed(text) for text in ("8.30", "-1.20", "0.00", None)] == ["+8.30", "-1.20", "0.00", ""]


def test_no_lines_have_no_places():
    assert places([]) == []
