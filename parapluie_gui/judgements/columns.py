"""What people said as columns of a corpus: each person's answers and the answers of all together, typed like others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Protocol

import numpy as np

from parapluie_gui.arrays import Labels, Scores
from parapluie_gui.judgements.record import CORRECTION, NOTE, UNNAMED, Judgement
from parapluie_gui.judgements.scheme import Answer, Question, Scheme, find_scheme
from parapluie_gui.pairs.column import Column, NumberColumn, TextColumn
from parapluie_gui.pairs.corpus import ROLES, UNLABELLED, Corpus

#: What stands for the name of somebody who gave none.
NO_NAME = "unnamed"


class Said(Enum):
    """What a column of people's holds."""

    NOTES = auto()  # everybody's notes on the pair
    ANSWER = auto()  # what most answered, or the mean place of a scale
    MEAN = auto()  # the mean place of answers that have an order
    ONE = auto()  # what one annotator said
    TIME = auto()  # when they said it


class _Add(Protocol):
    """Adds a column of texts or numbers under a name."""

    def __call__(self, name: str, cells: TextColumn | Scores, holds: Said) -> None: ...


@dataclass(frozen=True, eq=False)
class Asked:
    """A question with everybody's answers that count.

    Attributes:
        scheme: Id of the scheme.
        question: The question; one whose scheme is not here has the answers as they are in the session.
        given: The records by annotator (in the order of names) and row.
    """

    scheme: str
    question: Question
    given: Mapping[str, Mapping[int, Judgement]]

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of those who answered, `UNNAMED` among them."""
        return tuple(self.given)

    def answers(self, row: int) -> list[Answer]:
        """Return the answers to one pair."""
        found = (self._answer(records[row]) for records in self.given.values() if row in records)
        return [answer for answer in found if answer is not None]

    def rows(self) -> list[int]:
        """Return the pairs that have an answer, in order."""
        return sorted({row for records in self.given.values() for row in records})

    def codes(self, annotator: str, rows: int) -> Labels:
        """Return somebody's answers as places in `question.answers`, int8 (rows,), -1 where there is none."""
        places = {answer.id: at for at, answer in enumerate(self.question.answers)}
        found = np.full(rows, -1, dtype=np.int8)
        for row, record in self.given[annotator].items():
            if row < rows:
                found[row] = places.get(record.answer or "", -1)
        return found

    def labels(self, annotator: str, rows: int) -> Labels:
        """Return what somebody's answers say of being a paraphrase: int8 (rows,), 1, 0, or -1 for neither."""
        values = [UNLABELLED if answer.label is None else answer.label for answer in self.question.answers]
        return np.array([*values, UNLABELLED], dtype=np.int8)[self.codes(annotator, rows)]

    def values(self, annotator: str, rows: int) -> Scores:
        """Return the places on the scale of somebody's answers, (rows,), NaN where there is none."""
        values = [np.nan if answer.value is None else answer.value for answer in self.question.answers]
        return np.array([*values, np.nan])[self.codes(annotator, rows)]

    def majority(self, rows: int) -> Labels:
        """Return the label that most annotators give a pair, int8 (rows,), -1 where there is none or a draw."""
        votes = np.zeros((2, rows), dtype=np.int64)
        for annotator in self.given:
            labels = self.labels(annotator, rows)
            votes += (labels == 0, labels == 1)
        return np.where(votes[0] == votes[1], UNLABELLED, votes[1] > votes[0]).astype(np.int8)

    def corrected(self, labels: Labels) -> Labels:
        """Return labels, int8 (n,), with those turned around that most of the annotators who decided call wrong."""
        found = labels.copy()
        for row in self.rows():
            said = [answer.label_is for answer in self.answers(row)]
            if row < len(labels) and labels[row] != UNLABELLED and said.count("wrong") > said.count("right"):
                found[row] = 1 - labels[row]
        return found

    def mean(self, rows: int) -> Scores:
        """Return the mean place on the scale over annotators, (rows,), NaN where nobody gave one."""
        found = np.full(rows, np.nan)
        for row in self.rows():
            values = [answer.value for answer in self.answers(row) if answer.value is not None]
            if values and row < rows:
                found[row] = sum(values) / len(values)
        return found

    def _answer(self, record: Judgement) -> Answer | None:
        return self.question.answer(record.answer or "")


@dataclass(frozen=True, eq=False)
class People:
    """What people said of a corpus: as columns by name, what each of these holds, and as answers to questions."""

    columns: Mapping[str, Column] = field(default_factory=dict)
    asked: tuple[Asked, ...] = ()
    holds: Mapping[str, Said] = field(default_factory=dict)

    @classmethod
    def of(cls, corpus: Corpus, records: Iterable[Judgement], schemes: Sequence[Scheme]) -> People:
        """Return what the answers that count say of a corpus; columns have names that the corpus does not have."""
        kept = list(records)
        columns, holds = people_columns(len(corpus), kept, schemes, {*ROLES, *corpus.extra})
        return cls(columns, tuple(asked(kept, schemes)), holds)


def shown_name(annotator: str) -> str:
    """Return an annotator's name as it is shown."""
    return NO_NAME if annotator == UNNAMED else annotator


