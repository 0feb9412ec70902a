"""A bad file is put aside under a name that is free, and stays what it was."""

from __future__ import annotations

import pytest

from parapluie_gui.damaged import put_aside


def test_nothing_that_was_put_aside_is_overwritten(tmp_path):
    for number in (1, 2, 3):
        path = tmp_path / "window.json"
        path.write_text(f"bad {number}")
        assert put_aside(path) == tmp_path / f"window.json.damaged-{number}"
        assert not path.exists()
    assert [(tmp_path / f"window.json.damaged-{number}").read_text() for number in (1, 2, 3)] == [
        "bad 1",
        "bad 2",
        "bad 3",
    ]


def test_folders_and_links_are_put_aside_too(tmp_path):
    folder, link = tmp_path / "a", tmp_path / "b"
    folder.mkdir()
    (folder / "inside").write_text("kept")
    link.symlink_to(tmp_path / "nowhere")
    (tmp_path / "b.damaged-1").symlink_to(tmp_path / "nowhere")
    assert (put_aside(folder) / "inside").read_text() == "kept"
    assert put_aside(link).name == "b.damaged-2", "a link that leads nowhere takes its name all the same"


def test_what_is_not_there_cannot_be_put_aside(tmp_path):
    with pytest.raises(FileNotFoundError):
        put_aside(tmp_path / "nothing")
