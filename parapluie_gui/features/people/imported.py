"""Import of people's answers from a table, matched with the pairs of a corpus by their ids and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from parapluie_gui.errors import CorpusError
from parapluie_gui.judgements.record import Judgement, Key
from parapluie_gui.judgements.scheme import Scheme, SchemeQuestion
from parapluie_gui.pairs.annotators import annotators_of, find_doubled_people, question_and_person
from parapluie_gui.pairs.column import MISSING, to_column
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.ids import PairFinder, plain_ids
from parapluie_gui.pairs.reading.dispatch import FileContent, ReadingChoices
from parapluie_gui.pairs.reading.mapping import guess_mapping, normalise_name
from parapluie_gui.pairs.reading.people import ANSWER, PAIR, JudgementColumns, judgement_columns
from parapluie_gui.pairs.reading.raw_table import RawTable, as_text, as_texts
from parapluie_gui.storage.merge import MergedJudgements

#: The scheme of imported questions that belong to no other scheme.
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
        sentences: Source and hypothesis, if the file has them.
    """

    line: int
    pair: str
    person: str
    question: str
    answer: str
    time: datetime | None = None
    sentences: tuple[str, str] | None = None


@dataclass(frozen=True)
class MatchedAnswers:
    """Answers of a file matched with the pairs of a corpus.

    Attributes:
        records: The matched answers, in the order of the file; of two answers to one question the later time counts.
        unknown: Answers on pairs that the corpus does not have.
        changed: Answers on pairs whose sentences differ from those in the file.
        ambiguous: Answers whose id several pairs of the corpus have, in a file without sentences.
        strange: Answers that the question does not have.
        revised: Answers that the same person gives differently further down.
        blank: Number of rows without an answer or a person.
    """

    records: tuple[Judgement, ...]
    unknown: tuple[ImportedAnswer, ...] = ()
    changed: tuple[ImportedAnswer, ...] = ()
    ambiguous: tuple[ImportedAnswer, ...] = ()
    strange: tuple[ImportedAnswer, ...] = ()
    revised: tuple[ImportedAnswer, ...] = ()
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
            parts.append(_some(self.unknown, "about a pair that the corpus does not have", _pair))
        if self.changed:
            parts.append(_some(self.changed, "about a pair whose sentences differ in the corpus", _pair))
        if self.ambiguous:
            parts.append(
                _some(self.ambiguous, "about an id that several pairs have (give their sentences, too)", _pair)
            )
        if self.strange:
            parts.append(_some(self.strange, "not an answer to the question", lambda answer: answer.answer))
        if self.blank:
            parts.append(f"{self.blank:,} without a person or an answer")
        total = sum(map(len, (self.unknown, self.changed, self.ambiguous, self.strange))) + self.blank
        return f"{total:,} {'was' if total == 1 else 'were'} left out: {'; '.join(parts)}." if total else ""


def _pair(answer: ImportedAnswer) -> str:
    return answer.pair


def _some(answers: Sequence[ImportedAnswer], reason: str, shown: Callable[[ImportedAnswer], str]) -> str:
    first = answers[0]
    return f"{len(answers):,} {reason} (the first is “{shown(first)[:40]}” in line {first.line:,})"


def read_answers(path: Path) -> tuple[list[ImportedAnswer], int]:
    """Return the answers of a file and the number of its rows without an answer.

    The file has one row per judgement (pair, person, answer, optionally question and time), or one row per pair and
    one column per person. Pairs are identified by an id, by their two sentences, or by both.

    Raises:
        CorpusError: It cannot be read, has neither form, or has two columns for one person.
    """
    table = FileContent(path).read(ReadingChoices(header=True)).table
    actual = {normalise_name(name): name for name in reversed(table.names)}
    id_column = next((actual[name] for name in PAIR if name in actual), None)
    mapping, _ = guess_mapping(table.names)
    sentences: list[tuple[str, str]] | None = None
    if mapping.source is not None and mapping.hypothesis is not None:
        source, hypothesis = (as_texts(table.column(name)) for name in (mapping.source, mapping.hypothesis))
        sentences = list(zip(source, hypothesis, strict=True))
    if id_column is None and sentences is None:
        has = ", ".join(f'"{name}"' for name in table.names[:30])
        todo = f'call the column of the pairs\' ids "pair" or "id"; there are {has}'
        raise CorpusError("no column contains the ids of the pairs", todo, path)
    ids = [""] * len(table) if id_column is None else list(map(str.strip, as_texts(table.column(id_column))))
    pairs = _TablePairs(plain_ids(ids), sentences)
    columns = judgement_columns(table.names)
    if columns is not None and not table.annotators:
        times = next((table.column(actual[name]) for name in _TIMES if name in actual), None)
        return _answers_by_row(table, columns, pairs, times)
    own = {id_column, mapping.source, mapping.hypothesis}
    return _answers_by_column(table, [name for name in table.names if name not in own], pairs), 0


