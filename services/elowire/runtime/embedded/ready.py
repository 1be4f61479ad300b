"""Whether a broker serves: not when its port is open, but when it answers what a client asks first."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

_ANSWER_S = 5.0


def cluster_id_at(host: str, port: int) -> str | None:
    """Id of the cluster whose broker answers a metadata request at this address; None when none does yet.

    A broker lists itself only when its controller has let it serve, so an empty list is a "not yet".
    """
    try:
        socket.create_connection((host, port), 1).close()
    except OSError:
        return None
    # In a thread of its own: the caller's may have an event loop running already.
    with ThreadPoolExecutor(1, thread_name_prefix="ready") as thread:
        return thread.submit(asyncio.run, _cluster_id(f"{host}:{port}")).result()


async def _cluster_id(bootstrap: str) -> str | None:
    client = AIOKafkaAdminClient(bootstrap_servers=bootstrap, request_timeout_ms=int(_ANSWER_S * 1000))
    try:
        async with asyncio.timeout(_ANSWER_S):
            await client.start()
            cluster = await client.describe_cluster()
    except (KafkaError, OSError, TimeoutError):
        return None
    finally:
        await client.close()
    return str(cluster["cluster_id"]) if cluster["brokers"] else None
