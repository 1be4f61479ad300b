from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from elowire.contracts.dead_letters import DeadLetterReason
from elowire.contracts.envelope import Decoded, Refused, decode, input_record
from elowire.contracts.events import INPUTS
from elowire.contracts.outputs import OUTPUTS, validate_output
from tests.contracts.records import SCHEMAS, Example, examples

VALID = examples("valid")
INVALID = examples("invalid")
INPUT_TYPES = {entry.name for entry in INPUTS}
ACCEPTED = [example for example in VALID if example.type in INPUT_TYPES]
SENT = [example for example in VALID if example.type not in INPUT_TYPES]

# Reasons that need more than one record, or more bytes than a repository should hold.
ELSEWHERE = {
    DeadLetterReason.TOO_LARGE,
    DeadLetterReason.OLDER_REVISION,
    DeadLetterReason.REVISION_CONFLICT,
    DeadLetterReason.PLAYER_TWICE_IN_ROUND,
    DeadLetterReason.UNPROCESSABLE,
}


def named(example: Example) -> str:
    return example.name


@pytest.mark.parametrize("example", ACCEPTED, ids=named)
def test_valid_input_is_decoded(example):
    decoded = decode(example.topic, example.key, example.value, example.headers)

    assert isinstance(decoded, Decoded)
    assert decoded.type == example.type


@pytest.mark.parametrize("example", ACCEPTED, ids=named)
def test_valid_input_comes_back_from_its_own_record(example):
    decoded = decode(example.topic, example.key, example.value, example.headers)
    assert isinstance(decoded, Decoded)

    record = input_record(decoded.data, event_id=decoded.event_id, source=decoded.source, time=decoded.time)

    assert decode(*record) == decoded


@pytest.mark.parametrize("example", SENT, ids=named)
def test_valid_output_keeps_the_contract(example):
    event = validate_output(example.type, example.value)

    assert json.loads(event.model_dump_json(exclude_unset=True)) == example.data


@pytest.mark.parametrize("example", SENT, ids=named)
def test_output_example_travels_on_its_topic(example):
    topics = {entry.name: entry.topic.name for entry in OUTPUTS}

    assert topics[example.type] == example.topic


@pytest.mark.parametrize("example", VALID, ids=named)
def test_valid_example_passes_its_json_schema(example):
    schema = json.loads((SCHEMAS / "events" / f"{example.type}.json").read_text(encoding="utf-8"))

    Draft202012Validator(schema).validate(example.data)


@pytest.mark.parametrize("example", INVALID, ids=named)
def test_invalid_input_is_refused_as_stated(example):
    refused = decode(example.topic, example.key, example.value, example.headers)

    assert isinstance(refused, Refused), refused
    stated = example.document["refused"]
    assert (refused.reason, refused.field) == (stated["reason"], stated["field"])


@pytest.mark.parametrize("example", INVALID, ids=named)
def test_refusal_says_in_plain_words_what_to_do(example):
    refused = decode(example.topic, example.key, example.value, example.headers)

    assert isinstance(refused, Refused)
    assert refused.expected
    assert refused.advice.endswith(".")
    # The validator's own sentences begin so.
    said = f"{refused.detail} {refused.expected} {refused.advice}"
    assert not any(word in said for word in ("Input should", "Field required", "Extra inputs", "Value error"))


def test_every_event_type_has_an_example():
    assert {example.type for example in VALID} == INPUT_TYPES | {entry.name for entry in OUTPUTS}


def test_every_reason_that_one_record_can_have_has_an_example():
    assert {example.document["refused"]["reason"] for example in INVALID} == set(DeadLetterReason) - ELSEWHERE


def test_every_file_is_an_example():
    files = {path for path in (SCHEMAS / "examples").rglob("*") if path.is_file()}

    assert len(files) == len(VALID) + len(INVALID)


@pytest.mark.parametrize("example", VALID + INVALID, ids=named)
def test_example_says_what_it_is_about(example):
    assert example.document["about"].endswith(".")
    assert ("refused" in example.document) == (example in INVALID)
