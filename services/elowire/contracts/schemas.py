"""Writes the folder `schemas/` from the models: `python -m elowire.contracts.schemas [FOLDER]`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elowire.contracts.access import acls
from elowire.contracts.asyncapi import asyncapi
from elowire.contracts.events import INPUTS
from elowire.contracts.outputs import OUTPUTS
from elowire.contracts.topics import CATALOGUE, DEFAULT_PARTITIONS, Topic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Set for each environment, so not part of the catalogue.
PER_ENVIRONMENT = "min.insync.replicas"


def generated() -> dict[str, str]:
    """Return every generated file: path below the folder, and its text."""
    models: dict[str, type[BaseModel]] = {entry.name: entry.model for entry in INPUTS}
    models |= {entry.name: entry.model for entry in OUTPUTS}
    documents: dict[str, Any] = {
        f"events/{name}.json": {"$schema": DIALECT, "$id": f"urn:{name}", **model.model_json_schema()}
        for name, model in models.items()
    }
    documents["asyncapi.json"] = asyncapi()
    documents["topics.json"] = {"topics": [_topic(topic) for topic in CATALOGUE]}
    documents["acls.json"] = {"acls": [acl._asdict() for acl in acls()]}

    return {
        path: json.dumps(document, indent=2, ensure_ascii=True) + "\n" for path, document in documents.items()
    }


def write(folder: Path) -> None:
    """Write the generated files below `folder`, and remove schemas of events that are no more."""
    files = generated()
    (folder / "events").mkdir(parents=True, exist_ok=True)
    for stale in (folder / "events").glob("*.json"):
        if f"events/{stale.name}" not in files:
            stale.unlink()
    for path, text in files.items():
        (folder / path).write_text(text, encoding="utf-8")


def _topic(topic: Topic) -> dict[str, Any]:
    config = topic.config(min_insync=1)
    del config[PER_ENVIRONMENT]

    return {
        "name": topic.name,
        "purpose": topic.purpose,
        "key": topic.key,
        "types": list(topic.types),
        "public": topic.public,
        "partitions": DEFAULT_PARTITIONS,
        "config": config,
    }


def main(arguments: Sequence[str]) -> None:
    """Write to the folder named by the first argument, by default `schemas` here."""
    write(Path(arguments[0] if arguments else "schemas"))


if __name__ == "__main__":
    main(sys.argv[1:])
