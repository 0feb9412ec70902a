"""What people said as columns of a corpus: each person's answers and the answers of all together, typed like others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Protocol

import numpy as np

from parapluie_gui.arrays import Labels, Scores
from parapluie_gui.judgements.answers import Answers, FileAnswers, file_answers, question_of
from parapluie_gui.judgements.record import CORRECTION, NOTE, UNNAMED, Judgement, Key
from parapluie_gui.judgements.scheme import Answer, Question, Scheme, find_scheme
from parapluie_gui.pairs.column import Column, NumberColumn, TextColumn, typed
from parapluie_gui.pairs.corpus import ROLES, UNLABELLED, Corpus

#: What stands for the name of somebody who gave none.
NO_NAME = "unnamed"

#: Stands behind the name of a column that would be called as another one.
_PEOPLE = " (people)"


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
class Asked(Answers):
    """A question that people answered here.

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

    @property
    def count(self) -> int:
        return sum(map(len, self.given.values()))

    def answers(self, row: int) -> list[Answer]:
        """Return the answers to one pair."""
        found = (self._answer(records[row]) for records in self.given.values() if row in records)
        return [answer for answer in found if answer is not None]

    def rows(self) -> list[int]:
        """Return the pairs that have an answer, in order."""
        return sorted({row for records in self.given.values() for row in records})

    def codes(self, annotator: str, rows: int) -> Labels:
        places = {answer.id: at for at, answer in enumerate(self.question.answers)}
        found = np.full(rows, -1, dtype=np.int8)
        for row, record in self.given[annotator].items():
            if row < rows:
                found[row] = places.get(record.answer or "", -1)
        return found

    def corrected(self, labels: Labels) -> Labels:
        """Return labels, int8 (n,), with those turned around that most of the annotators who decided call wrong."""
        found = labels.copy()
        for row in self.rows():
            said = [answer.label_is for answer in self.answers(row)]
            if row < len(labels) and labels[row] != UNLABELLED and said.count("wrong") > said.count("right"):
                found[row] = 1 - labels[row]
        return found

    def updated(self, row: int, now: Mapping[Key, Judgement]) -> Asked:
        """Return the same with the records of one pair as they are now; those who answered are the same."""
        given = dict(self.given)
        for annotator, records in self.given.items():
            record = now.get((row, annotator, self.scheme, self.question.id))
            if record is not records.get(row):
                others = dict(records)
                others.pop(row, None)
                given[annotator] = others if record is None else {**others, row: record}
        return replace(self, given=given)

    def _answer(self, record: Judgement) -> Answer | None:
        return self.question.answer(record.answer or "")


@dataclass(eq=False)
class _Given:
    """The records that count by pair, and how many each annotator gave to each question; changed as they change."""

    rows: int
    of_row: dict[int, dict[Key, Judgement]]
    counts: Counter[tuple[str, str, str]]

    @classmethod
    def of(cls, rows: int, records: Sequence[Judgement]) -> _Given:
        found: dict[int, dict[Key, Judgement]] = {}
        for record in records:
            found.setdefault(record.row, {})[record.key] = record
        return cls(rows, found, Counter(record.key[1:] for record in records if record.row < rows))

    @property
    def several_notes(self) -> bool:
        """Whether more than one annotator wrote notes."""
        return sum(count > 0 and key[1:] == NOTE for key, count in self.counts.items()) > 1

    def take(self, row: int, now: dict[Key, Judgement]) -> bool:
        """Let these be the records of a pair; False where a question has its first or loses its last answer by that."""
        before = self.of_row.get(row, {})
        first = any(not self.counts[key[1:]] for key in now)
        last = any(self.counts[key[1:]] == 1 for key in before.keys() - now.keys())
        if first or last or row >= self.rows:
            return False
        self.counts.update(key[1:] for key in now.keys() - before.keys())
        self.counts.subtract(key[1:] for key in before.keys() - now.keys())
        self.of_row[row] = now
        return True


