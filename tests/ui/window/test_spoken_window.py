"""A screen reader receives every shown text: those of widgets and of cells."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QTextDocument
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QGroupBox, QLabel, QWidget

from parapluie_gui.ui.bench.entry import BenchEntry

NO_JUDGE = {"judge": {"model": ""}, "templates": {}}


def _plain(text: str) -> str:
    """Return a shown text without markup, shortcut marks and soft breaks."""
    if "<" in text:
        document = QTextDocument()
        document.setHtml(text)
        text = document.toPlainText()
    return " ".join(text.replace("\u200b", "").replace("&", "").split())


def _unspoken(root: QWidget) -> list[str]:
    """Return the shown texts that a screen reader does not receive: of buttons by their name, of others in any way."""
    silent = []
    for part in root.findChildren(QWidget):
        if not part.isVisible() or not isinstance(part, QLabel | QAbstractButton | QGroupBox):
            continue
        shown = _plain(part.title() if isinstance(part, QGroupBox) else part.text())
        interface = QAccessible.queryAccessibleInterface(part)
        if not any(sign.isalnum() for sign in shown):
            continue  # an arrow or a cross
        roles = QAccessible.Text.Name, QAccessible.Text.Value, QAccessible.Text.Description
        name, *others = (_plain(interface.text(role)) for role in roles)
        # Speech control presses a button by its visible words.
        spoken = [name] if isinstance(part, QAbstractButton) else [name, *others]
        if not any(shown.rstrip("…") in text for text in spoken):
            silent.append(f"{type(part).__name__} {shown!r}, named {name!r}")
    return silent


@pytest.fixture
def window(open_window, qtbot):
    window = open_window(setup=NO_JUDGE, size=(1440, 900))
    window.state.corpora.open_demo()
    qtbot.waitUntil(lambda: window.workspace.corpus is not None, timeout=10_000)
    rows = np.arange(window.workspace.table.rows)
    random = np.random.default_rng(0)
    values = {"edit_distance": random.random(len(rows)), "bleu": random.random(len(rows))}
    window.workspace.put(rows, values | {"pluie.direct": random.normal(size=len(rows))})
    window.workspace.set_axes(x="edit_distance", y="pluie.direct")
    window.workspace.selection.set_primary(3)
    window.scatter.bar.choose("fp")
    window.filter.set_filter("edit_distance < 0.9")
    window.bench.set_history([BenchEntry("A cat.", "A dog.", {"bleu": 0.5}, verdict="same_meaning")])
    return window


def test_every_text_of_the_window_is_available_to_screen_readers(window, qtbot):
    silent = []
    for at in range(window.tabs.count()):
        window.tabs.setCurrentIndex(at)
        qtbot.wait(300)
        qtbot.waitUntil(lambda: not window.analysis.busy, timeout=30_000)
        silent += [f"{window.tabs.tabText(at)}: {text}" for text in _unspoken(window)]
    assert not silent


def test_every_text_of_a_cell_is_available_to_screen_readers(window, qtbot):
    """A delegate with custom painting must put its words into the accessible text."""
    table = window.table
    table.stack(True)
    for column in range(table.pairs.columnCount()):
        index = table.pairs.index(0, column)
        key, row = table.pairs.columns[column].key, int(table.pairs.rows[0])
        painted = [table.pairs.text(row, table.pairs.columns[column])]
        if key == "source":
            painted = list(table.pairs.texts_of([0])[0])
        interface = QAccessible.queryAccessibleInterface(table)
        assert interface is not None
        roles = (
            Qt.ItemDataRole.AccessibleTextRole,
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.AccessibleDescriptionRole,
        )
        spoken = next(str(text) for role in roles[:2] if (text := index.data(role)) is not None)
        spoken += f" {index.data(roles[2]) or ''}"
        assert all(text in spoken for text in painted), key
    history = window.bench.past.list
    assert isinstance(history, QAbstractItemView)
    spoken = history.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert all(text in spoken for text in ("A cat.", "A dog.", "0.500", "Same meaning"))


@pytest.mark.needs("talks")
def test_the_speakers_clocks_are_available_to_screen_readers(qtbot):
    from parapluie_gui.features.talks.show import Slideshow
    from parapluie_gui.features.talks.speaker import SpeakerWindow

    speaker = SpeakerWindow(Slideshow(), lambda item: None)
    qtbot.addWidget(speaker)
    speaker.show()
    assert _unspoken(speaker) == []
