"""A fixed-width rating list as lines; streamed, so that its size does not matter."""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import BinaryIO

from elowire.domain import TimeControl
from elowire.ingest.lists.fields import Fields, ListLine, UnusableField
from elowire.ingest.lists.header import Columns
from elowire.ingest.readers.report import Findings, Notice, UnreadableFile

BLOCK = 1 << 20
LONGEST_LINE = 1 << 16
_MOST_OVERFLOW = 12


def numbered_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    r"""Give the lines of a file from 1 without their ends (\n or \r\n). Raises `UnreadableFile`."""
    number, tail = 0, b""
    while block := stream.read(BLOCK):
        lines = (tail + block).split(b"\n")
        tail = lines.pop()
        if len(tail) > LONGEST_LINE:
            text = f"is longer than {LONGEST_LINE} bytes; a rating list has one player on a line"
            raise UnreadableFile(Notice("refused", text, line=number + len(lines) + 1))
        for line in lines:
            number += 1
            yield number, line.removesuffix(b"\r")
    if tail:
        yield number + 1, tail.removesuffix(b"\r")


def read_text(
    lines: Iterator[tuple[int, bytes]],
    columns: Columns,
    *,
    rating_list: str,
    time_control: TimeControl | None,
    findings: Findings,
) -> Iterator[ListLine]:
    """Read the lines after the header; those that cannot be used are refused in `findings`.

    `time_control` is that of a list of one rating, None for a combined list.
    """
    reading = _Reading(columns, rating_list, time_control)
    for number, line in lines:
        if not line.strip(b" \t\r\x1a"):
            continue
        try:
            yield reading.line(line, number)
        except UnusableField as fault:
            findings.refuse(str(fault), line=number)


class _Reading:
    """Cuts lines at the columns."""

    def __init__(self, columns: Columns, rating_list: str, time_control: TimeControl | None) -> None:
        self._width = columns.width
        self._spans = sorted(columns.spans.items(), key=lambda entry: entry[1])
        self._cut = Struct("".join(f"{end - start}s" for _, (start, end) in self._spans)).unpack
        self._end_of_titles = columns.spans.get("other_titles", (0, 0))[1]
        order = [field for field, _ in self._spans]
        self._fields = Fields(rating_list, order, _cell_names(columns, time_control))

    def line(self, line: bytes, number: int) -> ListLine:
        """Read one line; where the usual cut makes no sense, the known faults of the lists are tried."""
        if len(line) == self._width and line[self._end_of_titles - 1 : self._end_of_titles] in (b" ", b""):
            return self._fields.line((*self._cut(line), b""), number)
        first: UnusableField | None = None
        for cells in self._cuts(line):
            try:
                return self._fields.line((*cells, b""), number)
            except UnusableField as fault:
                first = first or fault
        raise first or UnusableField("the line cannot be cut at the columns of the header")

    def _cuts(self, line: bytes) -> Iterator[tuple[bytes, ...]]:
        """Give the ways to cut a line that does not fit the header, the likeliest first."""
        if not line.isascii() and len(line) > self._width:
            text = line.decode("utf-8", "replace")
            if len(text) <= self._width:
                yield tuple(text[start:end].encode() for _, (start, end) in self._spans)
        end, over = self._end_of_titles, len(line) - self._width
        # Other titles that are too long for their column push the rest of the line to the right.
        if end and line[end - 1 : end].strip():
            if over > 0:
                yield self._fit(line[:end] + line[end + over :])
                return
            yield self._fit(line)
            for moved in range(1, _MOST_OVERFLOW + 1):
                yield self._fit(line[:end] + line[end + moved :])
        elif not line[self._width :].strip():
            yield self._fit(line)

    def _fit(self, line: bytes) -> tuple[bytes, ...]:
        return self._cut(line[: self._width].ljust(self._width))


def _cell_names(columns: Columns, time_control: TimeControl | None) -> list[tuple[str, str, str] | None]:
    """Name rating, games and K for each time control; None for one that the list does not speak of."""
    if columns.combined:
        return [
            (f"{tc.value}_rating", f"{tc.value}_games", f"{tc.value}_k") if tc in columns.classes else None
            for tc in TimeControl
        ]
    return [("rating", "games", "k") if tc is time_control else None for tc in TimeControl]
