"""Subscriptions over HTTP: who has a token may do what the commands do, and errors say what to do."""

from __future__ import annotations

from contextlib import asynccontextmanager

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from elowire.dispatch import desk
from elowire.dispatch import store_subscriptions as stored
from elowire.dispatch.egress import Egress
from elowire.dispatch.http_app import create_app
from elowire.dispatch.http_guard import MOST_BODY_BYTES, Guard
from elowire.dispatch.intake import read_batch, take
from elowire.dispatch.store import Store
from tests.services.dispatch.sending import SECRET, live_record, now

URL = "https://club.example/elo"


@asynccontextmanager
async def opened(folder, *, own=None):
    store = Store(folder / "dispatch.sqlite")
    app = create_app(store, Guard(store, own), Egress(), now)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app), base_url="http://dispatch"
    ) as client:
        client.store = store
        yield client
    store.close()


@pytest.fixture
async def client(tmp_path):
    async with opened(tmp_path) as found:
        token = desk.new_token(found.store, "tests", random="r" * 43, now=now())
        found.headers["authorization"] = f"Bearer {token}"
        yield found


async def test_a_subscription_s_whole_life(client):
    made = await client.post(
        "/v1/subscriptions",
        json={"name": "club", "url": URL, "filters": {"players": ["1"], "min_change": "2.5"}},
    )
    listed = await client.get("/v1/subscriptions")
    changed = await client.patch("/v1/subscriptions/club", json={"filters": {"federations": ["NOR"]}})
    rotated = await client.post("/v1/subscriptions/club/rotate", json={"overlap_hours": 1})
    disabled = await client.post("/v1/subscriptions/club/disable")
    tested = await client.post("/v1/subscriptions/club/test")
    enabled = await client.post("/v1/subscriptions/club/enable")
    delivery = await client.get(f"/v1/deliveries/{tested.json()['delivery']}")
    removed = await client.delete("/v1/subscriptions/club")
    gone = await client.get("/v1/subscriptions/club")

    assert (made.status_code, made.json()["secret"][:6]) == (201, "whsec_")
    assert made.json()["filters"] == {"kinds": ["live-rating"], "players": ["1"], "min_change": "2.5"}
    assert [one["name"] for one in listed.json()["subscriptions"]] == ["club"]
    assert "secret" not in listed.text.replace("secrets_in_force", "")
    assert changed.json()["filters"] == {"kinds": ["live-rating"], "federations": ["NOR"]}
    assert changed.json()["url"] == URL
    assert rotated.json()["secret"] != made.json()["secret"]
    assert (disabled.json()["state"], disabled.json()["reason"]) == ("disabled", "disabled by hand")
    assert disabled.json()["secrets_in_force"] == 2
    assert (enabled.json()["state"], enabled.json()["reason"]) == ("active", None)
    assert delivery.json()["body"]["type"] == "elowire.webhook-test.v1"
    assert (removed.status_code, gone.status_code) == (204, 404)


async def test_a_secret_of_one_s_own_is_not_sent_back(client):
    made = await client.post("/v1/subscriptions", json={"name": "club", "url": URL, "secret": SECRET})
    rotated = await client.post("/v1/subscriptions/club/rotate", json={"secret": SECRET})

    assert (made.status_code, rotated.status_code) == (201, 200)
    assert SECRET not in made.text + rotated.text


async def test_deliveries_are_listed_shown_and_sent_again(client):
    await client.post("/v1/subscriptions", json={"name": "club", "url": URL})
    take(client.store, read_batch([live_record("1", version) for version in (1, 2, 3)]), 1_760_000_000_000)
    listed = (await client.get("/v1/subscriptions/club/deliveries?limit=2")).json()["deliveries"]
    more = (await client.get(f"/v1/subscriptions/club/deliveries?before={listed[-1]['delivery']}")).json()
    shown = (await client.get(f"/v1/deliveries/{listed[0]['delivery']}")).json()
    again = await client.post("/v1/subscriptions/club/replay", json={"deliveries": [listed[0]["delivery"]]})
    await client.post("/v1/subscriptions/club/disable")
    held = (await client.get("/v1/subscriptions/club/deliveries?state=queued")).json()["deliveries"]

    assert [one["event_id"] for one in listed] == ["1:3", "1:2"]
    assert [one["event_id"] for one in more["deliveries"]] == ["1:1"]
    assert (shown["body"]["data"]["version"], shown["log"]) == (3, [])
    assert (again.status_code, again.json()) == (202, {"queued": 1})
    assert {one["state"] for one in held} == {"held"}


