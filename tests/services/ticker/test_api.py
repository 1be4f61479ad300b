from __future__ import annotations

import asyncio
import json
import socket
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import httpx
import orjson
import pytest
import uvicorn

from elowire.ticker.api import create_app
from elowire.ticker.service import serving
from elowire.ticker.sources import Sources
from elowire.ticker.stream import Stream
from tests.services.ticker.records import feed_of, figures, game, line, listed, live, record

NOW = datetime(2025, 10, 24, 21, 4, tzinfo=UTC)
SECOND_GAME = game("2020009", 2, 2, points="0.5", delta="0.07")
WORLD = (
    ("rating-lists", listed("2020009", standard=2789, rapid=2751, name="Caruana, Fabiano", federation="USA")),
    ("rating-lists", listed("1503014", standard=2839, name="Carlsen, Magnus", federation="NOR")),
    ("live-ratings", live("2020009", 1, game=game("2020009", 1), standard=figures(2789, "3.60"))),
    ("tournament-ratings", line("2020009")),
)


def sources_over(feed, board, stream, **more):
    return Sources(board, stream, feed.progress, lambda: NOW, **more)


def app_over(feed, board, stream):
    return create_app(sources_over(feed, board, stream))


@asynccontextmanager
async def client_of(*values):
    transport = httpx.ASGITransport(app=app_over(*feed_of(*values)))
    async with httpx.AsyncClient(transport=transport, base_url="http://ticker") as client:
        yield client


async def get(path, *values, **headers):
    async with client_of(*(values or WORLD)) as client:
        return await client.get(path, headers=headers)


async def test_a_player_has_figures_ranks_and_games():
    answer = (await get("/v1/players/2020009")).json()

    assert (answer["player_id"], answer["version"], answer["name"]) == ("2020009", 1, "Caruana, Fabiano")
    assert (answer["standard"]["live"], answer["standard"]["rank"]) == ("2792.6", 2)
    assert answer["rapid"]["live"] == "2751.0"
    assert [(one["game_id"], one["change"]) for one in answer["games"]] == [("g1", "3.60")]


async def test_the_ranking_is_in_order_and_limited():
    answer = (await get("/v1/live-ratings?limit=1")).json()

    assert (answer["time_control"], answer["ranked"]) == ("standard", 2)
    assert [row["name"] for row in answer["players"]] == ["Carlsen, Magnus"]


async def test_a_tournament_has_its_lines():
    answer = (await get("/v1/tournaments/open")).json()

    assert [(one["entrant_id"], one["name"]) for one in answer["lines"]] == [("2020009", "Caruana, Fabiano")]


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/v1/players/77", 404, "No rating of player 77 has been seen."),
        ("/v1/players/" + "7" * 129, 422, "player_id: "),
        ("/v1/players/%00", 422, "player_id: "),
        ("/v1/tournaments/none", 404, "No line of tournament none has been seen."),
        ("/v1/live-ratings?limit=0", 422, "limit: "),
        ("/v1/live-ratings?limit=1001", 422, "limit: "),
        ("/v1/live-ratings?limit=ten", 422, "limit: "),
        ("/v1/live-ratings?time_control=bullet", 422, "time_control: "),
        ("/v1/live-ratings?federation=norway", 422, "federation: "),
        ("/v1/stream?players=" + ",".join(str(n) for n in range(201)), 422, "players: "),
        ("/v1/stream?players=" + "7" * 129, 422, "players: "),
        ("/v1/stream?tournament=" + "x" * 129, 422, "tournament: "),
        ("/nothing", 404, "There is nothing at this address."),
        ("/static/%2e%2e/api.py", 404, "There is nothing"),
    ],
)
async def test_an_error_is_a_sentence_that_names_the_parameter(path, status, words):
    answer = await get(path)

    assert answer.status_code == status
    assert answer.json()["detail"].startswith(words)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
