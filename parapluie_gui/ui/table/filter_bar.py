"""The filter bar above the table: a filter expression, presets, and the number of selected pairs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from parapluie_gui.analysis.columns import compile_column_filter, filter_titles
from parapluie_gui.analysis.filter.expression import Filter
from parapluie_gui.analysis.filter.words import quote_column
from parapluie_gui.analysis.pattern import search_tick
from parapluie_gui.arrays import Mask, Numbers
from parapluie_gui.errors import FilterError, ParapluieError
from parapluie_gui.scores.identity import identify, matching_columns
from parapluie_gui.ui.state.columns import FILTERED_OUTCOME, filter_columns, filter_names, filter_values, may_change
from parapluie_gui.ui.state.notes import CorpusAnnotations
from parapluie_gui.ui.state.selection import FILTER, PRESET, SelectionRule
from parapluie_gui.ui.state.stored_values import StoredValues
from parapluie_gui.ui.state.task import BackgroundTask
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.table import presets
from parapluie_gui.ui.table.filter_edit import FilterEdit
from parapluie_gui.ui.table.model import MANY
from parapluie_gui.ui.table.presets import PRESETS, FilterPreset
from parapluie_gui.ui.widgets import icons
from parapluie_gui.ui.widgets.arrange import FlowLayout, button, clear, give_menu, hbox, name_control, vbox, widget_of
from parapluie_gui.ui.widgets.controls import plain
from parapluie_gui.ui.widgets.list_menu import Entry, ListMenu
from parapluie_gui.ui.widgets.text import pairs_words, plain_tip
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Delay after the last key before a filter is applied, in milliseconds.
TYPING_MS = 150

#: Maximum number of letters of a chip.
_CHIP = 48


class FilterBar(QWidget):
    """Bar that selects pairs by an expression or a preset, and shows the parts of the current selection.

    The parts add up: the pairs that match all of them are selected. Each has a chip that removes it, the expression the
    button in its box.

    Signals:
        export_requested: ("table" or "selection") The user wants the pairs in a file.
    """

    export_requested = Signal(str)

    def __init__(
        self, workspace: CorpusWorkspace, notes: CorpusAnnotations | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "table")
        self._workspace = workspace
        self._notes = notes
        self._mine: SelectionRule | None = None
        self._shown: list[SelectionRule] = []
        self._writing = self._as_words = False
        self._search: BackgroundTask[Mask] | None = None
        self._wanted = ""
        self._then: tuple[str, Filter] | None = None
        self._applying = CallThrottle(self._apply, TYPING_MS, self, rest=True)
        self.edit = name_control(FilterEdit(self), self.tr("Filter"))
        self.edit.setClearButtonEnabled(True)
        self.edit.textEdited.connect(self._applying.ask)
        self.edit.textChanged.connect(self._apply_cleared)
        self.edit.entered.connect(self._enter)
        self.edit.escaped.connect(self.clear)
        self.edit.setMinimumWidth(18 * self.edit.fontMetrics().averageCharWidth())
        self._presets, self._presets_menu = self._menu("list-filter", self.tr("Presets"), self.tr("Ready-made filters"))
        self._presets_menu.setToolTipsVisible(True)
        self._presets_menu.aboutToShow.connect(self.refresh_presets)
        self._preset_actions = [(QAction(presets.tr(preset.title), self), preset) for preset in PRESETS]
        self._history_menu = ListMenu(self._recent_filters, "", self._presets_menu)
        self._history_menu.setTitle(self.tr("Recent filters"))
        self._fill_presets()
        self._export, menu = self._menu(
            "file-down", self.tr("Export"), self.tr("Write the pairs and their scores to a file")
        )
        menu.addAction(self.tr("Export table…"), self._export_table)
        self._export_selection = menu.addAction(self.tr("Export selection…"), self._export_set)
        self._chips = FlowLayout(gap=4)
        self._chip_row = widget_of(self._chips)
        self._chip_row.hide()
        self._count = name_control(plain(), self.tr("Number of pairs shown"), "")
        self._error = name_control(WrappedText(self, bad=True), self.tr("Problem with the filter"), "")
        self._error.hide()
        self._reading = name_control(WrappedText(self, muted=True), self.tr("How the filter is read"), "")
        self._reading.hide()
        # Only the field changes its width with the number, so that the buttons stay where they are.
        line = hbox((self.edit, 1), self._count, self._presets, self._export, spacing=6)
        vbox(line, self._chip_row, self._error, self._reading, within=self, margins=(6, 4, 6, 4), spacing=3)
        workspace.selection.set_changed.connect(self._show_set)
        workspace.corpus_changed.connect(self._take_corpus)
        workspace.columns_changed.connect(self._take_columns)
        self._take_corpus()

    @property
    def error(self) -> str:
        """The sentence shown under the box, or ""."""
        return self._error.full_text

    def set_filter(self, text: str) -> None:
        self.edit.setText(text)
        self._wanted = text.strip()
        self._apply()
        if self._search is None:
            self.edit.remember(text)

    def add_condition(self, condition: str) -> None:
        """Filter by a condition in addition to the one in the box."""
        text = self.edit.text().strip()
        self.set_filter(f"({text}) and {condition}" if text and not self._as_words else condition)

    def clear(self) -> None:
        self._applying.stop()
        self._give_up()
        self._write("")
        if self._workspace.selection.rule is not None:
            self._workspace.selection.set_rule(None)

    def focus(self) -> None:
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    def settings(self) -> dict[str, object]:
        return {"version": 1, "history": list(self.edit.history)}

    def restore(self, settings: Mapping[str, object]) -> None:
        for text in reversed(StoredValues.wrap(settings).texts("history")):
            self.edit.remember(text)

    # Typing

    def _apply_cleared(self, text: str) -> None:
        # The clear button does not emit textEdited.
        if not text and not self._writing and self._mine is not None:
            self._applying.ask()

    def _enter(self) -> None:
        self._applying.now()
        self._wanted = self.edit.text().strip()
        if not self.error and self._search is None:
            self.edit.remember(self.edit.text())

    def _apply(self) -> None:
        text = self.edit.text().strip()
        self._reading.say("")
        if not text:
            self._give_up()
            self._error.say("")
            self._set_rule(None)
            return
        if self._workspace.corpus is None:
            self._error.say(self.tr("Open a corpus first to filter its pairs."))
            return
        self._give_up()
        try:
            filter_ = compile_column_filter(text, filter_columns(self._workspace))
            if filter_.slow or self._reads_many_texts(filter_):
                self._begin(text, filter_)
                return
            filter_.mask(self._values)  # errors that depend on the values are reported here
        except FilterError as error:
            self._fail(error)
            return
        self._take(text, filter_, partial(filter_.mask, self._values))

    def _reads_many_texts(self, filter_: Filter) -> bool:
        """Return whether a filter has to read many texts, for which it runs in a thread."""
        columns = filter_columns(self._workspace)
        read = (columns[name] for name in filter_.columns if name in columns)
        return self._workspace.table.rows >= MANY and any(
            column.shows == "text" and column.key != FILTERED_OUTCOME for column in read
        )

    def _values(self, key: str) -> Numbers:
        return filter_values(self._workspace, key)

    def _fail(self, error: ParapluieError) -> None:
        before = self._workspace.selection.rule
        shown = self.tr("all pairs") if before is None else f"“{before.name}”"
        self._error.say(
            self.tr("{0} The filter was read as a condition; the table still shows {1}.").format(error, shown)
        )
        self._show_count()

    def _take(self, text: str, filter_: Filter, make: Callable[[], Mask]) -> None:
        """Apply an evaluated filter."""
        self._error.say("")
        self._reading.say(self._meant(filter_, text))
        self._as_words = filter_.words
        # A filter without scores is evaluated once per corpus.
        lasting = not may_change(self._workspace, filter_.columns)
        once = partial(self._workspace.once, f"filter {text}", make)
        later = partial(_mask_or_nothing, make, self._workspace)
        self._set_rule(SelectionRule(text, once if lasting else later, text, FILTER))

    def _meant(self, filter_: Filter, text: str) -> str:
        """Return a note on which judge's score an ambiguous name in a filter means; "" if it is clear."""
        table, names = self._workspace.table, self._workspace.table.full_names()
        sentences = []
        for name in sorted(filter_.columns & names.keys()):
            if re.search(rf"(?<![\w.@-]){re.escape(name)}(?![\w.@-])", text):
                words = self.tr("{0} is read as {1}. Scores of other judges: {2}.")
                sentences.append(words.format(name, names[name], ", ".join(matching_columns(name, table))))
        return " ".join(sentences)

    # Filters that may take long

    def _begin(self, text: str, filter_: Filter) -> None:
        """Evaluate a filter in a thread, one at a time; a cancelled one ends by itself."""
        if self._search is not None:
            self._then = text, filter_
            self._count.setText(self.tr("Searching …"))
            return
        bounds = {identify(name).bound for name in filter_.looks_at} & self._workspace.columns.keys()
        values = {name: self._values(name) for name in filter_.looks_at | bounds}

        def work(tell: Callable[[int], None]) -> Mask:
            with search_tick(tell):
                return filter_.mask(values.__getitem__)

        self._error.say("")
        self._count.setText(self.tr("Searching …"))
        self._search = task = BackgroundTask(work)
        task.begin(partial(self._take_mask, text, filter_), self._fail, self._end_search)

    def _take_mask(self, text: str, filter_: Filter, mask: Mask) -> None:
        # Scores may have changed since: then it is applied again, which searches no text twice.
        lasting = not may_change(self._workspace, filter_.columns)
        self._take(text, filter_, (lambda: mask) if lasting else partial(filter_.mask, self._values))
        if text == self._wanted:
            self.edit.remember(text)

    def _end_search(self) -> None:
        self._search = None
        waiting, self._then = self._then, None
        if waiting is not None:
            self._begin(*waiting)

    def _give_up(self) -> None:
        self._then = None
        if self._search is not None:
            self._search.stop()
            self._show_count()

    def close_work(self) -> None:
        """Stop the search and wait for its end."""
        self._give_up()
        if self._search is not None:
            self._search.wait()

    # Presets

    def refresh_presets(self) -> None:
        """Enable the presets that apply now; the tooltips of the others say why they do not."""
        for action, preset in self._preset_actions:
            lacks = preset.lacks(self._workspace, self._notes)
            tip = presets.tr(preset.tip)
            action.setEnabled(not lacks)
            action.setToolTip(plain_tip(f"{tip}.\n{lacks}" if lacks else f"{tip}."))
        self._history_menu.setEnabled(bool(self.edit.history))

    def _fill_presets(self) -> None:
        for action, preset in self._preset_actions:
            if preset.separated:
                self._presets_menu.addSeparator()
            self._presets_menu.addAction(action)
            action.triggered.connect(partial(self._choose, preset))
        self._presets_menu.addSeparator()
        self._presets_menu.addMenu(self._history_menu)

    def _choose(self, preset: FilterPreset, _checked: bool = False) -> None:
        if not preset.lacks(self._workspace, self._notes):
            self._applying.stop()
            mask = partial(preset.members, self._workspace, self._notes)
            self._workspace.selection.add_rule(SelectionRule(presets.tr(preset.title), mask, part=PRESET))

    def _recent_filters(self) -> Iterator[Entry]:
        return ((text, partial(self.set_filter, text)) for text in self.edit.history)

    # The selection

    def _set_rule(self, rule: SelectionRule | None) -> None:
        """Put the filter in force, or remove it (None)."""
        selection, before = self._workspace.selection, self._workspace.selection.rule_of(FILTER)
        self._mine = rule
        if rule is not None:
            selection.add_rule(rule)
        elif before is not None:
            selection.drop_rule(before)
        else:
            self._show_set()

    def _show_set(self) -> None:
        selection = self._workspace.selection
        others = [rule for rule in selection.rules if rule.part != FILTER]
        replaced = others != self._shown and any(not rule.part for rule in others)
        self._show_chips(others)
        rule = selection.rule_of(FILTER)
        if rule is not self._mine or (replaced and rule is None):  # made by another view
            self._mine = rule
            self._applying.stop()
            self._give_up()
            self._write("" if rule is None else rule.filter_text)
        self._show_count()

    def _show_chips(self, rules: Sequence[SelectionRule]) -> None:
        """Show a button that removes it for each of these rules."""
        if rules == self._shown:
            return
        self._shown = list(rules)
        clear(self._chips)
        for rule in rules:
            name = rule.name if len(rule.name) <= _CHIP else f"{rule.name[: _CHIP - 1]}…"
            tip = self.tr("Remove this part of the selection: {0}").format(rule.name)
            words = self.tr("{0}. Remove it from the selection").format(name)
            chip = button(name.replace("&", "&&"), partial(self._drop, rule), tip, words, "x")
            self._chips.addWidget(chip)
            chip.show()
        self._chip_row.setVisible(bool(rules))

    def _drop(self, rule: SelectionRule, _checked: bool = False) -> None:
        self._workspace.selection.drop_rule(rule)

    def _write(self, text: str) -> None:
        """Show the current filter in the box without applying it again."""
        self._writing = True
        self.edit.setText(text)
        self._writing = False
        self._error.say("")
        self._reading.say("")

    def _show_count(self) -> None:
        total = self._workspace.table.rows
        shown = int(np.count_nonzero(self._workspace.selection.mask))
        if self._workspace.corpus is None:
            text = self.tr("No corpus")
        elif self._workspace.selection.rule is None:
            text = pairs_words(total)
        else:
            text = self.tr("{0} of {1} pairs").format(f"{shown:,}", f"{total:,}")
            if self._workspace.selection.rule_of(FILTER) is not None:
                text += self.tr(" (words)") if self._as_words else self.tr(" (condition)")
        self._count.setText(text)
        self._count.setAccessibleDescription(text)
        self._export.setEnabled(total > 0)
        self._export_selection.setEnabled(shown > 0)

    def _take_corpus(self) -> None:
        self._give_up()
        self._take_columns()
        self._show_set()

    def _take_columns(self) -> None:
        names = filter_names(self._workspace)
        self.edit.set_names([*names, *filter_titles(filter_columns(self._workspace))])
        self._show_example(names)
        if self.error:  # it may have named a column that exists now
            self._apply()

    def _show_example(self, names: Sequence[str]) -> None:
        """Show an example of a filter with existing columns."""
        scores = sorted(self._workspace.table.scores, key=lambda name: not identify(name).is_from_judge)
        usual = [name for name in scores if name in names]
        number = "length > 80"
        if usual:
            titles = {key: title for title, key in filter_titles(filter_columns(self._workspace)).items()}
            title = titles.get(usual[0], usual[0])
            name = title if quote_column(title) == title else usual[0]  # one word is typed at once
            number = f"{quote_column(name)} > {'0' if identify(usual[0]).is_from_judge else '0.5'}"
        example = f"{number} and label == 0" if "label" in names else number
        self.edit.setPlaceholderText(self.tr("Filter: a word, or {0}").format(example))
        tip = self.tr(
            "A word finds the pairs that contain it.\n"
            "Columns can be compared with numbers and text: {0},\n"
            'source contains "tsunami", not (length < 40).\n'
            "The up arrow recalls earlier filters. Escape shows all pairs."
        )
        name_control(self.edit, self.tr("Filter"), tip.format(example))

    def _menu(self, icon: str, text: str, tip: str) -> tuple[QPushButton, QMenu]:
        """Return a button and the menu it opens."""
        opener = icons.put(name_control(QPushButton(text, self), text, tip), icon)
        menu = QMenu(opener)
        give_menu(opener, menu)
        return opener, menu

    def _export_table(self) -> None:
        self.export_requested.emit("table")

    def _export_set(self) -> None:
        self.export_requested.emit("selection")


def _mask_or_nothing(make: Callable[[], Mask], workspace: CorpusWorkspace) -> Mask:
    """Return the pairs that match a filter; none if its column is gone, as after undoing the last answer."""
    try:
        return make()
    except FilterError:
        return np.zeros(workspace.table.rows, dtype=bool)
