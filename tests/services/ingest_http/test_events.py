"""`POST /v1/events`: what is taken, in every shape of CloudEvents, and what is refused with which field."""

from __future__ import annotations

import json

import pytest

from elowire.ingest.http_guard import Limits
from elowire.ingest.rates import Allowance
from tests.services.ingest_http.door import GAME, event, open_door

BATCH = "application/cloudevents-batch+json"
BINARY = {
    "ce-specversion": "1.0",
    "ce-id": "b-1",
    "ce-source": "club%20desk",
    "ce-type": "elowire.game-result.v1",
    "ce-time": "2025-10-24T21:00:00Z",
}


async def test_a_structured_event_is_in_kafka_when_202_is_answered(door):
    answer = await door.send(event(time="2025-10-24T20:59:00Z"))
    (sent,) = door.kafka.events()

    assert answer.status_code == 202
    assert answer.json() == {
        "accepted": 1,
        "held_by_corrections": 0,
        "with_facts_of_list": 0,
        "repeated": False,
    }
    assert (sent.event_id, sent.source, sent.data.game_id, sent.data.result) == ("g-1", "test", "1.1", "1-0")
    assert sent.time.isoformat() == "2025-10-24T20:59:00+00:00"
    assert (door.kafka.records[0].topic, door.kafka.records[0].key) == ("game-results", b"club-open")


async def test_a_batch_keeps_its_order(door):
    answer = await door.send([event(n, {"game_id": f"1.{n}"}) for n in range(1, 6)], kind=BATCH)

    assert (answer.status_code, answer.json()["accepted"]) == (202, 5)
    assert [sent.event_id for sent in door.kafka.events()] == [f"g-{n}" for n in range(1, 6)]


async def test_a_binary_event_has_its_attributes_in_headers(door):
    answer = await door.send(GAME, kind="application/json", **BINARY)
    (sent,) = door.kafka.events()

    assert answer.status_code == 202, answer.text
    assert (sent.event_id, sent.source, sent.data.game_id) == ("b-1", "club desk", "1.1")


async def test_plain_json_is_one_event_or_a_batch_by_its_shape(door):
    one = await door.send(event(1), "m-1", kind="application/json")
    many = await door.send([event(2), event(3)], "m-2", kind="application/json; charset=utf-8")

    assert (one.json()["accepted"], many.json()["accepted"]) == (1, 2)


async def test_trace_headers_go_on(door):
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    await door.send(event(), traceparent=trace)

    assert ("traceparent", trace.encode()) in door.kafka.records[0].headers


FAULTS = [
    pytest.param(event(data={"result": "2-0"}), 400, "result", "invalid-field", id="result"),
    pytest.param(event(data={"white": {"player_id": "x"}}), 400, "white.player_id", "invalid-field", id="id"),
    pytest.param(event(data={"wihte": 1}), 400, "wihte", "invalid-field", id="misspelt"),
    pytest.param(event(data={"revision": -1}), 400, "revision", "invalid-field", id="revision"),
    pytest.param(event(data={"black": {"player_id": "1503014"}}), 400, "black", "invalid-field", id="same"),
    pytest.param(event(specversion="0.3"), 400, "specversion", "invalid-attribute", id="specversion"),
    pytest.param(event(id=""), 400, "id", "invalid-attribute", id="empty-id"),
    pytest.param(event(time="yesterday"), 400, "time", "invalid-attribute", id="time"),
    pytest.param({"specversion": "1.0"}, 400, "source", "missing-attribute", id="no-source"),
    pytest.param(event(data=None) | {"data": None}, 400, "data", "invalid-field", id="no-data"),
    pytest.param(event(type="elowire.live-rating.v1"), 422, "type", "unknown-type", id="output"),
    pytest.param(event(type="elowire.game-result.v9"), 422, "type", "unknown-version", id="version"),
    pytest.param(b'{"specversion": ', 400, None, "not-json", id="half"),
    pytest.param(b"", 400, None, "not-json", id="empty"),
    pytest.param(b'{"id": "\xff"}', 400, None, "not-utf8", id="not-utf8"),
    pytest.param(b"3", 400, None, "invalid-field", id="number"),
]


@pytest.mark.parametrize(("content", "status", "field", "reason"), FAULTS)
async def test_a_fault_is_answered_with_its_field_and_nothing_is_sent(door, content, status, field, reason):
    if isinstance(content, dict) and reason == "missing-attribute":
        content = content | {"type": "elowire.game-result.v1", "id": "1"}
    answer = await door.send(content)
    found = answer.json()

    assert (answer.status_code, found.get("field"), found["reason"]) == (status, field, reason)
    assert found["advice"]
    assert found["expected"]
    assert door.kafka.records == []


