"""Judgements as columns of a corpus: each annotator's answers, and the majority or mean of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Protocol

import numpy as np

from parapluie_gui.arrays import Labels, Scores
from parapluie_gui.judgements.answers import AnnotatorAnswers, FileAnswers, build_question, file_answers
from parapluie_gui.judgements.record import CORRECTION, NOTE, UNNAMED, Judgement, Key
from parapluie_gui.judgements.scheme import AnswerOption, Scheme, SchemeQuestion, find_scheme
from parapluie_gui.pairs.column import Column, NumberColumn, TextColumn, to_column
from parapluie_gui.pairs.corpus import ROLES, UNLABELLED, Corpus

#: Name shown for an annotator without a name.
NO_NAME = "unnamed"

#: Appended to the name of a new column that an existing column already has.
_PEOPLE = " (people)"


class JudgementColumn(Enum):
    """The kinds of columns made of judgements."""

    NOTES = auto()  # all annotators' notes on the pair
    ANSWER = auto()  # the most frequent answer, or the mean of a scale
    MEAN = auto()  # the mean of ordered answers
    ONE = auto()  # one annotator's answers or notes
    TIME = auto()  # the times of one annotator's answers or notes


class _AddColumn(Protocol):
    """A function that adds a column of texts or numbers under a name."""

    def __call__(self, name: str, cells: TextColumn | Scores, holds: JudgementColumn) -> None: ...


@dataclass(frozen=True, eq=False)
class RecordedAnswers(AnnotatorAnswers):
    """The answers to one question that were given in this program.

    Attributes:
        scheme: Id of the scheme.
        question: The question; if its scheme is not available, its answers are the ones recorded in the session.
        records: The records by annotator (in the order of names) and row.
    """

    scheme: str
    question: SchemeQuestion
    records: Mapping[str, Mapping[int, Judgement]]

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of the annotators who answered, which may include `UNNAMED`."""
        return tuple(self.records)

    @property
    def count(self) -> int:
        return sum(map(len, self.records.values()))

    def answers(self, row: int) -> list[AnswerOption]:
        """Return the answers to one pair."""
        answers = (
            self.question.answer(records[row].answer or "") for records in self.records.values() if row in records
        )
        return [answer for answer in answers if answer is not None]

    def rows(self) -> list[int]:
        """Return the rows with an answer, in order."""
        return sorted({row for records in self.records.values() for row in records})

    def codes(self, annotator: str, rows: int) -> Labels:
        places = {answer.id: at for at, answer in enumerate(self.question.answers)}
        indices = np.full(rows, -1, dtype=np.int8)
        for row, record in self.records[annotator].items():
            if row < rows:
                indices[row] = places.get(record.answer or "", -1)
        return indices

    def correct_labels(self, labels: Labels) -> Labels:
        """Flip the labels, int8 (n,), that most of the annotators with an opinion call wrong."""
        flipped = labels.copy()
        for row in self.rows():
            opinions = [answer.label_is for answer in self.answers(row)]
            if row < len(labels) and labels[row] != UNLABELLED and opinions.count("wrong") > opinions.count("right"):
                flipped[row] = 1 - labels[row]
        return flipped

    def with_row(self, row: int, current: Mapping[Key, Judgement]) -> RecordedAnswers:
        """Replace the records of one pair; the annotators must be the same."""
        updated = dict(self.records)
        for annotator, records in self.records.items():
            record = current.get((row, annotator, self.scheme, self.question.id))
            if record is not records.get(row):
                others = dict(records)
                others.pop(row, None)
                updated[annotator] = others if record is None else {**others, row: record}
        return replace(self, records=updated)


