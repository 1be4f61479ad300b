"""Ingest's HTTP in memory: real sources, store, guard and intake; Kafka is a list that may refuse."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import httpx

from elowire.contracts.envelope import decode
from elowire.ingest.corrections_work import Desk
from elowire.ingest.http_app import create_app
from elowire.ingest.http_guard import Guard, Limits, Watched
from elowire.ingest.service_intake import Intake
from elowire.ingest.service_outbox import KafkaAwayError
from elowire.ingest.service_store import Store
from elowire.ingest.signatures import key_of, sign
from elowire.ingest.sources import WebhookSource, changed_sources, made_secret
from elowire.runtime.settings import load_settings

NOW = datetime(2025, 10, 24, 21, 4, tzinfo=UTC)
GAME = {
    "tournament_id": "club-open",
    "game_id": "1.1",
    "revision": 1,
    "status": "played",
    "white": {"player_id": "1503014"},
    "black": {"player_id": "2016192"},
    "result": "1-0",
}


def event(number=1, data=None, **attributes):
    """A CloudEvent of a game, or of other data."""
    return {
        "specversion": "1.0",
        "id": f"g-{number}",
        "source": "test",
        "type": "elowire.game-result.v1",
        "data": GAME | (data or {}),
    } | attributes


class Kafka:
    """What the outbox promises: all records of a call, or `KafkaAwayError`."""

    def __init__(self):
        self.records = []
        self.away = False

    async def send(self, records):
        if self.away:
            raise KafkaAwayError("no Kafka broker answers", retry_after_s=7)
        self.records += records

    def events(self):
        return [decode(r.topic, r.key, r.value, r.headers) for r in self.records]


class Door:
    """A client that signs, and everything behind the door."""

    def __init__(self, folder, limits):
        self.now = NOW
        self.kafka = Kafka()
        self.path = folder / "sources.json"
        self.store = Store(folder / "ingest.sqlite")
        self.intake = Intake(self.store, self.kafka, folder / "rating-book.sqlite", lambda: self.now)
        self.guard = Guard(Watched(self.path), self.store, lambda: self.now, limits)
        desk = Desk(load_settings(bootstrap="127.0.0.1:1"), self.store, self.kafka.send, lambda: self.now)
        self.app = create_app(self.guard, self.intake, desk)
        self.secrets = {}
        self.client = None

    def add(self, name, *, operator=False, seed=b"s"):
        secret = made_secret((seed + name.encode()).ljust(32, b"."), self.now)
        with changed_sources(self.path) as held:
            held[0] = held[0].with_source(WebhookSource(name=name, operator=operator, secrets=(secret,)))
        self.secrets[name] = secret.secret.get_secret_value()

    def rotate(self, name, *, overlap):
        secret = made_secret(b"rotated".ljust(32, b"."), self.now)
        with changed_sources(self.path) as held:
            held[0] = held[0].rotated(name, secret, overlap=overlap)
        self.secrets[name] = secret.secret.get_secret_value()

    def later(self, **by):
        self.now += timedelta(**by)

    def signed(self, body, webhook_id, *secrets, at=None):
        stamp = int((at or self.now).timestamp())
        keys = [key_of(secret) for secret in secrets or (self.secrets["club"],)]
        return {
            "webhook-id": webhook_id,
            "webhook-timestamp": str(stamp),
            "webhook-signature": " ".join(sign(key, webhook_id, stamp, body) for key in keys),
        }

    async def send(self, content, webhook_id="msg-1", *, kind="application/cloudevents+json", **headers):
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        said = {"content-type": kind} | self.signed(body, webhook_id) | headers
        said = {name.replace("_", "-"): value for name, value in said.items() if value is not None}
        return await self.client.post("/v1/events", content=body, headers=said)

    async def put(self, body, path, webhook_id="file-1", *, kind="application/octet-stream"):
        said = {"content-type": kind} | self.signed(body, webhook_id)
        return await self.client.put(path, content=body, headers=said)


@asynccontextmanager
async def open_door(folder, *, limits=None, sources=("club",)):
    door = Door(folder, limits or Limits())
    for name in sources:
        door.add(name)
    transport = httpx.ASGITransport(app=door.app, client=("192.0.2.7", 5))
    async with httpx.AsyncClient(transport=transport, base_url="http://ingest") as client:
        door.client = client
        try:
            yield door
        finally:
            door.store.close()
