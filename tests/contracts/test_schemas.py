from __future__ import annotations

import copy
import json
import runpy
import sys
from pathlib import Path

import pytest
from jsonschema import Draft7Validator, Draft202012Validator

from elowire.contracts import schemas
from elowire.contracts.topics import CATALOGUE
from tests.contracts.records import SCHEMAS

# Published by the AsyncAPI Initiative under Apache-2.0.
ASYNCAPI_SCHEMA = Path(__file__).with_name("asyncapi-3.0.0.json")
GENERATED = schemas.generated()
DOCUMENT = json.loads(GENERATED["asyncapi.json"])


@pytest.mark.parametrize("path", GENERATED)
def test_committed_file_is_what_the_models_say(path):
    assert (SCHEMAS / path).read_text(encoding="utf-8") == GENERATED[path], (
        "run `python -m elowire.contracts.schemas`"
    )


def test_no_schema_is_left_over():
    committed = {f"events/{path.name}" for path in (SCHEMAS / "events").iterdir()}

    assert committed == {path for path in GENERATED if path.startswith("events/")}


@pytest.mark.parametrize("path", [path for path in GENERATED if path.startswith("events/")])
def test_schema_is_a_schema(path):
    Draft202012Validator.check_schema(json.loads(GENERATED[path]))


@pytest.mark.parametrize("path", [path for path in GENERATED if path.startswith("events/")])
def test_schema_refuses_unknown_fields_everywhere_and_describes_every_field(path):
    schema = json.loads(GENERATED[path])
    for model in (schema, *schema.get("$defs", {}).values()):
        if model.get("type") == "object":
            assert model["additionalProperties"] is False
            assert all("description" in field for field in model["properties"].values())


def asyncapi_faults(document):
    official = json.loads(ASYNCAPI_SCHEMA.read_text(encoding="utf-8"))

    return list(Draft7Validator(official).iter_errors(document))


def test_asyncapi_document_passes_the_official_schema():
    assert asyncapi_faults(DOCUMENT) == []


def test_the_official_schema_bites():
    broken = copy.deepcopy(DOCUMENT)
    broken["operations"]["receive-game-results"]["action"] = "eat"

    assert asyncapi_faults(broken)


def references(node):
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        for child in node.values():
            yield from references(child)
    elif isinstance(node, list):
        for child in node:
            yield from references(child)


def test_every_reference_leads_somewhere():
    found = set(references(DOCUMENT))
    for reference in found:
        if reference.startswith("#/"):
            node = DOCUMENT
            for step in reference[2:].split("/"):
                node = node[step]
        else:
            assert (SCHEMAS / reference).is_file()

    assert found


def test_every_public_topic_is_a_channel_and_every_topic_is_in_the_catalogue():
    topics = json.loads(GENERATED["topics.json"])["topics"]

    assert set(DOCUMENT["channels"]) == {topic.name for topic in CATALOGUE if topic.public}
    assert [topic["name"] for topic in topics] == [topic.name for topic in CATALOGUE]


def test_generator_writes_the_folder_and_removes_what_is_no_more(tmp_path):
    stale = tmp_path / "events" / "elowire.gone.v1.json"
    stale.parent.mkdir()
    stale.write_text("{}", encoding="utf-8")

    schemas.main([str(tmp_path)])
    schemas.main([str(tmp_path)])

    written = {path.relative_to(tmp_path).as_posix(): path for path in tmp_path.rglob("*.json")}
    assert {name: path.read_text(encoding="utf-8") for name, path in written.items()} == GENERATED


def test_generator_runs_as_a_module(tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "elowire.contracts.schemas")
    monkeypatch.setattr(sys, "argv", ["schemas", str(tmp_path)])

    runpy.run_module("elowire.contracts.schemas", run_name="__main__")

    assert (tmp_path / "topics.json").is_file()