async def test_the_ticker_is_read_only(method):
    async with client_of(*WORLD) as client:
        answer = await client.request(method, "/v1/players/2020009")

    assert (answer.status_code, answer.json()["detail"]) == (405, "The ticker is read only: use GET.")


async def test_who_has_the_answer_already_gets_304_until_it_changes():
    feed, board, stream = feed_of(*WORLD)
    transport = httpx.ASGITransport(app=app_over(feed, board, stream))
    async with httpx.AsyncClient(transport=transport, base_url="http://ticker") as client:
        tag = (await client.get("/v1/players/2020009")).headers["etag"]
        again = await client.get("/v1/players/2020009", headers={"if-none-match": f'"x", W/{tag}'})
        feed.take(
            [record("live-ratings", live("2020009", 2, game=SECOND_GAME, standard=figures(2789, "4.30")))]
        )
        changed = await client.get("/v1/players/2020009", headers={"if-none-match": tag})

    assert (again.status_code, again.content) == (304, b"")
    assert (changed.status_code, changed.json()["version"]) == (200, 2)


@pytest.mark.parametrize(
    "path", ["/v1/players/2020009", "/v1/live-ratings", "/v1/stream", "/v1/tournaments/open"]
)
async def test_half_a_board_answers_503_and_says_why(path):
    feed, board, stream = feed_of(*WORLD)
    feed.progress.caught_up = False
    transport = httpx.ASGITransport(app=app_over(feed, board, stream))
    async with httpx.AsyncClient(transport=transport, base_url="http://ticker") as client:
        answer = await client.get(path)

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert answer.json()["detail"].startswith("The board is not complete yet")


@pytest.mark.parametrize("path", ["/", "/docs", "/static/app.js", "/v1/live-ratings", "/nothing"])
async def test_every_answer_has_the_security_headers(path):
    headers = (await get(path)).headers

    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


async def test_the_pages_need_nothing_inline_and_nothing_from_elsewhere():
    for path in ("/", "/docs"):
        text = (await get(path)).text

        assert "<style" not in text
        assert 'style="' not in text
        assert "onclick" not in text
        assert "http:" not in text
        assert "https:" not in text


async def test_the_description_lists_every_address_of_the_contract():
    paths = (await get("/openapi.json")).json()["paths"]

    assert sorted(paths) == [
        "/v1/facets",
        "/v1/games/{game_id}",
        "/v1/live-ratings",
        "/v1/operator",
        "/v1/players",
        "/v1/players/{player_id}",
        "/v1/stream",
        "/v1/tournaments",
        "/v1/tournaments/{tournament_id}",
        "/v1/what-if",
    ]


