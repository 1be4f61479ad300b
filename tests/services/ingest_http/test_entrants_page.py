"""Who is nobody yet: counted, on a page, and gone from both when somebody says who it is."""

from __future__ import annotations

import sqlite3

import httpx
import pytest

from elowire.contracts.events import Entrant
from elowire.ingest.book import FILE as BOOK
from elowire.ingest.book_load import Arrival, load
from elowire.ingest.corrections import Entity
from elowire.ingest.corrections_work import Desk, Word, put, release_entity
from elowire.ingest.entrants_page import SHOWN, page_of
from elowire.ingest.entrants_store import count_nobodies, nobodies
from elowire.ingest.lists.files import inspect, read_list
from elowire.ingest.readers.report import Findings
from elowire.ingest.service import Ingest
from elowire.ingest.service_store import FILE, Store
from elowire.runtime.settings import load_settings
from tests.ports import free_ports
from tests.services.ingest_http.door import event
from tests.services.lists.made_up import Player, written

BATCH = "application/cloudevents-batch+json"
WORD = Word("alice", "asked him")


def entrant(number, **facts):
    data = {"tournament_id": "open", "revision": 1, **facts}
    return event(number, type="elowire.entrant.v1") | {"data": data}


def game(number, **facts):
    return event(number, {"tournament_id": "open", **facts})


async def send(door, *events, webhook_id="m-1"):
    answer = await door.send(list(events), webhook_id, kind=BATCH)
    assert answer.status_code == 202, answer.text


def waiting(door):
    return {one.entrant_id: one.player_id for one in nobodies(door.store, most=SHOWN)}


@pytest.fixture
def load_into_book(tmp_path):
    """Load players into the door's rating book as the list of October 2026."""

    def loading(*players):
        path = tmp_path / "players_list.txt"
        path.write_text("".join(written(players, "combined")))
        file, findings = inspect(path), Findings()
        lines = read_list(file, rating_list="2026-10", time_control=None, findings=findings)
        load(tmp_path / BOOK, Arrival("2026-10", file.classes(None), 1, path.name), lines, lambda *_: [])

    return loading


@pytest.fixture
def desk(door):
    return Desk(load_settings(), door.store, door.kafka.send, lambda: door.now)


async def test_who_is_named_without_an_id_by_an_entry_or_by_a_game_alone_is_counted(door):
    await send(
        door,
        entrant(1, entrant_id="name:doe", name="Doe"),
        entrant(2, entrant_id="rank:7", player_id="local:open.7", name="Roe"),
        entrant(3, player_id="1503014"),
        game(4, white={"entrant_id": "name:doe"}, black={"entrant_id": "name:moe", "name": "Moe"}),
        game(5, game_id="1.2", white={"entrant_id": "x", "player_id": "77"}),
    )

    assert waiting(door) == {"name:doe": None, "name:moe": None, "rank:7": "local:open.7"}
    assert count_nobodies(door.store) == (2, 1)


async def test_whom_the_source_or_an_operator_identifies_is_not_counted_any_more(door, desk):
    await send(door, entrant(1, entrant_id="name:doe", name="Doe"), entrant(2, entrant_id="name:moe"))
    await send(door, entrant(3, entrant_id="name:doe", revision=2, player_id="77"), webhook_id="m-2")
    assert waiting(door) == {"name:moe": None}
    # An older statement changes nothing.
    await send(door, entrant(4, entrant_id="name:doe", name="D"), webhook_id="m-3")
    copy = next(one for one in door.kafka.events() if one.data.entrant_id == "name:moe")
    said = Entrant(tournament_id="open", entrant_id="name:moe", player_id="78", revision=2**52)
    await put(desk, Entity("open", "entrant", "name:moe"), copy, said, WORD)
    assert waiting(door) == {}
    await release_entity(desk, Entity("open", "entrant", "name:moe"), WORD)

    assert waiting(door) == {"name:moe": None}


async def test_what_a_source_writes_is_text_on_the_page_and_the_command_names_him_safely(door, tmp_path):
    name = "<script>alert(1)</script>"
    await send(door, entrant(1, entrant_id="o'neil;rm", name=name, federation="IRL", birth_year=1990))
    page = page_of(door.store, tmp_path / "no-book.sqlite")

    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<td>IRL</td><td>1990</td>" in page
    # Quoted for a shell, then for HTML.
    assert "identify &#x27;o&#x27;&quot;&#x27;&quot;&#x27;neil;rm&#x27; --tournament open --player ID" in page


async def test_a_proposal_stands_in_the_command(door, tmp_path, load_into_book):
    load_into_book(Player(101, "Smith, John", "NOR", standard=(2000, 0, 20), birth_year=1990))
    await send(door, entrant(1, entrant_id="s", name="Smith, John", federation="NOR", birth_year=1990))

    assert "--player 101 --why" in page_of(door.store, tmp_path / "rating-book.sqlite")


async def test_a_long_list_is_cut_and_says_so(door, tmp_path):
    await send(door, *(entrant(n, entrant_id=f"name:{n}") for n in range(SHOWN + 1)))
    page = page_of(door.store, tmp_path / "no-book.sqlite")

    assert page.count("<code>elowire entrants identify") == SHOWN
    assert f"{SHOWN + 1} entrants have no FIDE id" in page
    assert f"The first {SHOWN} are shown." in page


async def test_the_page_and_the_figure_are_on_the_admin_port_without_kafka(tmp_path):
    port, admin_port = free_ports(2)
    settings = load_settings(
        bootstrap="127.0.0.1:1", data_dir=tmp_path, ingest_port=port, ingest_admin_port=admin_port
    )
    ingest = Ingest(settings)
    await ingest.start()
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{admin_port}") as client:
            page = await client.get("/entrants")
            metrics = ""
            while "unidentified_entrants{" not in metrics:
                metrics = (await client.get("/metrics")).text
    finally:
        await ingest.stop()

    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert "Every entrant is somebody." in page.text
    assert 'elowire_ingest_unidentified_entrants{counts_as="nobody"} 0.0' in metrics


def test_a_file_of_the_first_layout_is_brought_up_to_date(tmp_path):
    path = tmp_path / FILE
    Store(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE entrant")
        connection.execute("DROP TABLE list_seen")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    store = Store(path)

    assert count_nobodies(store) == (0, 0)
    assert store.lists_seen() == {}
    store.close()
