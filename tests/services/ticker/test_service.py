"""The ticker as a process has it: settings, a token from a file, clients that take nothing."""

from __future__ import annotations

import asyncio
import socket

import httpx
import pytest
from websockets.asyncio.client import connect

from elowire.runtime.settings import InvalidSettingsError, load_settings
from elowire.ticker.service import Ticker
from elowire.ticker.stream import Stream
from tests.ports import free_ports
from tests.services.ticker.records import feed_of, figures, live, record
from tests.services.ticker.test_api import WORLD, app_over, served


@pytest.mark.parametrize(
    "origins", ["", "*", "https://club.example", "http://a.example:8080, https://b.example"]
)
def test_origins_that_make_sense(origins):
    assert load_settings(ticker_cors_origins=origins).ticker_cors_origins == origins


@pytest.mark.parametrize(
    "origins", ["club.example", "*.example", "https://a.example/*", "ftp://a.example", "*, *"]
)
def test_origins_that_do_not(origins):
    with pytest.raises(InvalidSettingsError, match="ELOWIRE_TICKER_CORS_ORIGINS"):
        load_settings(ticker_cors_origins=origins)


async def status(address, token):
    async with httpx.AsyncClient() as client:
        answer = await client.get(f"{address}v1/operator", headers={"authorization": f"Bearer {token}"})
    return answer.status_code


async def test_a_token_may_be_changed_while_the_ticker_runs_and_is_never_shown(tmp_path):
    file = tmp_path / "token"
    port, admin_port = free_ports(2)
    settings = load_settings(
        bootstrap="127.0.0.1:1", ticker_port=port, ticker_admin_port=admin_port, ticker_token_file=file
    )
    ticker = Ticker(settings)
    await ticker.start()
    try:
        found = [await status(ticker.address, "first")]
        file.write_text("first\n")
        # 503: the token is right, and the board is not read yet.
        found += [await status(ticker.address, "first"), await status(ticker.address, "second")]
        file.write_text("second")
        found += [await status(ticker.address, "first"), await status(ticker.address, "second")]
    finally:
        await ticker.stop()

    assert found == [403, 503, 401, 401, 503]
    assert "secret" not in repr(load_settings(ticker_token="secret-of-the-desk"))  # noqa: S106 - it is not shown


async def test_a_client_that_takes_nothing_is_let_go_and_costs_a_bounded_queue():
    feed, board, _ = feed_of(*WORLD)
    stream = Stream("boot", waiting=100, pauses_s=(0.0, 0.0))
    feed = type(feed)("127.0.0.1:1", board, stream)
    feed.progress.caught_up, feed.progress.fault = True, None
    async with served(app_over(feed, board, stream)) as client:
        with socket.socket() as stuck:
            stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            stuck.setblocking(False)
            await asyncio.get_running_loop().sock_connect(stuck, ("127.0.0.1", client.base_url.port))
            await asyncio.get_running_loop().sock_sendall(
                stuck, b"GET /v1/stream HTTP/1.1\r\nHost: x\r\n\r\n"
            )
            while not len(stream):
                await asyncio.sleep(0.01)
            for version in range(1, 20_000):
                feed.take([record("live-ratings", live("7", version, standard=figures(2700)))])
                if version % 50 == 0:
                    await asyncio.sleep(0.001)
                if stream.slow:
                    break

        assert (stream.slow, len(stream)) == (1, 0)


HANDSHAKE = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


@pytest.mark.parametrize("more", [b"", HANDSHAKE], ids=["http", "websocket"])
async def test_who_is_written_to_directly_gets_the_same_bytes(more):
    feed, board, stream = feed_of(*WORLD)
    app = app_over(feed, board, stream)
    plain = served(app, http="httptools", ws="websockets-sansio", ws_per_message_deflate=False)
    async with served(app) as direct, plain as by_messages:
        clients = []
        for client in (direct, by_messages):
            clients.append(await asyncio.open_connection("127.0.0.1", client.base_url.port))
            clients[-1][1].write(b"GET /v1/stream?players=7 HTTP/1.1\r\nHost: x\r\n" + more + b"\r\n")
        while len(stream) < 2:
            await asyncio.sleep(0.01)
        for version in range(1, 30):
            for _ in range(version % 3 + 1):
                feed.take([record("live-ratings", live("7", version, standard=figures(2700)))])
            stream.beat(b"{}")
            await asyncio.sleep(stream.pause_s + 0.005)
        stream.close()
        taken = []
        for reader, writer in clients:
            async with asyncio.timeout(5):
                head = await reader.readuntil(b"\r\n\r\n")
                end = b"\r\n0\r\n\r\n" if not more else b"\x88\x02\x03\xe9"
                taken.append((head[:15], await reader.readuntil(end)))
            writer.close()

    assert taken[0] == taken[1]
    assert taken[0][1].count(b"heartbeat") == 29


async def test_a_websocket_outlives_the_time_for_a_head(monkeypatch):
    monkeypatch.setattr("elowire.runtime.bounded_http._HEAD_S", 0.2)
    feed, board, stream = feed_of(*WORLD)
    async with (
        served(app_over(feed, board, stream)) as client,
        connect(f"ws://127.0.0.1:{client.base_url.port}/v1/stream") as websocket,
    ):
        await websocket.recv()
        await asyncio.sleep(0.6)
        stream.beat(b"{}")
        async with asyncio.timeout(5):
            assert "heartbeat" in await websocket.recv()
