"""Finding the kinds of change: the worker does it, part after part, between the batches of what it scores."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from parapluie_gui import places
from parapluie_gui.metrics.changes.kinds import ChangeKinds
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.state.scoring import Scoring
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.work.events import Batch, Event, Failed, Finished

#: Pairs in a job: a pair typed in the Bench waits for the end of one.
PART = 1000


class KindFinding(QObject):
    """Has the kinds of change of the shown corpus found when `Workspace.kinds` wants them.

    Signals:
        working: (str) What is being done, "" when nothing is.
        failed: (str) Why they could not be found.
    """

    working = Signal(str)
    failed = Signal(str)

    def __init__(self, workspace: Workspace, scoring: Scoring, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace, self._scoring = workspace, scoring
        self._corpus: Corpus | None = None
        self._at = 0
        self._job: int | None = None
        # A table asks while it is being painted.
        self._beginning = Throttle(self._begin, 0, self)
        workspace.kinds.wanted.connect(self._beginning.ask)
        workspace.corpus_changed.connect(self._leave)

    def cancel(self) -> None:
        """Find no more of this corpus."""
        if self._job is not None:
            self._scoring.cancel(self._job)
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
        self.working.emit(self.tr("Kinds of change: {0} of {1} pairs").format(done, total))

        def hear(event: Event) -> None:
            if event.job == self._job:
                self._hear(event, rows.start)

        stores = (places.score_cache(),)
        self._job = self._scoring.score_beside(corpus.take(rows), [ChangeKinds.info.id], None, [], stores, hear)

    def _hear(self, event: Event, start: int) -> None:
        match event:
            case Batch():
                self._workspace.kinds.put(event.rows + start, event.values[ChangeKinds.info.id])
            case Failed():
                self._end()
                text = self.tr("The kinds of change could not be found: {0} Open the corpus again to try once more.")
                self.failed.emit(text.format(event.text))
            case Finished():
                self._next()

    def _end(self) -> None:
        self._job = None
        self.working.emit("")