@dataclass(eq=False)
class _RecordIndex:
    """The current records by pair, and their number by annotator and question; updated in place."""

    rows: int
    by_row: dict[int, dict[Key, Judgement]]
    counts: Counter[tuple[str, str, str]]

    @classmethod
    def build(cls, rows: int, records: Sequence[Judgement]) -> _RecordIndex:
        by_row: dict[int, dict[Key, Judgement]] = {}
        for record in records:
            by_row.setdefault(record.row, {})[record.key] = record
        return cls(rows, by_row, Counter(record.key[1:] for record in records if record.row < rows))

    @property
    def several_notes(self) -> bool:
        """Whether more than one annotator wrote notes."""
        return sum(count > 0 and key[1:] == NOTE for key, count in self.counts.items()) > 1

    def replace_row(self, row: int, current: dict[Key, Judgement]) -> bool:
        """Replace the records of a pair; change nothing and return False if a question would appear or disappear."""
        before = self.by_row.get(row, {})
        first = any(not self.counts[key[1:]] for key in current)
        last = any(self.counts[key[1:]] == 1 for key in before.keys() - current.keys())
        if first or last or row >= self.rows:
            return False
        self.counts.update(key[1:] for key in current.keys() - before.keys())
        self.counts.subtract(key[1:] for key in before.keys() - current.keys())
        self.by_row[row] = current
        return True


@dataclass(frozen=True, eq=False)
class CorpusJudgements:
    """People's judgements of a corpus, as columns and as answers to questions.

    Attributes:
        columns: Columns to add to the corpus, by name.
        recorded: The answers given in this program.
        holds: The kind of each column, including those of the file's annotators.
        of_file: The answers in columns of the file.
    """

    columns: Mapping[str, Column] = field(default_factory=dict)
    recorded: tuple[RecordedAnswers, ...] = ()
    holds: Mapping[str, JudgementColumn] = field(default_factory=dict)
    of_file: tuple[FileAnswers, ...] = ()
    _index: _RecordIndex | None = None

    @classmethod
    def from_records(cls, corpus: Corpus, records: Iterable[Judgement], schemes: Sequence[Scheme]) -> CorpusJudgements:
        """Build the judgements of a corpus from the current records; new columns get names that are not taken."""
        records = list(records)
        recorded = tuple(group_answers(records, schemes))
        ids = {answers.question.id for answers in recorded}
        of_file = tuple(answers.with_free_id(ids) for answers in file_answers(corpus))
        columns, holds = _file_columns(of_file, len(corpus), {*ROLES, *corpus.extra})
        more, more_kinds = judgement_columns(len(corpus), records, schemes, {*ROLES, *corpus.extra, *columns})
        return cls(columns | more, recorded, holds | more_kinds, of_file, _RecordIndex.build(len(corpus), records))

    @property
    def questions(self) -> tuple[AnnotatorAnswers, ...]:
        """All answers, given in this program or read from the file."""
        return (*self.recorded, *self.of_file)

    @property
    def answered_here(self) -> bool:
        """Whether anybody answered or wrote a note in this program."""
        return bool(self._index is not None and self._index.by_row) or bool(self.recorded)

    def with_pair(self, row: int, records: Iterable[Judgement], schemes: Sequence[Scheme]) -> CorpusJudgements | None:
        """Replace the judgements of one pair, recomputing only its row; this object must not be updated again.

        Unchanged columns are the same objects.

        Returns:
            None if columns or questions appear or disappear, so that `of` has to rebuild everything.
        """
        current = {record.key: record for record in records}
        if self._index is None or any(name.endswith(_PEOPLE) for name in self.columns):
            return None
        before = self._index.by_row.get(row, {})
        changed = [key for key in before.keys() | current.keys() if before.get(key) != current.get(key)]
        answers = [record for key in changed for record in (before.get(key), current.get(key)) if record is not None]
        if not all(_fits_columns(record, schemes) for record in answers) or not self._index.replace_row(row, current):
            return None
        here = [replace(record, row=0) for record in current.values()]
        cells, _ = judgement_columns(1, here, schemes, several_notes=self._index.several_notes)
        of_file = _column_names(self.of_file)
        columns = {
            name: column if name in of_file else _with_cell(column, row, cells.get(name))
            for name, column in self.columns.items()
        }
        questions = {key[2:] for key in changed}
        recorded = tuple(
            answers.with_row(row, current) if (answers.scheme, answers.question.id) in questions else answers
            for answers in self.recorded
        )
        return replace(self, columns=columns, recorded=recorded)


def shown_name(annotator: str) -> str:
    """Return an annotator's name for the user."""
    return NO_NAME if annotator == UNNAMED else annotator


