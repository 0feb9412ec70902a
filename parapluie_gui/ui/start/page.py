"""The start page: what the program is for, how to open pairs, what was open last, and a pair to try at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QWidget

from parapluie_gui.errors import one_line
from parapluie_gui.ui.start.trial import Trial
from parapluie_gui.ui.widgets import icons
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, clear, named, scrolled, vbox, widget_of
from parapluie_gui.ui.widgets.drop_area import DropArea
from parapluie_gui.ui.widgets.flow import flow
from parapluie_gui.ui.widgets.text import heading, tooltip
from parapluie_gui.ui.widgets.theme import APART, CLOSE, NEAR, PAGE, TITLE, Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Recent files that are listed, and the letters of one that are shown.
MOST, LETTERS = 8, 60

#: Letters of running text at which the page has two columns, and its greatest width.
TWO_COLUMNS, WIDEST = 110, 170


class StartPage(QWidget):
    """Stands where the scatter will be while no corpus is open.

    Attributes:
        trial: Two fields to type a pair, scored at once.
        recent: The buttons of the recent files.

    Signals:
        open_requested, paste_requested, demo_requested: The user pressed the button.
        files_wanted: (list of Path) Files were dropped, or a recent one was chosen.
    """

    open_requested = Signal()
    paste_requested = Signal()
    demo_requested = Signal()
    files_wanted = Signal(list)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "start")
        self.setAccessibleName(self.tr("Start"))
        self.trial = Trial(theme)
        self.recent: list[QPushButton] = []
        self._none = WrappedText(muted=True)
        self._none.say(self.tr("Files that you open are listed here."))
        self._files = vbox(spacing=0)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns.setSpacing(PAGE)
        self._columns.addWidget(widget_of(self._opening()), 1)
        self._columns.addWidget(widget_of(vbox(self.trial, 1, margins=NO_MARGINS)), 1)
        self._page = QWidget()
        parts = (heading(self.tr("ParaPLUIE Inspector"), TITLE), self._introduction(), self._columns, 1)
        vbox(*parts, within=self._page, margins=(PAGE, PAGE, PAGE, PAGE), spacing=APART)
        self._area = scrolled(self._page)
        self._area.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        vbox(self._area, within=self, margins=NO_MARGINS)

    def set_recent(self, names: Sequence[str]) -> None:
        """List the files that were open last, those that are still there."""
        clear(self._files)
        self.recent = [self._file(Path(name)) for name in names[:MOST] if Path(name).exists()]
        for each in self.recent:
            self._files.addWidget(each, 0, Qt.AlignmentFlag.AlignLeft)
        self._none.setVisible(not self.recent)

    def apply_theme(self, theme: Theme) -> None:
        self.trial.apply_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the two columns one above the other where the page is narrow."""
        letter = self.fontMetrics().averageCharWidth()
        wide = self.width() >= TWO_COLUMNS * letter
        direction = QBoxLayout.Direction
        self._columns.setDirection(direction.LeftToRight if wide else direction.TopToBottom)
        self._page.setMaximumWidth(WIDEST * letter)
        super().resizeEvent(event)

    def _introduction(self) -> WrappedText:
        text = WrappedText()
        text.say(
            self.tr(
                "ParaPLUIE asks a language model whether two sentences mean the same and scores its answer: above 0 it "
                "says paraphrase, below 0 it does not. This program scores your sentence pairs in this way and with "
                "the classic metrics, and shows where the scores agree, where they fail, and why. Everything is "
                "computed on this computer."
            )
        )
        return text

    def _opening(self) -> QBoxLayout:
        area = DropArea()
        area.dropped.connect(self.files_wanted)
        invitation = WrappedText(muted=True)
        invitation.say(
            self.tr(
                "Drop a file of sentence pairs here (CSV, TSV, JSON, Excel, Parquet), or a session. Rows that you "
                "copied from a spreadsheet can be pasted."
            )
        )
        self.open_button = button(self.tr("Open…"), self.open_requested.emit, self.tr("Open a corpus or a session"))
        icons.put(self.open_button, "folder-open", QPalette.ColorRole.HighlightedText)
        self.open_button.setProperty("primary", True)
        tip = self.tr("Open the pairs on the clipboard: rows of a spreadsheet, CSV, JSON")
        self.paste_button = button(self.tr("Paste pairs"), self.paste_requested.emit, tip, icon="clipboard-paste")
        tip = self.tr("Open the small corpus that comes with the program")
        self.demo_button = button(self.tr("Open the demo"), self.demo_requested.emit, tip)
        buttons = flow(self.open_button, self.paste_button, self.demo_button)
        vbox(invitation, buttons, within=area, margins=(APART, APART, APART, APART), spacing=NEAR)
        recent = vbox(heading(self.tr("Recent")), self._none, self._files, spacing=CLOSE)
        opening = vbox(heading(self.tr("Open pairs")), area, spacing=NEAR)
        return vbox(opening, recent, 1, margins=NO_MARGINS, spacing=APART)

    def _file(self, path: Path) -> QPushButton:
        name, folder = one_line(path.name), one_line(path.parent)
        text = f"{name}  ·  {folder}"
        shown = text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}…"
        # The ampersand would become a shortcut: names are data.
        choice = QPushButton(shown.replace("&", "&&"))
        choice.setProperty("link", True)
        choice.setCursor(Qt.CursorShape.PointingHandCursor)
        choice.clicked.connect(partial(self._choose, path))
        return named(choice, self.tr("Open {0}").format(name), tooltip(one_line(path)))

    def _choose(self, path: Path, checked: bool = False) -> None:
        self.files_wanted.emit([path])
