"""`elowire processor` before it does anything."""

from __future__ import annotations


def test_a_folder_of_somebody_else_is_left_alone(elowire, tmp_path, monkeypatch):
    (tmp_path / "thesis.tex").touch()
    monkeypatch.setenv("ELOWIRE_DATA_DIR", str(tmp_path))

    done = elowire("processor")

    assert done.status == 1
    assert "is not a data directory of Elowire" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
