"""Answers of people in a table without scores: read, and matched with the pairs of a corpus by the pairs' ids."""

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
from parapluie_gui.pairs.reading.dispatch import Choices, Content
from parapluie_gui.pairs.reading.mapping import normalise_name
from parapluie_gui.pairs.reading.people import ANSWER, PAIR, judgement_columns
from parapluie_gui.pairs.reading.raw_table import RawTable, as_text
from parapluie_gui.storage.merge import MergedJudgements

#: The scheme of questions that none of the schemes here asks.
IMPORTED = "imported"

#: What columns of times are called.
_TIMES = ("time", "timestamp", "changed", "date", "submitted")


@dataclass(frozen=True)
class GivenAnswer:
    """One answer as a file has it: in a 1-based line, to a question on a pair, by a person, perhaps with a time."""

    line: int
    pair: str
    person: str
    question: str
    answer: str
    time: datetime | None = None


@dataclass(frozen=True)
class MatchedAnswers:
    """What of a file belongs to a corpus.

    Attributes:
        records: The answers, by row of the corpus.
        unknown: Answers to pairs that the corpus does not have.
        strange: Answers that the question does not have.
        blank: Rows of a judgement each without an answer or a person.
    """

    records: tuple[Judgement, ...]
    unknown: tuple[GivenAnswer, ...] = ()
    strange: tuple[GivenAnswer, ...] = ()
    blank: int = 0

    @property
    def people(self) -> tuple[str, ...]:
        """Those who answered."""
        return tuple(dict.fromkeys(record.annotator for record in self.records))

    @property
    def left_out(self) -> str:
        """What could not be matched, in a sentence; "" for nothing."""
        parts = []
        if self.unknown:
            parts.append(_some(self.unknown, "of a pair that the corpus does not have", lambda each: each.pair))
        if self.strange:
            parts.append(_some(self.strange, "no answer to the question", lambda each: each.answer))
        if self.blank:
            parts.append(f"{self.blank:,} without a person or an answer")
        total = len(self.unknown) + len(self.strange) + self.blank
        return f"{total:,} {'was' if total == 1 else 'were'} left out: {'; '.join(parts)}." if total else ""


def _some(answers: Sequence[GivenAnswer], what: str, shown: Callable[[GivenAnswer], str]) -> str:
    first = answers[0]
    return f"{len(answers):,} {what} (the first is “{shown(first)[:40]}” in line {first.line:,})"


def read_answers(path: Path) -> tuple[list[GivenAnswer], int]:
    """Return the answers of a file, and how many of its rows have none.

    The file has a row for each judgement (pair, person, answer, perhaps question and time), or a row for each pair and
    a column for each person.

    Raises:
        CorpusError: It cannot be read, has neither form, or two columns are one person's.
    """
    table = Content(path).read(Choices(header=True)).table
    actual = {normalise_name(name): name for name in reversed(table.names)}
    pair = next((actual[name] for name in PAIR if name in actual), None)
    if pair is None:
        has = ", ".join(f'"{name}"' for name in table.names[:30])
        todo = f'call the column of the pairs\' ids "pair" or "id"; there are {has}'
        raise CorpusError("no column says which pair an answer is of", todo, path)
    columns = judgement_columns(table.names)
    if columns is not None and not table.annotators:
        times = next((table.column(actual[name]) for name in _TIMES if name in actual), None)
        asked = None if columns.question is None else table.column(columns.question)
        return _of_rows(
            table,
            (table.column(pair), table.column(columns.person), table.column(columns.answer)),
            normalise_name(columns.answer),
            asked,
            times,
        )
    return _of_columns(table, pair), 0


def _of_rows(
    table: RawTable,
    cells: tuple[Sequence[object], Sequence[object], Sequence[object]],
    question: str,
    asked: Sequence[object] | None,
    times: Sequence[object] | None,
) -> tuple[list[GivenAnswer], int]:
    found = []
    for row, (pair, person, answer) in enumerate(zip(*cells, strict=True)):
        name, given = " ".join(as_text(person).split()), as_text(answer).strip()
        if name and given.casefold() not in MISSING:
            about = question if asked is None else as_text(asked[row]).strip() or question
            when = None if times is None else _time(times[row])
            found.append(GivenAnswer(table.lines[row], as_text(pair).strip(), name, about, given, when))
    return found, len(table) - len(found)


