"""The filter bar above the table: type a filter or take a preset, and see how many pairs are left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QWidget

from parapluie_gui.analysis.filter.expression import Filter, compile_filter
from parapluie_gui.errors import FilterError
from parapluie_gui.ui.state.columns import filter_names, rests_on_scores, values_of
from parapluie_gui.ui.state.notes import Notes
from parapluie_gui.ui.state.selection import Rule
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.table import presets
from parapluie_gui.ui.table.filter_edit import FilterEdit
from parapluie_gui.ui.table.presets import PRESETS, Preset
from parapluie_gui.ui.widgets.arrange import hbox, vbox
from parapluie_gui.ui.widgets.list_menu import Entry, ListMenu
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: How long after the last key a filter is applied.
TYPING_MS = 150


class FilterBar(QWidget):
    """Makes the current set from an expression or a preset, and shows what the current set is.

    Attributes:
        edit: Where one types.

    Signals:
        export_requested: ("table" or "selection") The user wants the pairs in a file.
    """

    export_requested = Signal(str)

    def __init__(
        self, workspace: Workspace, theme: Theme, notes: Notes | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "table")
        self._workspace = workspace
        self._notes = notes
        self._mine: Rule | None = None
        self._writing = False
        self._applying = Throttle(self._apply, TYPING_MS, self, rest=True)
        self.edit = FilterEdit(self)
        self.edit.setPlaceholderText(self.tr("Filter: a word, or pluie.direct > 0 and label == 0"))
        self.edit.setToolTip(
            self.tr(
                "A word finds the pairs that contain it.\n"
                "Columns can be compared with numbers and text: pluie.direct > 0 and label == 0,\n"
                'source contains "tsunami", not (bleu < 0.2).\n'
                "Arrow up recalls earlier filters. Escape shows all pairs."
            )
        )
        self.edit.setAccessibleName(self.tr("Filter"))
        self.edit.setClearButtonEnabled(True)
        self.edit.textEdited.connect(self._applying.ask)
        self.edit.textChanged.connect(self._cleared)
        self.edit.entered.connect(self._enter)
        self.edit.escaped.connect(self.clear)
        self.edit.setMinimumWidth(18 * self.edit.fontMetrics().averageCharWidth())
        self._presets = self._button(self.tr("Presets"), self.tr("Ready-made filters"))
        self._presets_menu = self._menu(self._presets)
        self._presets_menu.setToolTipsVisible(True)
        self._presets_menu.aboutToShow.connect(self.refresh_presets)
        self._preset_actions = [(QAction(presets.tr(preset.title), self), preset) for preset in PRESETS]
        self._history_menu = ListMenu(self._recent_filters, "", self._presets_menu)
        self._history_menu.setTitle(self.tr("Recent filters"))
        self._fill_presets()
        self._export = self._button(self.tr("Export"), self.tr("Write the pairs and their scores to a file"))
        menu = self._menu(self._export)
        menu.addAction(self.tr("Export table…"), self._export_table)
        self._export_selection = menu.addAction(self.tr("Export selection…"), self._export_set)
        self._chip = QPushButton(self)
        self._chip.setToolTip(self.tr("Current selection. Click to show all pairs"))
        self._chip.setAccessibleName(self.tr("Show all pairs again"))
        self._chip.clicked.connect(self.clear)
        self._count = QLabel(self)
        self._count.setTextFormat(Qt.TextFormat.PlainText)
        self._count.setAccessibleName(self.tr("Number of pairs shown"))
        self._error = WrappedText(self, bad=True)
        self._error.setAccessibleName(self.tr("Problem with the filter"))
        self._error.hide()
        line = hbox(self._chip, (self.edit, 1), self._presets, self._count, self._export, spacing=6)
        vbox(line, self._error, within=self, margins=(6, 4, 6, 4), spacing=3)
        workspace.selection.set_changed.connect(self._show_set)
        workspace.corpus_changed.connect(self._take_corpus)
        workspace.columns_changed.connect(self._take_columns)
        self._take_corpus()

    # What the window calls

    @property
    def error(self) -> str:
        """The sentence shown under the box, or ""."""
        return self._error.said

    def set_filter(self, text: str) -> None:
        self.edit.setText(text)
        self._apply()
        self.edit.remember(text)

    def clear(self) -> None:
        self._applying.stop()
        self._write("")
        self._set_rule(None)

    def focus(self) -> None:
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    def apply_theme(self, theme: Theme) -> None:
        """Colours come from the palette and the style sheet: only the error's colour is looked up again."""
        self._error.style().unpolish(self._error)
        self._error.style().polish(self._error)

    def settings(self) -> dict[str, object]:
        return {"version": 1, "history": list(self.edit.history)}

    def restore(self, settings: Mapping[str, object]) -> None:
        history = settings.get("history")
        if isinstance(history, list):
            for text in reversed(history):
                self.edit.remember(str(text))

    # Typing

    def _cleared(self, text: str) -> None:
        # The clear button changes the text without "editing" it.
        if not text and not self._writing and self._mine is not None:
            self._applying.ask()

    def _enter(self) -> None:
        self._applying.now()
        if not self.error:
            self.edit.remember(self.edit.text())

    def _apply(self) -> None:
        text = self.edit.text().strip()
        if not text:
            self._show_error("")
            self._set_rule(None)
            return
        if self._workspace.corpus is None:
            self._show_error(self.tr("Open a corpus first to filter its pairs."))
            return
        try:
            compiled = compile_filter(text, self._names())
            lasting = not rests_on_scores(self._workspace, compiled.columns)
            rule = Rule(text, _FilterMask(self, compiled, lasting), filter_text=text)
            rule.mask()  # what can only fail on the values fails here, while one types
        except FilterError as error:
            self._show_error(str(error))
            return
        self._show_error("")
        self._set_rule(rule)

    def value(self, name: str) -> np.ndarray:
        """Return a column for filters: float64 (n,), or objects (n,) that are texts."""
        return values_of(self._workspace, name)

    def _names(self) -> list[str]:
        return filter_names(self._workspace)

    # Presets

    def refresh_presets(self) -> None:
        """Enable the presets that can be had now; the others say why not."""
        for action, preset in self._preset_actions:
            lacks = preset.lacks(self._workspace, self._notes)
            tip = presets.tr(preset.tip)
            action.setEnabled(not lacks)
            action.setToolTip(f"{tip}.\n{lacks}" if lacks else f"{tip}.")
        self._history_menu.setEnabled(bool(self.edit.history))

    def _fill_presets(self) -> None:
        for action, preset in self._preset_actions:
            if preset.separated:
                self._presets_menu.addSeparator()
            self._presets_menu.addAction(action)
            action.triggered.connect(partial(self._choose, preset))
        self._presets_menu.addSeparator()
        self._presets_menu.addMenu(self._history_menu)

    def _choose(self, preset: Preset, _checked: bool = False) -> None:
        if not preset.lacks(self._workspace, self._notes):
            self._applying.stop()
            self._set_rule(Rule(presets.tr(preset.title), _PresetMask(self._workspace, preset, self._notes)))

    def _recent_filters(self) -> Iterator[Entry]:
        return ((text, partial(self.set_filter, text)) for text in self.edit.history)

    # What the current set is

    def _set_rule(self, rule: Rule | None) -> None:
        if rule is None and self._workspace.selection.rule is None:
            self._mine = None
            self._show_set()
            return
        self._mine = rule
        self._workspace.selection.set_rule(rule)

    def _show_set(self) -> None:
        rule = self._workspace.selection.rule
        named = rule is not None and not rule.filter_text
        self._chip.setVisible(named)
        if rule is not None and named:
            self._chip.setText(f"{rule.name} ✕".replace("&", "&&"))
            self._chip.setAccessibleName(self.tr("Shown: {}. Show all pairs").format(rule.name))
        if rule is not self._mine:  # another view made the set
            self._mine = rule
            self._applying.stop()
            self._write("" if rule is None else rule.filter_text)
        elif named:
            self._write("")
        self._show_count()

    def _write(self, text: str) -> None:
        """Put a text into the box that is in force already."""
        self._writing = True
        self.edit.setText(text)
        self._writing = False
        self._show_error("")

    def _show_count(self) -> None:
        total = self._workspace.table.rows
        shown = int(np.count_nonzero(self._workspace.selection.mask))
        if self._workspace.corpus is None:
            text = self.tr("No corpus")
        elif self._workspace.selection.rule is None:
            text = self.tr("1 pair") if total == 1 else self.tr("{} pairs").format(f"{total:,}")
        else:
            text = self.tr("{0} of {1} pairs").format(f"{shown:,}", f"{total:,}")
        self._count.setText(text)
        self._export.setEnabled(total > 0)
        self._export_selection.setEnabled(shown > 0)

    def _show_error(self, text: str) -> None:
        self._error.say(text)

    def _take_corpus(self) -> None:
        self._take_columns()
        self._show_set()

    def _take_columns(self) -> None:
        self.edit.set_names(self._names())
        if self.error:  # it may have named a column that is there now
            self._apply()

    # Parts

    def _button(self, text: str, tip: str) -> QPushButton:
        button = QPushButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(text)
        return button

    def _menu(self, button: QPushButton) -> QMenu:
        menu = QMenu(button)
        button.setMenu(menu)
        return menu

    def _export_table(self) -> None:
        self.export_requested.emit("table")

    def _export_set(self) -> None:
        self.export_requested.emit("selection")


class _FilterMask:
    """A compiled filter as the mask of a rule; one that looks at no score is worked out once."""

    def __init__(self, bar: FilterBar, compiled: Filter, lasting: bool) -> None:
        self._bar = bar
        self._filter = compiled
        self._lasting = lasting
        self._mask: np.ndarray | None = None

    def __call__(self) -> np.ndarray:
        if self._mask is None or not self._lasting:
            self._mask = self._filter.mask(self._bar.value)
        return self._mask


class _PresetMask:
    """A preset as the mask of a rule; nothing belongs to it while something lacks."""

    def __init__(self, workspace: Workspace, preset: Preset, notes: Notes | None) -> None:
        self._workspace = workspace
        self._preset = preset
        self._notes = notes

    def __call__(self) -> np.ndarray:
        if self._preset.lacks(self._workspace, self._notes):
            return np.zeros(self._workspace.table.rows, dtype=bool)
        return self._preset.mask(self._workspace, self._notes)
