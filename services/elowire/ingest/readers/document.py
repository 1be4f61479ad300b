"""JSON documents: parsed once, with the place of a mistake in the text or the path of the field."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from elowire.ingest.readers.fields import shown
from elowire.ingest.readers.report import Findings, Notice, UnreadableFile
from elowire.ingest.readers.text import decode

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_NUMBER = 19
"""Digits of the longest whole number that any field holds."""


def parse_document(raw: bytes, findings: Findings) -> Any:  # noqa: ANN401 - JSON may be anything
    """Parse one JSON document; raises `UnreadableFile` with line and column where it breaks off."""
    text = decode(raw, findings)
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_not_json, parse_int=_whole)
    except json.JSONDecodeError as problem:
        cut = "; the file ends too early, it looks half-written" if problem.pos >= len(text.rstrip()) else ""
        found = f"is not JSON: {problem.msg}{cut}"
        raise UnreadableFile(Notice("refused", found, line=problem.lineno, column=problem.colno)) from None
    except RecursionError:
        raise UnreadableFile(Notice("refused", "is nested more deeply than any event")) from None
    except _RefusedDocument as problem:
        raise UnreadableFile(Notice("refused", str(problem))) from None


class _RefusedDocument(Exception):  # noqa: N818 - leaves the JSON parser, never this module
    """Text that Python's parser takes but JSON does not mean."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) == len(names):
        return dict(pairs)
    twice = next(name for name in names if names.count(name) > 1)
    raise _RefusedDocument(f"has the field {shown(twice)} twice in one object; each field once was expected")


def _whole(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise _RefusedDocument(
            f"has a number of {len(digits)} digits; none here has more than {LONGEST_NUMBER}"
        )
    return int(digits)


def _not_json(word: str) -> Any:  # noqa: ANN401 - never returns
    raise _RefusedDocument(f"has the number {word}, which JSON does not know")


def path_of(place: Sequence[int | str]) -> str:
    """Write a place in a document as people do: `games[3].result`."""
    path = ""
    for part in place:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path


def first_problem(problem: ValidationError, prefix: Sequence[int | str] = ()) -> tuple[str, str]:
    """Give the path of the first wrong field and what is wrong with it."""
    error = problem.errors(include_url=False, include_context=False)[0]
    found = error["input"]
    got = "" if error["type"] == "missing" else f"is {shown(json.dumps(found, default=str))}; "
    return path_of([*prefix, *error["loc"]]), f"{got}{error['msg'][:1].lower()}{error['msg'][1:]}"