@asynccontextmanager
async def served(app, **options):
    """Serve as the ticker does; with options, as uvicorn does by itself."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, lifespan="off", log_config=None, **options) if options else serving(app)
    config.timeout_graceful_shutdown = 1
    server = uvicorn.Server(config)
    task = asyncio.create_task(server._serve([listener]))  # noqa: SLF001 - without its signal handlers
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}") as client:
        yield client
    server.should_exit = True
    await task


async def events(answer, number):
    found, event = [], {}
    async for text in answer.aiter_lines():
        if text:
            name, _, value = text.partition(": ")
            event[name] = value
        elif event:
            found.append((event["id"], event["event"], json.loads(event["data"])))
            event = {}
            if len(found) == number:
                return found
    return found


async def test_the_stream_begins_with_a_snapshot_follows_and_resumes():
    feed, board, stream = feed_of(*WORLD)
    async with served(app_over(feed, board, stream)) as client:
        async with client.stream("GET", "/v1/stream?time_control=standard") as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            [(cursor, name, snapshot)] = await events(answer, 1)
        change = live("2020009", 2, game=SECOND_GAME, standard=figures(2839, "4.30"))
        feed.take([record("live-ratings", change), record("tournament-ratings", line("2020009", 2))])
        async with client.stream("GET", "/v1/stream", headers={"last-event-id": cursor}) as answer:
            missed = await events(answer, 2)
        async with client.stream(
            "GET", "/v1/stream?players=1503014,7", headers={"last-event-id": "x-1"}
        ) as answer:
            [(_, _, chosen)] = await events(answer, 1)
        async with client.stream("GET", "/v1/stream?tournament=open") as answer:
            [(_, _, tournament)] = await events(answer, 1)

    assert name == "snapshot"
    assert [row["rank"] for row in snapshot["live_ratings"][0]["players"]] == [1, 2]
    assert snapshot["freshness"]["fault"] is None
    assert [(one, kind) for one, kind, _ in missed] == [
        ("boot-1", "live-rating"),
        ("boot-2", "tournament-rating"),
    ]
    assert missed[0][2]["standard"]["rank"] == 1
    assert missed[0][2]["game"]["change"] == "0.70"
    assert [player["player_id"] for player in chosen["players"]] == ["1503014"]
    assert tournament["tournament"]["lines"][0]["revision"] == 2


async def test_a_browser_that_leaves_is_forgotten():
    feed, board, stream = feed_of(*WORLD)
    async with served(app_over(feed, board, stream)) as client:
        async with client.stream("GET", "/v1/stream") as answer:
            await events(answer, 1)
            assert len(stream) == 1
        for _ in range(100):
            if not len(stream):
                break
            await asyncio.sleep(0.02)
        assert len(stream) == 0


async def test_a_full_ticker_says_so():
    feed, board, _ = feed_of(*WORLD)
    transport = httpx.ASGITransport(app=app_over(feed, board, Stream("boot", watchers=0)))
    async with httpx.AsyncClient(transport=transport, base_url="http://ticker") as client:
        answer = await client.get("/v1/stream")

    assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")


async def test_an_unreadable_record_leaves_those_beside_it():
    feed, board, _ = feed_of(
        ("live-ratings", live("1", standard=figures())),
        ("live-ratings", b"not json"),
        ("live-ratings", live("2", standard=figures())),
        ("rated-games", orjson.dumps(game("1", 1))),
    )

    assert (len(board), feed.progress.refused) == (2, 1)


@pytest.mark.parametrize("players", ["", ",", " , "])
async def test_a_choice_of_nobody_is_refused_and_does_not_mean_everybody(players):
    answer = await get(f"/v1/stream?players={players}")

    assert (answer.status_code, answer.json()["detail"][:22]) == (422, "players: names nobody.")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/docs", 200),
        ("/v1/players/2020009", 200),
        ("/static/line.js", 200),
        ("/v1/players/77", 404),
    ],
)
async def test_head_is_get_without_a_body(path, status):
    async with served(app_over(*feed_of(*WORLD))) as client:
        found, head = await client.get(path), await client.head(path)

    assert (head.status_code, head.content) == (status, b"")
    for name in ("content-type", "content-length", "etag", "cache-control", "content-security-policy"):
        assert head.headers.get(name) == found.headers.get(name)


async def test_head_of_the_stream_ends_and_watches_nothing():
    feed, board, stream = feed_of(*WORLD)
    async with served(app_over(feed, board, stream)) as client:
        async with asyncio.timeout(5):
            head = await client.head("/v1/stream")
        again = await client.get("/v1/facets")

    assert (head.status_code, head.content, len(stream)) == (200, b"", 0)
    assert head.headers["content-type"].startswith("text/event-stream")
    assert again.status_code == 200


async def test_without_a_rating_list_nobody_has_a_place_in_the_world():
    played = ("live-ratings", live("2020009", 1, game=game("2020009", 1), standard=figures(2789, "3.60")))
    answer = (await get("/v1/players/2020009", played)).json()
    [row] = (await get("/v1/live-ratings", played)).json()["players"]

    assert (answer["standard"]["rank"], answer["standard"]["rank_change"]) == (None, None)
    assert (row["live"], row["rank"]) == ("2792.6", None)