def asked(
    records: Iterable[Judgement], schemes: Sequence[Scheme], without: Collection[tuple[str, str]] = (NOTE, CORRECTION)
) -> list[Asked]:
    """Return the questions that were answered, in the order of the schemes; notes and corrected kinds are none."""
    found: dict[tuple[str, str], dict[str, dict[int, Judgement]]] = {}
    for record in records:
        if (key := (record.scheme, record.question)) not in without:
            found.setdefault(key, {}).setdefault(record.annotator, {})[record.row] = record
    order = {(scheme.id, question.id): at for at, (scheme, question) in enumerate(_questions(schemes))}
    return [
        Asked(scheme, _question(scheme, id, given, schemes), dict(sorted(given.items())))
        for (scheme, id), given in sorted(found.items(), key=lambda item: (order.get(item[0], len(order)), item[0]))
    ]


def judged(corpus: Corpus, records: Iterable[Judgement], schemes: Sequence[Scheme]) -> Corpus:
    """Return a corpus with what people said of it as further columns; the same one if nobody said anything."""
    columns = People.of(corpus, records, schemes).columns
    return replace(corpus, extra={**corpus.extra, **columns}) if columns else corpus


def people_columns(
    rows: int, records: Iterable[Judgement], schemes: Sequence[Scheme], taken: Collection[str] = ()
) -> tuple[dict[str, Column], dict[str, Said]]:
    """Return what people said as columns, and what each of them holds.

    A question's column has its id ("verdict"): what most annotators answered, nothing where that is a draw; of a scale
    the mean. Then come, where its answers have an order, their mean place on it ("verdict.mean"), and each annotator's
    answer and its time ("verdict.Anna", "verdict.Anna.time"). Notes are the columns "note", "note.Anna" and
    "note.Anna.time", kinds of change that were corrected "type_corrected" and so on.

    Args:
        rows: The number of pairs n.
        records: The answers that count.
        schemes: What is known of questions.
        taken: Names of other columns; a column of people that would be called so gets " (people)" behind its name.
    """
    records = [record for record in records if record.row < rows]
    columns: dict[str, Column] = {}
    kinds: dict[str, Said] = {}

    def add(name: str, cells: TextColumn | Scores, holds: Said) -> None:
        while name in taken or name in columns:
            name += " (people)"
        columns[name] = cells if isinstance(cells, TextColumn) else NumberColumn(cells, cells)
        kinds[name] = holds

    for each in asked(records, schemes, without=(NOTE,)):
        question, known = each.question, each.rows()
        if question.numeric:
            add(question.id, each.mean(rows), Said.ANSWER)
        else:
            add(question.id, _filled(rows, {row: _usual(each.answers(row)) for row in known}), Said.ANSWER)
            if question.ordered:
                add(f"{question.id}.mean", each.mean(rows), Said.MEAN)
        for annotator, given in each.given.items():
            name = f"{question.id}.{shown_name(annotator)}"
            if question.numeric:
                add(name, each.values(annotator, rows), Said.ONE)
            else:
                words = {answer.id: answer.word for answer in question.answers}
                add(name, _filled(rows, {row: words.get(one.answer or "") for row, one in given.items()}), Said.ONE)
            add(f"{name}.time", _times(rows, given), Said.TIME)
    _add_notes(rows, [record for record in records if (record.scheme, record.question) == NOTE], add)
    return columns, kinds


def _add_notes(rows: int, notes: Sequence[Judgement], add: _Add) -> None:
    given: dict[str, dict[int, Judgement]] = {}
    for note in sorted(notes, key=lambda note: note.annotator):
        given.setdefault(note.annotator, {})[note.row] = note
    if not given:
        return
    lines: dict[int, list[str]] = {}
    for annotator, by_row in given.items():
        for row, note in by_row.items():
            before = "" if len(given) == 1 else f"{shown_name(annotator)}: "
            lines.setdefault(row, []).append(before + (note.answer or ""))
    add("note", _filled(rows, {row: "\n".join(texts) for row, texts in lines.items()}), Said.NOTES)
    for annotator, by_row in given.items():
        name = f"note.{shown_name(annotator)}"
        add(name, _filled(rows, {row: note.answer for row, note in by_row.items()}), Said.ONE)
        add(f"{name}.time", _times(rows, by_row), Said.TIME)


def _questions(schemes: Sequence[Scheme]) -> list[tuple[Scheme, Question]]:
    return [(scheme, question) for scheme in schemes for question in scheme.questions]


def _question(
    scheme: str, id: str, given: Mapping[str, Mapping[int, Judgement]], schemes: Sequence[Scheme]
) -> Question:
    """Return a question; of a scheme that is not here, with the answers that were given, as they are."""
    there = find_scheme(scheme, schemes)
    known = None if there is None else there.question(id)
    answers = {record.answer: None for records in given.values() for record in records.values() if record.answer}
    if known is None:
        return Question(id, id, tuple(Answer(answer, answer) for answer in sorted(answers)))
    strange = [Answer(answer, answer) for answer in answers if known.answer(answer) is None]
    return replace(known, answers=(*known.answers, *strange)) if strange else known


def _usual(answers: Sequence[Answer]) -> str | None:
    """Return the word of the answer that was given most often, None for a draw."""
    ranked = Counter(answer.word for answer in answers).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def _filled(rows: int, cells: Mapping[int, str | None]) -> TextColumn:
    column = TextColumn([None])
    column *= rows  # in place: a verdict on one of a million pairs must not take a second
    for row, cell in cells.items():
        column[row] = cell
    return column


def _times(rows: int, given: Mapping[int, Judgement]) -> TextColumn:
    return _filled(rows, {row: record.changed.isoformat(timespec="seconds") for row, record in given.items()})
