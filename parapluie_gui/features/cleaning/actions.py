"""Cleaning in the window: a message about an opened corpus, and the dialog that opens a cleaned copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from parapluie_gui.features.cleaning.dialog import CleaningDialog
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.oddities import FoundOddity, clean_corpus, find_oddities
from parapluie_gui.ui.state.task import BackgroundTask, stop_tasks
from parapluie_gui.ui.window.context import WindowContext, WindowController


class CleaningActions(WindowController):
    """Counts the oddities inside the sentences of each corpus, reports them once, and opens cleaned copies."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._task: BackgroundTask[tuple[FoundOddity, ...]] | None = None
        self._counted: tuple[object, tuple[FoundOddity, ...]] = (None, ())
        self._said: set[object] = set()
        self._asked = False
        self._workspace.corpus_changed.connect(self._count)
        self._count()

    def ask(self) -> None:
        """Show the kinds of oddity, with a tick box for each that can be removed."""
        if (corpus := self._require_corpus()) is None:
            return
        if self._counted[0] is corpus:
            self._show(corpus, self._counted[1])
        else:
            self._asked = True

    def close(self) -> None:
        """Stop counting and wait for its end."""
        stop_tasks(self._task)

    def _count(self) -> None:
        if self._task is not None:
            self._task.stop()
        self._asked = False
        corpus = self._workspace.corpus
        if corpus is None or self._counted[0] is corpus:
            return

        def work(tell: Callable[[int], None]) -> tuple[FoundOddity, ...]:
            return tuple(find_oddities(corpus, partial(tell, 0)))

        task = BackgroundTask(work, self)
        self._task = task
        task.begin(partial(self._take, corpus), self._fail, partial(self._end, task))

    def _take(self, corpus: Corpus, kinds: tuple[FoundOddity, ...]) -> None:
        if corpus is not self._workspace.corpus:
            return
        self._counted = corpus, kinds
        if self._asked:
            self._asked = False
            self._show(corpus, kinds)
        elif any(kind.key for kind in kinds) and self._workspace.key not in self._said:
            self._said.add(self._workspace.key)
            shown = "; ".join(kind.describe(corpus) for kind in kinds)
            sentence = self.tr("Inside the sentences of {0}: {1}. “Clean…” (File, This corpus) removes them.")
            self.message.emit(sentence.format(corpus.name, shown))

    def _fail(self, error: Exception) -> None:
        self.failed.emit(str(error))

    def _end(self, task: BackgroundTask[tuple[FoundOddity, ...]]) -> None:
        if self._task is task:
            self._task = None

    def _show(self, corpus: Corpus, kinds: Sequence[FoundOddity]) -> None:
        dialog = CleaningDialog(corpus, kinds, self._window)
        dialog.chosen.connect(partial(self._open, corpus))
        dialog.open()

    def _open(self, corpus: Corpus, keys: tuple[str, ...]) -> None:
        """Open a cleaned copy; the original corpus stays in the session."""
        self._state.corpora.open_generated(
            self.tr("{0} (cleaned)").format(corpus.name), partial(clean_corpus, corpus, keys)
        )