def _of_columns(table: RawTable, pair: str) -> list[GivenAnswer]:
    path, ids = table.origin.path, table.column(pair)
    typed_columns = {name: to_column(table.column(name)) for name in table.names if name != pair}
    people = [*table.annotators] or annotators_of(typed_columns)
    if not people:
        todo = 'call them "annotator 1", "annotator 2" or "verdict.Anna", or write a row for each judgement'
        raise CorpusError("no columns are annotators' and none says who answered", todo, path)
    if doubled := find_doubled_people(people):
        one, two = doubled[0]
        raise CorpusError(f'"{one}" and "{two}" would be two columns of one person', "rename one of them", path)
    found = []
    for name in people:
        question, person = question_and_person(name)
        times = table.column(f"{name}.time") if f"{name}.time" in table.names else None
        for row, cell in enumerate(table.column(name)):
            answer = as_text(cell).strip()
            if answer.casefold() not in MISSING:
                when = None if times is None else _time(times[row])
                found.append(GivenAnswer(table.lines[row], as_text(ids[row]).strip(), person, question, answer, when))
    return found


def _time(cell: object) -> datetime | None:
    try:
        found = datetime.fromisoformat(as_text(cell).strip())
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def best_corpus(answers: Sequence[GivenAnswer], ids: Mapping[int, Sequence[str]]) -> int | None:
    """Return the corpus, by its number, that has most of the pairs that were answered; None if none has any."""
    wanted = {each.pair for each in answers}
    shares = {number: len(wanted & set(names)) for number, names in ids.items()}
    best = max(shares, key=lambda number: shares[number], default=None)
    return best if best is not None and shares[best] else None


def matched(
    answers: Sequence[GivenAnswer],
    corpus: Corpus,
    schemes: Sequence[Scheme],
    question: str | None = None,
    blank: int = 0,
) -> MatchedAnswers:
    """Return the answers as records of a corpus, found by the pairs' ids.

    A question is that of the scheme which asks one of this name, or whose answers were all that was given; any other is
    kept as the file has it.

    Args:
        answers: What the file has.
        corpus: The pairs.
        schemes: What is known of questions.
        question: The id of the scheme's question that all of them answer; None to find it.
        blank: How many rows have no answer.

    Raises:
        CorpusError: No scheme asks the question.
    """
    rows = {id: row for row, id in enumerate(corpus.id)}
    now = datetime.now(UTC)
    asked = {about: _asked(about, answers, schemes, question) for about in dict.fromkeys(a.question for a in answers)}
    records, unknown, strange = [], [], []
    for each in answers:
        scheme, known = asked[each.question]
        answer = each.answer if known is None else _answer_id(known, each.answer)
        if each.pair not in rows:
            unknown.append(each)
        elif answer is None:
            strange.append(each)
        else:
            id = each.question if known is None else known.id
            records.append(Judgement(rows[each.pair], each.person, scheme, id, answer, each.time or now))
    return MatchedAnswers(tuple(records), tuple(unknown), tuple(strange), blank)


def _asked(
    about: str, answers: Sequence[GivenAnswer], schemes: Sequence[Scheme], wanted: str | None
) -> tuple[str, Question | None]:
    """Return the scheme's id, and its question that is meant; None for one that no scheme asks."""
    known = [(scheme.id, each) for scheme in schemes for each in scheme.questions]
    if wanted is not None:
        for scheme, each in known:
            if each.id == wanted:
                return scheme, each
        names = ", ".join(each.id for _, each in known)
        raise CorpusError(f'no scheme asks a question "{wanted}"', f"choose among {names}")
    given = {each.answer for each in answers if each.question == about}
    for scheme, each in known:
        if each.id == about and any(_answer_id(each, answer) for answer in given):
            return scheme, each
    if normalise_name(about) in (*ANSWER, "answers"):
        for scheme, each in known:
            words = all(not answer.isdecimal() for answer in given)
            if words and not each.reviews and all(_answer_id(each, answer) for answer in given):
                return scheme, each
    return IMPORTED, None


def _answer_id(question: Question, text: str) -> str | None:
    """Return the answer that a text is, by id, title or number; None where it is none of the question's."""
    wanted = text.casefold()
    for answer in question.answers:
        if wanted in (answer.id.casefold(), answer.title.casefold()):
            return answer.id
    return None


def import_sentences(corpus: str, found: MatchedAnswers, result: MergedJudgements) -> Iterator[str]:
    """Yield what an import did, for the user."""
    answers = "1 answer" if result.added == 1 else f"{result.added:,} answers"
    people = found.people
    who = people[0] if len(people) == 1 else f"{len(people):,} people"
    verb = "was" if result.added == 1 else "were"
    yield f"{answers} of {who} {verb} added to {corpus}."
    if found.left_out:
        yield found.left_out
    if result.conflicts:
        times = len(result.conflicts)
        some = "1 answer differs" if times == 1 else f"{times:,} answers differ"
        yield f"{some} from what the same person had answered, and the later one counts: {result.conflicts[0]}"