def group_answers(
    records: Iterable[Judgement], schemes: Sequence[Scheme], without: Collection[tuple[str, str]] = (NOTE, CORRECTION)
) -> list[RecordedAnswers]:
    """Group records by question, in the order of the schemes, leaving out notes and corrected kinds of change."""
    grouped: dict[tuple[str, str], dict[str, dict[int, Judgement]]] = {}
    for record in records:
        if (key := (record.scheme, record.question)) not in without:
            grouped.setdefault(key, {}).setdefault(record.annotator, {})[record.row] = record
    order = {(scheme.id, question.id): at for at, (scheme, question) in enumerate(_questions(schemes))}
    return [
        RecordedAnswers(scheme, _question(scheme, id, answers, schemes), dict(sorted(answers.items())))
        for (scheme, id), answers in sorted(grouped.items(), key=lambda item: (order.get(item[0], len(order)), item[0]))
    ]


def with_judgements(corpus: Corpus, records: Iterable[Judgement], schemes: Sequence[Scheme]) -> Corpus:
    """Add people's judgements to a corpus as columns; without any, return the same object."""
    columns = CorpusJudgements.from_records(corpus, records, schemes).columns
    return replace(corpus, extra={**corpus.extra, **columns}) if columns else corpus


def judgement_columns(
    rows: int,
    records: Iterable[Judgement],
    schemes: Sequence[Scheme],
    taken: Collection[str] = (),
    several_notes: bool = False,
) -> tuple[dict[str, Column], dict[str, JudgementColumn]]:
    """Return judgements as columns by name, and the kind of each column.

    A question's column has its id ("verdict") and holds the most frequent answer (empty for a draw), or the mean of a
    scale. Ordered answers also have the column of their mean ("verdict.mean"). Each annotator's answers and their times
    follow ("verdict.Anna", "verdict.Anna.time"). Notes are the columns "note", "note.Anna" and "note.Anna.time",
    corrected kinds of change are "type_corrected" and so on.

    Args:
        rows: The number of pairs n.
        records: The current records.
        schemes: The known schemes.
        taken: Names of existing columns; a new column with such a name gets " (people)" added to it.
        several_notes: Put the annotator's name before each note even if only one person wrote any.
    """
    records = [record for record in records if record.row < rows]
    columns: dict[str, Column] = {}
    kinds: dict[str, JudgementColumn] = {}

    def add(name: str, cells: TextColumn | Scores, holds: JudgementColumn) -> None:
        while name in taken or name in columns:
            name += _PEOPLE
        columns[name] = cells if isinstance(cells, TextColumn) else NumberColumn(cells, cells)
        kinds[name] = holds

    for answers in group_answers(records, schemes, without=(NOTE,)):
        question = answers.question
        if question.numeric:
            add(question.id, answers.mean(rows), JudgementColumn.ANSWER)
        else:
            usual = {row: _majority_word(answers.answers(row)) for row in answers.rows()}
            add(question.id, _sparse_column(rows, usual), JudgementColumn.ANSWER)
            if question.is_ordinal:
                add(f"{question.id}.mean", answers.mean(rows), JudgementColumn.MEAN)
        for annotator, by_row in answers.records.items():
            name = f"{question.id}.{shown_name(annotator)}"
            if question.numeric:
                add(name, answers.values(annotator, rows), JudgementColumn.ONE)
            else:
                words = {answer.id: answer.word for answer in question.answers}
                cells = {row: words.get(record.answer or "") for row, record in by_row.items()}
                add(name, _sparse_column(rows, cells), JudgementColumn.ONE)
            add(f"{name}.time", _times(rows, by_row), JudgementColumn.TIME)
    notes = [record for record in records if (record.scheme, record.question) == NOTE]
    _add_notes(rows, notes, add, several_notes)
    return columns, kinds


def _column_names(of_file: Sequence[FileAnswers]) -> set[str]:
    return {name for answers in of_file for name in (answers.question.id, f"{answers.question.id}.mean")}


