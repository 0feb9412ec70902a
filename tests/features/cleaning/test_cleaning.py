"""Cleaning as a command, in Python, on the page Corpus and in the window."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel

import parapluie_gui as pp
from parapluie_gui.commands.main import main
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.cleaning.dialog import CleaningDialog
from parapluie_gui.pairs.oddities import find_oddities

TABLE = "id,source,hypothesis,label\n1,It&apos;s cold.,It is cold.,1\n2,A <v>big</v> dog.,A dog.,0\n3,Fine.,Good.,1\n"


@pytest.fixture
def file(tmp_path, home):
    path = tmp_path / "odd.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_the_command_writes_a_clean_copy_that_keeps_the_original_sentences(file, tmp_path, capsys):
    output = tmp_path / "clean.csv"
    assert main(["clean", str(file), "-o", str(output)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("2 pairs of 3 changed; written to ")
    assert "odd: HTML entities in 1 pair (the first is 1)." in err
    corpus = pp.read(output)
    assert list(corpus.source) == ["It's cold.", "A big dog.", "Fine."]
    assert corpus.extra["source.original"].cells()[0] == "It&apos;s cold."
    assert corpus.label.tolist() == [1, 0, 1]


def test_one_kind_is_cleaned_and_the_remaining_kinds_are_named(file, tmp_path, capsys):
    output = tmp_path / "clean.csv"
    assert main(["clean", str(file), "-o", str(output), "--only", "entities"]) == 0
    assert "odd: markup in 1 pair (the first is 2), left unchanged." in capsys.readouterr().err
    assert list(pp.read(output).source)[:2] == ["It's cold.", "A <v>big</v> dog."]


def test_an_unknown_kind_is_refused(file, tmp_path, capsys):
    assert main(["clean", str(file), "-o", str(tmp_path / "x.csv"), "--only", "dirt"]) == 2
    assert 'There is no kind "dirt" to clean. Choose among mojibake, entities,' in capsys.readouterr().err
    assert not (tmp_path / "x.csv").exists()


def test_python_cleans_a_corpus(file):
    corpus = pp.clean(pp.read(file))
    assert list(corpus.source) == ["It's cold.", "A big dog.", "Fine."]
    with pytest.raises(ParapluieError, match="no kind"):
        pp.clean(corpus, ["dirt"])


def test_describe_counts_oddities(file, capsys):
    assert main(["describe", str(file)]) == 0
    out = capsys.readouterr().out
    assert "Inside the sentences" in out and "HTML entities" in out and "entities" in out


def test_opening_a_corpus_reports_oddities_once_and_a_clean_copy_can_be_opened(open_window, qtbot, file):
    window = open_window()
    part = window.features["cleaning"]
    messages: list[str] = []
    part.message.connect(messages.append)
    window.files.open_paths([file])
    qtbot.waitUntil(lambda: bool(messages), timeout=20_000)
    assert messages == [
        "Inside the sentences of odd: HTML entities in 1 pair (the first is 1); markup in 1 pair (the first is 2). "
        "“Clean…” (File, This corpus) removes them."
    ]
    window.actions_by_name["cleaning.ask"].trigger()
    qtbot.waitUntil(lambda: window.findChild(CleaningDialog) is not None)
    dialog = window.findChild(CleaningDialog)
    assert list(dialog.ticks) == ["entities", "markup"]
    shown = [label.text() for label in dialog.findChildren(QLabel)]
    assert "It&apos;s cold. → It's cold." in shown
    dialog.ticks["markup"].setChecked(False)
    dialog.accept()
    qtbot.waitUntil(lambda: window.workspace.corpus.name == "odd (cleaned)", timeout=20_000)
    assert list(window.workspace.corpus.source) == ["It's cold.", "A <v>big</v> dog.", "Fine."]
    assert [entry.name for entry in window.state.corpora.entries] == ["odd", "odd (cleaned)"]


def test_without_a_ticked_kind_nothing_can_be_opened(qtbot, file):
    corpus = pp.read(file)
    dialog = CleaningDialog(corpus, tuple(find_oddities(corpus)))
    qtbot.addWidget(dialog)
    for box in dialog.ticks.values():
        box.setChecked(False)
    assert not dialog.button.isEnabled()
