"""docker-compose.yml and its layers, put together as compose does it; no engine is needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
LAYERS = {
    "": (),
    "three-brokers": ("deploy/compose/three-brokers.yml",),
    "tls": ("deploy/compose/tls.yml",),
}
# Merged by what they name, where other lists are put behind each other.
_BY_TARGET = {"volumes": lambda one: one.split(":")[1], "ports": str, "tmpfs": lambda one: one.split(":")[0]}


class Instead(list):
    """A list that takes the place of the one below it (`!override`, `!reset`)."""


class _Loader(yaml.SafeLoader):
    pass


def _instead(loader, node):
    return Instead(loader.construct_sequence(node))


_Loader.add_constructor("!override", _instead)
_Loader.add_constructor("!reset", _instead)


def read(path: str) -> dict[str, Any]:
    # A subclass of the safe loader with two tags of compose's own.
    document = yaml.load((ROOT / path).read_text(), _Loader)  # noqa: S506
    return {name: part for name, part in document.items() if not name.startswith("x-")}


def composed(*layers: str) -> dict[str, Any]:
    """The file at the root with layers over it; `extends` is followed into the root's own services."""
    base = read("docker-compose.yml")
    whole = base
    for layer in map(read, layers):
        for name, service in layer["services"].items():
            if (extended := service.pop("extends", None)) is not None:
                layer["services"][name] = _over(base["services"][extended["service"]], service)
        whole = _over(whole, layer)

    return _plain(whole)


def _over(below: Any, above: Any, name: str = "") -> Any:
    if isinstance(below, dict) and isinstance(above, dict):
        merged = {
            key: _over(value, above[key], key) if key in above else value for key, value in below.items()
        }
        return merged | {key: value for key, value in above.items() if key not in below}
    if isinstance(above, Instead) or not isinstance(below, list) or name in {"test", "command"}:
        return above
    if name in _BY_TARGET:
        identity = _BY_TARGET[name]
        return [*{identity(one): one for one in (*below, *above)}.values()]

    return [*below, *(one for one in above if one not in below)]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list) else value
