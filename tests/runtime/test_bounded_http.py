from __future__ import annotations

import asyncio
import socket
from contextlib import asynccontextmanager

import httpx
import pytest
import uvicorn

from elowire.runtime.bounded_http import BoundedHttp

MIB = 1 << 20


async def app(scope, receive, send):
    """Answers at once, without reading; `/read` reads a body of any length, `/slow` takes its time."""
    status, body = 413, b"too large"
    if scope["path"] == "/read":
        size = 0
        while True:
            message = await receive()
            size += len(message.get("body", b""))
            if not message.get("more_body"):
                break
        status, body = 200, b"%d" % size
    if scope["path"] == "/slow":
        status, body = 200, b"slow"
        await asyncio.sleep(0.5)
    headers = [(b"content-length", b"%d" % len(body))]
    if scope["path"] == "/close":
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@asynccontextmanager
async def served():
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app, lifespan="off", log_config=None, http=BoundedHttp, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server._serve([listener]))  # noqa: SLF001 - without its signal handlers
    yield listener.getsockname()[1]
    server.should_exit = True
    await task


async def said(port, *parts, pause=0.0, within=5.0):
    """Send the parts, and give everything that comes until the end of the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    async with asyncio.timeout(within):
        for part in parts:
            writer.write(part)
            await writer.drain()
            await asyncio.sleep(pause)
        answer = await reader.read()
    writer.close()
    return answer


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr("elowire.runtime.bounded_http._HEAD_S", 0.3)
    monkeypatch.setattr("elowire.runtime.bounded_http._REST_S", 0.3)
    monkeypatch.setattr("elowire.runtime.bounded_http._FAREWELL_S", 0.1)


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\r\nx: " + b"a" * 70_000 + b"\r\n\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 50_000,
        b"GET / HTTP/1.1\r\nx: " + b"a" * 300_000,
    ],
)
@pytest.mark.usefixtures("hasty")
async def test_a_head_that_is_too_long_is_answered_431(head):
    async with served() as port:
        answer = await said(port, head)

    assert answer.startswith(b"HTTP/1.1 431 ")
    assert answer.endswith(b'{"detail":"The head of the request is too long."}')


@pytest.mark.usefixtures("hasty")
async def test_a_head_that_comes_piece_by_piece_is_bounded_too():
    async with served() as port:
        answer = await said(port, b"GET / HTTP/1.1\r\n", *[b"x: " + b"a" * 9_000 + b"\r\n"] * 9)

    assert answer.startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize("head", [b"GET / HTTP/1.1\r\nhost: x\r\n", b"\r\n", b"GET"])
@pytest.mark.usefixtures("hasty")
async def test_a_head_that_does_not_end_is_answered_408(head):
    async with served() as port:
        answer = await said(port, head)

    assert answer.startswith(b"HTTP/1.1 408 ")


@pytest.mark.usefixtures("hasty")
async def test_who_says_nothing_is_let_go():
    async with served() as port:
        assert await said(port) == b""


@pytest.mark.usefixtures("hasty")
async def test_a_second_head_that_does_not_end_is_answered_too():
    async with served() as port:
        answer = await said(port, b"GET /slow HTTP/1.1\r\nhost: x\r\n\r\n", b"GET / HT", pause=0.7)

    assert answer.count(b"HTTP/1.1 200") == 1
    assert b"HTTP/1.1 408 " in answer


async def test_a_body_that_begins_beside_its_head_is_no_head():
    request = b"POST /read HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n" + b"b" * 1_000_000
    last = b"GET /close HTTP/1.1\r\nhost: x\r\n\r\n"
    async with served() as port:
        answer = await said(port, request * 3 + last)

    assert answer.count(b"\r\n\r\n1000000") == 3
    assert b"HTTP/1.1 413" in answer


@pytest.mark.parametrize("path", ["/", "/close"])
@pytest.mark.parametrize("size", [3 * MIB, 12 * MIB])
async def test_the_answer_arrives_though_the_body_was_not_read(path, size):
    async with served() as port, httpx.AsyncClient() as client:
        for _ in range(3):
            answer = await client.post(f"http://127.0.0.1:{port}{path}", content=b"b" * size)

            assert (answer.status_code, answer.text) == (413, "too large")


@pytest.mark.usefixtures("hasty")
async def test_the_rest_of_a_body_is_not_taken_for_ever():
    head = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 999999999\r\n\r\n"
    async with served() as port:
        for _ in range(2):
            # Slowly: the end comes by the time. At once: by the size, whereupon the connection is reset.
            assert (await said(port, head, b"b", pause=0.05)).startswith(b"HTTP/1.1 413")
        with pytest.raises(OSError, match=r"reset|Broken pipe"):
            await said(port, head, *[b"b" * MIB] * 200)
