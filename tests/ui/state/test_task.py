"""Work in its own thread: the callbacks given at the start are always called."""

from __future__ import annotations

from threading import Event

from PySide6.QtCore import QObject
from shiboken6 import Shiboken

from parapluie_gui.ui.state.task import BackgroundTask


def test_every_task_reports_its_end(qtbot):
    """Regression: of tasks deleted before all their slots were called, one or two in 200 did not report their end."""
    parent = QObject()
    for number in range(200):
        said = []

        def begin(number=number, said=said):
            def take(result):
                said.append(result)

            def ended():
                said.append("ended")

            BackgroundTask(lambda tell: number, parent).begin(take, said.append, ended)

        begin()
        qtbot.waitUntil(lambda said=said: "ended" in said, timeout=5000)
        assert said == [number, "ended"]


def test_a_task_may_hold_the_last_reference_to_its_parent(qtbot):
    """The parent would be deleted with the task, and delete the task a second time: a segmentation fault."""
    gone = []
    for _ in range(20):
        parent = QObject()
        parent.destroyed.connect(lambda: gone.append(1))
        BackgroundTask(lambda tell: None, parent).begin(print, print, lambda parent=parent: None)
        del parent
    qtbot.waitUntil(lambda: len(gone) == 20, timeout=5000)


def test_the_owner_may_be_deleted_while_the_task_runs(qtbot):
    """Regression: Qt ended the program, as a dialog that looks for servers was deleted before it had looked."""
    called = []
    for _ in range(20):
        may_end = Event()
        owner = QObject()
        task = BackgroundTask(lambda tell, may_end=may_end: may_end.wait(60), owner)
        task.begin(called.append, called.append, lambda: called.append("ended"))
        Shiboken.delete(owner)
        may_end.set()
        qtbot.waitUntil(lambda task=task: not Shiboken.isValid(task), timeout=5000)
    assert not called


def test_a_running_task_needs_no_reference(qtbot):
    results = []
    for number in range(20):
        BackgroundTask(lambda tell, number=number: number).begin(results.append, results.append, lambda: None)
    qtbot.waitUntil(lambda: sorted(results) == list(range(20)), timeout=5000)
