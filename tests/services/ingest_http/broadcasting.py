"""PGN as broadcasts send it, and a local server that plays a recorded stream with all its oddities."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

from aiohttp import web

from elowire.ingest.sources import BroadcastSource


def pgn(number, result="*", *, moves=3, **tags):
    """One copy of a game; `None` leaves a tag out."""
    facts = {
        "Event": "Round 1: A - B",
        "Site": f"https://lichess.org/broadcast/x/round-1/abcd1234/gam{number:05d}",
        "Date": "2025.10.12",
        "Round": f"1.{number}",
        "White": f"White, {number}",
        "Black": f"Black, {number}",
        "Result": result,
        "WhiteElo": str(2700 + number),
        "BlackElo": str(2600 + number),
        "WhiteTitle": "GM",
        "WhiteFideId": str(1000 + number),
        "BlackFideId": str(2000 + number),
        "TimeControl": "5400+30",
        "BroadcastName": "Open",
        "GameURL": f"https://lichess.org/broadcast/x/round-1/abcd1234/gam{number:05d}",
    } | tags
    played = " ".join(f"{n}. e{n} {{ [%clk 1:30:0{n % 10}] }} d{n}" for n in range(1, moves + 1))
    lines = [f'[{name} "{value}"]' for name, value in facts.items() if value is not None]
    return "\n".join([*lines, "", f"{played} {result}".strip(), "", "", ""])


def source(address, mode="stream", **facts):
    stated = {
        "name": "round",
        "mode": mode,
        "address": address,
        "tournament_id": "open",
        "starts_on": "2025-10-12",
        "ends_on": "2025-10-20",
        "silence_s": 2.0,
        "every_s": 1.0,
    }
    return BroadcastSource.model_validate(stated | facts)


class Played:
    """A round's server: every connection plays the next part; each part is a list of steps.

    A step is text to be sent, seconds to be silent, or CUT, which breaks the connection.
    """

    CUT = object()

    def __init__(self, *parts, status=200):
        self.parts, self.requests, self.status = list(parts), [], status
        self.over = asyncio.Event()

    async def answer(self, request):
        self.requests.append(dict(request.headers))
        if not self.parts:
            self.over.set()
            await asyncio.sleep(30)
        part = self.parts.pop(0)
        if isinstance(part, web.Response):
            return part
        response = web.StreamResponse(headers={"content-type": "application/x-chess-pgn"})
        await response.prepare(request)
        for step in part:
            if step is self.CUT:
                request.transport.abort()
                return response
            if isinstance(step, float):
                await asyncio.sleep(step)
            else:
                await response.write(step.encode())
        return response


@asynccontextmanager
async def served(played):
    app = web.Application()
    app.router.add_get("/round.pgn", played.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        yield f"http://127.0.0.1:{port}/round.pgn"
    finally:
        await runner.cleanup()
