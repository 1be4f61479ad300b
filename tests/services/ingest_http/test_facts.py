"""Figures of entrants that come by HTTP: those of the list in force on the first day, and their source."""

from __future__ import annotations

import pytest

from elowire.contracts.events import Entrant
from elowire.ingest.book import FILE
from elowire.ingest.book_load import Arrival, load
from elowire.ingest.lists.files import inspect, read_list
from elowire.ingest.readers.report import Findings
from tests.services.ingest_http.broadcasting import pgn
from tests.services.ingest_http.door import event
from tests.services.lists.made_up import Player, written

ANNA = Player(101, "Anna", "NOR", "F", "WGM", "WGM", standard=(2300, 9, 10), rapid=(2200, 0, 20))
CARA = Player(103, "Cara", "ITA", "F")
TOURNAMENT = {
    "tournament_id": "open",
    "revision": 1,
    "name": "Open",
    "time_control": "standard",
    "system": "swiss",
    "starts_on": "2026-10-12",
    "ends_on": "2026-10-20",
    "status": "running",
}
BATCH = "application/cloudevents-batch+json"


@pytest.fixture
def listed(tmp_path):
    """The door's rating book has the list of October 2026."""
    path = tmp_path / "players_list.txt"
    path.write_text("".join(written([ANNA, CARA], "combined")))
    file, findings = inspect(path), Findings()
    lines = read_list(file, rating_list="2026-10", time_control=None, findings=findings)
    load(tmp_path / FILE, Arrival("2026-10", file.classes(None), 1000, path.name), lines, lambda *_: [])


def tournament(**changes):
    return event(1, type="elowire.tournament.v1") | {"data": TOURNAMENT | changes}


def entrant(player_id, number=2, **facts):
    data = {"tournament_id": "open", "revision": 1, "player_id": player_id, **facts}
    return event(number, type="elowire.entrant.v1") | {"data": data}


async def sent(door, *events, webhook_id="m-1"):
    answer = await door.send(list(events), webhook_id, kind=BATCH)
    assert answer.status_code == 202, answer.text
    entrants = [one.data for one in door.kafka.events() if isinstance(one.data, Entrant)]
    return entrants, answer.json()["with_facts_of_list"]


@pytest.mark.usefixtures("listed")
async def test_an_entrant_gets_the_rating_and_k_of_the_list_and_its_source(door):
    (anna, cara), counted = await sent(door, tournament(), entrant("101"), entrant("103", 3, rating=1900))

    assert counted == 2
    assert (anna.rating, anna.k, anna.rating_list, anna.source, anna.name) == (
        2300,
        10,
        "2026-10",
        "list",
        "Anna",
    )
    # The list outranks the entrant's own figure: she is on it without a rating.
    assert (cara.rating, cara.unrated) == (None, True)


@pytest.mark.usefixtures("listed")
async def test_an_override_outranks_the_list(door):
    (anna,), counted = await sent(door, tournament(), entrant("101", rating=2345, k=20, override=True))

    assert (anna.rating, anna.k, counted) == (2345, 20, 0)


@pytest.mark.usefixtures("listed")
async def test_who_is_not_on_the_list_keeps_his_own_figures(door):
    (bela,), counted = await sent(door, tournament(), entrant("102", rating=2100, k=20))

    assert (bela.rating, bela.k, bela.source, counted) == (2100, 20, None, 0)


@pytest.mark.usefixtures("listed")
async def test_the_tournament_may_have_come_before_and_another_day_means_another_list(door):
    await sent(door, tournament(starts_on="2026-11-12", ends_on="2026-11-20"), webhook_id="m-1")
    (anna,), counted = await sent(door, entrant("101", rating=2345), webhook_id="m-2")

    assert (anna.rating, counted) == (2345, 0)


@pytest.mark.usefixtures("listed")
async def test_without_its_tournament_an_entrant_goes_on_as_it_came(door):
    (anna,), counted = await sent(door, entrant("101"))

    assert (anna.rating, anna.rating_list, counted) == (None, None, 0)


async def test_without_a_book_an_entrant_goes_on_as_it_came(door):
    (anna,), counted = await sent(door, tournament(), entrant("101", rating=2345))

    assert (anna.rating, counted) == (2345, 0)


@pytest.mark.usefixtures("listed")
async def test_a_file_says_where_the_list_contradicts_it(door):
    body = pgn(1, "1-0", WhiteFideId="101", White="Anna", WhiteElo="2399", Date="2026.10.12")
    answer = await door.put(body.encode(), "/v1/tournaments/open/file?format=pgn")
    anna = next(one.data for one in door.kafka.events() if getattr(one.data, "player_id", None) == "101")

    assert (anna.rating, anna.source) == (2300, "list")
    assert any("2399 in the file and 2300 on list 2026-10" in one["text"] for one in answer.json()["notices"])
