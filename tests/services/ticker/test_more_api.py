"""What the pages ask beyond players and lists; who may ask; the stream over a WebSocket."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager

import httpx
import orjson
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from elowire.ticker.api import create_app
from elowire.ticker.stream import Stream
from tests.oracle.events import tournament
from tests.services.ticker.records import feed_of, figures, game, line, listed, live, record
from tests.services.ticker.test_api import WORLD, app_over, served, sources_over
from tests.services.ticker.test_people import aside

RUNNING = (
    (
        "rated-games",
        orjson.dumps(game("2020009", 3, points=None, delta=None, refusal="ongoing", opponent="1503014")),
    ),
    (
        "rated-games",
        orjson.dumps(game("1503014", 3, points=None, delta=None, refusal="ongoing", opponent="2020009")),
    ),
)


@asynccontextmanager
async def client_over(app):
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://ticker") as client:
        yield client


async def get(path, *more, **headers):
    async with client_over(app_over(*feed_of(*WORLD, *RUNNING, *more))) as client:
        return await client.get(path, headers=headers)


async def test_what_if_answers_for_both_players():
    said = (await get("/v1/what-if?player=2020009&opponent=1503014")).json()

    assert (said["player"]["player_id"], said["opponent"]["player_id"]) == ("2020009", "1503014")
    assert (said["player"]["win"]["change"], said["opponent"]["loss"]["change"]) == ("5.70", "-5.70")
    assert said["player"]["win"]["live"] == "2798.3"
    assert said["edition"] == "2025-10"


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/v1/what-if?player=2020009&opponent=77", 404, "No rating of player 77"),
        ("/v1/what-if?player=77&opponent=2020009", 404, "No rating of player 77"),
        ("/v1/what-if?player=2020009&opponent=2020009", 422, "opponent: nobody plays himself"),
        ("/v1/what-if?player=2020009", 422, "opponent: "),
        ("/v1/games/g77", 404, "No pending game g77 has been seen."),
        ("/v1/games/g3?tournament=cup", 404, "No pending game g3 of tournament cup"),
        ("/v1/players?search=a", 422, "search: "),
        ("/v1/live-ratings?age=u99", 422, "age: "),
        ("/v1/live-ratings?title=grandmaster", 422, "title: "),
        ("/v1/live-ratings?sex=X", 422, "sex: "),
        ("/v1/live-ratings?offset=-1", 422, "offset: "),
        ("/v1/stream?title=x", 422, "title: "),
        ("/v1/stream?last_event_id=" + "9" * 129, 422, "last_event_id: "),
    ],
)
async def test_a_refusal_is_a_sentence_that_names_the_parameter(path, status, words):
    said = await get(path)

    assert said.status_code == status
    assert said.json()["detail"].startswith(words)


async def test_a_running_game_says_what_each_result_would_bring():
    said = (await get("/v1/games/g3")).json()

    assert (said["state"], [one["player_id"] for one in said["players"]]) == (
        "ongoing",
        ["1503014", "2020009"],
    )
    # Rated with the entrants' figures, 2700 and 2600, whatever the lists say.
    assert [one["what_if"]["draw"]["delta"] for one in said["players"]] == ["-0.14", "-0.14"]


async def test_a_finished_game_has_its_result_and_no_what_if():
    said = (await get("/v1/games/g1")).json()

    assert said["state"] == "played"
    assert said["players"][0]["side"]["change"] == "3.60"
    assert said["players"][0]["what_if"] is None


async def test_two_games_of_one_id_are_told_apart_by_their_tournament():
    other = ("rated-games", orjson.dumps(game("1", 3, tournament_id="cup")))
    both = await get("/v1/games/g3", other)
    one = await get("/v1/games/g3?tournament=cup", other)

    assert both.status_code == 409
    assert "cup, open" in both.json()["detail"]
    assert one.json()["tournament_id"] == "cup"


async def test_tournaments_come_newest_first_with_what_they_say_of_themselves():
    feed, board, stream = feed_of(*WORLD)
    feed.take([record("tournament-ratings", line("2020009", tournament="cup"), at=1_760_000_009_000)])
    feed.take_asides([aside(tournament("cup", name="Cup", status="finished"))])
    async with client_over(app_over(feed, board, stream)) as client:
        listed_all = (await client.get("/v1/tournaments")).json()["tournaments"]
        one = (await client.get("/v1/tournaments/cup")).json()

    assert [(row["tournament_id"], row.get("name")) for row in listed_all] == [("cup", "Cup"), ("open", None)]
    assert (one["status"], one["rated_in"], one["lines"][0]["rank"]) == ("finished", "2025-11", 1)


async def test_equal_points_share_a_rank():
    lines = [
        ("tournament-ratings", line(str(n), points=points)) for n, points in enumerate(("2", "2", "1"), 1)
    ]
    said = (await get("/v1/tournaments/open", *lines)).json()

    assert [(one["points"], one["rank"]) for one in said["lines"]] == [("2", 1), ("2", 1), ("1", 3), ("1", 3)]


async def test_an_answer_is_made_once_until_the_board_changes():
    feed, board, stream = feed_of(*WORLD)
    sources = sources_over(feed, board, stream)
    made = []
    for _ in range(3):
        sources.answers.of(("key",), lambda: made.append(1) or {"n": 1})
    feed.take([record("rating-lists", listed("5", standard=2000))])
    sources.answers.of(("key",), lambda: made.append(1) or {"n": 2})

    assert len(made) == 2


@pytest.mark.parametrize(
    ("origins", "origin", "allowed"),
    [
        ((), "https://club.example", None),
        (("https://club.example",), "https://club.example", "https://club.example"),
        (("https://club.example",), "https://other.example", None),
        (("*",), "https://other.example", "*"),
    ],
)
async def test_other_pages_may_read_where_the_setting_says_so(origins, origin, allowed):
    feed, board, stream = feed_of(*WORLD)
    async with client_over(create_app(sources_over(feed, board, stream, origins=origins))) as client:
        said = await client.get("/v1/players/2020009", headers={"origin": origin})

    assert said.headers.get("access-control-allow-origin") == allowed
    assert "access-control-allow-credentials" not in said.headers


async def told(socket, number):
    return [json.loads(await socket.recv()) for _ in range(number)]


def socket_address(client, query=""):
    return f"ws://127.0.0.1:{client.base_url.port}/v1/stream{query}"


CHANGE = live(
    "2020009", 2, game=game("2020009", 2, 2, points="0.5", delta="0.07"), standard=figures(2789, "4.30")
)


async def test_a_websocket_gets_what_the_stream_gives_and_resumes():
    feed, board, stream = feed_of(*WORLD)
    async with served(app_over(feed, board, stream)) as client:
        async with connect(socket_address(client, "?time_control=standard")) as socket:
            (snapshot,) = await told(socket, 1)
            feed.take([record("live-ratings", CHANGE)])
            (change,) = await told(socket, 1)
        async with connect(socket_address(client, f"?last_event_id={snapshot['id']}")) as socket:
            (again,) = await told(socket, 1)

    assert (snapshot["event"], len(snapshot["data"]["live_ratings"][0]["players"])) == ("snapshot", 2)
    assert (change["event"], change["id"], change["data"]["standard"]["live"]) == (
        "live-rating",
        "boot-1",
        "2793.3",
    )
    assert again == change


async def test_a_websocket_of_another_page_is_refused():
    feed, board, stream = feed_of(*WORLD)
    async with served(app_over(feed, board, stream)) as client:
        with pytest.raises(InvalidStatus):
            async with connect(socket_address(client), origin="https://other.example"):
                pass
        async with connect(
            socket_address(client), origin=f"http://127.0.0.1:{client.base_url.port}"
        ) as socket:
            assert (await told(socket, 1))[0]["event"] == "snapshot"


@pytest.mark.parametrize("query", ["?federation=norway", "?players=" + ",".join(map(str, range(201)))])
async def test_a_websocket_with_a_wrong_parameter_is_refused(query):
    async with served(app_over(*feed_of(*WORLD))) as client:
        with pytest.raises((InvalidStatus, ConnectionClosed)):
            async with connect(socket_address(client, query)) as socket:
                await socket.recv()


async def test_a_full_ticker_takes_no_websocket():
    feed, board, _ = feed_of(*WORLD)
    async with served(app_over(feed, board, Stream("boot", watchers=0))) as client:
        with pytest.raises((InvalidStatus, ConnectionClosed)):
            async with connect(socket_address(client)) as socket:
                await socket.recv()


async def test_a_websocket_that_leaves_is_forgotten():
    feed, board, stream = feed_of(*WORLD)
    async with served(app_over(feed, board, stream)) as client:
        async with connect(socket_address(client)) as socket:
            await told(socket, 1)
            assert len(stream) == 1
        await client.get("/v1/facets")

        assert len(stream) == 0


async def test_games_go_to_those_who_chose_a_tournament_or_players_and_not_twice_to_all():
    feed, board, stream = feed_of(*WORLD)
    seen = {}
    async with served(app_over(feed, board, stream)) as client:
        for name, query in (("all", ""), ("tournament", "?tournament=open"), ("player", "?players=2020009")):
            async with connect(socket_address(client, query)) as socket:
                await told(socket, 1)
                number = len(seen) + 5
                feed.take(
                    [
                        record("rated-games", orjson.dumps(game("2020009", number, number))),
                        record(
                            "live-ratings",
                            live("2020009", number, game=game("2020009", number, number), standard=figures()),
                        ),
                    ]
                )
                seen[name] = [(await told(socket, 1))[0]["event"]]

    assert seen == {"all": ["live-rating"], "tournament": ["rated-game"], "player": ["rated-game"]}
