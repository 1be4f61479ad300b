"""Who runs on a data directory: one dispatch, or two would send everything twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from elowire.runtime.data_dir import HeldError, Hold

if TYPE_CHECKING:
    from pathlib import Path

LOCK = "dispatch.lock"


def hold_of(folder: Path) -> Hold:
    """Return the lock of a data directory."""
    return Hold(folder / LOCK)


def is_running(folder: Path) -> bool:
    """Say whether a dispatch runs on a data directory."""
    if not (folder / LOCK).exists():
        return False
    hold = hold_of(folder)
    try:
        hold.take()
    except HeldError:
        return True
    hold.release()
    return False
