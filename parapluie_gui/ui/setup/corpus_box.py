"""The corpus part of the Setup panel: the open corpus, and buttons to open, paste or try a different one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHeaderView,
    QMenu,
    QPushButton,
    QTableWidgetItem,
    QWidget,
)

from parapluie_gui.pairs.corpus import UNLABELLED, Corpus, SkippedRow
from parapluie_gui.ui.state.reading_controls import options_to_controls
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets import icons
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, give_menu, name_control, vbox, widget_of
from parapluie_gui.ui.widgets.controls import FoldingSection, bold, dialog_buttons, table
from parapluie_gui.ui.widgets.text import pairs_words, set_tip
from parapluie_gui.ui.widgets.wrapped import NarrowBox, NarrowButton, WrappedText

#: Maximum number of columns with mixed cells that are named.
MOST_MIXED = 3
#: Maximum number of rows in the list of skipped rows.
MOST_SKIPPED = 2000
#: Number of letters of a link shown in the narrowest panel.
_LINK = 16


class CorpusBox(QWidget):
    """The name and properties of the open corpus, and buttons for opening others.

    Attributes:
        section: Shows a summary of the corpus until it is unfolded.
        chooser: The corpora of the session with their pairs; hidden unless there are several.
        add_button: Opens a menu of ways to open a corpus.
        roles_button: Changes the columns of labels and human scores; hidden if there are no other columns.
        skipped_button: Shows the skipped rows; hidden if there are none.

    Signals:
        open_requested, paste_requested, demo_requested, roles_requested: The user pressed the button.
        corpus_chosen: (number) The user chose a corpus of the session.
    """

    open_requested = Signal()
    paste_requested = Signal()
    demo_requested = Signal()
    roles_requested = Signal()
    corpus_chosen = Signal(int)

    def __init__(self, workspace: CorpusWorkspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "corpora")
        self.setAccessibleName(self.tr("Corpus"))
        self._workspace = workspace
        self._list: SkippedDialog | None = None
        self.chooser = NarrowBox(8, self)
        name_control(self.chooser, self.tr("Corpora of this session"), self.tr("Show another corpus of this session"))
        self.chooser.activated.connect(self.corpus_chosen)
        self.chooser.hide()
        self._name = bold(WrappedText(self))
        self._counts = WrappedText(self)
        self._extent, self._sample = WrappedText(self), WrappedText(self)
        self._layout = WrappedText(self, muted=True)
        self._mixed = WrappedText(self, bad=True)
        self.skipped_button = self._link("", self.tr("Show the rows without a usable pair, and why"))
        self.skipped_button.clicked.connect(self.show_skipped)
        tip = self.tr("Use a different column as label, human score or annotator; scores, notes and verdicts are kept")
        self.roles_button = self._link(self.tr("Change labels, human scores, annotators…"), tip)
        self.roles_button.clicked.connect(self.roles_requested)
        self.add_button = self._add_menu()
        inside = widget_of(vbox(*self._lines()[:-1], self.roles_button, self.skipped_button, margins=(22, 0, 4, 4)))
        tip = self.tr("The pairs that are scored and analysed")
        self.section = FoldingSection(
            self.tr("Corpus"), inside, self.chooser, self._mixed, tip=tip, beside=self.add_button
        )
        vbox(self.section, within=self, margins=NO_MARGINS)
        workspace.corpus_changed.connect(self._show_corpus)
        self._show_corpus()

    def _add_menu(self) -> QPushButton:
        opener = icons.put(
            name_control(QPushButton(self), self.tr("Another corpus"), self.tr("Open another corpus")), "plus"
        )
        menu = QMenu(opener)
        menu.addAction(self.tr("Open…"), self.open_requested.emit)
        menu.addAction(self.tr("Paste pairs"), self.paste_requested.emit)
        menu.addAction(self.tr("Demo corpus"), self.demo_requested.emit)
        give_menu(opener, menu)
        return opener

    def set_corpora(self, names: Sequence[str], current: int) -> None:
        """List the corpora of the session; the list is visible if there are several."""
        with QSignalBlocker(self.chooser):
            self.chooser.clear()
            self.chooser.addItems(list(names))
            self.chooser.setCurrentIndex(current)
        self.chooser.setVisible(len(names) > 1)
        self._name.setVisible(bool(self._name.full_text) and len(names) <= 1)
        self._sum_up()

    def show_extent(self, text: str) -> None:
        """Show how much of a growing corpus has been read, "" for any other corpus."""
        self._extent.say(text)

    def show_skipped(self) -> None:
        """Show the skipped rows in a non-modal window."""
        corpus = self._workspace.corpus
        if corpus is not None and corpus.skipped:
            self._list = SkippedDialog(corpus.name, corpus.skipped, self)
            self._list.show()

    def text(self) -> str:
        return "\n".join(label.full_text for label in self._lines() if label.full_text)

    def _show_corpus(self) -> None:
        corpus = self._workspace.corpus
        if self._list is not None:
            self._list.close()
            self._list = None
        self.skipped_button.setVisible(corpus is not None and bool(corpus.skipped))
        self.roles_button.setVisible(corpus is not None and bool(corpus.extra))
        if corpus is None:
            for label in self._lines():
                label.say("")
            self._sum_up()
            return
        self._name.say(corpus.name)
        self._name.setHidden(self.chooser.isVisibleTo(self))
        set_tip(self._name, str(corpus.path) if corpus.path is not None else "")
        self._counts.say(self._count(corpus))
        self._sample.say(self._sample_words())
        known = "" if corpus.layout == "custom" else self.tr("Recognised as {}").format(corpus.layout)
        guessed = self.tr("Detected: {}").format(corpus.guessed) if corpus.guessed else ""
        plan = corpus.plan
        roles = "" if plan is None or plan.is_plain else str(plan)
        texts = map(options_to_controls, () if plan is None else plan.remarks)
        remarks = [f"{text[:1].upper()}{text[1:]}." for text in texts]
        self._layout.say("\n".join(filter(None, (known, guessed, roles, *remarks))))
        set_tip(self._layout, "" if plan is None or roles else str(plan))
        more = len(corpus.mixed) - MOST_MIXED
        self._mixed.say(
            "\n".join(map(str, corpus.mixed[:MOST_MIXED]))
            + (self.tr("\n{} more columns").format(f"{more:,}") if more > 0 else "")
        )
        skipped = len(corpus.skipped)
        rows = self.tr("1 row skipped") if skipped == 1 else self.tr("{} rows skipped").format(f"{skipped:,}")
        self.skipped_button.setText(rows)
        self.skipped_button.setAccessibleName(rows)
        self._sum_up()

    def _sum_up(self) -> None:
        corpus = self._workspace.corpus
        if corpus is None:
            self.section.sum_up(self.tr("No corpus is open. Drop a file anywhere in the window."))
            return
        pairs = pairs_words(len(corpus))
        if self._sample_words():
            pairs = self.tr("sample of {0}").format(pairs)
        several = self.chooser.isVisibleTo(self)
        skipped = self.skipped_button.text() if corpus.skipped else ""
        parts = ("" if several else corpus.name, "" if several and not self._sample_words() else pairs, skipped)
        plan = corpus.plan
        set_tip(self.section, "" if plan is None else str(plan))
        lines = (" · ".join(filter(None, parts)), str(plan) if plan is not None and plan.is_guess else "")
        self.section.sum_up("\n".join(filter(None, lines)))

    def _link(self, text: str, tip: str) -> QPushButton:
        link = name_control(NarrowButton(text, _LINK, self), text.rstrip("…"), tip)
        link.setProperty("link", True)
        link.setCursor(Qt.CursorShape.PointingHandCursor)
        return link

    def _lines(self) -> tuple[WrappedText, ...]:
        return self._name, self._counts, self._extent, self._sample, self._layout, self._mixed

    def _sample_words(self) -> str:
        """Return a sentence about the source of a sample, "" for a complete corpus."""
        origin = self._workspace.sample_origin
        if origin is None:
            return ""
        words = self.tr("A uniform sample of {0} pairs (seed {1}). Only the sample is scored and analysed.")
        return words.format(f"{origin.pairs:,}", origin.seed)

    def _count(self, corpus: Corpus) -> str:
        if corpus.label is None or not corpus.has_labels:
            return self.tr("{} · no labels").format(pairs_words(len(corpus)))
        pairs = pairs_words(len(corpus))
        words = ((1, self.tr("paraphrase")), (0, self.tr("not a paraphrase")), (UNLABELLED, self.tr("unlabelled")))
        counts = [(word, int(np.count_nonzero(corpus.label == label))) for label, word in words]
        # No line break between a count and its word.
        parts = [f"{word} {count:,}".replace(" ", "\N{NO-BREAK SPACE}") for word, count in counts]
        shown = parts if counts[-1][1] else parts[:-1]
        return f"{pairs}\n{' · '.join(shown)}"


class SkippedDialog(QDialog):
    """A dialog with the line number, reason and first words of each row without a usable pair."""

    def __init__(self, name: str, skipped: Sequence[SkippedRow], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "corpora")
        self.setWindowTitle(self.tr("Skipped rows"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        intro = WrappedText(self)
        intro.say(self.tr("These rows of {} were skipped because they contain no usable pair.").format(name))
        shown = skipped[:MOST_SKIPPED]
        headers = (self.tr("Line"), self.tr("Why"), self.tr("Text"))
        self.table = table(self.tr("Skipped rows"), headers, len(shown))
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
        vbox(intro, self.table, more, dialog_buttons(self), within=self)

    def sizeHint(self) -> QSize:
        """Return a size that grows with the type."""
        letter = self.fontMetrics().averageCharWidth()
        return QSize(90 * letter, 24 * self.fontMetrics().height())
