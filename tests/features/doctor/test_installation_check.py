"""The installation check in the window: it blocks nothing, can be copied, and ends with the dialog."""

from __future__ import annotations

import sys

import pytest
import without_packages
from PySide6.QtCore import QProcess, Qt
from PySide6.QtGui import QGuiApplication

from parapluie_gui.features.doctor.window import CheckDialog

PYTHON = sys.executable
PRINTED = """Versions
  a  1

Computer
  b  ±

1 problem found:
  1. A.
     B."""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Make the dialog run this instead of the program."""

    def take(script):
        file = tmp_path / "parapluie"
        file.write_text(f"#!{PYTHON}\n{script}\n")
        file.chmod(0o755)
        monkeypatch.setattr("sys.executable", str(file))

    return take


def running(dialog):
    return dialog.findChild(QProcess).state() != QProcess.ProcessState.NotRunning


def test_the_real_check_is_shown_and_copied(qtbot, tmp_path, monkeypatch):
    """PyTorch's check takes four seconds, so it is left out here; the command's own tests cover it."""
    for name, value in without_packages.environment(tmp_path / "site").items():
        monkeypatch.setenv(name, value)
    dialog = CheckDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    assert running(dialog) and not dialog.copy_button.isEnabled()
    qtbot.waitUntil(dialog.copy_button.isEnabled, timeout=120_000)
    assert "problem" in dialog.verdict.full_text
    facts = dialog.facts.toPlainText()
    assert "PySide6-Essentials" in facts and "torch" in facts and facts.endswith(("complete", ")", "sizes"))
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("Versions\n") and copied.endswith(dialog.verdict.full_text)


def test_problems_are_separated_from_facts(qtbot, program):
    program(f"print({PRINTED!r}); raise SystemExit(1)")
    dialog = CheckDialog()
    qtbot.addWidget(dialog)
    qtbot.waitUntil(dialog.copy_button.isEnabled)
    assert dialog.verdict.full_text == "1 problem found:\n  1. A.\n     B."
    assert dialog.facts.toPlainText() == "Versions\n  a  1\n\nComputer\n  b  ±"
    program("print('No problems found.')")
    qtbot.mouseClick(dialog.again_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(dialog.copy_button.isEnabled)
    assert dialog.verdict.full_text == "No problems found."


@pytest.mark.parametrize("script", ["import sys; sys.exit('parapluie: it broke.')", None])
def test_a_check_that_cannot_run_gives_the_reason(qtbot, program, monkeypatch, script):
    if script is None:
        monkeypatch.setattr("sys.executable", "/nowhere/python")
    else:
        program(script)
    dialog = CheckDialog()
    qtbot.addWidget(dialog)
    qtbot.waitUntil(dialog.copy_button.isEnabled)
    assert dialog.verdict.full_text.startswith("The check failed: ")
    assert script is None or "it broke." in dialog.verdict.full_text


def test_closing_the_dialog_ends_the_check(open_window, qtbot, program):
    window = open_window()
    program("import time; time.sleep(60)")
    check = window.features["doctor"]
    window.actions_by_name["doctor.open"].trigger()
    dialog = check.dialog
    process = dialog.findChild(QProcess)
    qtbot.waitUntil(lambda: process.state() == QProcess.ProcessState.Running)
    check.open()
    assert check.dialog is dialog, "one process is enough"
    check.close()
    assert process.state() == QProcess.ProcessState.NotRunning
    assert check.dialog is None
    check.close()


def test_the_dialog_fits_the_screen(check_small_screen, program):
    program("print('No problems found.')")
    check_small_screen("doctor.open")
