"""Figures of entrants that come by HTTP: those of the list in force on the first day, and their source."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elowire.contracts.events import Entrant
from elowire.ingest.corrections import Entity
from elowire.ingest.corrections_work import Desk, Word, put
from elowire.ingest.service_outbox import KafkaAwayError
from elowire.runtime.settings import load_settings
from tests.services.ingest_http.broadcasting import pgn
from tests.services.ingest_http.door import event
from tests.services.lists.made_up import Player

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
def listed(load_list):
    """The door's rating book has the list of October 2026."""
    load_list([ANNA, CARA])


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


def last_of(entrants, player_id="101"):
    """The statement that the processor keeps."""
    return max((one for one in entrants if one.player_id == player_id), key=lambda one: one.revision)


def entrants(door):
    return [one.data for one in door.kafka.events() if isinstance(one.data, Entrant)]


@pytest.mark.usefixtures("listed")
async def test_entrants_who_came_before_their_tournament_get_the_figures_with_it(door):
    await sent(door, entrant("101"), entrant("102", 3, rating=2100), entrant("103", 4, rating=1900))
    _, counted = await sent(door, tournament(), webhook_id="m-2")
    anna, bela, cara = (last_of(entrants(door), player_id) for player_id in ("101", "102", "103"))

    assert counted == 0
    assert (anna.rating, anna.k, anna.rating_list, anna.source) == (2300, 10, "2026-10", "list")
    assert (bela.rating, bela.revision) == (2100, 1)
    assert (cara.rating, cara.unrated) == (None, True)
    assert len(entrants(door)) == 5
    assert door.intake.outcomes["facts_later"] == 2


@pytest.mark.usefixtures("listed")
async def test_a_source_goes_on_above_the_figures_that_came_later_and_a_repeat_says_nothing(door):
    await sent(door, entrant("101"))
    await sent(door, tournament(), webhook_id="m-2")
    await sent(door, entrant("101", title="GM"), webhook_id="m-3")
    assert last_of(entrants(door)).title == "WGM"
    await sent(door, entrant("101", 5, revision=2, title="GM"), webhook_id="m-4")
    newest = last_of(entrants(door))
    await sent(door, tournament(), webhook_id="m-5")
    await sent(door, entrant("101", 5, revision=2, title="GM"), webhook_id="m-6")

    assert (newest.title, newest.rating, newest.revision) == ("GM", 2300, 3)
    assert last_of(entrants(door)) == newest
    assert [one.revision for one in entrants(door)] == [1, 2, 1, 3, 3]


@pytest.mark.usefixtures("listed")
async def test_another_first_day_is_another_list(door, load_list):
    load_list([replace(ANNA, standard=(2311, 4, 10))], "2026-11")
    await sent(door, tournament(), entrant("101"), entrant("103", 3))
    await sent(door, tournament(revision=2, starts_on="2026-11-02", ends_on="2026-11-09"), webhook_id="m-2")
    anna, cara = last_of(entrants(door)), last_of(entrants(door), "103")

    assert (anna.rating, anna.rating_list, anna.revision) == (2311, "2026-11", 2)
    # She is not on that list, so nothing of the other one is left.
    assert (cara.unrated, cara.rating_list) == (False, None)
    # An older statement of the tournament, which does not count, changes nothing.
    await sent(door, tournament(), webhook_id="m-3")
    assert last_of(entrants(door)) == anna


async def test_a_list_that_comes_after_the_entrants_or_is_corrected_is_looked_up_then(door, load_list):
    await sent(door, tournament(), entrant("101", rating=2250), entrant("103", 3, override=True, rating=1800))
    assert await door.intake.follow_book() == 0
    load_list([ANNA, CARA], "2026-09")
    assert await door.intake.follow_book() == 0
    load_list([ANNA, CARA])
    assert await door.intake.follow_book() == 1
    assert await door.intake.follow_book() == 0
    listed_ = last_of(entrants(door))
    load_list([replace(ANNA, standard=(2320, 9, 10)), CARA], revision=2000)
    assert await door.intake.follow_book() == 1
    corrected = last_of(entrants(door))

    assert (listed_.rating, corrected.rating) == (2300, 2320)
    assert last_of(entrants(door), "103").rating == 1800


async def test_figures_that_kafka_did_not_take_are_sent_the_next_time(door, load_list):
    await sent(door, tournament(), entrant("101"))
    load_list([ANNA])
    door.kafka.away = True
    with pytest.raises(KafkaAwayError):
        await door.intake.follow_book()
    door.kafka.away = False

    assert await door.intake.follow_book() == 1
    assert last_of(entrants(door)).rating == 2300


@pytest.mark.usefixtures("listed")
async def test_who_was_identified_by_an_operator_is_left_to_him(door):
    await sent(door, entrant("999"))
    who = Entity("open", "entrant", "999")
    said = Entrant(tournament_id="open", entrant_id="999", player_id="101", revision=2**52, rating=2001, k=10)
    await put(
        Desk(load_settings(), door.store, door.kafka.send, lambda: door.now), who, None, said, Word("a", "b")
    )
    await sent(door, tournament(), webhook_id="m-2")

    assert last_of(entrants(door)) == said
