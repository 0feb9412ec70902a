"""Work in its own thread: the callbacks given at the start are always called."""

from __future__ import annotations

from PySide6.QtCore import QObject

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
