"""The reading of a file: shown in the window's words, changed, and saved as a plan without a question."""

from __future__ import annotations

import fake_workers
import pytest
import xlsxwriter
from column_files import PEOPLE, QUESTIONS, rows
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from parapluie_gui.pairs.saved_plan import find_plan
from parapluie_gui.ui.setup.column_dialog import MapperDialog
from parapluie_gui.ui.state.reading_controls import options_to_controls
from parapluie_gui.ui.widgets.wrapped import WrappedText

FILES = {
    **QUESTIONS,
    "people.csv": PEOPLE,
    "uneven.csv": 'source,hypothesis\n"It rains.","Rain falls."\n"It snows.","Snow, falls.\nIt hails.,"Hail, falls."\n',
    "tab.tsv": 'source\thypothesis\tlabel\n"It\trains."\tRain falls.\t1\nIt snows.\tSnow falls.\t1\n',
    "column.txt": "It rains.\nIt snows.\nIt hails.\n",
    "scores.tsv": rows("source\thypothesis\thuman", [1, 2, 3, 4, "much", 5]),
    "late.csv": "source,hypothesis,label\n" + "A man walks.,Walks a man.,1\n" * 300 + "A,B,odd\n",
}


@pytest.fixture
def window(open_window):
    return open_window(fake_workers.light, setup={"templates": {"DIRECT": False, "CLOZE": False}})


def dialogs(window) -> list[MapperDialog]:
    return [dialog for dialog in window.findChildren(MapperDialog) if dialog.isVisible()]


def open_file(window, qtbot, path):
    """Open a file and wait for the corpus, the question or the error."""
    window.files.open_paths([path])
    qtbot.waitUntil(lambda: not window.state.queue.busy, timeout=20_000)


def visible_texts(window) -> list[str]:
    texts = []
    for part in (window, *window.findChildren(QWidget)):
        texts += [part.toolTip(), part.accessibleName(), part.accessibleDescription(), part.windowTitle()]
        if isinstance(part, (QLabel, QAbstractButton)):
            texts.append(part.full_text if isinstance(part, WrappedText) else part.text())
    return [text for text in texts if text]


def test_no_option_of_the_command_line_is_shown_about_a_file(window, qtbot, tmp_path):
    with xlsxwriter.Workbook(str(tmp_path / "book.xlsx")) as book:
        for sheet in (book.add_worksheet("One"), book.add_worksheet("Other pairs")):
            for at, row in enumerate((("source", "hypothesis"), ("It rains.", "Rain falls."))):
                sheet.write_row(at, 0, row)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    asked = []
    for name in (*FILES, "book.xlsx"):
        window.banner.clear()
        open_file(window, qtbot, tmp_path / name)
        texts = visible_texts(window)
        assert not [text for text in texts if "--" in text], name
        if questions := dialogs(window):
            asked.append(name)
            questions[0].reject()
            qtbot.waitUntil(lambda: not dialogs(window))
    assert {"uneven.csv", "scores.tsv", "late.csv", *QUESTIONS} <= set(asked), "each has a control as the way out"
    window.files.open_demo()
    qtbot.waitUntil(lambda: not window.state.queue.busy, timeout=20_000)
    window.banner.complain("BLEU needs a reference. Name its column (--reference).")
    assert window.banner.text == "BLEU needs a reference. Name its column (“Reference”)."


def test_an_error_that_a_choice_avoids_opens_the_dialog(window, qtbot, tmp_path):
    path = tmp_path / "scores.tsv"
    path.write_text(FILES["scores.tsv"], encoding="utf-8")
    open_file(window, qtbot, path)
    (dialog,) = dialogs(window)
    assert any("(“Human score: none”)" in text for text in visible_texts(dialog))
    dialog.roles.choices["human"].choose(None)
    dialog.accept()
    qtbot.waitUntil(lambda: window.workspace.corpus is not None, timeout=20_000)
    assert window.workspace.corpus.human is None


