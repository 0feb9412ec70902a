"""User templates: watched, written, checked while typed, and tried on the selected pair."""

from __future__ import annotations

import fake_workers
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices

from parapluie_gui import places
from parapluie_gui.ui.widgets.wrapped import WrappedText

CLOZE = 'name = "SAME"\nyes = "yes"\nno = "no"\ncloze = "{source} [SEP] {hypothesis} [SEP] the same : [MASK]"\n'


@pytest.fixture
def window(open_window):
    window = open_window(fake_workers.light)
    window.setup.judge.set_model("pocket")
    return window


@pytest.fixture
def dialog(window):
    window.actions_by_name["template_editor.edit"].trigger()
    return window.features["template_editor"].dialog


def listed(window):
    return list(window.setup.templates.ticks())


def rows(dialog):
    return [dialog.files.item(row).text() for row in range(dialog.files.count())]


def write(dialog, text):
    dialog.editor.text.setPlainText(text)
    dialog.editor.check()


def test_a_file_added_to_the_folder_is_listed_without_a_restart(window, qtbot, monkeypatch):
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    window.setup.templates_button.click()
    window.features["template_editor"].dialog.folder_button.click()
    assert window.banner.text == f"Your templates folder is {places.user_templates()}."
    file = places.user_templates() / "same.toml"
    file.write_text(CLOZE)
    qtbot.waitUntil(lambda: "SAME" in listed(window), timeout=5000)
    file.write_text(CLOZE.replace("yes = ", "yes : "))
    says = "⚠ same.toml, line 2: not valid TOML"
    labels = window.setup.templates
    qtbot.waitUntil(lambda: any(says in each.full_text for each in labels.findChildren(WrappedText)), timeout=5000)
    file.unlink()
    qtbot.waitUntil(lambda: not any(says in each.full_text for each in labels.findChildren(WrappedText)), timeout=5000)


def test_a_new_template_is_checked_while_typed_and_saved_as_toml(window, dialog, qtbot):
    qtbot.mouseClick(dialog.new_button, Qt.MouseButton.LeftButton)
    assert dialog.editor.template.name == "MY-TEMPLATE" and dialog.save_button.isEnabled()
    write(dialog, CLOZE.replace("{source}", "{sauce}"))
    assert dialog.editor.error.full_text.startswith("Template, line 4: the cloze must contain {source} once")
    assert [mark.cursor.blockNumber() for mark in dialog.editor.text.extraSelections()] == [3]
    assert not dialog.save_button.isEnabled() and not dialog.trial.button.isEnabled()
    write(dialog, CLOZE)
    assert dialog.editor.error.full_text == "" and not dialog.editor.text.extraSelections()
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert (places.user_templates() / "same.toml").read_text() == CLOZE
    assert "SAME" in listed(window) and "SAME  · yours" in rows(dialog)
    assert dialog.files.currentItem().text() == "SAME  · yours"
    write(dialog, CLOZE.replace("the same", "alike"))
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert "alike" in (places.user_templates() / "same.toml").read_text()


def test_unsaved_text_is_kept_while_other_templates_are_viewed(dialog, qtbot):
    qtbot.mouseClick(dialog.new_button, Qt.MouseButton.LeftButton)
    write(dialog, CLOZE + "broken")
    dialog.files.setCurrentRow(rows(dialog).index("CLOZE"))
    assert rows(dialog)[-1] == "SAME  · not saved" and dialog.editor.text.isReadOnly()
    qtbot.mouseClick(dialog.new_button, Qt.MouseButton.LeftButton)
    dialog.files.setCurrentRow(rows(dialog).index("SAME  · not saved"))
    assert dialog.editor.text.toPlainText() == CLOZE + "broken" and not dialog.editor.text.isReadOnly()
    assert sum("not saved" in row for row in rows(dialog)) == 1, "an untouched new template is not a draft"
    write(dialog, CLOZE)
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert rows(dialog)[-1] == "SAME  · yours"
    write(dialog, CLOZE.replace("the same", "alike"))
    dialog.files.setCurrentRow(0)
    assert rows(dialog)[-1] == "SAME  · not saved"
    dialog.files.setCurrentRow(len(rows(dialog)) - 1)
    assert "alike" in dialog.editor.text.toPlainText()


def test_a_built_in_template_is_duplicated_before_it_is_changed(dialog, qtbot):
    dialog.files.setCurrentRow(rows(dialog).index("CLOZE"))
    assert dialog.editor.text.isReadOnly() and not dialog.save_button.isVisible()
    qtbot.mouseClick(dialog.duplicate_button, Qt.MouseButton.LeftButton)
    assert not dialog.editor.text.isReadOnly()
    assert dialog.editor.template.name == "CLOZE-2"
    write(dialog, dialog.editor.text.toPlainText().replace("CLOZE-2", "CLOZE"))
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert dialog.editor.error.full_text == "There is already a template CLOZE. Choose a different name."


def test_a_broken_file_is_opened_at_the_line_of_its_error(window, dialog, qtbot):
    places.user_templates().mkdir(parents=True)
    (places.user_templates() / "bad.toml").write_text('name = "B"\ncolour = 1\n')
    window.context.templates.read()
    (row,) = [row for row, text in enumerate(rows(dialog)) if text.startswith("⚠ bad.toml, line 2: unknown entry")]
    dialog.files.setCurrentRow(row)
    assert [mark.cursor.blockNumber() for mark in dialog.editor.text.extraSelections()] == [1]


def test_a_template_is_tried_on_the_selected_pair(window, dialog, qtbot):
    window.state.corpora.open_text("source\thypothesis\nA cat sat.\tOne cat sat.\n")
    qtbot.waitUntil(lambda: window.workspace.corpus is not None, timeout=10_000)
    trial = dialog.trial
    assert "“A cat sat.” / “One cat sat.”" in trial.where.full_text
    window.tabs.show_bench()
    assert "“A cat sat.” / “One cat sat.”" in trial.where.full_text, "nothing is typed in the Bench"
    window.bench.fields.set_texts("A dog ran.", "Dogs run.")
    assert "“A dog ran.” / “Dogs run.”" in trial.where.full_text
    window.tabs.show_scatter()
    assert "“A cat sat.” / “One cat sat.”" in trial.where.full_text
    qtbot.mouseClick(dialog.new_button, Qt.MouseButton.LeftButton)
    write(dialog, CLOZE)
    qtbot.mouseClick(trial.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(trial.prompt.toPlainText()), timeout=60_000)
    assert "A cat sat." in trial.prompt.toPlainText() and "the same :" in trial.prompt.toPlainText()
    assert trial.tokens.full_text == "Tokens of yes: yes = “yes”\nTokens of no: no = “no”"
    assert trial.score.full_text.startswith("Score ") and "p(yes)" in trial.score.full_text
    write(dialog, CLOZE.replace("the same", "alike"))
    qtbot.waitUntil(lambda: "alike :" in trial.prompt.toPlainText(), timeout=60_000)
    write(dialog, CLOZE.replace('"yes"', '"yes indeed"'))
    qtbot.waitUntil(lambda: "yes indeed" in trial.trouble.full_text, timeout=60_000)
    assert trial.prompt.toPlainText() == ""


def test_the_dialog_is_as_large_as_its_text_and_the_screen_allow(dialog):
    room = dialog.screen().availableSize() * 0.9
    letter = dialog.fontMetrics().averageCharWidth()
    assert dialog.width() == max(min(150 * letter, room.width()), dialog.minimumSizeHint().width())
    assert dialog.height() <= room.height()
