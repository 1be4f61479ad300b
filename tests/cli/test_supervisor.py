"""What the keeper of the services says of one that does not get ready."""

from __future__ import annotations

import asyncio

import pytest

from elowire.cli.supervisor import Service, Supervisor
from tests.ports import free_port


async def test_a_service_that_ends_again_and_again_is_told_with_its_code():
    said: list[str] = []
    # What it is told, it does not know: it ends at once.
    service = Service("ticker", ("--no-such-option",), {}, free_port())
    supervisor = Supervisor([service], said.append, asyncio.subprocess.DEVNULL)
    await supervisor.start()
    try:
        with pytest.raises(TimeoutError) as found:
            await supervisor.ready(host="127.0.0.1", within_s=10.0)
    finally:
        await supervisor.stop()

    assert said
    code = said[0].split("code ")[1].split(";")[0]
    assert f"ticker is not ready after 10 s: it has ended {len(said)} times" in str(found.value)
    assert f"at last with code {code}; its last error above says why" in str(found.value)
