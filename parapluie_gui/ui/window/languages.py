"""Whether the corpus shown is in a language that judges, metrics and templates were made for: said before a run."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from parapluie_gui.analysis.score_languages import (
    describe_strange_languages,
    describe_strange_templates,
    templates_of_columns,
)
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.language import LanguageCounts, corpus_languages, plain_languages
from parapluie_gui.ui.state.task import Task
from parapluie_gui.ui.window.context import Context, Helper


class CorpusLanguage(Helper):
    """Finds the languages of each corpus that is shown; Setup and the Pair panel say which scores do not know them."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._closed = False
        self._corpus: Corpus | None = None
        self._spoken: LanguageCounts | None = None
        self._sure = False  # whether the detector has seen the corpus, or plain words are all that is known of it
        self._task: Task[LanguageCounts] | None = None
        self._workspace.corpus_changed.connect(self._look)
        self._workspace.columns_changed.connect(self._say)
        self._setup.changed.connect(self._say)

    def stop(self) -> None:
        """Look at nothing any more, and wait for what is being looked at."""
        self._closed, self._corpus, self._spoken = True, None, None  # what it found may be on its way already
        if self._task is not None:
            self._task.stop()
            self._task.wait()

    def _look(self) -> None:
        corpus = self._workspace.corpus
        if corpus is not self._corpus and not self._closed:
            self._corpus, self._sure = corpus, False
            self._spoken = None if corpus is None else plain_languages(corpus.source, corpus.hypothesis)
            self._say()

    def _ask(self) -> None:
        """Ask the detector, which takes a moment, once for each corpus."""
        corpus = self._corpus
        if corpus is not None and self._task is None:
            # The program's own: a thread that runs must outlive whoever asked for it.
            self._task = Task(
                lambda tell: corpus_languages(corpus.source, corpus.hypothesis), QCoreApplication.instance()
            )
            self._task.begin(lambda spoken: self._take(corpus, spoken), self._fail, self._forget)

    def _take(self, corpus: Corpus, spoken: LanguageCounts) -> None:
        if corpus is self._corpus:
            self._spoken, self._sure = spoken, True
            self._say()

    def _forget(self) -> None:
        self._task = None
        if not self._closed:
            self._say()  # another one was shown meanwhile, perhaps

    def _fail(self, error: ParapluieError) -> None:
        """Say nothing: the scores are what they are without these lines."""
        self._spoken, self._sure = LanguageCounts({}, 0), True

    def _say(self) -> None:
        before = after = ""
        if self._spoken is not None:
            plan, table = self._setup.plan.for_typed_pairs(), self._workspace.table
            before = describe_strange_languages(plan.languages(), self._spoken, plan.templates)
            after = describe_strange_templates(templates_of_columns(table.scores, table.signatures), self._spoken)
        if (before or after) and not self._sure:
            before = after = ""
            self._ask()
        self._setup.notes.set_language(before)
        self._pair.sentences.languages.set_asking(after)
