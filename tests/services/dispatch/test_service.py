"""Dispatch towards real receivers: signatures, order, retries, and all that a receiver may do wrong."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from ipaddress import ip_network

import httpx
import pytest

from elowire.dispatch import desk
from elowire.dispatch.subscriptions import State
from elowire.runtime.data_dir import HeldError
from elowire.runtime.settings import InvalidSettingsError
from tests.broker.secured import make_certificates
from tests.services.dispatch.sending import SECRET, now, running, settings_for, until


@pytest.fixture
def settings(tmp_path):
    return settings_for(tmp_path / "data")


async def test_what_arrives_is_signed_a_cloud_event_and_in_order(settings, receiver):
    async with running(settings) as office:
        office.add("club", receiver.url())
        office.rate("1503014", 1, 2, 3)
        await until(lambda: len(receiver.requests) == 3)
        await until(lambda: office.counts("club")["delivered"] == 3)
        logged = office.attempts(office.deliveries("club")[0].id)

    requests = receiver.requests
    first = requests[0]
    assert [one["verified"] for one in requests] == [True] * 3
    assert receiver.versions() == {"1503014": [1, 2, 3]}
    assert len({one["webhook_id"] for one in requests}) == 3
    assert all("." not in one["webhook_id"] for one in requests)
    assert first["headers"]["content-type"] == "application/json"
    assert {name: first["event"][name] for name in ("specversion", "id", "source", "type", "subject")} == {
        "specversion": "1.0",
        "id": "1503014:1",
        "source": "elowire/processor",
        "type": "elowire.live-rating.v1",
        "subject": "1503014",
    }
    assert first["event"]["timestamp"] == first["event"]["time"] == "2025-10-12T22:40:00.000Z"
    assert [(one.outcome, one.status, one.reason) for one in logged] == [("delivered", 200, "status 200")]


async def test_while_a_secret_is_rotated_both_verify_and_then_the_new_one_alone(settings, make_receiver):
    both, old, new = make_receiver(), make_receiver(), make_receiver(secrets=["whsec_" + "b" * 32])
    async with running(settings) as office:
        for name, to in (("both", both), ("old", old), ("new", new)):
            office.add(name, to.url())
        secret = desk.rotate(
            office.store, "new", secret=None, random=b"n" * 32, overlap=timedelta(0), now=now()
        )
        desk.rotate(
            office.store, "both", secret=None, random=b"n" * 32, overlap=timedelta(hours=1), now=now()
        )
        new.kill()
        new.secrets.write_text(secret)
        new.start()
        office.rate("1", 1)
        await until(lambda: both.requests and old.requests and new.requests)

    signatures = [one.requests[0]["headers"]["webhook-signature"].split() for one in (both, old, new)]
    assert [len(found) for found in signatures] == [2, 1, 1]
    assert [one.requests[0]["verified"] for one in (both, old, new)] == [True] * 3


async def test_a_refused_delivery_comes_again_under_the_same_id_before_the_next_of_its_player(
    settings, receiver
):
    async with running(settings) as office:
        office.add("club", receiver.url("fail-first/2"))
        office.rate("1", 1, 2)
        office.rate("2", 1)
        await until(lambda: office.counts("club")["delivered"] == 3)
        (first, *_) = office.deliveries("club")
        logged = office.attempts(first.id)

    assert receiver.versions() == {"1": [1, 1, 1, 2, 2, 2], "2": [1, 1, 1]}
    mine = [one for one in receiver.requests if one["event"]["id"] == "1:1"]
    assert len({one["webhook_id"] for one in mine}) == 1
    assert all(one["verified"] for one in receiver.requests)
    # Each attempt has a time of its own, as receivers refuse old ones.
    assert mine[0]["timestamp"] < mine[2]["timestamp"]
    assert [(one.outcome, one.status) for one in logged] == [("throttled", 503)] * 2 + [("delivered", 204)]


async def test_a_receiver_that_hangs_delays_nobody_else(settings, make_receiver):
    hanging, well = make_receiver(), make_receiver()
    async with running(settings_for(settings.data_dir, dispatch_timeout_s=3.0)) as office:
        office.add("a-hanging", hanging.url("hang"))
        office.add("b-well", well.url())
        for player in range(1, 41):
            office.rate(str(player), 1)
        began = time.monotonic()
        await until(lambda: office.counts("b-well")["delivered"] == 40)
        took_s = time.monotonic() - began
        under_way = len(hanging.requests)
        first = office.deliveries("a-hanging")[0].id
        await until(lambda: office.attempts(first))
        (attempt,) = office.attempts(first)

    assert took_s < 3
    assert under_way == settings.dispatch_places
    assert (attempt.outcome, attempt.reason) == ("timeout", "no complete answer within 3 s")


async def test_one_slow_player_in_a_subscription_delays_no_other_player(settings, receiver):
    async with running(settings) as office:
        office.add("club", receiver.url("fail-player/1"))
        office.rate("1", 1, 2)
        for player in range(2, 12):
            office.rate(str(player), 1, 2)
        await until(lambda: office.counts("club")["delivered"] == 20)

    assert receiver.versions()["1"].count(2) == 0


async def test_retry_after_lets_the_whole_endpoint_rest(settings, receiver):
    async with running(settings) as office:
        office.add("club", receiver.url("retry-after/4"))
        office.rate("1", 1)
        await until(lambda: len(receiver.requests) == 1)
        await until(lambda: office.subscription("club").rest_ms)
        office.rate("2", 1)
        await until(lambda: office.counts("club")["delivered"] == 2)

    times = [one["at"] for one in receiver.requests]
    assert times[1] - times[0] >= 4
    assert len(times) == 3


async def test_410_disables_and_what_comes_after_is_held_until_it_is_enabled(settings, receiver):
    async with running(settings) as office:
        office.add("club", receiver.url("status/410"))
        office.rate("1", 1)
        await until(lambda: office.subscription("club").state is State.DISABLED)
        office.rate("1", 2)
        await asyncio.sleep(1.5)
        asked, reason = len(receiver.requests), office.subscription("club").reason
        held = office.counts("club")
        desk.change(
            office.store,
            "club",
            desk.Change(url=receiver.url("ok")),
            egress=office.egress,
            now=now(),
        )
        desk.set_state(office.store, "club", State.ACTIVE, now=now())
        await until(lambda: office.counts("club")["delivered"] == 2)

    assert (asked, reason) == (1, "the receiver answered 410: it wants no deliveries any more")
    assert held == {"queued": 2, "delivered": 0, "failed": 0}
    assert receiver.versions("ok") == {"1": [1, 2]}


async def test_a_dead_endpoint_is_disabled_after_the_schedule_and_loses_nothing(settings, receiver):
    async with running(settings, delays_s=(1,)) as office:
        office.add("club", receiver.url("status/500"))
        office.rate("1", 1, 2)
        await until(lambda: office.subscription("club").state is State.DISABLED)
        found, held = office.subscription("club"), office.counts("club")
        desk.change(
            office.store, "club", desk.Change(url=receiver.url("ok")), egress=office.egress, now=now()
        )
        desk.set_state(office.store, "club", State.ACTIVE, now=now())
        await until(lambda: office.counts("club")["delivered"] == 2)

    assert found.reason == (
        "nothing arrived for a whole schedule of 2 attempts; last: status 500 Internal Server Error: "
        "this receiver always says 500 ?[31m"
    )
    assert held == {"queued": 2, "delivered": 0, "failed": 0}
    assert receiver.versions("ok") == {"1": [1, 2]}


async def test_what_a_well_receiver_never_takes_fails_alone_and_can_be_sent_again(settings, receiver):
    async with running(settings, delays_s=(1, 1)) as office:
        office.add("club", receiver.url("fail-player/1"))
        office.rate("1", 1, 2)
        for version in range(1, 9):
            office.rate("2", version)
            await asyncio.sleep(0.5)
        await until(lambda: office.counts("club")["failed"] >= 1)
        state = office.subscription("club").state
        await until(lambda: office.counts("club")["queued"] == 0)
        failed = office.deliveries("club", state="failed")
        desk.change(
            office.store, "club", desk.Change(url=receiver.url("ok")), egress=office.egress, now=now()
        )
        queued = desk.replay(office.store, "club", failed=True, now=now())
        await until(lambda: office.counts("club")["failed"] == 0 and office.counts("club")["queued"] == 0)

    assert state is State.ACTIVE
    assert (failed[0].event_id, failed[0].attempts) == ("1:1", 3)
    assert queued == len(failed)
    assert receiver.versions("ok")["1"] == [1, 2][: len(failed)]
    ids = [one["webhook_id"] for one in receiver.requests if one["event"]["id"] == "1:1"]
    assert len(set(ids)) == 1


async def test_a_redirect_is_not_followed(settings, make_receiver):
    private, receiver = make_receiver(), make_receiver()
    async with running(settings) as office:
        office.add("club", receiver.url(f"redirect/?to={private.url()}"))
        office.rate("1", 1)
        (number,) = [one.id for one in office.deliveries("club")]
        (attempt,) = await until(lambda: office.attempts(number))

    assert private.requests == []
    assert (attempt.outcome, attempt.status) == ("redirect", 302)
    assert "redirects are not followed" in attempt.reason
    assert private.url() in attempt.reason


async def test_a_name_that_leads_to_a_private_address_is_refused(settings, receiver):
    async def lookup(_):
        return ["93.184.215.14", "127.0.0.1"]

    closed = settings_for(settings.data_dir, dispatch_allowed_networks=())
    async with running(closed, lookup=lookup) as office:
        office.add("club", receiver.url(host="club.example"))
        office.rate("1", 1)
        (number,) = [one.id for one in office.deliveries("club")]
        (attempt,) = await until(lambda: office.attempts(number))

    assert attempt.outcome == "refused-address"
    assert "127.0.0.1 is a loopback address" in attempt.reason
    assert "ELOWIRE_DISPATCH_ALLOWED_NETWORKS" in attempt.reason
    assert receiver.requests == []


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST"])
async def test_every_name_of_this_machine_is_refused(settings, receiver, host):
    closed = settings_for(settings.data_dir, dispatch_allowed_networks=())
    async with running(closed) as office:
        office.add("club", receiver.url(host=host))
        office.rate("1", 1)
        (number,) = [one.id for one in office.deliveries("club")]
        (attempt,) = await until(lambda: office.attempts(number))

    assert attempt.outcome in {"refused-address", "connection"}
    assert attempt.status is None
    assert receiver.requests == []


async def test_a_name_that_changes_to_a_private_address_is_refused_the_second_time(settings, receiver):
    answers = [["127.0.0.1"], ["10.0.0.1"]]

    async def lookup(_):
        return answers.pop(0)

    only = settings_for(settings.data_dir, dispatch_allowed_networks=(ip_network("127.0.0.1/32"),))
    async with running(only, lookup=lookup) as office:
        office.add("club", receiver.url("fail-first/1", host="club.example"))
        office.rate("1", 1)
        (number,) = [one.id for one in office.deliveries("club")]
        await until(lambda: len(office.attempts(number)) == 2)
        logged = office.attempts(number)

    assert [one.outcome for one in logged] == ["throttled", "refused-address"]
    assert "10.0.0.1 is a private address" in logged[1].reason
    assert len(receiver.requests) == 1
    assert answers == []


async def test_what_was_allowed_once_is_judged_again_at_every_attempt(settings, receiver):
    async with running(settings) as office:
        office.add("club", receiver.url())
    closed = settings_for(settings.data_dir, dispatch_allowed_networks=())
    async with running(closed) as office:
        office.rate("1", 1)
        (number,) = [one.id for one in office.deliveries("club")]
        (attempt,) = await until(lambda: office.attempts(number))

    assert attempt.outcome == "refused-address"
    assert receiver.requests == []


async def test_certificates_are_checked_against_the_authorities(settings, make_receiver, tmp_path):
    (tmp_path / "certificates").mkdir()
    certificates = make_certificates(tmp_path / "certificates")
    receiver = make_receiver(certificate=certificates.broker)
    url = receiver.url(scheme="https")
    async with running(settings) as office:
        office.add("club", url)
        office.rate("1", 1)
        (number,) = [one.id for one in office.deliveries("club")]
        (attempt, *_) = await until(lambda: office.attempts(number))
    unheard = len(receiver.requests)
    async with running(settings_for(settings.data_dir, dispatch_ca_file=certificates.ca)) as office:
        await until(lambda: office.counts("club")["delivered"] == 1)

    assert (attempt.outcome, unheard) == ("tls", 0)
    assert "no trusted TLS connection" in attempt.reason
    assert receiver.requests[0]["verified"]


async def test_an_answer_without_end_is_cut_off(settings, receiver):
    async with running(settings) as office:
        office.add("club", receiver.url("flood"))
        office.rate("1", 1)
        (number,) = [one.id for one in office.deliveries("club")]
        (attempt, *_) = await until(lambda: office.attempts(number))

    assert (attempt.outcome, attempt.status) == ("server-error", 500)
    assert len(attempt.reason) < 300
    assert attempt.took_ms < 4000


async def test_a_test_delivery_goes_out_also_while_disabled_and_before_everything_else(settings, receiver):
    async with running(settings) as office:
        office.add("club", receiver.url("ok"))
        desk.set_state(office.store, "club", State.DISABLED, now=now())
        office.rate("1", 1)
        number = desk.queue_test(office.store, "club", random=b"x" * 16, now=now())
        await until(lambda: len(office.attempts(number)) == 1)
        held = office.counts("club")

    (only,) = receiver.requests
    assert (only["event"]["type"], only["verified"]) == ("elowire.webhook-test.v1", True)
    assert held == {"queued": 1, "delivered": 1, "failed": 0}


async def test_a_failed_test_is_tried_once_and_counts_against_nobody(settings, receiver):
    async with running(settings) as office:
        office.add("club", receiver.url("status/500"))
        number = desk.queue_test(office.store, "club", random=b"x" * 16, now=now())
        await until(lambda: office.counts("club")["failed"] == 1)
        await asyncio.sleep(1.5)
        found = office.subscription("club")
        logged = office.attempts(number)

    assert (found.failures, len(logged)) == (0, 1)


async def test_stopping_waits_for_nobody_long_and_the_next_one_sends_what_is_left(settings, receiver):
    async with running(settings_for(settings.data_dir, dispatch_timeout_s=60.0)) as office:
        office.add("club", receiver.url("hang"))
        office.rate("1", 1)
        await until(lambda: len(receiver.requests) == 1)
        began = time.monotonic()
    stopped_s = time.monotonic() - began
    async with running(settings) as office:
        await until(lambda: len(receiver.requests) == 2)

    assert stopped_s < 10
    assert len({one["webhook_id"] for one in receiver.requests}) == 1


async def test_a_second_one_on_the_same_data_is_refused(settings):
    async with running(settings):
        with pytest.raises(HeldError, match="already running"):
            async with running(settings_for(settings.data_dir)):
                raise AssertionError("two dispatches on one queue")


async def test_health_and_figures_hold_no_ids_and_no_secrets(settings, receiver):
    admin = f"http://127.0.0.1:{settings.dispatch_admin_port}"
    async with running(settings) as office, httpx.AsyncClient(base_url=admin) as client:
        office.add("club-site", receiver.url())
        office.rate("1503014", 1)
        await until(lambda: office.counts("club-site")["delivered"] == 1)
        live, ready = await client.get("/livez"), await client.get("/readyz")
        async with asyncio.timeout(10):
            while 'attempts_total{outcome="delivered"} 1.0' not in (
                text := (await client.get("/metrics")).text
            ):
                await asyncio.sleep(0.1)

    assert live.status_code == 200
    # Kafka is away here; deliveries go out nevertheless.
    assert (ready.status_code, list(ready.json()["waits_for"])) == (503, ["kafka"])
    ours = [line for line in text.splitlines() if line.startswith("elowire_dispatch")]
    assert 'elowire_dispatch_subscriptions{state="active"} 1.0' in ours
    assert not any(word in text for word in ("club-site", "1503014", SECRET, str(receiver.port)))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"dispatch_token_file": "/nowhere"}, "ELOWIRE_DISPATCH_TOKEN_FILE: /nowhere cannot be read"),
        (
            {"dispatch_token": "short"},
            "ELOWIRE_DISPATCH_TOKEN: the token has 5 characters, expected 24 or more",
        ),
        ({"dispatch_ca_file": "/nowhere"}, "ELOWIRE_DISPATCH_CA_FILE: /nowhere cannot be used"),
        (
            {"dispatch_allowed_networks": "10.0.0.1/8"},
            "ELOWIRE_DISPATCH_ALLOWED_NETWORKS: 10.0.0.1/8 has host bits",
        ),
        ({"dispatch_allowed_networks": "the office"}, "expected networks with commas between them"),
        ({"dispatch_timeout_s": 0}, "ELOWIRE_DISPATCH_TIMEOUT_S"),
    ],
)
async def test_a_setting_that_cannot_be_used_is_named(tmp_path, more, said):
    with pytest.raises(InvalidSettingsError) as refused:
        async with running(settings_for(tmp_path / "data", **more)):
            raise AssertionError("it runs")

    assert said in str(refused.value)
    assert "short" not in str(refused.value)


async def test_what_is_too_large_is_answered_and_not_reset(tmp_path):
    token = "t" * 32
    settings = settings_for(tmp_path / "data", dispatch_token=token)
    async with running(settings):
        address = f"http://127.0.0.1:{settings.dispatch_port}/v1/subscriptions"
        async with httpx.AsyncClient(headers={"authorization": f"Bearer {token}"}) as client:
            body = await client.post(address, content=b" " * (3 << 20))
        reader, writer = await asyncio.open_connection("127.0.0.1", settings.dispatch_port)
        writer.write(b"GET /v1/subscriptions HTTP/1.1\r\nx: " + b"a" * 300_000)
        async with asyncio.timeout(5):
            head = await reader.readline()
        writer.close()

    assert (body.status_code, body.json()["detail"]) == (413, "The body has more than 262144 bytes.")
    assert head.startswith(b"HTTP/1.1 431 ")
