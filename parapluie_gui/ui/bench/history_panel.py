"""The history of the Bench with what can be done with its pairs: edit a copy, collect, export, remove."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.bench.history import HistoryModel, HistoryView
from parapluie_gui.ui.widgets.arrange import button, named, vbox
from parapluie_gui.ui.widgets.empty import EmptyState
from parapluie_gui.ui.widgets.flow import flow
from parapluie_gui.ui.widgets.theme import Theme


class HistoryPanel(QWidget):
    """The list under its heading, its buttons below.

    Attributes:
        list: The entries.
        collect_button: Opens a menu of corpora.
        export_button: Writes the chosen entries to a file.

    Signals:
        copy_asked: (place) A copy of an entry is to be edited.
        removal_asked: The selected entries are to be removed.
    """

    copy_asked = Signal(int)
    removal_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = HistoryView(theme)
        self.list.removal_asked.connect(self.removal_asked)
        self._nothing = EmptyState()
        tip = self.tr("Change the chosen pair and see how its scores move")
        self._copy = button(self.tr("Edit a copy"), self._ask_copy, tip)
        tip = self.tr("Put the selected pairs into a corpus, with their notes and verdicts")
        self.collect_button = named(QPushButton(self.tr("Collect")), self.tr("Collect"), tip)
        tip = self.tr("Write the selected pairs with scores, notes and verdicts to a file")
        self.export_button = button(self.tr("Export…"), lambda: None, tip, self.tr("Export the history"))
        tip = self.tr("Remove the selected pairs from the history (Delete). Ctrl+Z brings them back")
        self._remove = button(self.tr("Remove"), self.removal_asked.emit, tip)
        self._buttons = (self._copy, self.collect_button, self.export_button, self._remove)
        heading = QLabel(self.tr("History"))
        heading.setBuddy(self.list)
        parts = (heading, self._nothing, (self.list, 1000), flow(*self._buttons), 1)
        vbox(*parts, within=self, margins=(8, 10, 10, 10))
        self.list.selectionModel().selectionChanged.connect(self.refresh)
        self.refresh()

    @property
    def model(self) -> HistoryModel:
        return self.list.entries

    def chosen(self) -> Sequence[BenchEntry]:
        """Return the selected entries, all of them where none is, the oldest first."""
        entries, places = self.model.entries, self.list.chosen_places()
        return [entries[place] for place in places] if places else list(entries)

    def refresh(self, *_: object) -> None:
        """Show the buttons that there is something for."""
        empty = not self.model.entries
        self._nothing.say(self.tr("Scored pairs are listed here.") if empty else "", "score_typed")
        for each in (self.list, *self._buttons):
            each.setVisible(not empty)
        chosen = len(self.list.chosen_places())
        self._copy.setEnabled(chosen == 1)
        self._remove.setEnabled(chosen > 0)

    def apply_theme(self, theme: Theme) -> None:
        self.list.apply_theme(theme)

    def _ask_copy(self) -> None:
        if (place := self.list.current_place()) is not None:
            self.copy_asked.emit(place)
