"""A screen reader receives every shown text: those of widgets and of cells."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QPainter
from PySide6.QtWidgets import QAbstractItemView
from spoken import find_unspoken

from parapluie_gui.ui.bench.entry import BenchEntry

NO_JUDGE = {"judge": {"model": ""}, "templates": {}}


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
        silent += [f"{window.tabs.tabText(at)}: {text}" for text in find_unspoken(window)]
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
        assert index.data(roles[2]) != index.data(roles[1]), f"{key}: said twice"
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
    assert find_unspoken(speaker) == []


@pytest.mark.needs("talks")
def test_every_text_painted_on_the_stage_is_available_to_screen_readers(qtbot, monkeypatch):
    from parapluie_gui.features.talks import page as stage_page
    from parapluie_gui.features.talks.outcome import StagePage, outcome_page
    from parapluie_gui.features.talks.room import RoomGuess
    from parapluie_gui.features.talks.shown import DecidingWords, ScoreScale, StagePair
    from parapluie_gui.features.talks.talk import STEPS

    painted = set[str]()

    class RecordingPainter(QPainter):
        def drawText(self, *args):
            painted.update(arg for arg in args if isinstance(arg, str))
            super().drawText(*args)

    monkeypatch.setattr(stage_page, "QPainter", RecordingPainter)
    judge = ScoreScale("Pocket judge", 1.5, "+1.50", (-10.0, 10.0), 0.0, 0.0)
    bleu = ScoreScale("BLEU", 0.4, "0.400", (0.0, 1.0), 0.0)
    words = DecidingWords(
        (("rose → fell", -3.0, False), ("now", 1.0, True)), sentence="The verdict changes without now."
    )
    pair = StagePair("It rose.", "It fell now.", 0, judge, (bleu,), words, caution="small, trained")
    page = stage_page.PairPage()
    qtbot.addWidget(page)
    page.resize(1280, 720)
    silent = []
    rooms = {0: RoomGuess(17, 9)}
    for step in STEPS:
        page.show_pair(pair, step, rooms[0])
        silent += _silent(page, painted)
    for leaf in (StagePage("Two meanings"), outcome_page([pair], rooms), outcome_page([], {})):
        page.show_leaf(leaf)
        page.show_pair(None, "", None)
        silent += _silent(page, painted)
    assert not silent


def _silent(page, painted):
    """Return the painted texts of a page that are neither in its name nor in its description."""
    painted.clear()
    page.grab()
    assert painted or page.step == "sentences", "the sentences are documents"
    spoken = f"{page.accessibleName()}. {page.accessibleDescription()}"
    return [text for text in painted if any(sign.isalnum() for sign in text) and text.rstrip(".") not in spoken]
