"""From the bytes of a file to its text, with a bound on size and a word on every encoding."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from elowire.ingest.readers.report import Findings, Notice, UnreadableFile

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_FILE = 32 * 1024 * 1024
"""Bytes of the largest tournament file read; the greatest open tournaments need about 0.5 MB."""

LONGEST_LINE = 64 * 1024
"""Characters of the longest line that can belong to a TRF, CSV or PGN file."""

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_TEXT_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f]")


def read_bytes(path: Path) -> bytes:
    """Read a whole file of at most `LARGEST_FILE` bytes; raises `UnreadableFile` otherwise."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise UnreadableFile(Notice("refused", "there is no such file; check the path")) from None
    except IsADirectoryError:
        raise UnreadableFile(Notice("refused", "is a folder; give the file itself")) from None
    except OSError as problem:
        raise UnreadableFile(Notice("refused", f"cannot be opened: {problem.strerror}")) from None
    if len(raw) > LARGEST_FILE:
        limit = LARGEST_FILE // (1024 * 1024)
        text = (
            f"has more than {limit} MB, the most that is read of one tournament file; give one file per event"
        )
        raise UnreadableFile(Notice("refused", text))
    return raw


def decode(raw: bytes, findings: Findings) -> str:
    """Decode UTF-8 (with or without byte-order mark), UTF-16 with its mark, else Windows-1252.

    Anything but plain UTF-8 is noted in `findings`. Raises `UnreadableFile` for an empty or binary file.
    """
    if not raw.strip():
        raise UnreadableFile(Notice("refused", "the file is empty", line=1))
    if raw.startswith(codecs.BOM_UTF8):
        findings.adjust("a byte-order mark was skipped", line=1, column=1)
        raw = raw[len(codecs.BOM_UTF8) :]
    text = _decode_utf16(raw, findings) if raw.startswith(_UTF16) else _decode_bytes(raw, findings)
    control = _TEXT_CONTROLS.search(text)
    if control is not None:
        line, column = _place(text, control.start())
        found = (
            f"byte {ord(control.group()):#04x} does not occur in a text file; export the event again as text"
        )
        raise UnreadableFile(Notice("refused", found, line=line, column=column))
    return text


def _decode_utf16(raw: bytes, findings: Findings) -> str:
    try:
        text = raw.decode("utf-16")
    except UnicodeDecodeError as problem:
        found = f"begins like UTF-16 but breaks off at byte {problem.start}; save the file as UTF-8"
        raise UnreadableFile(Notice("refused", found, line=1)) from None
    findings.adjust("UTF-16 was read; UTF-8 is expected", line=1, column=1)
    return text.removeprefix("\ufeff")


def _decode_bytes(raw: bytes, findings: Findings) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as problem:
        before = raw[: problem.start]
        line = before.count(b"\n") + 1
        column = problem.start - (before.rfind(b"\n") + 1) + 1
        findings.adjust("is not UTF-8; read as Windows-1252", line=line, column=column)
        return raw.decode("cp1252", errors="replace")


def _place(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def lines_of(text: str, findings: Findings) -> list[tuple[int, str]]:
    r"""Split at \n, \r\n or a lone \r (the record end of TRF); number from 1.

    A line longer than `LONGEST_LINE` is refused and left out.
    """
    kept: list[tuple[int, str]] = []
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(unified.split("\n"), start=1):
        if len(line) > LONGEST_LINE:
            found = (
                f"has {len(line)} characters where at most {LONGEST_LINE} make sense; the line is left out"
            )
            findings.refuse(found, line=number)
        else:
            kept.append((number, line))
    return kept
