"""Import of people's answers from a table, matched with the pairs of a corpus by the pairs' ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from parapluie_gui.errors import CorpusError
from parapluie_gui.judgements.record import Judgement
from parapluie_gui.judgements.scheme import Question, Scheme
from parapluie_gui.pairs.annotators import annotators_of, find_doubled_people, question_and_person
from parapluie_gui.pairs.column import MISSING, to_column
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.reading.dispatch import FileContent, ReadingChoices
from parapluie_gui.pairs.reading.mapping import normalise_name
from parapluie_gui.pairs.reading.people import ANSWER, PAIR, judgement_columns
from parapluie_gui.pairs.reading.raw_table import RawTable, as_text
from parapluie_gui.storage.merge import MergedJudgements

#: Scheme of imported questions that no other scheme asks.
IMPORTED = "imported"

#: Names of columns with times.
_TIMES = ("time", "timestamp", "changed", "date", "submitted")


@dataclass(frozen=True)
class ImportedAnswer:
    """An answer in a file.

    Attributes:
        line: Line of the file, from 1.
        pair: Id of the pair.
        person: Name of the annotator.
        question: Name of the question.
        answer: The answer.
        time: Time of the answer, if the file has one.
    """

    line: int
    pair: str
    person: str
    question: str
    answer: str
    time: datetime | None = None


@dataclass(frozen=True)
class MatchedAnswers:
    """Answers of a file matched with the pairs of a corpus.

    Attributes:
        records: The matched answers.
        unknown: Answers on pairs that the corpus does not have.
        strange: Answers that the question does not have.
        blank: Number of rows without an answer or a person.
    """

    records: tuple[Judgement, ...]
    unknown: tuple[ImportedAnswer, ...] = ()
    strange: tuple[ImportedAnswer, ...] = ()
    blank: int = 0

    @property
    def people(self) -> tuple[str, ...]:
        """Names of the annotators."""
        return tuple(dict.fromkeys(record.annotator for record in self.records))

    @property
    def left_out(self) -> str:
        """A sentence about the answers left out; "" if there are none."""
        parts = []
        if self.unknown:
            parts.append(_some(self.unknown, "on a pair that the corpus does not have", lambda answer: answer.pair))
        if self.strange:
            parts.append(_some(self.strange, "not an answer to the question", lambda answer: answer.answer))
        if self.blank:
            parts.append(f"{self.blank:,} without a person or an answer")
        total = len(self.unknown) + len(self.strange) + self.blank
        return f"{total:,} {'was' if total == 1 else 'were'} left out: {'; '.join(parts)}." if total else ""


def _some(answers: Sequence[ImportedAnswer], reason: str, shown: Callable[[ImportedAnswer], str]) -> str:
    first = answers[0]
    return f"{len(answers):,} {reason} (the first is “{shown(first)[:40]}” in line {first.line:,})"


def read_answers(path: Path) -> tuple[list[ImportedAnswer], int]:
    """Return the answers of a file and the number of its rows without an answer.

    The file has one row per judgement (pair, person, answer, optionally question and time), or one row per pair and
    one column per person.

    Raises:
        CorpusError: It cannot be read, has neither form, or has two columns for one person.
    """
    table = FileContent(path).read(ReadingChoices(header=True)).table
    actual = {normalise_name(name): name for name in reversed(table.names)}
    pair = next((actual[name] for name in PAIR if name in actual), None)
    if pair is None:
        has = ", ".join(f'"{name}"' for name in table.names[:30])
        todo = f'call the column of the pairs\' ids "pair" or "id"; there are {has}'
        raise CorpusError("no column has the ids of the pairs", todo, path)
    columns = judgement_columns(table.names)
    if columns is not None and not table.annotators:
        times = next((table.column(actual[name]) for name in _TIMES if name in actual), None)
        asked = None if columns.question is None else table.column(columns.question)
        return _answers_by_row(
            table,
            (table.column(pair), table.column(columns.person), table.column(columns.answer)),
            normalise_name(columns.answer),
            asked,
            times,
        )
    return _answers_by_column(table, pair), 0


def _answers_by_row(
    table: RawTable,
    cells: tuple[Sequence[object], Sequence[object], Sequence[object]],
    question: str,
    asked: Sequence[object] | None,
    times: Sequence[object] | None,
) -> tuple[list[ImportedAnswer], int]:
    answers = []
    for row, (pair, person, answer) in enumerate(zip(*cells, strict=True)):
        name, text = " ".join(as_text(person).split()), as_text(answer).strip()
        if name and text.casefold() not in MISSING:
            about = question if asked is None else as_text(asked[row]).strip() or question
            when = None if times is None else _time(times[row])
            answers.append(ImportedAnswer(table.lines[row], as_text(pair).strip(), name, about, text, when))
    return answers, len(table) - len(answers)


def _answers_by_column(table: RawTable, pair: str) -> list[ImportedAnswer]:
    path, ids = table.origin.path, table.column(pair)
    typed_columns = {name: to_column(table.column(name)) for name in table.names if name != pair}
    people = [*table.annotators] or annotators_of(typed_columns)
    if not people:
        todo = 'call them "annotator 1", "annotator 2" or "verdict.Anna", or write a row for each judgement'
        raise CorpusError("it has neither columns of annotators nor a column of annotators' names", todo, path)
    if doubled := find_doubled_people(people):
        one, two = doubled[0]
        raise CorpusError(f'"{one}" and "{two}" are two columns of one person', "rename one of them", path)
    answers = []
    for name in people:
        question, person = question_and_person(name)
        times = table.column(f"{name}.time") if f"{name}.time" in table.names else None
        for row, cell in enumerate(table.column(name)):
            answer = as_text(cell).strip()
            if answer.casefold() not in MISSING:
                when = None if times is None else _time(times[row])
                id = as_text(ids[row]).strip()
                answers.append(ImportedAnswer(table.lines[row], id, person, question, answer, when))
    return answers


def _time(cell: object) -> datetime | None:
    try:
        time = datetime.fromisoformat(as_text(cell).strip())
    except ValueError:
        return None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time


def find_best_corpus(answers: Sequence[ImportedAnswer], ids: Mapping[int, Sequence[str]]) -> int | None:
    """Return the number of the corpus with most of the answered pairs; None if no corpus has any of them."""
    wanted = {answer.pair for answer in answers}
    shares = {number: len(wanted & set(names)) for number, names in ids.items()}
    best = max(shares, key=lambda number: shares[number], default=None)
    return best if best is not None and shares[best] else None


def match_answers(
    answers: Sequence[ImportedAnswer],
    corpus: Corpus,
    schemes: Sequence[Scheme],
    question: str | None = None,
    blank: int = 0,
) -> MatchedAnswers:
    """Match answers with the pairs of a corpus, by the pairs' ids.

    A question of the file is matched with a scheme's question of the same name, or with one that has all the answers;
    any other question is stored as it is.

    Args:
        answers: The answers of the file.
        corpus: The pairs.
        schemes: The known schemes.
        question: Id of the scheme's question that all answers belong to; None to find it.
        blank: Number of rows without an answer.

    Raises:
        CorpusError: No scheme has the question.
    """
    rows = {id: row for row, id in enumerate(corpus.id)}
    now = datetime.now(UTC)
    names = dict.fromkeys(answer.question for answer in answers)
    asked = {about: _match_question(about, answers, schemes, question) for about in names}
    records, unknown, strange = [], [], []
    for answer in answers:
        scheme, known = asked[answer.question]
        code = answer.answer if known is None else _answer_id(known, answer.answer)
        if answer.pair not in rows:
            unknown.append(answer)
        elif code is None:
            strange.append(answer)
        else:
            id = answer.question if known is None else known.id
            records.append(Judgement(rows[answer.pair], answer.person, scheme, id, code, answer.time or now))
    return MatchedAnswers(tuple(records), tuple(unknown), tuple(strange), blank)


def _match_question(
    about: str, answers: Sequence[ImportedAnswer], schemes: Sequence[Scheme], wanted: str | None
) -> tuple[str, Question | None]:
    """Return the scheme's id and question; `IMPORTED` and None if no scheme asks the question."""
    known = [(scheme.id, question) for scheme in schemes for question in scheme.questions]
    if wanted is not None:
        for scheme, question in known:
            if question.id == wanted:
                return scheme, question
        names = ", ".join(question.id for _, question in known)
        raise CorpusError(f'no scheme asks a question "{wanted}"', f"choose one of {names}")
    texts = {answer.answer for answer in answers if answer.question == about}
    for scheme, question in known:
        if question.id == about and any(_answer_id(question, text) for text in texts):
            return scheme, question
    if normalise_name(about) in (*ANSWER, "answers"):
        for scheme, question in known:
            words = all(not text.isdecimal() for text in texts)
            if words and not question.reviews and all(_answer_id(question, text) for text in texts):
                return scheme, question
    return IMPORTED, None


def _answer_id(question: Question, text: str) -> str | None:
    """Return the id of the answer with this id or title; None if the question has no such answer."""
    wanted = text.casefold()
    for answer in question.answers:
        if wanted in (answer.id.casefold(), answer.title.casefold()):
            return answer.id
    return None


def describe_import(corpus: str, matches: MatchedAnswers, result: MergedJudgements) -> Iterator[str]:
    """Yield sentences about the result of an import, for the user."""
    answers = "1 answer" if result.added == 1 else f"{result.added:,} answers"
    people = matches.people
    who = people[0] if len(people) == 1 else f"{len(people):,} people"
    verb = "was" if result.added == 1 else "were"
    yield f"{answers} of {who} {verb} added to {corpus}."
    if matches.left_out:
        yield matches.left_out
    if result.conflicts:
        times = len(result.conflicts)
        some = "1 answer differs" if times == 1 else f"{times:,} answers differ"
        yield f"{some} from an earlier answer of the same person; the later one counts: {result.conflicts[0]}"
