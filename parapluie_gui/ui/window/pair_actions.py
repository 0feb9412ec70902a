"""Actions on the current pair: finding, copying, editing a copy in the Bench; and the keyboard focus."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.table.columns_dialog import TableColumnsDialog
from parapluie_gui.ui.window.context import WindowContext, WindowController

#: Actions on the current pair that the menu of a row has.
_OF_A_PAIR = ("copy_pair", "verdicts.write_note", "files.keep_set", "show_all")


class PairActions(WindowController):
    """Actions on the primary pair, or on the pair typed in the Bench while the Bench is open."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._filter, self._table, self._scatter, self._docks = (
            context.filter,
            context.table,
            context.scatter,
            context.docks,
        )
        self._tabs.turned.connect(self.allow_keys)
        self._tabs.turned.connect(self._free_keys)
        self._tabs.start.trial.bench_requested.connect(self._open_in_bench)
        self._pair.verdict.note_left.connect(self._free_keys)
        self._pair.edit_requested.connect(self._edit)
        self._table.edit_requested.connect(self._edit)
        self._table.row_menu_opened.connect(self._offer_actions)
        self._table.condition_wanted.connect(self._filter.add_condition)
        context.analysis.links.edit_wanted.connect(self._open_in_bench)
        self._docks.pairs.visibilityChanged.connect(lambda shown: self._scatter.name_set(not shown))

    def search(self) -> None:
        """Move the focus to the filter of the table, or in the Bench to that of its history."""
        if self._bench.past.search.isVisible():
            self._bench.past.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
            return
        if self._require_corpus() is None:
            return
        if self._tabs.currentWidget() is self._bench:
            self._tabs.show_scatter()
        self._docks.pairs.show()
        self._filter.focus()

    def show_all(self) -> None:
        """Clear the filter."""
        self._filter.clear()
        self._scatter.set_lasso(False)

    def choose_columns(self) -> None:
        """Open the dialog that shows, moves and sorts the columns of the table."""
        self._docks.pairs.show()
        TableColumnsDialog(self._table, self._window).open()

    def copy_pair(self) -> None:
        """Copy source and hypothesis of the current pair."""
        texts = self._bench.fields.texts() if self._tabs.currentWidget() is self._bench else self._pair.texts()
        if texts is None or not any(texts):
            self.failed.emit(self.tr("There is no pair to copy. Choose a pair in the table or the plot."))
            return
        QGuiApplication.clipboard().setText("\t".join(" ".join(text.split()) for text in texts))
        self.message.emit(self.tr("Copied: source, tab, hypothesis."))

    def edit_copy(self) -> None:
        """Edit a copy of the primary pair in the Bench."""
        corpus, row = self._workspace.corpus, self._workspace.selection.primary
        if corpus is not None and row != NO_PAIR:
            self._edit(corpus.source[row], corpus.hypothesis[row])

    def _offer_actions(self, menu: QMenu) -> None:
        """Add the window's actions on a pair to the menu of a row."""
        actions = self._context.actions
        menu.addActions([actions[slot] for slot in _OF_A_PAIR if slot in actions])

    def allow_keys(self) -> None:
        """Disable the actions on the corpus while the Bench is open."""
        in_corpus = self._tabs.currentWidget() is not self._bench
        for action in self._context.actions.values():
            if action.property("corpus"):
                action.setEnabled(in_corpus)

    def _free_keys(self) -> None:
        """Move the focus to the pairs, so that their keys work."""
        focus = self._window.focusWidget()  # also while the window is inactive
        if self._workspace.corpus is None or self._tabs.currentWidget() is not self._tabs.first or focus is None:
            return
        if (
            focus is not self._tabs.tabBar()
            and self._window.isAncestorOf(focus)
            and not self._filter.isAncestorOf(focus)
        ):
            view = self._table if self._docks.pairs.isVisible() else self._scatter.canvas
            view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _edit(self, source: str, hypothesis: str) -> None:
        self._tabs.show_bench()
        self._bench.open_copy(source, hypothesis, self._pair.values(), self._pair.models())

    def _open_in_bench(self, source: str, hypothesis: str) -> None:
        """Open a pair that is not in a corpus."""
        self._tabs.show_bench()
        self._bench.open_copy(source, hypothesis)