def _file_columns(
    of_file: Sequence[FileAnswers], rows: int, taken: Collection[str]
) -> tuple[dict[str, Column], dict[str, JudgementColumn]]:
    """Return the majority and mean of a file's annotators as columns, and the kinds of all their columns."""
    columns: dict[str, Column] = {}
    holds: dict[str, JudgementColumn] = {}
    for answers in of_file:
        question = answers.question
        new: dict[str, tuple[Column, JudgementColumn]] = {}
        if question.numeric:
            new[question.id] = NumberColumn(mean := answers.mean(rows), mean), JudgementColumn.ANSWER
        else:
            new[question.id] = to_column(answers.usual(rows)), JudgementColumn.ANSWER
            if question.is_ordinal:
                new[f"{question.id}.mean"] = NumberColumn(mean := answers.mean(rows), mean), JudgementColumn.MEAN
        for name, (column, kind) in new.items():
            if name not in taken:
                columns[name], holds[name] = column, kind
        holds |= dict.fromkeys(answers.columns.values(), JudgementColumn.ONE)
    return columns, holds


def _add_notes(rows: int, notes: Sequence[Judgement], add: _AddColumn, several: bool) -> None:
    by_annotator: dict[str, dict[int, Judgement]] = {}
    for note in sorted(notes, key=lambda note: note.annotator):
        by_annotator.setdefault(note.annotator, {})[note.row] = note
    if not by_annotator:
        return
    lines: dict[int, list[str]] = {}
    for annotator, by_row in by_annotator.items():
        for row, note in by_row.items():
            prefix = "" if len(by_annotator) == 1 and not several else f"{shown_name(annotator)}: "
            lines.setdefault(row, []).append(prefix + (note.answer or ""))
    add("note", _sparse_column(rows, {row: "\n".join(texts) for row, texts in lines.items()}), JudgementColumn.NOTES)
    for annotator, by_row in by_annotator.items():
        name = f"note.{shown_name(annotator)}"
        add(name, _sparse_column(rows, {row: note.answer for row, note in by_row.items()}), JudgementColumn.ONE)
        add(f"{name}.time", _times(rows, by_row), JudgementColumn.TIME)


def _questions(schemes: Sequence[Scheme]) -> list[tuple[Scheme, SchemeQuestion]]:
    return [(scheme, question) for scheme in schemes for question in scheme.questions]


def _question(
    scheme: str, id: str, by_annotator: Mapping[str, Mapping[int, Judgement]], schemes: Sequence[Scheme]
) -> SchemeQuestion:
    """Return a question; if its scheme is unknown, build it from the recorded answers."""
    known = _find_question(scheme, id, schemes)
    answers = {record.answer: None for records in by_annotator.values() for record in records.values() if record.answer}
    if known is None:
        return build_question(id, answers)
    unknown = [AnswerOption(answer, answer) for answer in answers if known.answer(answer) is None]
    return replace(known, answers=(*known.answers, *unknown)) if unknown else known


def _find_question(scheme: str, id: str, schemes: Sequence[Scheme]) -> SchemeQuestion | None:
    known = find_scheme(scheme, schemes)
    return None if known is None else known.question(id)


def _fits_columns(record: Judgement, schemes: Sequence[Scheme]) -> bool:
    """Return whether a record is a free text or one of the answers of a known question."""
    if (record.scheme, record.question) in (NOTE, CORRECTION):
        return True
    known = _find_question(record.scheme, record.question, schemes)
    return known is not None and known.answer(record.answer or "") is not None


def _with_cell(column: Column, row: int, cell: Column | None) -> Column:
    """Replace one cell with the only cell of `new` (None: empty); return the same object if nothing changes."""
    if isinstance(column, TextColumn):
        text = cell[0] if isinstance(cell, TextColumn) else None
        if column[row] == text:
            return column
        copy = TextColumn(column)
        copy[row] = text
        return copy
    number = cell.values[0] if isinstance(cell, NumberColumn) else np.nan
    if column.values[row] == number or (np.isnan(number) and np.isnan(column.values[row])):
        return column
    values = column.values.copy()
    values[row] = number
    return NumberColumn(values, values)


def _majority_word(answers: Sequence[AnswerOption]) -> str | None:
    """Return the word of the most frequent answer, None for a draw."""
    ranked = Counter(answer.word for answer in answers).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def _sparse_column(rows: int, cells: Mapping[int, str | None]) -> TextColumn:
    column = TextColumn([None])
    column *= rows  # in place, because a verdict on one of a million pairs must not take a second
    for row, cell in cells.items():
        column[row] = cell
    return column


def _times(rows: int, records: Mapping[int, Judgement]) -> TextColumn:
    return _sparse_column(rows, {row: record.changed.isoformat(timespec="seconds") for row, record in records.items()})
