"""The corpus part of the Setup panel: the open corpus, and where to drop, open, paste or try another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGroupBox,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from parapluie_gui.pairs.corpus import UNLABELLED, Corpus, SkippedRow
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.widgets.arrange import button, named, narrow, vbox
from parapluie_gui.ui.widgets.file_dialog import path_of
from parapluie_gui.ui.widgets.flow import flow
from parapluie_gui.ui.widgets.text import tooltip
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Most columns of mixed cells that are named.
MOST_MIXED = 3
#: Most rows that the list of skipped rows shows.
MOST_SKIPPED = 2000


class CorpusBox(QGroupBox):
    """Shows the open corpus and takes another one.

    Attributes:
        chooser: The corpora of the session; hidden unless there are several.
        skipped_button: Shows the rows that were skipped; hidden when there are none.

    Signals:
        open_requested, paste_requested, demo_requested: The user pressed the button.
        corpus_chosen: (number) Another corpus of the session is wanted.
        files_dropped: (list of Path) Files were dropped here.
    """

    open_requested = Signal()
    paste_requested = Signal()
    demo_requested = Signal()
    corpus_chosen = Signal(int)
    files_dropped = Signal(list)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "corpora")
        self.setTitle(self.tr("Corpus"))
        self._workspace = workspace
        self._list: SkippedDialog | None = None
        self.setAcceptDrops(True)
        self.chooser = QComboBox(self)
        narrow(self.chooser, 8)
        named(self.chooser, self.tr("Corpora of this session"), self.tr("Show another corpus of this session"))
        self.chooser.activated.connect(self.corpus_chosen)
        self.chooser.hide()
        self._name = WrappedText(self)
        font = self._name.font()
        font.setBold(True)
        self._name.setFont(font)
        self._counts = WrappedText(self)
        self._layout = WrappedText(self, muted=True)
        self._mixed = WrappedText(self, bad=True)
        self.skipped_button = QPushButton(self)
        self.skipped_button.setFlat(True)
        self.skipped_button.setCursor(Qt.CursorShape.PointingHandCursor)
        self.skipped_button.setToolTip(self.tr("Show the rows without a usable pair, and why"))
        self.skipped_button.setStyleSheet("QPushButton { color: palette(link); text-align: left; padding: 2px 0; }")
        self.skipped_button.clicked.connect(self.show_skipped)
        self._area = _DropArea(self)
        self._invitation = WrappedText(self._area, muted=True)
        tip = self.tr("Open a file of sentence pairs: CSV, TSV, JSON, Excel or Parquet")
        self.open_button = button(self.tr("Open…"), self.open_requested.emit, tip)
        tip = self.tr("Paste pairs from the clipboard, for example rows of a spreadsheet")
        self.paste_button = button(self.tr("Paste"), self.paste_requested.emit, tip)
        tip = self.tr("Open the small corpus that comes with the program")
        self.demo_button = button(self.tr("Demo corpus"), self.demo_requested.emit, tip)
        buttons = flow(self.open_button, self.paste_button, self.demo_button)
        vbox(self._invitation, buttons, within=self._area, margins=(8, 8, 8, 8))
        parts = (self.chooser, *self._lines(), self.skipped_button, self._area)
        vbox(*parts, within=self, margins=(4, 2, 4, 4), spacing=4)
        workspace.corpus_changed.connect(self._show_corpus)
        self._show_corpus()

    def set_corpora(self, names: Sequence[str], current: int) -> None:
        """List the corpora of the session; the list shows when there are several."""
        with QSignalBlocker(self.chooser):
            self.chooser.clear()
            self.chooser.addItems(list(names))
            self.chooser.setCurrentIndex(current)
        self.chooser.setVisible(len(names) > 1)
        self._name.setVisible(bool(self._name.full_text) and len(names) <= 1)

    def show_skipped(self) -> None:
        """Show which rows were skipped, in a window that blocks nothing."""
        corpus = self._workspace.corpus
        if corpus is not None and corpus.skipped:
            self._list = SkippedDialog(corpus.name, corpus.skipped, self)
            self._list.show()

    def text(self) -> str:
        return "\n".join(label.full_text for label in self._lines() if label.full_text)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _files(event):
            event.acceptProposedAction()
            self._area.set_hot(True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._area.set_hot(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self._area.set_hot(False)
        paths = _files(event)
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)

    def _show_corpus(self) -> None:
        corpus = self._workspace.corpus
        if self._list is not None:
            self._list.close()
            self._list = None
        self.skipped_button.setVisible(corpus is not None and bool(corpus.skipped))
        if corpus is None:
            self._invitation.say(self.tr("Drop a corpus here"))
            for label in self._lines():
                label.say("")
            return
        self._invitation.say(self.tr("Drop another corpus here"))
        self._name.say(corpus.name)
        self._name.setHidden(self.chooser.isVisibleTo(self))
        self._name.setToolTip(tooltip(str(corpus.path)) if corpus.path is not None else "")
        self._counts.say(self._count(corpus))
        self._layout.say("" if corpus.layout == "custom" else self.tr("Recognised as {}").format(corpus.layout))
        more = len(corpus.mixed) - MOST_MIXED
        self._mixed.say(
            "\n".join(map(str, corpus.mixed[:MOST_MIXED]))
            + (self.tr("\n{} more columns").format(f"{more:,}") if more > 0 else "")
        )
        skipped = len(corpus.skipped)
        rows = self.tr("1 row skipped") if skipped == 1 else self.tr("{} rows skipped").format(f"{skipped:,}")
        self.skipped_button.setText(rows)
        self.skipped_button.setAccessibleName(rows)

    def _lines(self) -> tuple[WrappedText, ...]:
        return self._name, self._counts, self._layout, self._mixed

    def _count(self, corpus: Corpus) -> str:
        if corpus.label is None or not corpus.labelled:
            return self.tr("{} pairs · no labels").format(f"{len(corpus):,}")
        pairs = self.tr("{} pairs").format(f"{len(corpus):,}")
        words = ((1, self.tr("paraphrase")), (0, self.tr("not a paraphrase")), (UNLABELLED, self.tr("unlabelled")))
        counts = [(word, int(np.count_nonzero(corpus.label == label))) for label, word in words]
        # A count stays with its word at the end of a line.
        parts = [f"{word} {count:,}".replace(" ", "\N{NO-BREAK SPACE}") for word, count in counts]
        shown = parts if counts[-1][1] else parts[:-1]
        return f"{pairs}\n{' · '.join(shown)}"


class SkippedDialog(QDialog):
    """The line, reason and beginning of each row of a file that holds no usable pair."""

    def __init__(self, name: str, skipped: Sequence[SkippedRow], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "corpora")
        self.setWindowTitle(self.tr("Skipped rows"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        intro = WrappedText(self)
        intro.say(self.tr("These rows of {} were skipped: no usable pair.").format(name))
        shown = skipped[:MOST_SKIPPED]
        self.table = QTableWidget(len(shown), 3, self)
        self.table.setAccessibleName(self.tr("Skipped rows"))
        self.table.setHorizontalHeaderLabels([self.tr("Line"), self.tr("Why"), self.tr("Text")])
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.setWordWrap(False)
        for place, row in enumerate(shown):
            line = QTableWidgetItem(f"{row.line:,}")
            line.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            for column, item in enumerate((line, QTableWidgetItem(row.reason), QTableWidgetItem(row.text))):
                self.table.setItem(place, column, item)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        more = WrappedText(self, muted=True)
        cut = self.tr("The first {0} of {1} rows.").format(f"{MOST_SKIPPED:,}", f"{len(skipped):,}")
        more.say(cut if len(skipped) > MOST_SKIPPED else "")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.close)
        vbox(intro, self.table, more, buttons, within=self)

    def sizeHint(self) -> QSize:
        """Return a size that grows with the text."""
        letter = self.fontMetrics().averageCharWidth()
        return QSize(90 * letter, 24 * self.fontMetrics().height())


class _DropArea(QFrame):
    """A dashed frame that lights up under a dragged file."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._hot = False

    def set_hot(self, hot: bool) -> None:
        self._hot = hot
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self.palette()
        if self._hot:
            painter.setBrush(colours.alternateBase())
        colour = colours.highlight().color() if self._hot else colours.placeholderText().color()
        painter.setPen(QPen(colour, 2 if self._hot else 1, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -2, -2), 5, 5)


def _files(event: QDropEvent) -> list[Path]:
    return [path_of(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