def test_a_file_opened_without_a_question_is_read_in_another_way_and_its_plan_saved(window, qtbot, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    how = window.actions_by_name["files.ask_how_read"]
    how.trigger()
    assert "Open a corpus" in window.banner.text or "no single file" in window.banner.text
    open_file(window, qtbot, path)
    assert len(window.workspace.corpus) == 8
    assert "“Person: who”" in window.setup.corpus.text()
    how.trigger()
    qtbot.waitUntil(lambda: bool(dialogs(window)), timeout=20_000)
    (dialog,) = dialogs(window)
    dialog.file.people["person"].choose("who")
    dialog.file.people["answer"].choose("second")
    dialog.plans.name.setText("crowd")
    dialog.accept()
    qtbot.waitUntil(lambda: len(window.workspace.corpus) == 4, timeout=20_000)
    assert "saved as “crowd”" in window.banner.text
    assert find_plan("crowd").options["role"] == {"person": "who", "answer": "second"}
    assert len(window.state.corpora.entries) == 2, "the first reading stays"
    how.trigger()
    qtbot.waitUntil(lambda: bool(dialogs(window)), timeout=20_000)
    (dialog,) = dialogs(window)
    assert dialog.file.people["answer"].value == "second"
    dialog.accept()
    qtbot.waitUntil(lambda: not window.state.queue.busy, timeout=20_000)
    assert len(window.state.corpora.entries) == 2, "nothing was changed"


def test_other_labels_of_the_same_file_are_another_corpus(window, qtbot, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text(rows("source\thypothesis\tlabel", [1, 0] * 3), encoding="utf-8")
    open_file(window, qtbot, path)
    window.actions_by_name["files.ask_how_read"].trigger()
    qtbot.waitUntil(lambda: bool(dialogs(window)), timeout=20_000)
    (dialog,) = dialogs(window)
    for value in ("0", "1"):
        dialog.roles.positive.box(value).click()
    dialog.accept()
    qtbot.waitUntil(lambda: window.workspace.corpus.label.tolist() == [0, 1] * 3, timeout=20_000)


def test_options_in_a_sentence_become_controls():
    sentence = 'choose --positive 2 if that means so, or --human "my label" --label none, or --quoting none (--sheet)'
    assert options_to_controls(sentence) == (
        "choose “Paraphrase is: 2” if that means so, or “Human score: my label” and “Label: none”, "
        "or “Quotes: belong to the text” (“Sheet”)"
    )
    command = "run `parapluie models get wordnet --wheel FILE`"
    assert options_to_controls(command) == command


@pytest.mark.parametrize("press", ["action_button", "other_button"])
def test_grades_are_offered_as_human_score_or_label(window, qtbot, tmp_path, press):
    path = tmp_path / "graded.tsv"
    path.write_text(rows("sentence1\tsentence2\tlevel", [1, 2, 3, 4, 5, 4]), encoding="utf-8")
    open_file(window, qtbot, path)
    assert "“level” has grades from 1 to 5" in window.banner.text
    assert window.banner.other_button.text() == "As label from 4"
    getattr(window.banner, press).click()
    assert "grades" not in window.banner.text
    if press == "other_button":
        qtbot.waitUntil(lambda: window.workspace.corpus.label is not None, timeout=20_000)
        assert window.workspace.corpus.label.tolist() == [0, 0, 0, 1, 1, 1]
    else:
        qtbot.waitUntil(lambda: window.workspace.corpus.human is not None, timeout=20_000)
        assert window.workspace.corpus.human.tolist() == [1, 2, 3, 4, 5, 4]


@pytest.mark.parametrize("name", ["n_tokens", "annotators", "Year", "edit count", "numTokens", "lenDiff"])
def test_a_column_of_counts_is_not_offered_as_grades(window, qtbot, tmp_path, name):
    path = tmp_path / "counted.tsv"
    path.write_text(rows(f"sentence1\tsentence2\t{name}", [1, 2, 3, 1, 2, 3]), encoding="utf-8")
    open_file(window, qtbot, path)
    assert name in window.workspace.corpus.extra
    assert "grades" not in window.banner.text
