"""Pairs and errors like the one in sight: the worker compares, the nearest become the selection."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from parapluie_gui import places
from parapluie_gui.arrays import Floats, Mask
from parapluie_gui.features.alike.columns import BROUGHT, LIKENESS
from parapluie_gui.features.alike.request import Compared, CompareWithOne
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.state.client import Client
from parapluie_gui.ui.state.columns import OUTCOMES, outcomes
from parapluie_gui.ui.state.selection import NO_PAIR, SelectionRule
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.work.events import Failed, Progress
from parapluie_gui.work.handle import Handle
from parapluie_gui.work.request import PairTexts

#: Pairs that are selected, beside the one they are like.
NEAREST = 50

#: Seconds of a minute; what takes less is not told beforehand.
_MINUTE = 60


class Alike(QObject):
    """Selects the pairs nearest to the primary pair; their likeness is known as long as they are selected.

    Signals:
        working: (str) What is being done, "" when nothing is.
        failed: (str) Why there is nothing to select.
        found: The nearest are selected.
    """

    working = Signal(str)
    failed = Signal(str)
    found = Signal()

    def __init__(self, workspace: Workspace, client: Client, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._client = workspace, client
        self._handle: Handle | None = None
        self._corpus: Corpus | None = None
        self._rule: SelectionRule | None = None
        workspace.corpus_changed.connect(self.cancel)
        workspace.selection.set_changed.connect(self._forget)

    def find_pairs(self) -> None:
        """Select the pairs most like the primary one."""
        self._find(np.ones(self._workspace.table.rows, dtype=bool), self.tr("Like {0}"))

    def find_errors(self) -> None:
        """Select the errors most like the primary pair: of its kind if it is an error, otherwise of both kinds."""
        found = outcomes(self._workspace)
        errors = [OUTCOMES.index("FP"), OUTCOMES.index("FN")]
        row = self._workspace.selection.primary
        kinds = [found[row]] if row != NO_PAIR and found[row] in errors else errors
        self._find(np.isin(found, kinds), self.tr("Errors like {0}"))

    def cancel(self) -> None:
        """Give the comparison up."""
        if self._handle is not None:
            self._handle.give_up()
            self._end()

    def _find(self, among: Mask, title: str) -> None:
        self.cancel()
        corpus, row = self._workspace.corpus, self._workspace.selection.primary
        if corpus is None or row == NO_PAIR:
            self.failed.emit(self.tr("Choose a pair first: a click on it in the table or the scatter."))
            return
        among[row] = False
        if not among.any():
            self.failed.emit(self.tr("There is no other pair to find. Errors need labels and a score on the y axis."))
            return
        self.working.emit(self.tr("Comparing pairs: each is read once by the pocket judge …"))
        request = CompareWithOne(PairTexts.of(corpus), row, (places.score_cache(),))
        handle = self._handle = self._client.ask(request)
        handle.staged.connect(lambda event: self.working.emit(event.text))
        handle.progressed.connect(self._show_progress)
        name = title.format(corpus.id[row])
        handle.on(Compared).connect(lambda event: self._select(event.likeness, row, among, name))
        handle.failed.connect(self._fail)
        handle.finished.connect(lambda event: self._end())

    def _show_progress(self, event: Progress) -> None:
        text = self.tr("Comparing pairs: {0} of {1} read").format(f"{event.done:,}", f"{event.total:,}")
        if event.remaining is not None and event.remaining > _MINUTE:
            text = self.tr("{0}, about {1} min left").format(text, round(event.remaining / _MINUTE))
        self.working.emit(text)

    def _fail(self, event: Failed) -> None:
        self._end()
        self.failed.emit(self.tr("The pairs could not be compared: {0}").format(event.text))

    def _select(self, likeness: Floats, row: int, among: Mask, title: str) -> None:
        ranked = np.argsort(np.where(among, -likeness, np.inf), kind="stable")
        nearest = ranked[: min(NEAREST, np.count_nonzero(among))]
        chosen = np.zeros(len(likeness), dtype=bool)
        chosen[[row, *nearest]] = True
        self._rule = SelectionRule(title, lambda: chosen)
        self._workspace.selection.set_rule(self._rule)
        self._workspace.set_feature_material(BROUGHT, likeness, (LIKENESS,), here=True)
        self.found.emit()

    def _forget(self) -> None:
        known = self._workspace.corpus_material(BROUGHT) is not None
        if known and self._workspace.selection.rule is not self._rule:
            self._workspace.set_feature_material(BROUGHT, None, (LIKENESS,), here=True)

    def _end(self) -> None:
        self._handle = None
        self.working.emit("")
