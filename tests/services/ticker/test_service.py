"""The ticker as a process has it: settings, a token from a file, clients that take nothing."""

from __future__ import annotations

import asyncio
import socket

import httpx
import pytest
import uvicorn

from elowire.runtime.settings import InvalidSettingsError, load_settings
from elowire.ticker.service import Ticker, serving
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
    stream = Stream("boot", waiting=100, pause_s=0)
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
                    await asyncio.sleep(0)
                if stream.slow:
                    break

        assert (stream.slow, len(stream)) == (1, 0)


@pytest.mark.parametrize("head", [b"GET /" + b"a" * 100_000, b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 20_000])
async def test_a_request_whose_head_does_not_end_is_cut_off(head):
    config = serving(app_over(*feed_of(*WORLD)))
    server, listener = uvicorn.Server(config), socket.create_server(("127.0.0.1", 0))
    task = asyncio.create_task(server._serve([listener]))  # noqa: SLF001 - without its signal handlers
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    try:
        writer.write(head)
        async with asyncio.timeout(5):
            assert not (await reader.read()).startswith(b"HTTP/1.1 200")
        async with httpx.AsyncClient() as client:
            port = listener.getsockname()[1]
            for path in ("/v1/facets", "/v1/players?search=car", "/"):
                assert (await client.get(f"http://127.0.0.1:{port}{path}")).status_code == 200
    finally:
        writer.close()
        server.should_exit = True
        await task
