"""How quickly many viewers see a change, and in how much memory: `python -m tests.bench.viewers`.

2,000 clients hold the stream of one ticker on the loopback address while 50 live ratings a second arrive.
Latency runs from the moment a record is handed to the board to the moment its bytes are with the client; the
ticker is a process of its own, without Kafka, and all clients are another.
"""

from __future__ import annotations

import asyncio
import gc
import resource
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from contextlib import suppress
from typing import cast

import orjson
import psutil
import uvicorn
import uvloop

from elowire.runtime import clock
from elowire.ticker.api import create_app
from elowire.ticker.service import serving
from elowire.ticker.sources import Sources
from elowire.ticker.streaming import heartbeat_data
from tests.services.ticker.records import feed_of, figures, game, listed, live, record

# Below the ports that the system gives away: a client that asks too early would find itself.
PORT = 19_300
PLAYERS = 5_000
KEPT = 5_000
BEAT_S = 5.0
MARK = b'"event_id":"at-'


def board(players: int):
    """Make a board of a list."""
    return feed_of(
        *[
            (
                "rating-lists",
                listed(
                    str(number),
                    name=f"Family{number}, Given",
                    federation="ROU",
                    standard=1400 + number % 1400,
                    rapid=1400 + number % 1390,
                    blitz=1400 + number % 1380,
                ),
            )
            for number in range(1, players + 1)
        ]
    )


async def serve(rate: float) -> None:
    """Serve a board on which `rate` ratings change every second, for ever."""
    feed, of_all, stream = board(PLAYERS)
    gc.freeze()  # as the feed does when a board is complete
    app = create_app(Sources(of_all, stream, feed.progress, clock.now))
    config = serving(app)
    config.port = PORT
    config.backlog = 4_096
    server = uvicorn.Server(config)
    serving_task = asyncio.create_task(server.serve())
    # The changes that are kept for those who come back are there from the start: no growth of memory.
    for number in range(1, KEPT + 1):
        feed.take([record("live-ratings", changed(number, 0), number)])
    number, begun, beat = 0, time.monotonic(), time.monotonic()
    while not serving_task.done():
        await asyncio.sleep(0.005)
        now = time.monotonic()
        while number < (now - begun) * rate:
            number += 1
            feed.take([record("live-ratings", changed(KEPT + number, begun + number / rate), number)])
        if now - beat > BEAT_S:
            beat = now
            stream.beat(orjson.dumps(heartbeat_data(feed.progress, clock.now)))
    await serving_task


def changed(number: int, due: float) -> bytes:
    """Make the record of a change that was due at a time, whenever the ticker comes to it."""
    player = str(1 + number * 7919 % PLAYERS)
    value = orjson.loads(
        live(player, number, game=game(player, number, number), standard=figures(2700, f"{number % 90}.30"))
    )
    value["cause"]["event_id"] = f"at-{int(due * 1e9)}"

    return orjson.dumps(value)


class Viewer(asyncio.BufferedProtocol):
    """One client: asks for the stream, and notes when the changes come."""

    took: list[int]
    counting = False
    room = bytearray(1 << 20)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask."""
        # uvloop's transports are no subclass of asyncio's.
        cast("asyncio.Transport", transport).write(
            b"GET /v1/stream?time_control=standard HTTP/1.1\r\nHost: bench\r\n\r\n"
        )

    def get_buffer(self, sizehint: int) -> bytearray:
        """Let all clients share one place: what is in it is looked at once."""
        del sizehint
        return Viewer.room

    def buffer_updated(self, nbytes: int) -> None:
        """Note the age of each change; a mark that is cut in two is left out."""
        if not Viewer.counting:
            return
        data, now = bytes(memoryview(Viewer.room)[:nbytes]), time.monotonic_ns()
        at = data.find(MARK)
        while at >= 0:
            end = data.find(b'"', at + len(MARK))
            if end > 0:
                Viewer.took.append(now - int(data[at + len(MARK) : end]))
            at = data.find(MARK, at + len(MARK))


async def watch(clients: int, seconds: float, server: psutil.Process) -> None:
    """Connect the clients, count for a while, and print what they saw."""
    loop = asyncio.get_running_loop()
    transports = []
    for number in range(clients):
        transport, _ = await loop.create_connection(Viewer, "127.0.0.1", PORT)
        transports.append(transport)
        if number % 50 == 0:
            await asyncio.sleep(0.02)
    await asyncio.sleep(5)
    Viewer.took, Viewer.counting = [], True
    before, cpu, begun = server.memory_info().rss, sum(server.cpu_times()[:2]), time.monotonic()
    own = time.process_time()
    await asyncio.sleep(seconds)
    Viewer.counting = False
    own = (time.process_time() - own) / (time.monotonic() - begun)
    spent = (sum(server.cpu_times()[:2]) - cpu) / (time.monotonic() - begun)
    after, took = server.memory_info().rss, sorted(Viewer.took)
    open_still = sum(not transport.is_closing() for transport in transports)
    for transport in transports:
        transport.abort()
    at = {share: took[int(len(took) * share)] / 1e6 for share in (0.5, 0.99, 0.999)}
    print(f"{open_still} of {clients} clients to the end, {len(took) / seconds:.0f} changes a second to all")
    print("latency " + ", ".join(f"p{100 * share:g} {ms:.0f} ms" for share, ms in at.items()))
    print(
        f"ticker: CPU {100 * spent:.0f} %, memory {before / 2**20:.0f} MiB, "
        f"{seconds:g} s later {after / 2**20:.0f} MiB; all clients: CPU {100 * own:.0f} %"
    )


def _listening(within_s: float) -> None:
    """Wait until the ticker takes connections."""
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", PORT)):
            return
        time.sleep(0.1)
    raise TimeoutError("the ticker does not listen")


def main() -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--clients", type=int, default=2_000)
    parser.add_argument("--rate", type=float, default=50.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--serve", action="store_true", help="be the ticker")
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 20_000), most))
    if options.serve:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve(options.rate))
        return
    command = [sys.executable, "-m", "tests.bench.viewers", "--serve", "--rate", str(options.rate)]
    process = subprocess.Popen(command)
    try:
        _listening(30)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(watch(options.clients, options.seconds, psutil.Process(process.pid)))
    finally:
        process.terminate()
        process.wait(20)


if __name__ == "__main__":
    main()
