"""Three nodes for the session; the proxies before them live as long as a test."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest

from tests.broker.faults.proxy import Proxy
from tests.cluster.nodes import Cluster


@pytest.fixture(scope="session")
def three(tmp_path_factory):
    """Three nodes, all running before and after each test; their proxies are not."""
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
async def proxies(three):
    """By node number: (between, proxied), what the other nodes and what workers come through."""
    async with AsyncExitStack() as stack:
        yield {
            node.number: (
                await stack.enter_async_context(Proxy(node.between_door, node.between)),
                await stack.enter_async_context(Proxy(node.proxied_door, node.proxied)),
            )
            for node in three.nodes
        }
