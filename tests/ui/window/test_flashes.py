"""No part of the window is shown as a separate window before it has its place: that would flash on the screen."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QWidget

from parapluie_gui.feature import collect_parts
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.analysis.pages import pages

PAIRS = Corpus("six", list("abcdef"), ["A cat."] * 6, ["One cat."] * 6, label=np.array([1, 0] * 3, dtype=np.int8))

#: Actions of features that open dialogs.
OTHERS = ("template_editor.edit", "people.begin_round")


class Watch(QObject):
    """Records every widget that is wrongly shown as a window."""

    def __init__(self) -> None:
        super().__init__()
        self.flashed: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget):
            plain = watched.windowType() in (Qt.WindowType.Window, Qt.WindowType.Widget)
            if watched.isWindow() and plain and not isinstance(watched, (QDialog, QMainWindow)):
                self.flashed.append(type(watched).__name__)
        return False


def test_nothing_flashes_while_the_window_and_every_page_and_dialog_open(open_window, qapp):
    watch = Watch()
    qapp.installEventFilter(watch)
    try:
        window = open_window(size=(1440, 900))
        window.workspace.show(PAIRS)
        window.workspace.selection.set_primary(0)
        for at in range(window.tabs.count()):
            window.tabs.setCurrentIndex(at)
            QApplication.processEvents()
        for number in range(len(pages())):
            window.analysis.list.show_page(number)
            QApplication.processEvents()
        for opened in (
            window.setup.metrics.open,
            *(action.trigger for name, action in window.actions_by_name.items() if name in OTHERS),
            window.setup.corpus.roles_requested.emit,
            window.finder.open,
            window.setup.judge.hub_requested.emit,
            *(partial(window.setup.judge.source_requested.emit, source) for source in collect_parts("model_sources")),
            window.exporter.ask_for_figure,
            window.show_about,
        ):
            opened()
            QApplication.processEvents()
    finally:
        qapp.removeEventFilter(watch)
    assert watch.flashed == []
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, QDialog):
            widget.close()