@dataclass(frozen=True, eq=False)
class People:
    """What people said of a corpus: as columns by name, what each of these holds, and as answers to questions.

    Attributes:
        columns: What is to be put beside the corpus's own columns.
        asked: What was answered here.
        holds: What each column holds, those of the file's annotators among them.
        of_file: What columns of the file answer.
    """

    columns: Mapping[str, Column] = field(default_factory=dict)
    asked: tuple[Asked, ...] = ()
    holds: Mapping[str, Said] = field(default_factory=dict)
    of_file: tuple[FileAnswers, ...] = ()
    _given: _Given | None = None

    @classmethod
    def of(cls, corpus: Corpus, records: Iterable[Judgement], schemes: Sequence[Scheme]) -> People:
        """Return what the answers that count say of a corpus; columns have names that the corpus does not have."""
        kept = list(records)
        answers = tuple(asked(kept, schemes))
        ids = {each.question.id for each in answers}
        of_file = tuple(each.renamed(ids) for each in file_answers(corpus))
        columns, holds = _file_columns(of_file, len(corpus), {*ROLES, *corpus.extra})
        more, held = people_columns(len(corpus), kept, schemes, {*ROLES, *corpus.extra, *columns})
        return cls(columns | more, answers, holds | held, of_file, _Given.of(len(corpus), kept))

    @property
    def questions(self) -> tuple[Answers, ...]:
        """What was asked, here and of the file's annotators."""
        return (*self.asked, *self.of_file)

    @property
    def answered_here(self) -> bool:
        """Somebody answered or wrote a note in this program."""
        return bool(self._given is not None and self._given.of_row) or bool(self.asked)

    def updated(self, row: int, records: Iterable[Judgement], schemes: Sequence[Scheme]) -> People | None:
        """Return the same with the current judgements of one pair: only its row is recomputed.

        Columns that say nothing else are the same objects. This one is not to be updated again.

        Returns:
            None where there are other columns or questions now, so that all has to be made anew with `of`.
        """
        now = {record.key: record for record in records}
        if self._given is None or any(name.endswith(_PEOPLE) for name in self.columns):
            return None
        before = self._given.of_row.get(row, {})
        changed = [key for key in before.keys() | now.keys() if before.get(key) != now.get(key)]
        answers = [record for key in changed for record in (before.get(key), now.get(key)) if record is not None]
        if not all(_foreseen(record, schemes) for record in answers) or not self._given.take(row, now):
            return None
        here = [replace(record, row=0) for record in now.values()]
        cells, _ = people_columns(1, here, schemes, several_notes=self._given.several_notes)
        of_file = _names_of(self.of_file)
        columns = {
            name: column if name in of_file else _with_cell(column, row, cells.get(name))
            for name, column in self.columns.items()
        }
        questions = {key[2:] for key in changed}
        told = tuple(
            each.updated(row, now) if (each.scheme, each.question.id) in questions else each for each in self.asked
        )
        return replace(self, columns=columns, asked=told)


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
    rows: int,
    records: Iterable[Judgement],
    schemes: Sequence[Scheme],
    taken: Collection[str] = (),
    several_notes: bool = False,
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
        several_notes: Notes have the name of who wrote them before them also where only one person did.
    """
    records = [record for record in records if record.row < rows]
    columns: dict[str, Column] = {}
    kinds: dict[str, Said] = {}

    def add(name: str, cells: TextColumn | Scores, holds: Said) -> None:
        while name in taken or name in columns:
            name += _PEOPLE
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
    notes = [record for record in records if (record.scheme, record.question) == NOTE]
    _add_notes(rows, notes, add, several_notes)
    return columns, kinds


def _names_of(of_file: Sequence[FileAnswers]) -> set[str]:
    """Return the names of the columns that are made of a file's annotators."""
    return {name for each in of_file for name in (each.question.id, f"{each.question.id}.mean")}


def _file_columns(
    of_file: Sequence[FileAnswers], rows: int, taken: Collection[str]
) -> tuple[dict[str, Column], dict[str, Said]]:
    """Return what a file's annotators say together as columns, and what these and their own columns hold."""
    columns: dict[str, Column] = {}
    holds: dict[str, Said] = {}
    for each in of_file:
        question = each.question
        made: dict[str, tuple[Column, Said]] = {}
        if question.numeric:
            made[question.id] = NumberColumn(mean := each.mean(rows), mean), Said.ANSWER
        else:
            made[question.id] = typed(each.usual(rows)), Said.ANSWER
            if question.ordered:
                made[f"{question.id}.mean"] = NumberColumn(mean := each.mean(rows), mean), Said.MEAN
        for name, (column, kind) in made.items():
            if name not in taken:
                columns[name], holds[name] = column, kind
        holds |= dict.fromkeys(each.columns.values(), Said.ONE)
    return columns, holds


def _add_notes(rows: int, notes: Sequence[Judgement], add: _Add, several: bool) -> None:
    given: dict[str, dict[int, Judgement]] = {}
    for note in sorted(notes, key=lambda note: note.annotator):
        given.setdefault(note.annotator, {})[note.row] = note
    if not given:
        return
    lines: dict[int, list[str]] = {}
    for annotator, by_row in given.items():
        for row, note in by_row.items():
            before = "" if len(given) == 1 and not several else f"{shown_name(annotator)}: "
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
        return question_of(id, answers)
    strange = [Answer(answer, answer) for answer in answers if known.answer(answer) is None]
    return replace(known, answers=(*known.answers, *strange)) if strange else known


def _foreseen(record: Judgement, schemes: Sequence[Scheme]) -> bool:
    """Tell whether a record is a text of its own, or an answer that its question has."""
    if (record.scheme, record.question) in (NOTE, CORRECTION):
        return True
    there = find_scheme(record.scheme, schemes)
    known = None if there is None else there.question(record.question)
    return known is not None and known.answer(record.answer or "") is not None


def _with_cell(column: Column, row: int, cell: Column | None) -> Column:
    """Return a column with another cell, out of a column of one row (None: nothing); the same one if it has it."""
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
