"""The data directory: whose it is, and who holds it now.

A directory belongs to Elowire when it holds ``elowire.json``, which the first use writes. A directory with
other things in it is refused, so that a mistyped ``--data`` never mixes our files with somebody else's.
"""

from __future__ import annotations

import fcntl
import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MARK = "elowire.json"
LAYOUT = 1
# What a desktop or a mounted volume puts into an empty directory by itself.
_HARMLESS = frozenset({".DS_Store", "lost+found", ".Trash-1000"})


class DataDirError(RuntimeError):
    """The directory cannot be used; the message says why and what to do."""


class HeldError(DataDirError):
    """Another process holds the directory; `pid` is its process id where it is known."""

    def __init__(self, path: Path, pid: int | None) -> None:
        self.pid = pid
        super().__init__(f"already running (pid {pid or 'unknown'}) on the data directory {path}")


def open_data_dir(path: Path) -> Path:
    """Make `path` if it is not there, mark it as ours, and return it as an absolute path.

    Raises `DataDirError` for a directory that has other things in it, is not writable or has a later layout.
    """
    path = path.expanduser().absolute()
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = {entry.name for entry in path.iterdir()} - _HARMLESS
        if MARK not in found:
            if found:
                raise DataDirError(
                    f"{path} is not a data directory of Elowire: it has no {MARK}, but {len(found)} other "
                    f"entries (first: {min(found)}). Choose an empty or a new directory"
                )
            write_mark(path, {"layout": LAYOUT})
    except OSError as fault:
        raise DataDirError(f"cannot use the data directory {path}: {fault.strerror}") from fault
    layout = read_mark(path).get("layout")
    if layout != LAYOUT:
        raise DataDirError(
            f"{path / MARK}: layout {layout!r} was expected to be {LAYOUT}. The directory was made by "
            "another release of Elowire: use that release, or another directory"
        )
    return path


def read_mark(path: Path) -> dict[str, Any]:
    """Return what the data directory's mark says. Raises `DataDirError` when it cannot be read."""
    try:
        mark = json.loads((path / MARK).read_bytes())
    except (OSError, ValueError) as fault:
        raise DataDirError(
            f"cannot read {path / MARK}: {fault}. Restore it, or choose another directory"
        ) from fault
    if not isinstance(mark, dict):
        raise DataDirError(f"{path / MARK}: expected a JSON object. Restore it, or choose another directory")
    return mark


def write_mark(path: Path, mark: Mapping[str, Any]) -> None:
    """Replace the mark in one step, so that a crash leaves the old one or the new one."""
    draft = path / f"{MARK}.{os.getpid()}.new"
    draft.write_text(json.dumps(dict(mark), indent=1) + "\n", "ascii")
    draft.replace(path / MARK)


class Hold:
    """An exclusive lock on a file: given back by `release`, or by the system when the last holder is gone.

    `fileno` may be passed to a child, which then holds the lock too.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def take(self, note: str = "") -> None:
        """Lock without waiting, and leave this process's id (and `note`) in the file. Raises `HeldError`."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise HeldError(self.path.parent, self.holder()) from None
        self._descriptor = descriptor
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()} {note}\n".encode(), 0)

    def holder(self) -> int | None:
        """Process id that the last holder wrote; None when it wrote none."""
        word = self.path.read_text("utf-8", "replace").partition(" ")[0] if self.path.exists() else ""
        return int(word) if word.isascii() and word.isdecimal() else None

    def fileno(self) -> int:
        """Descriptor of the locked file."""
        if self._descriptor is None:
            raise ValueError(f"{self.path} is not locked")
        return self._descriptor

    def release(self) -> None:
        """Give the lock back; it stays with children that inherited it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def alive(pid: int) -> bool:
    """Whether a process with this id exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
