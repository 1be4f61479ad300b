"""Standard Webhooks 1.0: our signatures are those of the published library, and every attack is refused."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook

from elowire.ingest.signatures import Attempt, UnsignedError, attempt_of, key_of, new_secret, sign, signer
from elowire.ingest.sources import changed_sources, read_sources
from tests.services.ingest_http.door import event, open_door

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105 - the specification's own example


def test_the_example_of_the_specification():
    body = b'{"test": 2432232314}'
    value = sign(key_of(SECRET), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)

    assert value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@given(st.binary(min_size=24, max_size=64), st.text("ab.-_1", min_size=1), st.text())
def test_signatures_are_those_of_the_published_library(random, webhook_id, text):
    secret = new_secret(random)
    at = datetime(2025, 10, 24, 21, 4, tzinfo=UTC)
    try:
        body = text.encode()
    except UnicodeEncodeError:
        return

    assert sign(key_of(secret), webhook_id, int(at.timestamp()), body) == Webhook(secret).sign(
        webhook_id, at, text
    )


@given(st.text(), st.text(), st.text())
def test_any_headers_are_an_attempt_or_a_refusal(webhook_id, timestamp, signature):
    headers = {
        "webhook-id": webhook_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signature,
    }
    try:
        attempt = attempt_of(headers, 1_000.0)
    except UnsignedError:
        return

    assert signer(attempt, b"", [("club", b"k" * 24)]) is None


def test_the_key_that_signs_is_found_among_many_and_among_many_signatures():
    keys = [(f"s{n}", bytes([n]) * 24) for n in range(5)]
    right = sign(keys[3][1], "m", 5, b"body").removeprefix("v1,")
    said = {"webhook-id": "m", "webhook-timestamp": "5", "webhook-signature": f"v1a,xx v1,!! v2 v1,{right}"}
    attempt = attempt_of(said, 6.0)

    assert isinstance(attempt, Attempt)
    assert signer(attempt, b"body", keys) == "s3"
    assert signer(attempt, b"body.", keys) is None
    assert signer(attempt._replace(webhook_id="n"), b"body", keys) is None
    assert signer(attempt._replace(timestamp="6"), b"body", keys) is None


@pytest.mark.parametrize(
    "secret", ["", "whsec_", "whsec_AAAA", "whsec_!", SECRET[6:], "whsec_" + "A" * 88], ids=repr
)
def test_what_is_no_secret_is_refused_without_quoting_it(secret):
    with pytest.raises(ValueError, match="24 to 64 bytes") as refused:
        key_of(secret)

    assert len(secret) < 8 or secret not in str(refused.value)


async def test_without_a_source_the_answer_says_how_to_add_one(tmp_path):
    async with open_door(tmp_path, sources=()) as door:
        answer = await door.client.post("/v1/events", content=b"{}")

    assert answer.status_code == 401
    assert "`elowire sources add NAME`" in answer.json()["detail"]


ATTACKS = [
    pytest.param({"webhook_id": None}, "webhook-id", id="no-id"),
    pytest.param({"webhook_timestamp": None}, "webhook-timestamp", id="no-time"),
    pytest.param({"webhook_signature": None}, "webhook-signature", id="no-signature"),
    pytest.param({"webhook_signature": "v1,AAAA"}, "webhook-signature", id="too-short"),
    pytest.param({"webhook_signature": "v1a,AAAA"}, "webhook-signature", id="another-version"),
    pytest.param({"webhook_signature": "v1," + "A" * 43 + "="}, "webhook-signature", id="zeros"),
    pytest.param({"webhook_id": "msg-2"}, "webhook-signature", id="another-id"),
    pytest.param({"webhook_timestamp": "1761339841"}, "webhook-signature", id="another-time"),
    pytest.param({"webhook_timestamp": "1e9"}, "webhook-timestamp", id="time-is-no-number"),
    pytest.param({"webhook_timestamp": "-1761339840"}, "webhook-timestamp", id="negative-time"),
    pytest.param({"webhook_id": "m " * 200}, "webhook-id", id="long-id"),
]


@pytest.mark.parametrize(("headers", "field"), ATTACKS)
async def test_an_unsigned_request_is_401_and_names_the_header(door, headers, field):
    body_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    body = b"{}"
    said = {"content-type": "application/json"} | door.signed(body, "msg-1") | body_headers
    said = {name: value for name, value in said.items() if value is not None}
    answer = await door.client.post("/v1/events", content=body, headers=said)

    assert (answer.status_code, answer.json()["field"]) == (401, field), answer.text
    assert door.kafka.records == []


async def test_another_body_under_a_signature_is_401(door):
    said = {"content-type": "application/json"} | door.signed(b'{"a": 1}', "msg-1")
    answer = await door.client.post("/v1/events", content=b'{"a": 2}', headers=said)

    assert (answer.status_code, answer.json()["field"]) == (401, "webhook-signature")


@pytest.mark.parametrize(("seconds", "status"), [(299, 202), (301, 401), (-299, 202), (-301, 401)])
async def test_an_attempt_counts_for_five_minutes(door, seconds, status):
    body = json.dumps(event()).encode()
    signed = door.signed(body, "msg-1", at=door.now - timedelta(seconds=seconds))
    answer = await door.client.post(
        "/v1/events", content=body, headers={"content-type": "application/json", **signed}
    )

    assert answer.status_code == status


async def test_a_replayed_request_changes_nothing_and_gets_the_first_answer(door):
    first = await door.send(event())
    door.later(minutes=2)
    again = await door.send(event())

    assert (first.status_code, again.status_code) == (202, 202)
    assert again.json() == first.json() | {"repeated": True}
    assert len(door.kafka.records) == 1


async def test_one_id_for_two_contents_is_422(door):
    await door.send(event(1))
    answer = await door.send(event(2))

    assert (answer.status_code, answer.json()["field"]) == (422, "webhook-id")
    assert len(door.kafka.records) == 1


async def test_ids_of_two_sources_are_not_mixed_up(tmp_path):
    async with open_door(tmp_path, sources=("club", "other")) as door:
        first = await door.send(event(1), "same")
        door.secrets["club"] = door.secrets["other"]
        second = await door.send(event(2), "same")

    assert (first.status_code, second.status_code, second.json()["repeated"]) == (202, 202, False)


async def test_after_a_rotation_both_secrets_count_and_then_the_new_one(door):
    old = door.secrets["club"]
    door.rotate("club", overlap=timedelta(hours=1))
    new = door.secrets["club"]

    async def status(webhook_id, *secrets):
        body = b"[]"
        headers = {"content-type": "application/json", **door.signed(body, webhook_id, *secrets)}
        return (await door.client.post("/v1/events", content=body, headers=headers)).status_code

    assert [await status("m", old), await status("m", new), await status("m", new, old)] == [400, 400, 400]
    door.later(hours=2)
    assert [await status("m", old), await status("m", new), await status("m", old, new)] == [401, 400, 400]


async def test_a_removed_source_counts_no_more(door):
    assert (await door.send(event())).status_code == 202
    with changed_sources(door.path) as held:
        held[0] = held[0].without("club")
    assert (await door.send(event(), "m-2")).status_code == 401


async def test_secrets_are_read_by_their_owner_alone(door):
    assert stat.S_IMODE(door.path.stat().st_mode) == 0o600
    door.path.chmod(0o640)
    answer = await door.send(event())

    assert (answer.status_code, "log" in answer.json()["detail"]) == (503, True)


async def test_guessing_is_slowed_down_and_does_not_keep_others_out(door):
    door.client.headers["webhook-id"] = "m"
    statuses = [(await door.client.post("/v1/events", content=b"{}")).status_code for _ in range(25)]
    del door.client.headers["webhook-id"]
    good = await door.send(event())

    assert statuses[:20] == [401] * 20
    assert set(statuses[20:]) == {429}
    assert good.status_code == 202


async def test_no_log_line_and_no_representation_has_a_secret(door, caplog, capfd):
    await door.send(event())
    await door.send(event(), webhook_signature="v1,AAAA")
    word = door.secrets["club"].removeprefix("whsec_")
    seen = (
        repr(read_sources(door.path))
        + str(read_sources(door.path))
        + caplog.text
        + "".join(capfd.readouterr())
    )

    assert word not in seen