BINARY_FAULTS = [
    pytest.param({"ce-id": None}, 400, "ce-id", id="no-id"),
    pytest.param({"ce-type": None}, 400, "ce-type", id="no-type"),
    pytest.param({"ce-type": "elowire.entrant.v1"}, 400, "game_id", id="data-of-another-type"),
    pytest.param({"ce-type": "nonsense"}, 422, "ce-type", id="unknown-type"),
    pytest.param({"ce-time": "now"}, 400, "ce-time", id="time"),
    pytest.param({"ce-specversion": "1.1"}, 400, "ce-specversion", id="specversion"),
]


@pytest.mark.parametrize(("headers", "status", "field"), BINARY_FAULTS)
async def test_a_fault_in_binary_mode_names_the_header(door, headers, status, field):
    answer = await door.send(GAME, kind="application/json", **(BINARY | headers))

    assert (answer.status_code, answer.json().get("field")) == (status, field), answer.text
    assert door.kafka.records == []


async def test_of_a_faulty_batch_nothing_is_taken_and_every_fault_is_named(door):
    bad = event(3, {"result": "3-0"})
    answer = await door.send([event(1), event(2, {"round": 0}), bad, 7], kind=BATCH)
    found = answer.json()

    assert answer.status_code == 400
    assert found["field"] == "[1].round"
    assert found["detail"].endswith("3 of 4 events are refused; none was taken")
    assert [fault.get("field") for fault in found["faults"]] == ["[1].round", "[2].result", "[3]"]
    assert door.kafka.records == []


@pytest.mark.parametrize("content", [[], {"a": 1}, "text"], ids=["empty", "object", "text"])
async def test_a_batch_is_a_list_of_events(door, content):
    answer = await door.send(content, kind=BATCH)

    assert (answer.status_code, answer.json()["expected"]) == (400, "a JSON list of CloudEvents")


async def test_a_content_type_that_is_not_read_here_is_415(door):
    answer = await door.send(event(), kind="text/plain")

    assert (answer.status_code, answer.json()["field"]) == (415, "content-type")


async def test_an_encoded_body_is_415(door):
    answer = await door.send(event(), content_encoding="gzip")

    assert (answer.status_code, answer.json()["field"]) == (415, "content-encoding")


async def test_a_body_above_the_limit_is_413_before_it_is_read(door):
    answer = await door.send(b" " * (1 << 20) + b"{}")

    assert answer.status_code == 413
    assert "1048576 bytes" in answer.json()["detail"]


async def test_a_body_without_a_length_is_413_as_soon_as_it_is_too_long(door):
    sent = 0

    async def endless():
        nonlocal sent
        while True:
            sent += 1
            yield b" " * 65_536

    headers = {"content-type": "application/json", **door.signed(b"", "m")}
    answer = await door.client.post("/v1/events", content=endless(), headers=headers)

    assert (answer.status_code, sent) == (413, 17)


async def test_a_batch_of_too_many_events_is_413(door):
    answer = await door.send(json.dumps([1] * 2001).encode(), kind=BATCH)

    assert (answer.status_code, answer.json()["expected"]) == (413, "at most 2000 events")


async def test_kafka_away_is_503_with_a_time_and_the_repeat_is_taken(door):
    door.kafka.away = True
    refused = await door.send(event())
    door.kafka.away = False
    taken = await door.send(event())

    assert (refused.status_code, refused.headers["retry-after"]) == (503, "7")
    assert "Send the same request again" in refused.json()["detail"]
    assert (taken.status_code, taken.json()["repeated"]) == (202, False)
    assert len(door.kafka.records) == 1


async def test_a_source_above_its_rate_is_429_with_a_time(tmp_path):
    limits = Limits(source=Allowance(burst=3, per_s=0.1))
    async with open_door(tmp_path, limits=limits, sources=("club", "other")) as door:
        answers = [await door.send(event(n), f"m-{n}") for n in range(4)]
        body = json.dumps(event(9)).encode()
        other = await door.client.post(
            "/v1/events",
            content=body,
            headers={"content-type": "application/json", **door.signed(body, "m-9", door.secrets["other"])},
        )

    assert [answer.status_code for answer in answers] == [202, 202, 202, 429]
    assert answers[-1].headers["retry-after"] == "10"
    assert other.status_code == 202


async def test_a_fault_of_our_own_is_a_sentence_without_its_reason(tmp_path):
    async def broken(_records):
        raise ZeroDivisionError("secret inner life")

    async with open_door(tmp_path) as door:
        door.kafka.send = broken
        answer = await door.send(event())

    assert answer.status_code == 500
    assert "inner life" not in answer.text
    assert "Elowire failed" in answer.json()["detail"]


async def test_other_addresses_and_methods_are_sentences(door):
    nothing = await door.client.get("/v1/nothing")
    wrong = await door.client.get("/v1/events")

    assert (nothing.status_code, wrong.status_code) == (404, 405)
    assert "/openapi.json" in nothing.json()["detail"]
    assert nothing.headers["x-content-type-options"] == "nosniff"
