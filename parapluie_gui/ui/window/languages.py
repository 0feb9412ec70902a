"""Language detection for the open corpus, to warn about metrics and templates for a different language."""

from __future__ import annotations

from functools import partial

from parapluie_gui.analysis.score_languages import (
    describe_strange_languages,
    describe_strange_templates,
    templates_of_columns,
)
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.language import LanguageCounts, corpus_languages, plain_languages
from parapluie_gui.ui.state.task import BackgroundTask, stop_tasks
from parapluie_gui.ui.window.context import WindowContext, WindowController


class CorpusLanguage(WindowController):
    """Detects the languages of the open corpus, to show warnings in Setup and the Pair panel."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._closed = False
        self._corpus: Corpus | None = None
        self._spoken: LanguageCounts | None = None
        self._detected = False  # whether `_spoken` is from the detector, not from common words only
        self._task: BackgroundTask[LanguageCounts] | None = None
        self._workspace.corpus_changed.connect(self._take_corpus)
        self._workspace.columns_changed.connect(self._show_warnings)
        self._setup.changed.connect(self._show_warnings)

    def stop(self) -> None:
        """Stop detecting and wait for the thread."""
        self._closed, self._corpus, self._spoken = True, None, None  # so that a late result is ignored
        stop_tasks(self._task)

    def _take_corpus(self) -> None:
        corpus = self._workspace.corpus
        if corpus is not self._corpus and not self._closed:
            self._corpus, self._detected = corpus, False
            self._spoken = None if corpus is None else plain_languages(corpus.source, corpus.hypothesis)
            self._show_warnings()

    def _detect(self) -> None:
        """Start the detector, which takes a moment, once per corpus."""
        corpus = self._corpus
        if corpus is not None and self._task is None:
            self._task = BackgroundTask(lambda tell: corpus_languages(corpus.source, corpus.hypothesis), self)
            take, none = partial(self._take_counts, corpus), LanguageCounts({}, 0)
            # After an error no warning is shown: scoring does not need the language.
            self._task.begin(take, lambda error: take(none), self._end_task)

    def _take_counts(self, corpus: Corpus, counts: LanguageCounts) -> None:
        if corpus is self._corpus:
            self._spoken, self._detected = counts, True
            self._show_warnings()

    def _end_task(self) -> None:
        self._task = None
        if not self._closed:
            self._show_warnings()  # the corpus may have changed

    def _show_warnings(self) -> None:
        before = after = ""
        if self._spoken is not None:
            plan, table = self._setup.plan.for_typed_pairs(), self._workspace.table
            before = describe_strange_languages(plan.languages(), self._spoken, plan.templates)
            after = describe_strange_templates(templates_of_columns(table.scores, table.signatures), self._spoken)
        if (before or after) and not self._detected:
            before = after = ""
            self._detect()
        self._setup.notes.set_language(before)
        self._pair.sentences.languages.set_asking(after)
