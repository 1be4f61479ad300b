"""A dispatch in this process, receivers in processes of their own; Kafka's part is records as read."""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from ipaddress import ip_network
from pathlib import Path

import httpx
import orjson
from pydantic import SecretStr

from elowire.dispatch import deliveries, desk
from elowire.dispatch import store_subscriptions as stored
from elowire.dispatch.filters import Filters
from elowire.dispatch.intake import read_batch, take
from elowire.dispatch.service import Dispatch
from elowire.dispatch.store import open_store
from elowire.dispatch.subscriptions import Wanted
from elowire.runtime.kafka import Record
from elowire.runtime.settings import load_settings
from tests.ports import free_ports

SECRET = "whsec_" + base64.b64encode(b"a secret of the tests only......").decode()
LOOPBACK = (ip_network("127.0.0.0/8"),)
WAIT_S = 20
AT_MS = 1_760_000_000_000


def figures(live, previous):
    return {
        "status": "rated",
        "live": live,
        "change": "0.00",
        "previous": {"live": previous, "predicted": None},
    }


def live_record(player, version, *, offset=0, partition=0, live="2700.0", before="2690.0", **more):
    """A live rating as the processor writes it, as far as dispatch reads it."""
    data = {
        "player_id": player,
        "version": version,
        "cause": {
            "event_id": f"g{version}",
            "type": "elowire.game-result.v1",
            "tournament_id": "open",
            "kind": "game",
        },
        "changed": ["standard"],
        "standard": figures(live, before),
        "game": None,
    } | more
    return record(
        "live-ratings", data, f"{player}:{version}", "elowire.live-rating.v1", player, offset, partition
    )


def record(topic, data, event_id, type_, key, offset=0, partition=0):
    headers = [
        ("ce_specversion", b"1.0"),
        ("ce_id", event_id.encode()),
        ("ce_source", b"elowire/processor"),
        ("ce_type", type_.encode()),
        ("ce_time", b"2025-10-12T22:40:00.000Z"),
        ("ce_subject", key.encode()),
        ("content-type", b"application/json"),
    ]
    return Record(topic, partition, offset, AT_MS, key.encode(), orjson.dumps(data), headers)


def now():
    return datetime.now(UTC)


class Receiver:
    """The process of `receiver.py`, which can be killed and started again on the same port and log."""

    def __init__(self, folder, *, secrets=(SECRET,), certificate=None):
        folder.mkdir(exist_ok=True, parents=True)
        (self.port,) = free_ports(1)
        self.log, self.secrets = folder / f"{self.port}.log", folder / f"{self.port}.secrets"
        self._certificate = certificate
        self.log.touch()
        self.secrets.write_text("\n".join(secrets))
        self.process = None
        self.start()

    def start(self):
        more = [] if self._certificate is None else [str(self._certificate)]
        self.process = subprocess.Popen(
            [
                sys.executable,
                Path(__file__).with_name("receiver.py"),
                str(self.port),
                self.log,
                self.secrets,
                *more,
            ]
        )
        deadline = time.monotonic() + WAIT_S
        while True:
            try:
                httpx.get(f"http://127.0.0.1:{self.port}/", timeout=2)
            except httpx.ConnectError:
                assert time.monotonic() < deadline, "the receiver does not start"
                assert self.process.poll() is None, "the receiver ended"
                time.sleep(0.02)
            except httpx.TransportError:
                break
            else:
                break

    def kill(self):
        self.process.kill()
        self.process.wait()

    def url(self, path="ok", *, scheme="http", host="127.0.0.1"):
        return f"{scheme}://{host}:{self.port}/{path}"

    @property
    def requests(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def versions(self, path=None):
        """What arrived: player -> versions in the order of arrival."""
        found = {}
        for one in self.requests:
            if path is None or one["path"] == f"/{path}":
                data = one["event"]["data"]
                found.setdefault(data["player_id"], []).append(data["version"])
        return found


class Office:
    """What an operator does beside the running service, in the same file."""

    def __init__(self, settings):
        self.settings = settings
        self.store = open_store(settings.data_dir)
        self.egress = desk.egress_of(settings)
        self._offset = 0

    def add(self, name, url, *, secret=SECRET, **filters):
        wanted = Wanted(name=name, url=url, secret=SecretStr(secret), filters=Filters(**filters))
        return desk.add(self.store, wanted, egress=self.egress, random=b"r" * 32, now=now())[0]

    def read(self, *records):
        """What the feed does with records of Kafka."""
        return take(self.store, read_batch(records), int(time.time() * 1000))

    def rate(self, player, *versions):
        return self.read(*(live_record(player, version) for version in versions))

    def subscription(self, name):
        with self.store.reading() as connection:
            return stored.subscription_named(connection, name)

    def deliveries(self, name, **which):
        with self.store.reading() as connection:
            found = stored.subscription_named(connection, name)
            return deliveries.listed_deliveries(connection, found, **which)[::-1]

    def attempts(self, number):
        with self.store.reading() as connection:
            return deliveries.delivery_numbered(connection, number)[1]

    def counts(self, name):
        with self.store.reading() as connection:
            return deliveries.counts(connection, stored.subscription_named(connection, name))


def settings_for(folder, **more):
    port, admin_port = free_ports(2)
    ours = {
        "bootstrap": "127.0.0.1:1",
        "data_dir": folder,
        "dispatch_port": port,
        "dispatch_admin_port": admin_port,
        "dispatch_allow_http": True,
        "dispatch_allowed_networks": LOOPBACK,
        "dispatch_timeout_s": 5.0,
    }
    return load_settings(**{**ours, **more})


@asynccontextmanager
async def running(settings, **more):
    """Run a dispatch with short pauses; gives what an operator has beside it."""
    dispatch = Dispatch(settings, **{"delays_s": (1, 1, 1), "jitter": lambda: 0.0, **more})
    await dispatch.start()
    office = Office(settings)
    try:
        yield office
    finally:
        office.store.close()
        await dispatch.stop()


async def until(met, within_s=WAIT_S, what="it to happen"):
    """Ask again until the answer is true; gives it."""
    deadline = time.monotonic() + within_s
    while not (answer := met()):
        assert time.monotonic() < deadline, f"waited {within_s} s for {what() if callable(what) else what}"
        await asyncio.sleep(0.03)
    return answer
