"""A rating list's file: zipped or not, text or XML, and which list it is."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, BinaryIO, cast

from elowire.domain import TimeControl
from elowire.ingest.lists.fields import ListLine, UnusableField
from elowire.ingest.lists.header import Columns, columns_of, month_in
from elowire.ingest.lists.markup import ROOT, is_combined, read_markup
from elowire.ingest.lists.text import BLOCK, numbered_lines, read_text
from elowire.ingest.readers.report import Findings, Notice, UnreadableFile

LARGEST = 8 << 30
"""Bytes of the largest list read, unpacked; the combined XML of 2026 has 0.9 GB."""

FIRST_RAPID = "2012-01"
"""The first list with rapid and blitz ratings: before it every list is standard."""

_MARK = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_HEAD = 1 << 16

Progress = Callable[[int, int], None]
"""Called with the bytes read so far and those of the whole list."""


@dataclass(frozen=True, slots=True)
class ListFile:
    """What a file says of itself: name, shape, and the month and time controls as far as it names them."""

    path: Path
    member: str | None
    """The file inside the archive."""
    size: int
    """Bytes, unpacked."""
    columns: Columns | None
    """Columns of a text list; None for XML."""
    combined: bool
    named_in_header: str | None
    named_in_file: str | None
    time_control: TimeControl | None
    """Of a list of one rating, as its name says; None when it does not say, and for a combined list."""

    @property
    def rating_list(self) -> str | None:
        """The month that the file names: in its header, else in its name."""
        return self.named_in_header or self.named_in_file

    def classes(self, time_control: TimeControl | None) -> tuple[TimeControl, ...]:
        """Give the time controls that the list speaks of."""
        if self.columns is not None and self.combined:
            return self.columns.classes
        if self.combined:
            return tuple(TimeControl)
        return () if time_control is None else (time_control,)


def inspect(path: Path) -> ListFile:
    """Look at the beginning of a list's file; raises `UnreadableFile` when it is none."""
    with _opened(path) as (stream, member, size):
        head = _head(stream)
    names = f"{path.name} {member or ''}"
    columns = None if _is_markup(head) else _columns(head)
    combined = is_combined(head) if columns is None else columns.combined
    said = [tc for tc in TimeControl if re.search(rf"(?<![a-z]){tc.value}", names.lower())]
    return ListFile(
        path=path,
        member=member,
        size=size,
        columns=columns,
        combined=combined,
        named_in_header=columns.rating_list if columns else None,
        named_in_file=month_in(path.name) or month_in(member or ""),
        time_control=said[0] if len(said) == 1 and not combined else None,
    )


def read_list(
    file: ListFile,
    *,
    rating_list: str,
    time_control: TimeControl | None,
    findings: Findings,
    progress: Progress | None = None,
) -> Iterator[ListLine]:
    """Read the lines of a list in its own order, in constant memory; unusable ones go to `findings`.

    Raises `UnreadableFile` where the file breaks off.
    """
    with _opened(file.path, progress) as (stream, _, _):
        try:
            if file.columns is None:
                yield from read_markup(
                    stream,
                    _head(stream),
                    rating_list=rating_list,
                    time_control=time_control,
                    findings=findings,
                )
                return
            lines = numbered_lines(stream)
            next(lines, None)
            yield from read_text(
                lines, file.columns, rating_list=rating_list, time_control=time_control, findings=findings
            )
        except (zipfile.BadZipFile, zlib.error, EOFError) as fault:
            raise _unreadable(f"the archive is damaged ({fault}); fetch it again") from None


def _is_markup(head: bytes) -> bool:
    return head.lstrip().startswith(b"<")


def _columns(head: bytes) -> Columns:
    line = head.removeprefix(_MARK).partition(b"\n")[0].rstrip(b"\r").decode("latin-1")
    try:
        return columns_of(line)
    except UnusableField as fault:
        raise UnreadableFile(Notice("refused", str(fault), line=1)) from None


def _head(stream: BinaryIO) -> bytes:
    """Read the beginning, enough for the first players; checks that it can be a list."""
    head = stream.read(_HEAD).removeprefix(_MARK)
    if not head.strip():
        raise _unreadable("the list is empty; fetch it again")
    if head.startswith(_UTF16) or b"\x00" in head:
        raise _unreadable("the list is not plain text; FIDE's lists are ASCII, so save it as UTF-8")
    if _is_markup(head) and ROOT not in head:
        raise _unreadable("the XML has no <playerslist>; give FIDE's rating list as it was downloaded")
    return head


@contextmanager
def _opened(path: Path, progress: Progress | None = None) -> Iterator[tuple[BinaryIO, str | None, int]]:
    """Open the list, inside its archive if it has one: (stream, member's name, bytes unpacked)."""
    try:
        with path.open("rb") as plain:
            packed = plain.read(4) == b"PK\x03\x04"
            plain.seek(0)
            if not packed:
                size = path.stat().st_size
                yield _counted(plain, size, progress), None, size
                return
            with zipfile.ZipFile(plain) as archive:
                member = _member(archive)
                with archive.open(member) as inner:
                    yield _counted(inner, member.file_size, progress), member.filename, member.file_size
    except FileNotFoundError:
        raise _unreadable("there is no such file; check the path") from None
    except IsADirectoryError:
        raise _unreadable("is a folder; give the file itself") from None
    except OSError as fault:
        raise _unreadable(f"cannot be read: {fault.strerror}") from None
    except zipfile.BadZipFile as fault:
        raise _unreadable(f"the archive is damaged ({fault}); fetch it again") from None
    except (NotImplementedError, RuntimeError) as fault:
        raise _unreadable(f"the archive cannot be unpacked ({fault}); unpack it and give the list") from None


def _member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = [info for info in archive.infolist() if info.filename.lower().endswith((".txt", ".xml"))]
    if len(members) != 1:
        found = ", ".join(info.filename for info in archive.infolist()[:5]) or "nothing"
        raise _unreadable(f"the archive holds {found}; expected one list as .txt or .xml")
    if members[0].file_size > LARGEST:
        raise _unreadable(f"has more than {LARGEST >> 30} GB unpacked; no rating list is as large")
    return members[0]


def _unreadable(text: str) -> UnreadableFile:
    return UnreadableFile(Notice("refused", text))


class _Counted(RawIOBase):
    """A stream that reports how far it has been read, and ends a list that is larger than it said."""

    def __init__(self, inner: IO[bytes], size: int, progress: Progress | None) -> None:
        self._inner = inner
        self._size = size
        self._progress = progress
        self._done = 0

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill a buffer."""
        view = memoryview(cast("bytearray", buffer))
        block = self._inner.read(len(view))
        view[: len(block)] = block
        self._done += len(block)
        if self._done > LARGEST:
            raise _unreadable(f"has more than {LARGEST >> 30} GB; no rating list is as large")
        if self._progress is not None:
            self._progress(self._done, self._size)
        return len(block)


def _counted(inner: IO[bytes], size: int, progress: Progress | None) -> BinaryIO:
    return cast("BinaryIO", BufferedReader(_Counted(inner, size, progress), BLOCK))
