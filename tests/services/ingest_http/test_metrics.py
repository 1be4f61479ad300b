"""Ingest's figures: when each source was last heard of, and how old the rating list is."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from elowire.ingest.service_metrics import IngestMetrics
from elowire.ingest.service_outbox import Outbox
from elowire.runtime.metrics import Registry
from elowire.runtime.settings import load_settings
from tests.services.ingest_http.door import NOW, event, open_door
from tests.services.lists.made_up import Player


def figures(door, newest):
    """What the admin port says, by name and the values of the labels."""
    registry = Registry("ingest")
    outbox = Outbox(load_settings(bootstrap="127.0.0.1:1"))
    IngestMetrics(registry, door.guard, door.intake, outbox).take({}, newest)
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(registry.exposition().decode())
        for sample in family.samples
    }


async def test_a_source_is_fresh_from_its_last_accepted_request(tmp_path):
    async with open_door(tmp_path, sources=("club", "other")) as door:
        await door.send(event())
        door.kafka.away = True
        door.later(minutes=1)
        refused = await door.send(event(2), "msg-2")

        found = figures(door, {"final": 12.0})

    name = "elowire_ingest_newest_event_seconds"
    assert refused.status_code == 503
    assert found[name, "webhook", "club"] == NOW.timestamp()
    assert found[name, "broadcast", "final"] == 12.0
    assert (name, "webhook", "other") not in found


async def test_the_newest_list_of_the_book_has_its_first_day(door, load_list):
    name = "elowire_ingest_newest_list_seconds"
    await door.intake.follow_book()
    before = figures(door, {})
    for rating_list in ("2025-10", "2025-09"):
        load_list([Player(101, "Anna", "NOR", "F")], rating_list)
    await door.intake.follow_book()
    after = figures(door, {})

    assert [key for key in before if key[0] == name] == []
    assert {key: value for key, value in after.items() if key[0] == name} == {
        (name, "2025-10"): 1_759_276_800
    }
