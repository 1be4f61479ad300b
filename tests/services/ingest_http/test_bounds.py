"""Requests that are too large, at ingest as it runs."""

from __future__ import annotations

import asyncio

import httpx

from elowire.ingest.service import Ingest
from elowire.runtime.settings import load_settings
from tests.ports import free_ports


async def test_what_is_too_large_is_answered_and_not_reset(tmp_path):
    port, admin_port = free_ports(2)
    ingest = Ingest(
        load_settings(
            bootstrap="127.0.0.1:1", data_dir=tmp_path, ingest_port=port, ingest_admin_port=admin_port
        )
    )
    await ingest.start()
    try:
        async with httpx.AsyncClient() as client:
            body = await client.post(f"http://127.0.0.1:{port}/v1/events", content=b" " * (3 << 20))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /v1/events HTTP/1.1\r\nx: " + b"a" * 300_000)
        async with asyncio.timeout(5):
            head = await reader.readline()
        writer.close()
    finally:
        await ingest.stop()

    assert body.status_code == 401
    assert head.startswith(b"HTTP/1.1 431 ")
