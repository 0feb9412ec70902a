"""The search for kinds of change, done by the worker in parts between the batches of its scoring."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal

from parapluie_gui.metrics.changes.kinds import ChangeKinds
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.state.client import WorkerClient
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.work.events import JobFailed, ScoreBatch
from parapluie_gui.work.handle import RequestHandle
from parapluie_gui.work.scoring_plan import ScoringPlan

#: Number of pairs in a job; a pair typed in the Bench waits for the end of a job.
PART = 1000


class KindSearch(QObject):
    """Requests the kinds of change of the corpus shown when `CorpusWorkspace.kinds` wants them.

    Signals:
        working: (str) Current step, "" when idle.
        failed: (str) Why the search failed.
    """

    working = Signal(str)
    failed = Signal(str)

    def __init__(self, workspace: CorpusWorkspace, client: WorkerClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._client = workspace, client
        self._corpus: Corpus | None = None
        self._at = 0
        self._handle: RequestHandle | None = None
        # Deferred, because a table asks while it is being painted.
        self._beginning = CallThrottle(self._begin, 0, self)
        workspace.kinds.wanted.connect(self._beginning.ask)
        workspace.corpus_changed.connect(self._leave)

    def cancel(self) -> None:
        """Stop the search in this corpus."""
        if self._handle is not None:
            self._handle.give_up()
            self._end()

    def _leave(self) -> None:
        if self._corpus is not self._workspace.corpus:
            self.cancel()

    def _begin(self) -> None:
        self.cancel()
        self._corpus, self._at = self._workspace.corpus, 0
        self._next()

    def _next(self) -> None:
        corpus = self._corpus
        if corpus is None or self._at >= len(corpus):
            self._end()
            return
        rows = range(self._at, min(self._at + PART, len(corpus)))
        self._at = rows.stop
        done, total = f"{rows.start:,}", f"{len(corpus):,}"
        self.working.emit(self.tr("Naming the changes: {0} of {1} pairs").format(done, total))
        handle = self._handle = self._client.score(corpus.take(rows), ScoringPlan((ChangeKinds.info.id,)), urgent=True)
        handle.scored.connect(partial(self._add_kinds, rows.start))
        handle.failed.connect(self._fail)
        handle.finished.connect(lambda event: self._next())

    def _add_kinds(self, start: int, batch: ScoreBatch) -> None:
        self._workspace.kinds.put(batch.rows + start, batch.values[ChangeKinds.info.id])

    def _fail(self, event: JobFailed) -> None:
        self._end()
        text = self.tr("The kinds of change could not be determined: {0} Open the corpus again to try again.")
        self.failed.emit(text.format(event.text))

    def _end(self) -> None:
        self._handle = None
        self.working.emit("")
