from __future__ import annotations

from dataclasses import replace

import httpx
import orjson
import pytest

from elowire.contracts.dead_letters import DeadLetterReason, Refused, dead_letter_headers, read_dead_letter
from elowire.contracts.resolutions import Outcome, digest_of, resolution_headers
from elowire.runtime.kafka import Record
from elowire.ticker.api import create_app
from elowire.ticker.letters import Letters
from tests.oracle.events import entrant, tournament
from tests.services.ticker.records import feed_of, figures, live, record
from tests.services.ticker.test_api import WORLD, sources_over
from tests.services.ticker.test_people import aside

TOKEN = "of-the-night-shift"  # noqa: S105 - of this test alone


def letter(number, value=b"broken", at=1):
    refused = Refused(DeadLetterReason.INVALID_FIELD, "round is 0", field="round", advice="Send 1 or more.")
    headers = dead_letter_headers(refused, "game-results", 0, number, "0.1")
    return Record("dead-letters", 0, number, at, b"open", value, headers)


def marker(of):
    headers = resolution_headers(
        read_dead_letter(of.headers),
        digest_of(of.key, of.value),
        Outcome.DISCARDED,
        at="2025-10-24T21:04:00Z",
    )
    return Record("dead-letters", 0, 99, 2, of.key, None, headers)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (0, 2, 1)])
def test_a_letter_is_open_until_its_marker_whatever_comes_first(order):
    letters, records = Letters(), [letter(1), letter(2), marker(letter(1))]
    for place in order:
        letters.take(records[place])

    assert [one.why.id for one in letters.newest_first()] == ["game-results/0/2"]


def test_letters_are_bounded_and_say_so():
    letters = Letters(most=2)
    for number in range(5):
        letters.take(letter(number, at=number))

    assert [one.why.offset for one in letters.newest_first()] == [4, 3]
    assert letters.cut


def test_what_elowire_did_not_put_there_is_counted():
    letters = Letters()
    letters.take(Record("dead-letters", 0, 1, 1, b"x", b"y", ()))

    assert (len(letters), letters.unreadable) == (0, 1)


async def answer(token, authorization=None, records=()):
    feed, board, stream = feed_of(*WORLD)
    feed.take_asides([*records, letter(7)])
    sources = sources_over(feed, board, stream)
    app = create_app(replace(sources, token=lambda: token, letters=feed.asides.letters))
    headers = {} if authorization is None else {"authorization": authorization}
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://ticker") as client:
        return await client.get("/v1/operator", headers=headers)


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x"],
)
async def test_nothing_is_shown_without_the_token(authorization):
    said = await answer(TOKEN, authorization)

    assert (said.status_code, said.headers["www-authenticate"]) == (401, "Bearer")
    assert "dead_letters" not in said.text


@pytest.mark.parametrize("token", [None, ""])
async def test_a_ticker_without_a_token_keeps_the_page_closed(token):
    said = await answer(token, "Bearer ")

    assert said.status_code == 403
    assert "ELOWIRE_TICKER_TOKEN_FILE" in said.json()["detail"]


async def test_each_row_has_the_command_that_deals_with_it():
    nobody = entrant(None, entrant_id="name:o'neil", tournament_id="open", name="Caruana, F")
    said = await answer(TOKEN, f"Bearer {TOKEN}", [aside(tournament("open", name="Open")), aside(nobody, 2)])
    view = said.json()

    assert said.headers["cache-control"] == "no-store"
    assert view["unresolved"]["rows"][0]["tournament_name"] == "Open"
    assert view["unresolved"]["rows"][0]["command"] == (
        "elowire entrants identify 'name:o'\"'\"'neil' --tournament open --player ID --why '...'"
    )
    assert view["dead_letters"]["rows"][0]["commands"][1] == "elowire dead-letters replay game-results/0/7"


@pytest.mark.parametrize(
    ("event_id", "command"),
    [
        (
            f"open/game/g1/{(1 << 52) + 5}/abcdef",
            "elowire correct g1 --tournament open --release --why '...'",
        ),
        ("open/game/g1/3/abcdef", "elowire correct g1 --tournament open --result RESULT --why '...'"),
        ("anything", "elowire correct g1 --tournament open --result RESULT --why '...'"),
    ],
)
async def test_an_operators_correction_can_be_released_and_a_sources_only_outranked(event_id, command):
    feed, board, stream = feed_of(*WORLD)
    for player in ("2020009", "1503014"):
        value = orjson.loads(live(player, 9, kind="correction", standard=figures()))
        value["cause"] |= {"event_id": event_id, "game_id": "g1", "tournament_id": "open"}
        feed.take([record("live-ratings", orjson.dumps(value))])
    app = create_app(replace(sources_over(feed, board, stream), token=lambda: TOKEN))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://ticker") as client:
        said = await client.get("/v1/operator", headers={"authorization": f"bearer {TOKEN}"})
    (row,) = said.json()["corrections"]["rows"]

    assert row["command"] == command
    assert [one["player_id"] for one in row["players"]] == ["1503014", "2020009"]
