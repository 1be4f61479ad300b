"""The ports of a stack before it starts."""

from __future__ import annotations

import asyncio
import socket

import pytest

from elowire.cli import stack
from elowire.cli.errors import Failure
from elowire.runtime.settings import Settings
from tests.ports import free_ports


@pytest.fixture
def settings():
    return Settings(**dict(zip(stack.PORTS, free_ports(len(stack.PORTS)), strict=True)))


@pytest.mark.parametrize("name", stack.PORTS)
async def test_a_port_that_becomes_free_soon_is_waited_for(settings, name):
    said = []
    with socket.create_server((settings.host, getattr(settings, name))) as other:
        waiting = asyncio.create_task(stack.require_free(settings, said.append))
        while not said:
            await asyncio.sleep(0)
        other.close()
        await waiting

    port = getattr(settings, name)
    assert said == [
        f"port {port} on 127.0.0.1 cannot be used (Address already in use); trying again for 10 s"
    ]


@pytest.mark.parametrize("name", stack.PORTS)
async def test_a_port_that_stays_taken_is_named_with_its_variable(settings, name):
    port = getattr(settings, name)
    with socket.create_server((settings.host, port)), pytest.raises(Failure) as refused:
        await stack.require_free(settings, [].append, within_s=0)

    assert str(refused.value) == (
        f"port {port} on 127.0.0.1 cannot be used (Address already in use). Stop the program that has it, "
        f"or choose another with ELOWIRE_{name.upper()}"
    )


async def test_free_ports_are_not_spoken_of(settings):
    said = []
    await stack.require_free(settings, said.append)

    assert said == []
