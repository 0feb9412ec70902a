"""The first folder of a file dialog, and files whose names are not UTF-8: Qt shows � in them, and they are found."""

from __future__ import annotations

import os

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QFileDialog, QWidget

from parapluie_gui.ui.widgets.file_dialog import ask_where_to_save, path_of


@pytest.fixture
def odd(tmp_path):
    """Return a file in a folder, both with bytes in their names that are not UTF-8."""
    folder = tmp_path / os.fsdecode(b"fold\xe9")
    file = folder / os.fsdecode(b"bad\xff\xfe.tsv")
    try:
        folder.mkdir()
        file.write_text("x")
    except (OSError, UnicodeError):
        pytest.skip("this file system takes no such names")
    return file


def test_a_file_that_qt_cannot_name_is_found(odd):
    name = str(odd).replace("\udce9", "\ufffd").replace("\udcff\udcfe", "\ufffd\ufffd")
    assert path_of(name) == odd
    dropped = QUrl.fromEncoded(b"file://" + os.fsencode(odd).replace(b"\xff", b"%FF").replace(b"\xfe", b"%FE"))
    assert path_of(dropped.toLocalFile()) == odd


def test_no_file_is_chosen_between_two_with_the_same_displayed_name(odd):
    odd.with_name(os.fsdecode(b"bad\xfd\xfe.tsv")).write_text("y")
    assert path_of(str(odd.with_name("bad\ufffd\ufffd.tsv"))).name == "bad\ufffd\ufffd.tsv"


def test_an_exact_file_name_takes_precedence(odd):
    plain = odd.with_name("bad\ufffd\ufffd.tsv")
    plain.write_text("y")
    assert path_of(str(plain)) == plain


@pytest.mark.parametrize("name", ["/nowhere/\ufffd/a.tsv", "a.tsv", "", "\ufffd"])
def test_a_missing_file_keeps_its_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert str(path_of(name)) == (name or ".")


def test_the_next_dialog_begins_in_the_folder_of_the_last_written_file(qtbot, tmp_path):
    window, written = QWidget(), []
    qtbot.addWidget(window)
    window.show()
    ask_where_to_save(window, "Export", ["Text (*.txt)"], lambda path, _: written.append(path), name="a")
    (first,) = window.findChildren(QFileDialog)
    first.setDirectory(str(tmp_path))
    first.selectFile("a")
    first.accept()
    qtbot.waitUntil(lambda: not window.findChildren(QFileDialog))
    assert written == [tmp_path / "a.txt"]
    ask_where_to_save(window, "Export", ["Text (*.txt)"], lambda path, _: None, name="b")
    (second,) = window.findChildren(QFileDialog)
    assert second.directory().absolutePath() == str(tmp_path)
    assert second.selectedFiles() == [str(tmp_path / "b")] or second.selectedFiles() == [str(tmp_path / "b.txt")]
    second.reject()
