"""Whatever comes in: never a fault of our own, never a record of what was not understood."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from pathlib import Path

import orjson
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from elowire.ingest.http_guard import Limits
from elowire.ingest.rates import Allowance
from tests.services.ingest_http.door import GAME, Door, event, open_door

LIMITS = Limits(source=Allowance(1_000_000, 1_000_000.0))
TYPES = [f"elowire.{name}.v1" for name in ("tournament", "entrant", "game-result", "published-rating", "x")]
FIELDS = sorted({*GAME, "round", "board", "played_on", "url", "rated", "player_id", "list", "system", "k"})

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.sampled_from(TYPES)
)
documents = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
)
near_games = st.dictionaries(st.sampled_from(FIELDS), documents, max_size=6).map(lambda more: GAME | more)
near_events = st.builds(
    lambda data, kind, more: event(data={}) | {"data": data, "type": kind} | more,
    near_games | documents,
    st.sampled_from(TYPES) | st.text(),
    st.dictionaries(
        st.sampled_from(["id", "source", "time", "specversion", "subject"]), documents, max_size=3
    ),
)
bodies = st.one_of(
    st.binary(max_size=300),
    documents.map(lambda value: json.dumps(value).encode()),
    near_events.map(lambda value: json.dumps(value).encode()),
    st.lists(near_events, max_size=3).map(lambda value: json.dumps(value).encode()),
)
kinds = st.sampled_from(
    [
        "application/cloudevents+json",
        "application/cloudevents-batch+json",
        "application/json",
        "text/plain",
        "",
    ]
)
ce_headers = st.dictionaries(
    st.sampled_from(["ce-id", "ce-type", "ce-source", "ce-specversion", "ce-time"]),
    st.sampled_from([*TYPES, "1.0", "2025-10-24T21:00:00Z", "%ff%00", "x"]),
    max_size=5,
)
forms = st.sampled_from(["trf", "pgn", "csv", "json"])
scraps = st.lists(
    st.sampled_from(
        [
            '[Result "1-0"]',
            '[White "A"]',
            '[Black "B"]',
            "1. e4 *",
            "012 Open",
            "001    1 m  GM A, B",
            "round,white,black,result",
            "1,2,3,1-0",
            "022",
            "\x00",
            "é",
            '{"games": [',
            "",
        ]
    ),
    max_size=12,
).map("\n".join)


def run(coroutine):
    return asyncio.run(coroutine)


def mutated(body, rng):
    """The body with a few bytes changed, cut or doubled."""
    raw = bytearray(body or b"{}")
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(raw) + 1)
        match rng.randrange(3):
            case 0:
                raw[at : at + rng.randint(1, 9)] = rng.randbytes(rng.randint(0, 3))
            case 1:
                raw[at:at] = rng.choice(
                    [b'"', b"{", b"[", b",", b":", b"null", b"1e999", b"\\ud800", b"\xff"]
                )
            case _:
                raw = raw[:at] or bytearray(b"0")
    return bytes(raw)


def test_ten_thousand_random_bodies_are_never_a_fault_of_ours(tmp_path):
    tried = []

    @settings(max_examples=1000, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(bodies, kinds, ce_headers, st.integers(0, 2**32))
    def requests(body, kind, headers, seed):
        async def ten():
            rng = random.Random(seed)
            for one in (body, *(mutated(body, rng) for _ in range(9))):
                tried.append(one)
                answer = await door.send(one, f"m-{len(tried)}", kind=kind, **headers)
                assert answer.status_code in {202, 400, 413, 415, 422}, (one, answer.text)
                assert answer.status_code == 202 or orjson.loads(answer.content)["detail"]

        loop.run_until_complete(ten())

    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        opened = open_door(tmp_path, limits=LIMITS)
        door = loop.run_until_complete(opened.__aenter__())
        requests()
        loop.run_until_complete(opened.__aexit__(None, None, None))

    assert len(tried) >= 10_000


@settings(deadline=None)
@given(
    forms,
    st.binary(max_size=400) | scraps.map(str.encode) | documents.map(lambda v: json.dumps(v).encode()),
    st.booleans(),
)
def test_any_file_is_a_report_or_a_refusal(form, body, finish):
    async def one():
        with tempfile.TemporaryDirectory() as folder:
            async with open_door(Path(folder), limits=LIMITS) as door:
                query = f"format={form}&finish={finish}&starts_on=2025-10-01"
                answer = await door.put(body, f"/v1/tournaments/open/file?{query}")
                assert answer.status_code in {200, 413, 422}, (answer.status_code, answer.text)

    run(one())


def test_schemathesis_finds_nothing(tmp_path):
    """Positive data may be refused all the same: JSON Schema cannot say that two colours differ."""
    door = Door(tmp_path, LIMITS)
    door.add("club")
    schema = schemathesis.openapi.from_asgi("/openapi.json", door.app)
    checks = [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
        negative_data_rejection,
    ]

    tried = []
    for result in schema.get_all_operations():
        operation = result.ok()

        @settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(operation.as_strategy())
        def cases(case):
            prepared = case.as_transport_kwargs(base_url="http://ingest")
            body = prepared.get("data") or b""
            if "json" in prepared and prepared["json"] is not None:
                body = json.dumps(prepared["json"]).encode()
            body = body.encode() if isinstance(body, str) else body
            headers = door.signed(body, f"s-{len(tried)}")
            tried.append(case.operation.label)
            answer = case.call(headers=headers)
            case.validate_response(answer, checks=checks)

        cases()
    door.store.close()

    assert {"POST /v1/events", "PUT /v1/tournaments/{tournament_id}/file", "POST /v1/corrections"} <= set(
        tried
    )
