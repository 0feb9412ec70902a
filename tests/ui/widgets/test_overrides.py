"""An error in a method that Qt calls is raised as a Python error and does not end the process."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget
from shiboken6 import delete
from parapluie_gui.ui.app import make_application

class View(QWidget):
    def showEvent(self, event):
        int("x")

app = make_application([""])

class Page(View):
    def showEvent(self, event):
        gone = QObject()
        delete(gone)
        gone.objectName()

class Filter(QObject):
    def eventFilter(self, watched, event):
        return [][0]

plain, filter = QWidget(), Filter()
plain.installEventFilter(filter)
for call in (View().show, Page().show, lambda: app.sendEvent(plain, QEvent(QEvent.Type.User))):
    try:
        call()
    except Exception as error:
        print(type(error).__name__)
"""


def test_an_error_from_c_code_in_an_override_reaches_its_caller():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["ValueError", "RuntimeError", "IndexError"]), done.stderr
