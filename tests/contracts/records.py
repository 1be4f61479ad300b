"""Records as the example files have them: topic, key, headers and value, as Kafka would deliver them."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCHEMAS = Path(__file__).parents[2] / "schemas"


@dataclass(frozen=True)
class Example:
    """One example file."""

    name: str
    topic: str
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes]]
    document: dict[str, Any]

    @property
    def type(self) -> str:
        return self.document["headers"].get("ce_type") or self.document["value"]["type"]

    @property
    def data(self) -> Any:
        value = self.document["value"]

        return value["data"] if "specversion" in value else value


def examples(kind: str) -> list[Example]:
    """Return the examples of one folder, `valid` or `invalid`."""
    return [read(path) for path in sorted((SCHEMAS / "examples" / kind).glob("*.json"))]


def read(path: Path) -> Example:
    document = json.loads(path.read_text(encoding="utf-8"))
    key = document["key"]

    return Example(
        name=path.stem,
        topic=document["topic"],
        key=None if key is None else key.encode(),
        value=_value(document),
        headers=[(name, text.encode()) for name, text in document["headers"].items()],
        document=document,
    )


def _value(document: dict[str, Any]) -> bytes | None:
    if "value_text" in document:
        return document["value_text"].encode()
    if "value_base64" in document:
        return base64.b64decode(document["value_base64"])

    return None if document["value"] is None else json.dumps(document["value"], ensure_ascii=False).encode()
