"""A data directory belongs to Elowire or is left alone, and one process holds it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from elowire.runtime.data_dir import DataDirError, HeldError, Hold, alive, open_data_dir, read_mark


def test_a_new_directory_is_marked_and_private(tmp_path):
    path = open_data_dir(tmp_path / "deep" / "data")
    assert read_mark(path) == {"layout": 1}
    assert path.stat().st_mode & 0o077 == 0
    assert open_data_dir(path) == path


def test_what_a_desktop_leaves_is_no_content(tmp_path):
    (tmp_path / ".DS_Store").touch()
    assert open_data_dir(tmp_path) == tmp_path


def test_the_files_of_others_are_not_mixed_with_ours(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(DataDirError, match=r"1 other entries \(first: thesis\.tex\)"):
        open_data_dir(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_the_lock_names_its_holder_and_passes_to_a_child(tmp_path):
    hold = Hold(tmp_path / "lock")
    hold.take()
    with pytest.raises(HeldError, match=rf"already running \(pid {os.getpid()}\)") as caught:
        Hold(tmp_path / "lock").take()
    assert caught.value.pid == os.getpid()

    child = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(hold.fileno(),)
    )
    hold.release()
    with pytest.raises(HeldError):
        Hold(tmp_path / "lock").take()
    child.communicate(b"\n")
    second = Hold(tmp_path / "lock")
    second.take()
    second.release()
    second.release()
    with pytest.raises(ValueError, match="not locked"):
        second.fileno()


def test_a_process_is_alive_until_it_is_gone():
    assert alive(os.getpid())
    assert alive(1)
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert not alive(child.pid)
