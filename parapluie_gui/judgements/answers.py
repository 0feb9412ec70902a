"""Several people's answers to one question about the same pairs, given in this program or read from a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan

import numpy as np

from parapluie_gui.arrays import Labels, Rows, Scores
from parapluie_gui.judgements.scheme import AnswerOption, SchemeQuestion
from parapluie_gui.pairs.annotators import MOST_ANSWERS, answer_texts, has_few_answers, question_and_person
from parapluie_gui.pairs.column import number
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.pairs.reading.values import read_label

#: Appended to the id of a file's question if a question of this program has the same id.
_OF_FILE = " (file)"


class AnnotatorAnswers(ABC):
    """A question with the current answers of all annotators, as arrays over n = `rows` pairs.

    Attributes:
        question: The question that they answer.
    """

    question: SchemeQuestion

    @property
    @abstractmethod
    def annotators(self) -> tuple[str, ...]:
        """The names of the annotators who answered."""

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of answers."""

    @abstractmethod
    def codes(self, annotator: str, rows: int) -> Labels:
        """Return an annotator's answers as indices of `question.answers`, int8 (rows,), -1 for no answer."""

    def labels(self, annotator: str, rows: int) -> Labels:
        """Return the labels that an annotator's answers imply, int8 (rows,): 1, 0, or -1 for neither."""
        values = [UNLABELLED if answer.label is None else answer.label for answer in self.question.answers]
        return np.array([*values, UNLABELLED], dtype=np.int8)[self.codes(annotator, rows)]

    def values(self, annotator: str, rows: int) -> Scores:
        """Return an annotator's answers as values of the scale, (rows,), NaN for no answer."""
        values = [np.nan if answer.value is None else answer.value for answer in self.question.answers]
        return np.array([*values, np.nan])[self.codes(annotator, rows)]

    def votes(self, rows: int) -> Rows:
        """Count the annotators who reject each pair and who call it a paraphrase, (2, rows)."""
        counts = np.zeros((2, rows), dtype=np.int64)
        for annotator in self.annotators:
            labels = self.labels(annotator, rows)
            counts += (labels == 0, labels == 1)
        return counts

    def majority(self, rows: int) -> Labels:
        """Return the label that most annotators give each pair, int8 (rows,), -1 without votes or for a draw."""
        votes = self.votes(rows)
        return np.where(votes[0] == votes[1], UNLABELLED, votes[1] > votes[0]).astype(np.int8)

    def draws(self, rows: int) -> int:
        """Count the pairs with as many votes for a paraphrase as against it."""
        votes = self.votes(rows)
        return int(((votes[0] == votes[1]) & (votes[0] > 0)).sum())

    def mean(self, rows: int) -> Scores:
        """Return the mean value of the scale over annotators, (rows,), NaN for pairs without a value."""
        total, count = np.zeros(rows), np.zeros(rows)
        for annotator in self.annotators:
            values = self.values(annotator, rows)
            known = ~np.isnan(values)
            total[known] += values[known]
            count += known
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    def usual(self, rows: int) -> list[str | None]:
        """Return the word of the most frequent answer to each pair, None without answers or for a draw."""
        best, second = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
        which = np.full(rows, -1, dtype=np.int64)
        codes = [self.codes(annotator, rows) for annotator in self.annotators]
        for code in range(len(self.question.answers)):
            times = np.sum([answers == code for answers in codes], axis=0)
            more = times > best
            second = np.where(more, best, np.maximum(second, times))
            which, best = np.where(more, code, which), np.where(more, times, best)
        words = [answer.word for answer in self.question.answers]
        return [words[code] if code >= 0 and clear else None for code, clear in zip(which, best > second, strict=True)]


