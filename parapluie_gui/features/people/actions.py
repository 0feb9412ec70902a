"""Actions on people's answers: blind rounds, reviews, merging, importing, and use as labels."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np

from parapluie_gui.arrays import Floats, Labels, Rows
from parapluie_gui.errors import CorpusError, one_line
from parapluie_gui.features.people.dialog import RoundDialog, RoundStore
from parapluie_gui.features.people.imported import describe_import, match_answers, read_answers
from parapluie_gui.judgements.columns import RecordedAnswers, shown_name
from parapluie_gui.pairs.column import NumberColumn
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.storage.corpora import file_column
from parapluie_gui.storage.document import ENDING
from parapluie_gui.storage.merge import ANNOTATOR, MergedJudgements, import_judgements, merge_judgements
from parapluie_gui.storage.session import Session
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets.file_dialog import ask_to_open, input_dialog
from parapluie_gui.ui.window.context import WindowContext, WindowController
from parapluie_gui.ui.window.role_actions import RoleActions

#: Maximum number of conflicts in one message.
_MOST = 3

#: Milliseconds after the last answer until answers that are not among the labels are offered.
_REST_MS = 300


class PeopleActions(WindowController):
    """Actions on people's answers, by the slots that the feature declares."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.roles = RoleActions(context)
        context.analysis.links.review_wanted.connect(self.review)
        self._banner, self._offered = context.banner, ""
        self._offering = CallThrottle(self._offer_later_answers, _REST_MS, self, rest=True)
        self._state.notes.changed.connect(self._offering.ask)
        self._workspace.corpus_changed.connect(self._offering.ask)

    def begin_round(self) -> None:
        """Open a blind round on the open corpus."""
        self._open_round()

    def review(self, rows: Rows) -> None:
        """Open a review of the labels of some pairs, int64 (k,), in the given order."""
        if (dialog := self._open_round()) is not None:
            dialog.review(rows)

    def _open_round(self) -> RoundDialog | None:
        corpus = self._workspace.corpus
        if corpus is None:
            self.failed.emit(self.tr("There is nothing to judge yet. Open a corpus first (Ctrl+O)."))
            return None
        self._pair.flush()
        order = self._workspace.selection.order.astype(np.int64)
        dialog = RoundDialog(corpus, order, self._state.notes, self._store(), self._window)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def merge(self) -> None:
        """Ask for a session and add its answers."""
        title = self.tr("Add another person's answers")
        filters = [self.tr("Session (*{0})").format(ENDING)]
        ask_to_open(self._window, title, lambda name: self.merge_from(Path(name)), filters=filters)

    def merge_from(self, path: Path) -> None:
        """Add the answers of another session."""
        self._pair.flush()

        def work(session: Session) -> MergedJudgements:
            with Session.open(path, reading=True) as other:
                return merge_judgements(session, other, path.stem)

        words = self.tr("Merging {0} …").format(one_line(path.name))
        self._state.corpora.change_judgements(words, work, lambda result: self._show_merged(path.name, result))

    def import_answers(self) -> None:
        """Ask for a table of answers and add those on pairs of the open corpus."""
        if self._workspace.corpus is None:
            self.failed.emit(self.tr("There is no corpus to add answers to. Open one first (Ctrl+O)."))
            return
        title = self.tr("Import answers from")
        filters = [self.tr("Tables (*.csv *.tsv *.txt *.json *.jsonl *.xlsx *.ods *.parquet)")]
        ask_to_open(self._window, title, lambda name: self.import_from(Path(name)), filters=filters)

    def import_from(self, path: Path) -> None:
        """Add the answers in a table, matched by the pairs' ids."""
        self._pair.flush()
        number, schemes = self._state.corpora.number, self._state.notes.schemes
        if number is None:
            return

        def work(session: Session) -> str:
            answers, blank = read_answers(path)
            corpus = session.corpus(number)
            matches = match_answers(answers, corpus, schemes, blank=blank)
            if not matches.records:
                raise CorpusError("no answer can be used", matches.left_out.rstrip(".") or "it has no answer", path)
            result = import_judgements(session, number, matches.records)
            return " ".join(describe_import(corpus.name, matches, result))

        words = self.tr("Reading {0} …").format(one_line(path.name))
        self._state.corpora.change_judgements(words, work, self.message.emit)

    def ask_for_labels(self) -> None:
        """Ask whose answers to use as labels or human scores of the corpus."""
        choices = self.label_choices()
        if not choices:
            self.failed.emit(
                self.tr("Nobody has judged a pair of this corpus yet. Press 1 to 5, or begin a blind round.")
            )
            return
        label = self.tr(
            "Used as labels or human scores of the corpus. Computed scores are kept, and so are the file's own labels"
        )
        dialog = input_dialog(self._window, self.tr("Use answers as labels"), label, "judgements")
        dialog.setComboBoxItems(list(choices))
        dialog.textValueSelected.connect(self.use_answers)
        dialog.open()

    def use_answers(self, title: str) -> None:
        """Use one of `label_choices`, and record it so that later answers can be offered."""
        role, values = self.label_choices()[title]
        self._state.settings.keep(f"answers.{self._state.corpora.number}", [title, _sum_up(values)])
        self.roles.use(title, role, values)

    def _offer_later_answers(self) -> None:
        """Offer the answers given since answers became labels or human scores, unless others are in use."""
        self._banner.withdraw(self._offered)
        corpus, used = self._workspace.corpus, self._state.settings.values.get(f"answers.{self._state.corpora.number}")
        if corpus is None or not isinstance(used, list) or len(used) != 2:
            return
        title, summed = used
        role, values = self.label_choices().get(title, ("label", None))
        if values is not None and _sum_up(getattr(corpus, role)) == summed != _sum_up(values):
            self._offered = self.tr("There are later answers than in “{0}”.").format(title)
            self._banner.warn(self._offered, self.tr("Use them too"), partial(self.use_answers, title))

    def label_choices(self) -> dict[str, tuple[str, Labels | Floats]]:
        """Return the possible labels and human scores: role and values, by their title."""
        corpus = self._workspace.corpus
        if corpus is None:
            return {}
        rows, choices = len(corpus), dict[str, tuple[str, Labels | Floats]]()
        for answers in self._workspace.judgements.questions:
            name = answers.question.id
            if isinstance(answers, RecordedAnswers) and answers.question.reviews:
                words = self.tr("Labels: from the file, corrected by {0}").format(name)
                choices[words] = "label", answers.correct_labels(self._file_labels(corpus))
            if answers.question.implies_labels:
                words = self.tr("Labels: {0}, majority of annotators").format(name)
                choices[words] = "label", answers.majority(rows)
                for annotator in answers.annotators:
                    words = self.tr("Labels: {0}, by {1}").format(name, shown_name(annotator))
                    choices[words] = "label", answers.labels(annotator, rows)
            if answers.question.is_ordinal:
                choices[self.tr("Human scores: {0}, mean of annotators").format(name)] = "human", answers.mean(rows)
                for annotator in answers.annotators:
                    words = self.tr("Human scores: {0}, by {1}").format(name, shown_name(annotator))
                    choices[words] = "human", answers.values(annotator, rows)
        return choices | self._file_choices(corpus)

    def _file_labels(self, corpus: Corpus) -> Labels:
        """Return the labels under review: those of the file, even if other labels are in use."""
        choices = self._file_choices(corpus).values()
        values = next((values for role, values in choices if role == "label"), corpus.labels)
        return values.astype(np.int8)

    def _file_choices(self, corpus: Corpus) -> dict[str, tuple[str, Labels | Floats]]:
        choices: dict[str, tuple[str, Labels | Floats]] = {}
        titles = {"label": self.tr("Labels: from the file"), "human": self.tr("Human scores: from the file")}
        for role, words in titles.items():
            column = corpus.extra.get(file_column(role))
            if isinstance(column, NumberColumn):
                values = column.written
                labels = np.where(np.isnan(values), UNLABELLED, np.nan_to_num(values)).astype(np.int8)
                choices[words] = role, labels if role == "label" else values
        return choices

    def _store(self) -> RoundStore:
        settings, number = self._state.settings, self._state.corpora.number

        def assessments(name: str) -> dict[str, object]:
            stored = settings.values.get(ANNOTATOR + name)
            return dict(stored) if isinstance(stored, Mapping) else {}

        return RoundStore(
            rounds=lambda key: settings.values.get(f"round.{number}.{key}"),
            keep=lambda key, value: settings.keep(f"round.{number}.{key}", value),
            assessment=lambda name, scheme: str(assessments(name).get(scheme, "")),
            assess=lambda name, scheme, answer: settings.keep(ANNOTATOR + name, {**assessments(name), scheme: answer}),
        )

    def _show_merged(self, name: str, result: MergedJudgements) -> None:
        parts = [self.tr("{0} records from {1} were added.").format(f"{result.added:,}", one_line(name))]
        for corpus in result.corpora:
            parts.append(self.tr("The corpus {0} was added.").format(one_line(corpus)))
        if result.renamed:
            parts.append(self.tr("Its unnamed annotator is called {0}.").format(one_line(result.renamed)))
        if count := len(result.conflicts):
            parts.append(self.tr("Answered twice; the later answer counts ({0}):").format(f"{count:,}"))
            parts += [str(conflict) for conflict in result.conflicts[:_MOST]]
        self.message.emit(" ".join(parts))


def _sum_up(values: Labels | Floats | None) -> int:
    """Return a checksum of labels or human scores, 0 for None."""
    return 0 if values is None else zlib.crc32(np.asarray(values, dtype=np.float64).tobytes())
