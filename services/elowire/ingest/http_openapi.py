"""The OpenAPI document: bodies that FastAPI does not see, because they are signed byte for byte."""

from __future__ import annotations

from typing import Any

from elowire.contracts.cloudevents import MAX_ATTRIBUTE_CHARACTERS, SPEC_VERSION
from elowire.contracts.events import INPUTS
from elowire.ingest.http_events import BATCH, JSON, MOST_EVENTS, STRUCTURED

Json = dict[str, Any]

_REF = "#/components/schemas/{model}"
_PROBLEM = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
_RETRY = {"retry-after": {"description": "Seconds after which to ask again.", "schema": {"type": "string"}}}
PROBLEMS: dict[int | str, Json] = {
    400: {"description": "The body, or a field of it, is not as it should be.", "content": _PROBLEM},
    401: {"description": "The signature does not hold, or no source is set up.", "content": _PROBLEM},
    408: {"description": "The body did not come in time.", "content": _PROBLEM},
    413: {"description": "The body is too large.", "content": _PROBLEM},
    415: {"description": "The body is of a kind that is not read here.", "content": _PROBLEM},
    422: {"description": "Understood, but it cannot be processed.", "content": _PROBLEM},
    429: {"description": "Too many requests.", "content": _PROBLEM, "headers": _RETRY},
    503: {
        "description": "Kafka has not acknowledged; send it again.",
        "content": _PROBLEM,
        "headers": _RETRY,
    },
}
SIGNED: list[Json] = [
    {
        "name": "webhook-id",
        "in": "header",
        "required": True,
        "description": "Names this request; the same id again is answered as before and does nothing.",
        "schema": {"type": "string", "pattern": "^[!-~]{1,256}$"},
    },
    {
        "name": "webhook-timestamp",
        "in": "header",
        "required": True,
        "description": "Seconds since 1970 of this attempt; at most five minutes off.",
        "schema": {"type": "string", "pattern": "^[0-9]{1,12}$"},
    },
    {
        "name": "webhook-signature",
        "in": "header",
        "required": True,
        "description": "`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several with spaces.",
        "schema": {"type": "string"},
    },
]


def events_body() -> Json:
    """Describe the body of `POST /v1/events`."""
    one: Json = {"$ref": "#/components/schemas/CloudEvent"}
    many: Json = {"type": "array", "items": one, "minItems": 1, "maxItems": MOST_EVENTS}
    return {
        "required": True,
        "description": "Binary mode is plain JSON `data` with the attributes in `ce-` headers.",
        "content": {
            STRUCTURED: {"schema": one},
            BATCH: {"schema": many},
            JSON: {"schema": {"oneOf": [one, many]}},
        },
    }


def file_body() -> Json:
    """Describe the body of an upload."""
    text = {"schema": {"type": "string", "format": "binary"}}
    kinds = (
        "application/octet-stream",
        "application/x-chess-pgn",
        "text/csv",
        "text/plain",
        "application/json",
    )
    return {"required": True, "content": dict.fromkeys(kinds, text)}


def with_schemas(document: Json) -> Json:
    """Add the schemas of events and problems to FastAPI's document."""
    schemas: Json = document.setdefault("components", {}).setdefault("schemas", {})
    variants = []
    for entry in INPUTS:
        schema = entry.model.model_json_schema(ref_template=_REF)
        schemas.update(schema.pop("$defs", {}))
        schemas[entry.model.__name__] = schema
        name = f"{entry.model.__name__}Event"
        schemas[name] = _cloud_event(entry.name, entry.model.__name__)
        variants.append({"$ref": f"#/components/schemas/{name}"})
    schemas["CloudEvent"] = {"oneOf": variants}
    schemas["Problem"] = {
        "type": "object",
        "required": ["detail"],
        "properties": {
            "detail": {"type": "string"},
            **{name: {"type": "string"} for name in ("reason", "field", "expected", "advice")},
            "faults": {"type": "array", "items": {"type": "object"}},
        },
    }
    return document


def _cloud_event(type_: str, model: str) -> Json:
    text = {"type": "string", "minLength": 1, "maxLength": MAX_ATTRIBUTE_CHARACTERS, "pattern": "^[ -~]+$"}
    return {
        "type": "object",
        "required": ["specversion", "id", "source", "type", "data"],
        "properties": {
            "specversion": {"const": SPEC_VERSION, "type": "string"},
            "id": text,
            "source": text,
            "type": {"const": type_, "type": "string"},
            "time": {"type": "string", "format": "date-time"},
            "data": {"$ref": _REF.format(model=model)},
        },
    }