@dataclass(frozen=True)
class _TablePairs:
    """The pair of each row of a table: its id, "" if unknown, and its sentences, if the table has them."""

    ids: Sequence[str]
    sentences: Sequence[tuple[str, str]] | None

    def sentences_of(self, row: int) -> tuple[str, str] | None:
        return None if self.sentences is None else self.sentences[row]


def _answers_by_row(
    table: RawTable, columns: JudgementColumns, pairs: _TablePairs, times: Sequence[object] | None
) -> tuple[list[ImportedAnswer], int]:
    people, texts = table.column(columns.person), table.column(columns.answer)
    questions = None if columns.question is None else table.column(columns.question)
    default = normalise_name(columns.answer)
    answers = []
    for row, (person, answer) in enumerate(zip(people, texts, strict=True)):
        name, text = " ".join(as_text(person).split()), as_text(answer).strip()
        if name and text.casefold() not in MISSING:
            question = default if questions is None else as_text(questions[row]).strip() or default
            time = None if times is None else _time(times[row])
            line = table.lines[row]
            answers.append(ImportedAnswer(line, pairs.ids[row], name, question, text, time, pairs.sentences_of(row)))
    return answers, len(table) - len(answers)


def _answers_by_column(table: RawTable, names: Sequence[str], pairs: _TablePairs) -> list[ImportedAnswer]:
    path = table.origin.path
    typed_columns = {name: to_column(table.column(name)) for name in names}
    people = [*table.annotators] or annotators_of(typed_columns) or list(filter(_is_verdict_column, names))
    if not people:
        todo = 'name them "annotator 1", "annotator 2" or "verdict.Anna", or write one row per judgement'
        raise CorpusError("it has neither columns of annotators nor a column of annotators' names", todo, path)
    if doubled := find_doubled_people(people):
        one, two = doubled[0]
        raise CorpusError(f'"{one}" and "{two}" are two columns for one person', "rename one of them", path)
    answers = []
    for name in people:
        question, person = question_and_person(name)
        times = table.column(f"{name}.time") if f"{name}.time" in table.names else None
        for row, cell in enumerate(table.column(name)):
            answer = as_text(cell).strip()
            if answer.casefold() not in MISSING:
                time = None if times is None else _time(times[row])
                line = table.lines[row]
                answers.append(
                    ImportedAnswer(line, pairs.ids[row], person, question, answer, time, pairs.sentences_of(row))
                )
    return answers


def _is_verdict_column(name: str) -> bool:
    """Return whether a column is named as this program names a person's answers: "verdict.Anna"."""
    question, person = question_and_person(name)
    return question.casefold() in ANSWER and person.casefold() != "time"


def _time(cell: object) -> datetime | None:
    try:
        time = datetime.fromisoformat(as_text(cell).strip())
    except ValueError:
        return None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time


def find_best_corpus(answers: Sequence[ImportedAnswer], corpora: Mapping[int, Corpus]) -> int | None:
    """Return the number of the corpus with most of the answered pairs; None if no corpus has any of them."""
    shares = {}
    for number, corpus in corpora.items():
        matcher = _PairMatcher(corpus)
        shares[number] = sum(matcher.find(answer) != "unknown" for answer in answers)
    best = max(shares, key=lambda number: shares[number], default=None)
    return best if best is not None and shares[best] else None


