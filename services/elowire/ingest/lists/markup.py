"""An XML rating list as lines: cut into players as it streams by, each one parsed by itself.

A parser that builds a tree for the whole file would need as much memory as the file, and one event for each
element takes minutes of Python; FIDE's own shape is read by one expression, anything else by ElementTree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO
from xml.etree import ElementTree as ET

from elowire.domain import TimeControl
from elowire.ingest.lists.fields import Fields, ListLine, UnusableField
from elowire.ingest.lists.text import BLOCK
from elowire.ingest.readers.report import Findings, Notice, UnreadableFile

ROOT = b"<playerslist"
LONGEST_PLAYER = 1 << 16
_START = b"<player>"
_END = b"</player>"
_FIELDS = {
    "fideid": "player",
    "country": "federation",
    "w_title": "woman_title",
    "birthday": "birth_year",
}
"""Elements that are called otherwise than the fields of a line."""

_KNOWN = (
    *(b"fideid", b"name", b"country", b"sex", b"title", b"w_title", b"rating", b"games", b"k"),
    *(b"rapid_rating", b"rapid_games", b"rapid_k", b"blitz_rating", b"blitz_games", b"blitz_k"),
    *(b"birthday", b"flag"),
)

_TAG = re.compile(rb"<([a-z_]+)\s*/?>")
_ENCODING = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_COMBINED = b"<rapid_rating>"


def player_blocks(stream: BinaryIO, begun: bytes) -> Iterator[tuple[int, bytes]]:
    """Give each `<player>` element as (line from 1, its inner text); `begun` was read from `stream` already.

    Raises `UnreadableFile` when the file breaks off or an element has no end.
    """
    line, rest = 1, begun
    while True:
        blocks = rest.split(_END)
        tail = blocks.pop()
        for block in blocks:
            start = block.find(_START)
            before = line + block.count(b"\n", 0, max(start, 0))
            yield before, block if start < 0 else block[start + len(_START) :]
            line += block.count(b"\n")
        if len(tail) > LONGEST_PLAYER + BLOCK:
            text = f"a player of more than {LONGEST_PLAYER} bytes; expected <player> and its fields"
            raise UnreadableFile(Notice("refused", text, line=line))
        more = stream.read(BLOCK)
        if not more:
            break
        rest = tail + more
    if b"</playerslist>" not in tail:
        text = "the file breaks off: expected </playerslist> at its end; fetch it again"
        raise UnreadableFile(Notice("refused", text, line=line + tail.count(b"\n")))


def is_combined(begun: bytes) -> bool:
    """Say whether the list prints all three ratings, from its first players."""
    return _COMBINED in begun


def encoding_of(begun: bytes) -> str:
    """Give the encoding that the file declares; UTF-8 when it declares none that is known."""
    found = _ENCODING.search(begun)
    name = found[1].decode("ascii") if found else "utf-8"
    try:
        "".encode(name)
    except LookupError:
        return "utf-8"
    return name


def read_markup(
    stream: BinaryIO,
    begun: bytes,
    *,
    rating_list: str,
    time_control: TimeControl | None,
    findings: Findings,
) -> Iterator[ListLine]:
    """Read the players of a list; those that cannot be used are refused in `findings`.

    `time_control` is that of a list of one rating, None for a combined list.
    """
    reading = _Reading(begun, rating_list, time_control)
    for line, block in player_blocks(stream, begun):
        try:
            yield reading.line(block, line)
        except UnusableField as fault:
            findings.refuse(str(fault), line=line)


class _Reading:
    """Takes players apart; all of them have the fields of the first one, in its order."""

    def __init__(self, begun: bytes, rating_list: str, time_control: TimeControl | None) -> None:
        self._encoding = encoding_of(begun)
        first = _TAG.findall(begun.partition(_END)[0].partition(_START)[2])
        each = [b"<%b>([^<&]*)</%b>" % (tag, tag) for tag in first]
        self._usual = re.compile(rb"\s*" + rb"\s*".join(each) + rb"\s*").fullmatch
        self._tags = [*first, *(tag for tag in _KNOWN if tag not in first)]
        self._silent = (b"",) * (1 + len(self._tags) - len(first))
        order = [_FIELDS.get(tag.decode(), tag.decode()) for tag in self._tags]
        cells = [
            _cell_names(tc, combined=time_control is None) if time_control in (None, tc) else None
            for tc in TimeControl
        ]
        self._fields = Fields(rating_list, order, cells, self._encoding)

    def line(self, block: bytes, number: int) -> ListLine:
        """Read one player."""
        usual = self._usual(block)
        values = (*usual.groups(), *self._silent) if usual else self._unusual(block)
        return self._fields.line(values, number)

    def _unusual(self, block: bytes) -> tuple[bytes, ...]:
        """Read entities, comments, attributes, empty tags: rare, and a matter for a real parser."""
        if b"<!DOCTYPE" in block or b"<!ENTITY" in block:
            raise UnusableField("a document type inside a player; expected its fields alone")
        text = block.decode(self._encoding, "replace")
        try:
            player = ET.fromstring(f"<player>{text}</player>")  # noqa: S314 - no entities can be defined
        except ET.ParseError as fault:
            raise UnusableField(f"the element <player> is broken ({fault})") from None
        said = {child.tag.encode(): (child.text or "").encode(self._encoding) for child in player}
        return (*(said.get(tag, b"") for tag in self._tags), b"")


def _cell_names(time_control: TimeControl, *, combined: bool) -> tuple[str, str, str]:
    prefix = f"{time_control.value}_" if combined and time_control is not TimeControl.STANDARD else ""
    return f"{prefix}rating", f"{prefix}games", f"{prefix}k"
