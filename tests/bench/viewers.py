"""How quickly many viewers see a change, and in how much memory: `python -m tests.bench.viewers`.

2,000 clients hold the stream of one ticker on the loopback address while 50 live ratings a second arrive.
Latency runs from the moment a record is due to the moment its bytes are with the client. The ticker is a
process of its own, without Kafka; so are the crowd, which only takes bytes, and a hundred probes among it,
which look at the time: what is measured is the ticker's doing, and not that of so many clients in Python.
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
from typing import NamedTuple, cast

import orjson
import psutil
import uvicorn
import uvloop

from elowire.runtime import clock
from elowire.ticker.api import create_app
from elowire.ticker.service import serving
from elowire.ticker.sources import Sources
from elowire.ticker.streaming import heartbeat_data
from tests.bench.cluster import cpu_s
from tests.bench.crowd import ASKING, CONNECTING_S, Client, connected, crowd
from tests.bench.figures import Row
from tests.ports import free_port
from tests.services.ticker.records import feed_of, figures, game, listed, live, record

PLAYERS = 5_000
KEPT = 5_000
BEAT_S = 5.0
PROBES = 100
"""Clients, among all the others, in a process of their own with little else to do."""
MEMORIES = 6
"""Looks at the memory, evenly over the time: what fills at first is told from what grows for ever."""


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


async def serve(rate: float, port: int) -> None:
    """Serve a board on which `rate` ratings change every second, for ever."""
    feed, of_all, stream = board(PLAYERS)
    gc.freeze()  # as the feed does when a board is complete
    app = create_app(Sources(of_all, stream, feed.progress, clock.now))
    config = serving(app)
    config.port = port
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
            due = begun + number / rate
            number += 1
            feed.take([record("live-ratings", changed(KEPT + number, due), number)])
        if now - beat > BEAT_S:
            beat = now
            stream.beat(orjson.dumps(heartbeat_data(feed.progress, clock.now)))
    await serving_task


def changed(number: int, due: float) -> bytes:
    """Make the record of a change that was due at a time, whenever the ticker comes to it."""
    player = str(1 + number * 7919 % PLAYERS)
    # A game of its own for each would make the board grow, which is not what is measured.
    played = game(player, number % KEPT, number)
    value = orjson.loads(live(player, number, game=played, standard=figures(2700, f"{number % 90}.30")))
    value["cause"]["event_id"] = f"at-{int(due * 1e9)}"

    return orjson.dumps(value)


class Seen(NamedTuple):
    """What a measurement saw: latencies in seconds, memory in bytes, CPU as a share of one core.

    `cpu_each` is the ticker's CPU for one change brought to one client, in seconds.
    """

    left: int
    took: list[float]
    memory: list[int]
    cpu: float
    cpu_each: float
    crowd_cpu: float
    own_cpu: float
    bytes_per_s: float

    def at(self, share: float) -> float:
        """Give the latency in milliseconds that a share of all changes kept to."""
        return self.took[int(len(self.took) * share)] * 1000


async def watch(
    clients: int, seconds: float, server: psutil.Process, crowd: subprocess.Popen[str], port: int
) -> Seen:
    """Be the probes: connect, settle, count for a while."""
    probes = min(PROBES, clients // 2)
    transports = await connected(probes, CONNECTING_S, port)
    await asyncio.to_thread(_crowd_says, crowd)
    await asyncio.sleep(5)
    _, bytes_before, crowd_cpu = await asyncio.to_thread(_crowd_says, crowd)
    Client.took.clear()
    Client.counting = True
    memory = [_memory(server)]
    cpu, own, begun = cpu_s(server), time.process_time(), time.monotonic()
    for _ in range(MEMORIES):
        await asyncio.sleep(seconds / MEMORIES)
        memory.append(_memory(server))
    Client.counting = False
    wall = time.monotonic() - begun
    cpu, own = cpu_s(server) - cpu, time.process_time() - own
    left, bytes_after, crowd_cpu_after = await asyncio.to_thread(_crowd_says, crowd)
    left += sum(not transport.is_closing() for transport in transports)
    for transport in transports:
        transport.abort()

    return Seen(
        left=int(left),
        took=sorted(one / 1e9 for one in Client.took),
        memory=memory,
        cpu=cpu / wall,
        cpu_each=cpu / (len(Client.took) / probes * clients),
        crowd_cpu=(crowd_cpu_after - crowd_cpu) / wall,
        own_cpu=own / wall,
        bytes_per_s=(bytes_after - bytes_before) / wall,
    )


def measure(clients: int, rate: float, seconds: float, over: str) -> Seen:
    """Start a ticker and a crowd, watch, and end them."""
    Client.over = over
    port = free_port()
    command = [sys.executable, "-m", "tests.bench.viewers", "--rate", str(rate), "--over", over]
    command += ["--port", str(port)]
    with subprocess.Popen([*command, "--serve"]) as ticker:
        try:
            _listening(port, within_s=30)
            others = [*command, "--crowd", str(clients - min(PROBES, clients // 2))]
            with (
                subprocess.Popen(others, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as crowd,
                asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
            ):
                return runner.run(watch(clients, seconds, psutil.Process(ticker.pid), crowd, port))
        finally:
            ticker.terminate()


def rows(clients: int = 2_000, rate: float = 50.0, seconds: float = 30.0) -> list[Row]:
    """Measure both protocols, as rows of `make bench`."""
    found = []
    for over in ASKING:
        _many_files()
        seen = measure(clients, rate, seconds, over)
        what = f"{clients} {over} clients, {rate:g} changes/s"
        found += [Row(f"{what}, p{100 * share:g}", seen.at(share), "ms") for share in (0.5, 0.99)]
        found.append(Row(f"{what}, CPU of the ticker for a change at a client", seen.cpu_each * 1e6, "µs"))
        found.append(Row(f"{what}, growth of memory", (seen.memory[-1] - seen.memory[0]) / 2**20, "MiB"))

    return found


def _crowd_says(crowd: subprocess.Popen[str]) -> list[float]:
    assert crowd.stdin is not None
    assert crowd.stdout is not None
    crowd.stdin.write("\n")
    crowd.stdin.flush()
    return cast("list[float]", orjson.loads(crowd.stdout.readline()))


def _memory(process: psutil.Process) -> int:
    return int(process.memory_info().rss)


def _many_files() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 20_000), most))


def _listening(port: int, within_s: float) -> None:
    """Wait until the ticker takes connections."""
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    raise TimeoutError("the ticker does not listen")


def main() -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--clients", type=int, default=2_000)
    parser.add_argument("--rate", type=float, default=50.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--over", choices=list(ASKING), default="http")
    parser.add_argument("--serve", action="store_true", help="be the ticker")
    parser.add_argument("--crowd", type=int, help="be so many clients")
    parser.add_argument("--port", type=int, help="of the ticker, for both of these")
    options = parser.parse_args()
    _many_files()
    Client.over = options.over
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        if options.serve:
            runner.run(serve(options.rate, options.port))
            return
        if options.crowd:
            runner.run(crowd(options.crowd, options.port))
            return
    seen = measure(options.clients, options.rate, options.seconds, options.over)
    print(f"{seen.left} of {options.clients} {options.over} clients to the end")
    print(f"{seen.bytes_per_s / 2**20:.0f} MiB/s to the crowd, {len(seen.took)} changes seen by probes")
    print("latency " + ", ".join(f"p{100 * share:g} {seen.at(share):.0f} ms" for share in (0.5, 0.99, 0.999)))
    print(
        f"ticker: CPU {100 * seen.cpu:.0f} %, {seen.cpu_each * 1e6:.1f} µs for a change at a client, memory "
        f"every {options.seconds / MEMORIES:g} s "
        + ", ".join(f"{memory / 2**20:.0f}" for memory in seen.memory)
        + f" MiB; crowd: CPU {100 * seen.crowd_cpu:.0f} %, probes: CPU {100 * seen.own_cpu:.0f} %"
    )


if __name__ == "__main__":
    main()