def match_answers(
    answers: Sequence[ImportedAnswer],
    corpus: Corpus,
    schemes: Sequence[Scheme],
    question: str | None = None,
    blank: int = 0,
) -> MatchedAnswers:
    """Match answers with the pairs of a corpus, by the pairs' ids and, if the file has them, by their sentences.

    A question of the file is matched with a scheme's question of the same name, or with a question that has all the
    answers; any other question is stored as it is.

    Args:
        answers: The answers of the file.
        corpus: The pairs.
        schemes: The known schemes.
        question: Id of the scheme's question that all answers belong to; None to find it.
        blank: Number of rows without an answer.

    Raises:
        CorpusError: No scheme has the question.
    """
    matcher = _PairMatcher(corpus)
    now = datetime.now(UTC)
    names = dict.fromkeys(answer.question for answer in answers)
    asked = {about: _match_question(about, answers, schemes, question) for about in names}
    records: list[Judgement] = []
    left_out: dict[str, list[ImportedAnswer]] = {"unknown": [], "changed": [], "ambiguous": [], "strange": []}
    last: dict[Key, tuple[ImportedAnswer, Judgement]] = {}
    revised = []
    for order, answer in enumerate(answers):
        scheme, known = asked[answer.question]
        code = answer.answer if known is None else _answer_id(known, answer.answer)
        row = matcher.find(answer)
        if isinstance(row, str):
            left_out[row].append(answer)
            continue
        if code is None:
            left_out["strange"].append(answer)
            continue
        id = answer.question if known is None else known.id
        time = answer.time or now + timedelta(microseconds=order)  # without times, the later row counts
        record = Judgement(row, answer.person, scheme, id, code, time)
        if (before := last.get(record.key)) is not None and before[1].answer != code:
            revised.append(before[0] if before[1].changed <= time else answer)
        if before is None or before[1].changed <= time:
            last[record.key] = answer, record
        records.append(record)
    groups = {name: tuple(group) for name, group in left_out.items()}
    return MatchedAnswers(tuple(records), revised=tuple(revised), blank=blank, **groups)


class _PairMatcher:
    """Finds the pair that an answer is about, by its id and, if the file has them, its sentences."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._by_id = PairFinder(corpus.id)
        self._by_sentences: dict[tuple[str, str], list[int]] = {}
        for row, sentences in enumerate(zip(corpus.source, corpus.hypothesis, strict=True)):
            self._by_sentences.setdefault(_normalise_sentences(sentences), []).append(row)

    def find(self, answer: ImportedAnswer) -> int | str:
        """Return the row of the pair, or why there is none: "unknown", "changed" or "ambiguous"."""
        rows = self._by_id.rows(answer.pair) if answer.pair else []
        if answer.sentences is not None:
            same = self._by_sentences.get(_normalise_sentences(answer.sentences), [])
            if rows and not set(rows) & set(same):
                return "changed"
            rows = [row for row in same if row in rows] if rows else same
            if rows and answer.pair == self._corpus.id[rows[0]]:
                return rows[0]
        if not rows:
            return "unknown"
        return rows[0] if len(rows) == 1 else "ambiguous"


def _normalise_sentences(sentences: tuple[str, str]) -> tuple[str, str]:
    source, hypothesis = (" ".join(text.split()) for text in sentences)
    return source, hypothesis


def _match_question(
    about: str, answers: Sequence[ImportedAnswer], schemes: Sequence[Scheme], wanted: str | None
) -> tuple[str, SchemeQuestion | None]:
    """Return the scheme's id and question; `IMPORTED` and None if no scheme asks the question."""
    known = [(scheme.id, question) for scheme in schemes for question in scheme.questions]
    if wanted is not None:
        for scheme, question in known:
            if question.id == wanted:
                return scheme, question
        names = ", ".join(question.id for _, question in known)
        raise CorpusError(f'no scheme has a question "{wanted}"', f"choose one of {names}")
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


def _answer_id(question: SchemeQuestion, text: str) -> str | None:
    """Return the id of the answer with this id or title; None if the question has no such answer."""
    wanted = text.casefold()
    for answer in question.answers:
        if wanted in (answer.id.casefold(), answer.title.casefold()):
            return answer.id
    return None


def describe_import(corpus: str, matches: MatchedAnswers, result: MergedJudgements) -> Iterator[str]:
    """Yield sentences about the result of an import, in which every answer of the file is counted."""
    answers = "1 answer" if result.added == 1 else f"{result.added:,} answers"
    people = matches.people
    who = people[0] if len(people) == 1 else f"{len(people):,} people"
    verb = "was" if result.added == 1 else "were"
    yield f"{answers} of {who} {verb} added to {corpus}."
    if known := len(matches.records) - result.added:
        yield "1 already existed." if known == 1 else f"{known:,} already existed."
    if matches.left_out:
        yield matches.left_out
    if matches.revised:
        count, first = len(matches.revised), matches.revised[0]
        some = "1 answer differs" if count == 1 else f"{count:,} answers differ"
        yield (
            f"{some} from another answer by the same person in the file; the later one counts "
            f"(the first is about pair {first.pair}, line {first.line:,})."
        )
    if result.conflicts:
        times = len(result.conflicts)
        some = "1 answer differs" if times == 1 else f"{times:,} answers differ"
        yield f"{some} from an earlier answer by the same person; the later one counts: {result.conflicts[0]}"
