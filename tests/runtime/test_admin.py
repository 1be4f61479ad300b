"""The admin port tells life, readiness and figures."""

from __future__ import annotations

import socket
from importlib.metadata import version

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from elowire.contracts.dead_letters import DeadLetterReason
from elowire.domain import Refusal
from elowire.runtime.admin import AdminServer, PortTakenError
from elowire.runtime.metrics import ProcessorMetrics, Registry
from tests.runtime import ports

PORT = ports.ADMIN
URL = f"http://127.0.0.1:{PORT}"


@pytest.fixture
async def service():
    """A served registry; the test writes into `fault` and `waits`."""

    class Service:
        fault = None
        waits: dict[str, str] = {}  # noqa: RUF012 - replaced as a whole
        registry = Registry("processor")

    server = AdminServer(
        "127.0.0.1", PORT, live=lambda: Service.fault, ready=lambda: Service.waits, registry=Service.registry
    )
    await server.start()
    yield Service
    await server.stop()
    await server.stop()


async def get(path):
    async with aiohttp.ClientSession() as session, session.get(URL + path) as answer:
        return answer.status, await answer.text()


def samples(text):
    return {
        (sample.name, *(label for _, label in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_life_and_readiness_are_two_things(service):
    assert (await get("/livez"))[0] == 200
    assert (await get("/readyz"))[0] == 200
    service.waits = {"recovery": "1200 records to read"}
    assert (await get("/livez"))[0] == 200
    status, text = await get("/readyz")
    assert status == 503
    assert "1200 records to read" in text
    service.fault = "the lane stands still"
    status, text = await get("/livez")
    assert status == 503
    assert "the lane stands still" in text


async def test_a_batch_becomes_figures(service):
    metrics = ProcessorMetrics(service.registry)
    for _ in range(2):
        metrics.batch(
            records={"game-results": 40, "player-events": 80},
            counts={
                "side_rated": 70,
                "side_forfeit": 2,
                "dead_letter_not-json": 1,
                "input_new": 39,
                "reconciled_equal": 12,
                "corrections": 3,
            },
            decide_s=0.01,
            outputs_s=0.002,
            changelog_s=0.3,
            delay_s=0.7,
        )
    metrics.batch(records={}, counts={}, decide_s=0, outputs_s=0, changelog_s=0)
    metrics.lag({("game-results", 0): 5, ("game-results", 1): 0})
    metrics.lag({("game-results", 1): 7})
    metrics.recovered(seconds=0.7, records=200_000, repaired=2)
    metrics.lease_lost()
    metrics.foreign_write()
    metrics.state_keys({"player": 20_000})
    found = samples((await get("/metrics"))[1])
    assert found["elowire_processor_batches_total",] == 3
    assert found["elowire_processor_delay_seconds_bucket", "0.5"] == 0
    assert found["elowire_processor_delay_seconds_bucket", "1.0"] == 2
    assert found["elowire_processor_delay_seconds_count",] == 2
    assert found["elowire_processor_records_total", "game-results"] == 80
    assert found["elowire_processor_sides_total", "rated"] == 140
    assert found["elowire_processor_sides_total", "forfeit"] == 4
    assert found["elowire_processor_dead_letters_total", "not-json"] == 2
    assert found["elowire_processor_inputs_total", "new"] == 78
    assert found["elowire_processor_reconciliations_total", "equal"] == 24
    assert found["elowire_processor_effects_total", "corrections"] == 6
    assert found["elowire_processor_barrier_seconds_bucket", "outputs", "0.0025"] == 3
    assert found["elowire_processor_barrier_seconds_sum", "changelog"] == pytest.approx(0.6)
    assert ("elowire_processor_lag_records", "0", "game-results") not in found
    assert found["elowire_processor_lag_records", "1", "game-results"] == 7
    assert found["elowire_processor_recovery_records_total",] == 200_000
    assert found["elowire_processor_repaired_keys_total",] == 2
    assert found["elowire_processor_lease_losses_total",] == 1
    assert found["elowire_processor_foreign_writes_total",] == 1
    assert found["elowire_processor_state_keys", "player"] == 20_000
    assert found["elowire_build_info", version("elowire"), "processor"] == 1
    assert found["process_resident_memory_bytes",] > 0


def test_what_can_be_refused_is_counted_from_nothing_on():
    registry = Registry("processor")
    ProcessorMetrics(registry)
    found = samples(registry.exposition().decode())
    assert all(found["elowire_processor_dead_letters_total", reason] == 0 for reason in DeadLetterReason)
    assert all(found["elowire_processor_sides_total", refusal] == 0 for refusal in ("rated", *Refusal))


async def test_a_taken_port_is_named():
    server = AdminServer("127.0.0.1", PORT, live=lambda: None, ready=dict)
    with (
        socket.create_server(("127.0.0.1", PORT)),
        pytest.raises(PortTakenError, match=f"admin port {PORT} on"),
    ):
        await server.start()
    await server.start()
    assert (await get("/metrics"))[0] == 200
    await server.stop()


def test_names_keep_their_form():
    with pytest.raises(ValueError, match="lower case words"):
        Registry("ticker").counter("Bad-Name", "No.")
