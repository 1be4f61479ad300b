"""A service stops when it is asked to, also when the Kafka client lost the first request."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

from elowire.dispatch import feed as dispatch_feed
from elowire.dispatch.service import Dispatch
from elowire.runtime.settings import load_settings
from elowire.ticker import feed as ticker_feed
from elowire.ticker.service import Ticker
from tests.ports import free_ports


async def test_the_ticker_stops(tmp_path, monkeypatch):
    asked = asyncio.Event()

    async def end_offsets(*_):
        await lost(asked)

    monkeypatch.setattr(ticker_feed.kafka, "end_offsets", end_offsets)

    await stopped(Ticker(settings_of("ticker", tmp_path)), asked)


async def test_dispatch_stops(tmp_path, monkeypatch):
    asked = asyncio.Event()

    @asynccontextmanager
    async def span_reader(*_):
        await lost(asked)
        yield

    monkeypatch.setattr(dispatch_feed.kafka, "span_reader", span_reader)

    await stopped(Dispatch(settings_of("dispatch", tmp_path)), asked)


async def lost(asked):
    """Fail as aiokafka does when its connection is refused in the moment of the cancellation."""
    try:
        asked.set()
        await asyncio.sleep(3600)
    except asyncio.CancelledError:
        raise OSError("the connection was refused") from None


async def stopped(service, asked):
    await service.start()
    await asked.wait()
    async with asyncio.timeout(20):
        await service.stop()


def settings_of(name, folder):
    port, admin_port = free_ports(2)
    ports = {f"{name}_port": port, f"{name}_admin_port": admin_port}
    return load_settings(bootstrap="127.0.0.1:1", data_dir=folder / "data", **ports)
