"""Unexpected errors: one sentence, details that can be copied, and the previous version of a damaged session."""

from __future__ import annotations

import shutil
import sys
import threading

import fake_workers
import pytest
from finding import find_part
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QToolButton

from parapluie_gui import __version__
from parapluie_gui.errors import InternalError
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs import open_text
from parapluie_gui.storage.session import Session
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.ui.state.task import BackgroundTask

SENTENCE = "Internal error (KeyError: 'spare part'). Try again. If it happens again, please report the details."
PAIRS = "source,hypothesis,label\na cat,one cat,1\na dog,two dogs,0\n"


@pytest.fixture
def window(open_window, monkeypatch):
    """A window that shows errors from Python's hooks; pytest's own hooks do not receive them."""
    monkeypatch.setattr(sys, "excepthook", lambda *error: None)
    monkeypatch.setattr(threading, "excepthook", lambda error: None)
    window = open_window(fake_workers.main, setup={"templates": {"CLOZE": False}})
    with window.parts.internal_errors.watch():
        yield window
        window.close()


def break_down() -> None:
    raise KeyError("spare part")


def press(qtbot, window, kind, name):
    button = find_part(window.banner, kind, name)
    assert button.isVisible()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def read_details(qtbot, window):
    """Unfold the details in the banner, copy them, and return the copy."""
    details = find_part(window.banner, QPlainTextEdit, "Details of the message")
    assert not details.isVisible()
    press(qtbot, window, QToolButton, "Details…")
    assert details.isVisible() and "Traceback" in details.toPlainText()
    press(qtbot, window, QPushButton, "Copy")
    return QGuiApplication.clipboard().text()


def test_an_error_in_a_slot_is_shown_with_details_that_can_be_copied(window, qtbot):
    QTimer.singleShot(0, break_down)
    qtbot.waitUntil(lambda: window.banner.text == SENTENCE)
    copied = read_details(qtbot, window)
    assert copied.startswith(f"{SENTENCE}\n\nparapluie {__version__}, Python ")
    assert "in break_down" in copied
    window.banner.tell("Done.")
    assert not window.banner.details_button.isVisible() and not window.banner.details.isVisible()


def test_details_stay_unfolded_while_the_same_error_repeats(window, qtbot):
    QTimer.singleShot(0, break_down)
    qtbot.waitUntil(lambda: window.banner.text == SENTENCE)
    read_details(qtbot, window)
    changes = []
    window.banner.changed.connect(lambda: changes.append(window.banner.text))
    QTimer.singleShot(0, break_down)
    qtbot.wait(50)
    assert changes == [] and window.banner.details.isVisible()


def test_an_error_in_a_thread_is_shown(window, qtbot):
    thread = threading.Thread(target=break_down)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: window.banner.text == SENTENCE)
    assert "in break_down" in read_details(qtbot, window)


def test_an_error_in_a_task_also_reaches_the_waiting_code(window, qtbot):
    failures = []
    task = BackgroundTask(lambda tell: break_down(), window)
    task.begin(print, failures.append, lambda: None)
    qtbot.waitUntil(lambda: window.banner.text == SENTENCE)
    assert [str(failure) for failure in failures] == [SENTENCE] and isinstance(failures[0], InternalError)
    assert "in break_down" in read_details(qtbot, window)


def test_an_error_in_a_metric_in_the_worker_is_shown(window, qtbot, monkeypatch):
    monkeypatch.setattr(catalogue, "shipped_metrics", catalogue.shipped_metrics)
    fake_workers.offer()
    window.state.corpora.open_text(PAIRS)
    qtbot.waitUntil(lambda: window.workspace.corpus is not None)
    window.setup.metrics.choice.replace(["broken"])
    window.run()
    qtbot.waitUntil(lambda: window.banner.details_button.isVisible(), timeout=60_000)
    assert window.banner.text == "broken failed: no such word."
    assert "in _fail" in read_details(qtbot, window)


def test_an_error_during_a_change_of_the_session_is_shown(window, qtbot):
    window.state.session.write(lambda session: break_down(), "The note is not kept: {0}")
    qtbot.waitUntil(lambda: window.banner.text == f"The note is not kept: {SENTENCE}")
    assert "in break_down" in read_details(qtbot, window)


@pytest.fixture
def session(home, tmp_path):
    """A session file with a note, and its previous version without one."""
    path = tmp_path / "work.pluie"
    with Session.open(path, create=True) as session:
        session.add_corpus(open_text(PAIRS).read(name="Before"))
    with Session.open(path) as session:
        session.set_note(1, 0, "later")
    assert path.with_name("work.pluie~").exists()
    return path


def open_and_go_back(window, qtbot, path):
    """Open a damaged session, press the button that opens its previous version, and return the first message."""
    damaged = path.read_bytes()
    window.files.open_paths([path])
    qtbot.waitUntil(lambda: "is next to it: work.pluie~." in window.banner.text)
    message = window.banner.text
    press(qtbot, window, QPushButton, "Open the previous version")
    mine = path.with_name("work (recovered).pluie")
    qtbot.waitUntil(lambda: window.state.session.path == mine and window.workspace.corpus is not None)
    assert window.workspace.corpus.source == ["a cat", "a dog"]
    assert path.read_bytes() == damaged and path.with_name("work.pluie~").exists()
    assert not window.banner.action_button.isVisible(), "the message has been acted on"
    assert str(mine) in window.files.recent_names()
    return message


def test_the_previous_version_of_an_unreadable_session_is_opened(window, qtbot, session):
    session.write_bytes(b"SQLite format 3\0" + bytes(5000))
    assert "work.pluie is damaged" in open_and_go_back(window, qtbot, session)


def test_the_previous_version_of_a_partly_readable_session_is_opened(window, qtbot, session):
    raw = session.read_bytes()
    place = raw.index(b"one cat")
    session.write_bytes(raw[:place] + b"0" + raw[place + 1 :])
    message = open_and_go_back(window, qtbot, session)
    assert "work.pluie is damaged. Its intact parts are open as an unsaved session." in message


def test_the_previous_version_is_offered_when_opening_raises_an_error(window, qtbot, session, monkeypatch):
    open_copy = WorkingCopies.open
    monkeypatch.setattr(
        WorkingCopies, "open", lambda self, path: break_down() if path == session else open_copy(self, path)
    )
    message = open_and_go_back(window, qtbot, session)
    assert SENTENCE in message


def test_a_session_in_use_elsewhere_is_opened_as_a_copy(window, qtbot, session):
    with Session.open(session):
        window.files.open_paths([session])
        qtbot.waitUntil(lambda: "is open in another window" in window.banner.text)
        press(qtbot, window, QPushButton, "Open a copy")
        mine = session.with_name("work (copy).pluie")
        qtbot.waitUntil(lambda: window.state.session.path == mine and window.workspace.corpus is not None)
    assert window.state.notes.note_and_verdict(0)[0] == "later"


def test_nothing_is_offered_without_a_previous_version(window, qtbot, session):
    alone = shutil.move(session, session.with_name("alone.pluie"))
    alone.write_bytes(b"SQLite format 3\0" + bytes(5000))
    window.files.open_paths([alone])
    qtbot.waitUntil(lambda: "alone.pluie is damaged" in window.banner.text)
    assert not window.banner.action_button.isVisible()
