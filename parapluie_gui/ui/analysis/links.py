"""The effects of clicks in an analysis on the rest of the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication, QObject, Signal

from parapluie_gui.analysis.link import AnalysisLink, AxesLink, EditLink, Link, PairsLink, ThresholdLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.arrays import Mask, Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.ui.state.selection import SelectionRule
from parapluie_gui.ui.state.workspace import CorpusWorkspace


class AnalysisLinks(QObject):
    """Handler of clicks in analysis pages.

    Attributes:
        material: The function that returns the current material; it returns None before the material is known.
        own: The last rule set by a click here; the analysis ignores it, because otherwise every click would narrow it.

    Signals:
        message: (str) A sentence about the effect of a click ("LaTeX copied").
        written: (str, Path) A table or a figure was written to a file.
        failed: (str) Error message.
        edit_wanted: (source, hypothesis) The user opens a pair in the Bench.
        page_wanted: (name, options) The user opens the page of an analysis with some options set.
        review_wanted: (rows) The user reviews the labels of these pairs, int64 (k,), in this order.
    """

    message = Signal(str)
    written = Signal(str, object)
    failed = Signal(str)
    edit_wanted = Signal(str, str)
    review_wanted = Signal(object)
    page_wanted = Signal(str, object)

    def __init__(self, workspace: CorpusWorkspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.workspace = workspace
        self.own: SelectionRule | None = None
        self.material: Callable[[], AnalysisMaterial | None] = lambda: None

    def follow(self, link: Link) -> None:
        """Follow a link."""
        if isinstance(link, PairsLink):
            try:
                self.select(link.title, partial(self._mask, link), link.order)
            except ParapluieError as error:
                self.failed.emit(str(error))
                return
            if link.primary is not None:
                self.workspace.selection.set_primary(link.primary)
        elif isinstance(link, ThresholdLink):
            self.set_threshold(link.score, link.threshold)
        elif isinstance(link, AxesLink):
            there = link.x if link.x is not None and link.x in self.workspace.table else None
            self.workspace.set_axes(x=there, y=link.y)
        elif isinstance(link, EditLink):
            self.edit_wanted.emit(link.source, link.hypothesis)
        elif isinstance(link, AnalysisLink):
            self.page_wanted.emit(link.analysis, link.options)

    def _mask(self, pairs: PairsLink) -> Mask:
        """Return the pairs of a link for the current scores, since more may have arrived."""
        material = self.material()
        if material is None:
            return np.zeros(len(self.workspace.selection.mask), dtype=bool)
        return np.asarray(pairs.mask(material), dtype=bool)

    def select(self, name: str, mask: Callable[[], Mask], order: Rows | None = None) -> None:
        """Select pairs in all views, in an order, and show their number."""
        self.own = SelectionRule(name, mask, order=order)
        self.workspace.selection.set_rule(self.own)
        pairs = int(np.count_nonzero(self.workspace.selection.mask))
        count = QCoreApplication.translate("Analysis", "{0}: {1} pairs selected. Esc shows all pairs again.")
        self.message.emit(count.format(name, f"{pairs:,}"))

    def full_title(self, column: str) -> str:
        """Return a column's title with its judge, and with its number of scores if some are missing."""
        workspace, name = self.workspace, self.workspace.title(column)
        if column not in workspace.table:
            return name
        if bounds := sum(workspace.once(f"bounds {column}", partial(workspace.table.bound_counts, column), column)):
            name = QCoreApplication.translate("Analysis", "{0} ({1} bounds)").format(name, f"{bounds:,}")
        scored = workspace.once(f"scored {column}", partial(workspace.table.count_scores, column), column)
        if not 0 < scored < workspace.table.rows:
            return name
        words = QCoreApplication.translate("Analysis", "{0} (only {1} of {2} pairs)")
        return words.format(name, f"{scored:,}", f"{workspace.table.rows:,}")

    def set_threshold(self, column: str, value: float) -> None:
        """Show a score on the y axis and set its threshold."""
        if np.isfinite(value):
            self.workspace.set_axes(y=column)
            self.workspace.move_threshold(value)
            text = QCoreApplication.translate("Analysis", "The threshold of {0} is now {1}.")
            self.message.emit(text.format(self.full_title(column), f"{value:.4g}".replace("-", "−")))
