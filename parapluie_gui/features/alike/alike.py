"""Selection of the pairs or errors most similar to the primary pair, compared in the worker."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from parapluie_gui import places
from parapluie_gui.arrays import Floats, Mask
from parapluie_gui.features.alike.columns import BROUGHT, LIKENESS
from parapluie_gui.features.alike.request import CompareWithOne, PairsCompared
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.state.client import WorkerClient
from parapluie_gui.ui.state.columns import OUTCOMES, outcomes
from parapluie_gui.ui.state.selection import NO_PAIR, SelectionRule
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.work.events import JobFailed, JobProgress
from parapluie_gui.work.handle import RequestHandle
from parapluie_gui.work.request import PairTexts

#: Number of similar pairs selected.
NEAREST = 50

#: Seconds per minute; remaining times below a minute are not shown.
_MINUTE = 60


class SimilarPairs(QObject):
    """Selects the pairs most similar to the primary pair; their similarity is a column while they are selected.

    Signals:
        working: (str) Progress message; "" at the end.
        failed: (str) Error message.
        selected: The similar pairs are selected.
    """

    working = Signal(str)
    failed = Signal(str)
    selected = Signal()

    def __init__(self, workspace: CorpusWorkspace, client: WorkerClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._client = workspace, client
        self._handle: RequestHandle | None = None
        self._corpus: Corpus | None = None
        self._rule: SelectionRule | None = None
        workspace.corpus_changed.connect(self.cancel)
        workspace.selection.set_changed.connect(self._drop_column)

    def find_pairs(self) -> None:
        """Select the pairs most similar to the primary pair."""
        self._find(np.ones(self._workspace.table.rows, dtype=bool), self.tr("Like {0}"))

    def find_errors(self) -> None:
        """Select the most similar errors: of the primary pair's kind if it is an error, otherwise of both kinds."""
        codes = outcomes(self._workspace)
        errors = [OUTCOMES.index("FP"), OUTCOMES.index("FN")]
        row = self._workspace.selection.primary
        kinds = [codes[row]] if row != NO_PAIR and codes[row] in errors else errors
        self._find(np.isin(codes, kinds), self.tr("Errors like {0}"))

    def cancel(self) -> None:
        """Cancel the comparison."""
        if self._handle is not None:
            self._handle.give_up()
            self._end()

    def _find(self, among: Mask, title: str) -> None:
        self.cancel()
        corpus, row = self._workspace.corpus, self._workspace.selection.primary
        if corpus is None or row == NO_PAIR:
            self.failed.emit(self.tr("Choose a pair first: click it in the table or the scatter."))
            return
        among[row] = False
        if not among.any():
            self.failed.emit(self.tr("There are no other pairs. Errors need labels and a score on the y axis."))
            return
        self.working.emit(self.tr("Comparing pairs: the pocket judge reads each pair once …"))
        request = CompareWithOne(PairTexts.from_corpus(corpus), row, (places.score_cache(),))
        handle = self._handle = self._client.ask(request)
        handle.staged.connect(lambda event: self.working.emit(event.text))
        handle.progressed.connect(self._show_progress)
        name = title.format(corpus.id[row])
        handle.on(PairsCompared).connect(lambda event: self._select(event.likeness, row, among, name))
        handle.failed.connect(self._fail)
        handle.finished.connect(lambda event: self._end())

    def _show_progress(self, event: JobProgress) -> None:
        text = self.tr("Comparing pairs: {0} of {1} read").format(f"{event.done:,}", f"{event.total:,}")
        if event.remaining is not None and event.remaining > _MINUTE:
            text = self.tr("{0}, about {1} min left").format(text, round(event.remaining / _MINUTE))
        self.working.emit(text)

    def _fail(self, event: JobFailed) -> None:
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
        self.selected.emit()

    def _drop_column(self) -> None:
        """Remove the similarity column once the selection changes."""
        exists = self._workspace.corpus_material(BROUGHT) is not None
        if exists and self._workspace.selection.rule is not self._rule:
            self._workspace.set_feature_material(BROUGHT, None, (LIKENESS,), here=True)

    def _end(self) -> None:
        self._handle = None
        self.working.emit("")