@dataclass(frozen=True, eq=False)
class FileAnswers(AnnotatorAnswers):
    """The answers to one question in columns of a file.

    Attributes:
        columns: The column of each person, by name.
        coded: Each person's answers as indices of `question.answers`, int8 (n,), -1 for no answer.
        odd: Answers that are words in a question whose other answers are numbers, with the count of each.
    """

    question: SchemeQuestion
    columns: Mapping[str, str]
    coded: Mapping[str, Labels]
    odd: Mapping[str, int]

    @property
    def annotators(self) -> tuple[str, ...]:
        return tuple(self.coded)

    @cached_property
    def count(self) -> int:
        return sum(int((codes >= 0).sum()) for codes in self.coded.values())

    def codes(self, annotator: str, rows: int) -> Labels:
        return self.coded[annotator][:rows]

    def with_free_id(self, taken: Collection[str]) -> FileAnswers:
        """Return the same answers with an id of the question that is not taken."""
        id = self.question.id
        while id in taken:
            id += _OF_FILE
        return self if id == self.question.id else replace(self, question=replace(self.question, id=id))

    def notices(self) -> Iterable[str]:
        """Yield caveats about numbers computed from the answers."""
        if self.odd:
            words = ", ".join(f"“{word}”" for word in list(self.odd)[:3]) + (" and others" if len(self.odd) > 3 else "")
            times = sum(self.odd.values())
            some = "1 answer is a word" if times == 1 else f"{times:,} answers are words"
            yield (
                f"“{self.question.id}”: {some} among numbers ({words}). They count as separate answers without a place "
                "on the scale."
            )
        if not self.question.implies_labels:
            yield (
                f"The answers to “{self.question.id}” do not say whether a pair is a paraphrase. Choose the lowest "
                "grade that means a paraphrase: Change labels, human scores, annotators… in Setup, or --annotator "
                "COL=X."
            )


def file_answers(corpus: Corpus) -> tuple[FileAnswers, ...]:
    """Group a corpus's annotators' columns by question.

    Columns that no longer hold answers to one question are skipped.
    """
    columns_of: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for name in corpus.annotators:
        question, person = question_and_person(name)
        if has_few_answers(corpus.extra[name]):
            people = columns_of[question]
            people[person if person not in people else name] = name
    return tuple(
        answers
        for question, by_person in columns_of.items()
        if (answers := _read_question(corpus, question, by_person))
    )


def build_question(id: str, answers: Iterable[str], least: float = np.nan) -> SchemeQuestion:
    """Build a question from the texts of its answers.

    Numbers are a scale on which `least` or more means a paraphrase (NaN: unknown). 0 and 1, and words such as yes and
    no, are labels by themselves.
    """
    texts = sorted(dict.fromkeys(answers))
    values = {text: value if (value := _number(text)) is not None else None for text in texts}
    numbers = {value for value in values.values() if value is not None}
    labels = {text: read_label(text) for text in texts}
    labelled = numbers <= {0.0, 1.0}  # with other answers, 0 and 1 are two grades of a longer scale
    graded = []
    for text in texts:
        value, label = values[text], labels[text] if labels[text] in (0, 1) and labelled else None
        if value is not None and not isnan(least):
            label = int(value >= least)
        place = value if value is not None else label if not numbers or labelled else None
        graded.append(AnswerOption(text, text, None if place is None else float(place), label))
    graded.sort(key=lambda answer: (answer.value is None, answer.value or 0.0, answer.id))
    return SchemeQuestion(id, id, tuple(graded), numeric=bool(numbers) and len(numbers) == len(texts) and not labelled)


def _read_question(corpus: Corpus, question: str, columns: Mapping[str, str]) -> FileAnswers | None:
    cells = {person: answer_texts(corpus.extra[name]) for person, name in columns.items()}
    spelled: dict[str, str] = {}
    for texts in cells.values():
        for text in dict.fromkeys(texts):
            if text is not None:
                spelled.setdefault(text.casefold(), text)
    if len(spelled) > MOST_ANSWERS:
        return None
    least = next((x for name in columns.values() if not isnan(x := corpus.annotators[name])), np.nan)
    asked = build_question(question, spelled.values(), least)
    places = {answer.id: at for at, answer in enumerate(asked.answers)}
    codes = {
        person: np.array([-1 if text is None else places[spelled[text.casefold()]] for text in texts], dtype=np.int8)
        for person, texts in cells.items()
    }
    words = [answer for answer in asked.answers if _number(answer.id) is None]
    beside = words if len(words) < len(asked.answers) and asked.is_ordinal else []
    odd = {answer.id: sum(int((code == places[answer.id]).sum()) for code in codes.values()) for answer in beside}
    return FileAnswers(asked, dict(columns), codes, odd)


def _number(text: str) -> float | None:
    """Return a text as a number where it is written as one; None for words such as "yes"."""
    value = number(text)
    return value if value is not None and not isnan(value) and any(letter.isdigit() for letter in text) else None