@pytest.mark.parametrize(
    ("call", "status", "field", "words"),
    [
        (("POST", "/v1/subscriptions", {"name": "club"}), 400, "url", "missing"),
        (("POST", "/v1/subscriptions", {"name": "C", "url": URL}), 400, "name", "small letters"),
        (("POST", "/v1/subscriptions", {"name": "c", "url": "http://a.example"}), 400, "url", "https"),
        (("POST", "/v1/subscriptions", {"name": "c", "url": "https://[::1]/"}), 400, "url", "loopback"),
        (
            ("POST", "/v1/subscriptions", {"name": "c", "url": URL, "filters": {"x": 1}}),
            400,
            "filters.x",
            "there is no such filter",
        ),
        (("POST", "/v1/subscriptions", {"name": "c", "url": URL, "secret": "mine"}), 400, "secret", "whsec_"),
        (("POST", "/v1/subscriptions", ["x"]), 400, None, "object"),
        (("PATCH", "/v1/subscriptions/nobody", {"url": URL}), 404, None, "no subscription 'nobody'"),
        (("POST", "/v1/subscriptions/nobody/test", None), 404, None, "no subscription 'nobody'"),
        (("POST", "/v1/subscriptions/nobody/replay", {}), 400, None, "not clear what"),
        (("POST", "/v1/subscriptions/nobody/replay", {"failed": True}), 404, None, "no subscription"),
        (("GET", "/v1/deliveries/7", None), 404, None, "no delivery 7"),
        (("GET", "/v1/deliveries/x", None), 422, "delivery", "/openapi.json"),
        (("GET", "/v1/nothing", None), 404, None, "nothing at this address"),
        (("PUT", "/v1/subscriptions", None), 405, None, "does not take that method"),
    ],
)
async def test_what_cannot_be_done_says_why(client, call, status, field, words):
    method, path, body = call
    answer = await client.request(method, path, json=body)

    assert answer.status_code == status
    assert answer.json().get("field") == field
    assert words in answer.json()["detail"]
    assert "mine" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("given", [None, "", "Bearer", "Bearer wrong", "Basic dGVzdA==", "Bearer elo_rrr"])
async def test_without_a_good_token_nothing_is_shown_or_done(client, given):
    headers = {"authorization": given} if given is not None else {}
    del client.headers["authorization"]
    answers = [
        await client.get("/v1/subscriptions", headers=headers),
        await client.post("/v1/subscriptions", json={"name": "club", "url": URL}, headers=headers),
        await client.delete("/v1/subscriptions/club", headers=headers),
    ]

    assert [one.status_code for one in answers] == [401] * 3
    assert {one.headers["www-authenticate"] for one in answers} == {"Bearer"}
    with client.store.reading() as connection:
        assert not stored.all_subscriptions(connection)


async def test_while_there_is_no_token_it_is_said_how_to_make_one(tmp_path):
    async with opened(tmp_path) as client:
        answer = await client.get("/v1/subscriptions")

    assert answer.status_code == 401
    assert "`elowire subscriptions token NAME`" in answer.json()["detail"]


async def test_the_token_of_the_settings_will_do(tmp_path):
    async with opened(tmp_path, own=desk.digest_of("t" * 32)) as client:
        good = await client.get("/v1/subscriptions", headers={"authorization": f"Bearer {'t' * 32}"})
        bad = await client.get("/v1/subscriptions", headers={"authorization": f"Bearer {'u' * 32}"})

    assert (good.status_code, bad.status_code) == (200, 401)


async def test_a_body_is_read_up_to_a_bound(client):
    answer = await client.post("/v1/subscriptions", content=b" " * (MOST_BODY_BYTES + 1))

    assert answer.status_code == 413


def test_schemathesis_finds_nothing(tmp_path):
    """Positive data may be refused all the same: JSON Schema cannot say what two filters mean together."""
    store = Store(tmp_path / "dispatch.sqlite")
    token = desk.new_token(store, "tests", random="r" * 43, now=now())
    schema = schemathesis.openapi.from_asgi(
        "/openapi.json", create_app(store, Guard(store, None), Egress(), now)
    )
    checks = [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
    ]
    tried = set()
    for result in schema.get_all_operations():
        operation = result.ok()

        @settings(max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(operation.as_strategy())
        def cases(case):
            tried.add(case.operation.label)
            answer = case.call(headers={"authorization": f"Bearer {token}"})
            case.validate_response(answer, checks=checks)

        cases()
    store.close()

    assert len(tried) == 12
