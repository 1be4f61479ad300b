"""The AsyncAPI document: which topics there are, what travels on them, and in which direction.

Source: AsyncAPI 3.0.0 and its Kafka bindings 0.5.0. Directions are Elowire's: it receives inputs,
and sends outputs.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from elowire.contracts.dead_letters import PREFIX, DeadLetter
from elowire.contracts.events import INPUTS
from elowire.contracts.outputs import OUTPUTS
from elowire.contracts.topics import (
    CATALOGUE,
    DEAD_LETTERS,
    DEFAULT_PARTITIONS,
    GAME_RESULTS,
    RATING_LISTS,
    TOURNAMENT_EVENTS,
    Topic,
)

if TYPE_CHECKING:
    from pydantic import BaseModel

Json = dict[str, Any]

# Of the contract, not of a release: its first number grows when a consumer would break.
CONTRACT_VERSION = "1.0.0"
KAFKA_BINDING = "0.5.0"
DEAD_LETTER = "dead-letter"

_ATTRIBUTES = {
    "ce_specversion": "1.0",
    "ce_id": "The event's id; a repetition has the same.",
    "ce_source": "Who says it.",
    "ce_type": "The event's type, with its version.",
    "ce_time": "When it was said, RFC 3339 in UTC.",
    "ce_subject": "The record's key as text.",
    "content-type": "application/json",
}
_REQUIRED_ATTRIBUTES = ["ce_specversion", "ce_id", "ce_source", "ce_type"]


def asyncapi() -> Json:
    """Return the document. Its payloads refer to the schema files beside it."""
    public = [topic for topic in CATALOGUE if topic.public]
    messages = {entry.name: _message(entry.name, entry.model, entry.topic) for entry in INPUTS}
    messages |= {entry.name: _message(entry.name, entry.model, entry.topic) for entry in OUTPUTS}

    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Elowire",
            "version": CONTRACT_VERSION,
            "description": "Live FIDE ratings: results in, ratings out.",
            "license": {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
        },
        "defaultContentType": "application/json",
        "channels": {topic.name: _channel(topic) for topic in public},
        "operations": dict(_operation(topic) for topic in public),
        "components": {
            "messages": {
                **messages,
                DEAD_LETTER: _dead_letter(),
            },
            "messageTraits": {
                "cloudevent": {
                    "headers": {
                        "type": "object",
                        "properties": {
                            name: {"type": "string", "description": text}
                            for name, text in _ATTRIBUTES.items()
                        },
                        "required": _REQUIRED_ATTRIBUTES,
                    }
                }
            },
        },
    }


def _names_on(topic: Topic) -> tuple[str, ...]:
    return topic.types or (DEAD_LETTER,)


def _channel(topic: Topic) -> Json:
    config = topic.config(min_insync=1)
    kept: Json = {
        "cleanup.policy": config["cleanup.policy"].split(","),
        "max.message.bytes": topic.max_record_bytes,
    }
    if topic.retention_ms is not None:
        kept["retention.ms"] = topic.retention_ms

    return {
        "address": topic.name,
        "description": topic.purpose,
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in _names_on(topic)},
        "bindings": {
            "kafka": {
                "topic": topic.name,
                "partitions": DEFAULT_PARTITIONS,
                "topicConfiguration": kept,
                "bindingVersion": KAFKA_BINDING,
            }
        },
    }


def _operation(topic: Topic) -> tuple[str, Json]:
    received = topic in {GAME_RESULTS, TOURNAMENT_EVENTS, RATING_LISTS}
    action = "receive" if received else "send"

    return f"{action}-{topic.name}", {
        "action": action,
        "channel": {"$ref": f"#/channels/{topic.name}"},
        "messages": [{"$ref": f"#/channels/{topic.name}/messages/{name}"} for name in _names_on(topic)],
    }


def _message(name: str, model: type[BaseModel], topic: Topic) -> Json:
    return {
        "name": name,
        "summary": inspect.cleandoc(model.__doc__ or "").splitlines()[0],
        "contentType": "application/json",
        "payload": {"$ref": f"./events/{name}.json"},
        "traits": [{"$ref": "#/components/messageTraits/cloudevent"}],
        "bindings": _key(topic),
    }


def _dead_letter() -> Json:
    fields = DeadLetter.model_json_schema()

    return {
        "name": DEAD_LETTER,
        "summary": DEAD_LETTERS.purpose,
        "description": "Key, value and headers are those of the refused record, whatever they are.",
        "headers": {
            "type": "object",
            "properties": {PREFIX + name: {"type": "string"} for name in fields["properties"]},
            "required": [PREFIX + name for name in fields["required"]],
        },
        "payload": {},
        "bindings": _key(DEAD_LETTERS),
    }


def _key(topic: Topic) -> Json:
    return {"kafka": {"key": {"type": "string", "description": topic.key}, "bindingVersion": KAFKA_BINDING}}
