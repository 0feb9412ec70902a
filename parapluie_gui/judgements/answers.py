"""A question with the answers of several people to the same pairs, wherever they come from; here: columns of a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan

import numpy as np

from parapluie_gui.arrays import Labels, Rows, Scores
from parapluie_gui.judgements.scheme import Answer, Question
from parapluie_gui.pairs.annotators import MOST_ANSWERS, answer_texts, few_answers, question_and_person
from parapluie_gui.pairs.column import number
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.pairs.reading.values import read_label

#: Stands behind a question of a file where people were asked one of that name here.
_OF_FILE = " (file)"


class Answers(ABC):
    """A question with everybody's answers that count, as arrays over n = `rows` pairs.

    Attributes:
        question: The question.
    """

    question: Question

    @property
    @abstractmethod
    def annotators(self) -> tuple[str, ...]:
        """The names of those who answered."""

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of answers."""

    @abstractmethod
    def codes(self, annotator: str, rows: int) -> Labels:
        """Return somebody's answers as places in `question.answers`, int8 (rows,), -1 where there is none."""

    def labels(self, annotator: str, rows: int) -> Labels:
        """Return what somebody's answers say of being a paraphrase: int8 (rows,), 1, 0, or -1 for neither."""
        values = [UNLABELLED if answer.label is None else answer.label for answer in self.question.answers]
        return np.array([*values, UNLABELLED], dtype=np.int8)[self.codes(annotator, rows)]

    def values(self, annotator: str, rows: int) -> Scores:
        """Return the places on the scale of somebody's answers, (rows,), NaN where there is none."""
        values = [np.nan if answer.value is None else answer.value for answer in self.question.answers]
        return np.array([*values, np.nan])[self.codes(annotator, rows)]

    def votes(self, rows: int) -> Rows:
        """Return how many call each pair none and how many a paraphrase, (2, rows)."""
        found = np.zeros((2, rows), dtype=np.int64)
        for annotator in self.annotators:
            labels = self.labels(annotator, rows)
            found += (labels == 0, labels == 1)
        return found

    def majority(self, rows: int) -> Labels:
        """Return the label that most annotators give a pair, int8 (rows,), -1 where there is none or a draw."""
        votes = self.votes(rows)
        return np.where(votes[0] == votes[1], UNLABELLED, votes[1] > votes[0]).astype(np.int8)

    def draws(self, rows: int) -> int:
        """Return the number of pairs that as many call a paraphrase as call none."""
        votes = self.votes(rows)
        return int(((votes[0] == votes[1]) & (votes[0] > 0)).sum())

    def mean(self, rows: int) -> Scores:
        """Return the mean place on the scale over annotators, (rows,), NaN where nobody gave one."""
        total, given = np.zeros(rows), np.zeros(rows)
        for annotator in self.annotators:
            values = self.values(annotator, rows)
            known = ~np.isnan(values)
            total[known] += values[known]
            given += known
        return np.where(given > 0, total / np.maximum(given, 1), np.nan)

    def usual(self, rows: int) -> list[str | None]:
        """Return the word of the answer that most gave to each pair, None where there is none or a draw."""
        best, second = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
        which = np.full(rows, -1, dtype=np.int64)
        codes = [self.codes(annotator, rows) for annotator in self.annotators]
        for code in range(len(self.question.answers)):
            times = np.sum([each == code for each in codes], axis=0)
            more = times > best
            second = np.where(more, best, np.maximum(second, times))
            which, best = np.where(more, code, which), np.where(more, times, best)
        words = [answer.word for answer in self.question.answers]
        return [words[code] if code >= 0 and clear else None for code, clear in zip(which, best > second, strict=True)]


@dataclass(frozen=True, eq=False)
class FileAnswers(Answers):
    """A question that columns of a file answer.

    Attributes:
        columns: The column of each person, by name.
        given: Their answers as places in `question.answers`, int8 (n,) each, -1 where there is none.
        odd: The answers that are words beside numbers, with how often each was given.
    """

    question: Question
    columns: Mapping[str, str]
    given: Mapping[str, Labels]
    odd: Mapping[str, int]

    @property
    def annotators(self) -> tuple[str, ...]:
        return tuple(self.given)

    @cached_property
    def count(self) -> int:
        return sum(int((codes >= 0).sum()) for codes in self.given.values())

    def codes(self, annotator: str, rows: int) -> Labels:
        return self.given[annotator][:rows]

    def renamed(self, taken: Collection[str]) -> FileAnswers:
        """Return the same with a question whose id is not taken."""
        id = self.question.id
        while id in taken:
            id += _OF_FILE
        return self if id == self.question.id else replace(self, question=replace(self.question, id=id))

    def notices(self) -> Iterable[str]:
        """Yield what somebody who reads the numbers should know, a sentence each."""
        if self.odd:
            words = ", ".join(f"“{word}”" for word in list(self.odd)[:3]) + (" and others" if len(self.odd) > 3 else "")
            times = sum(self.odd.values())
            some = "1 answer is a word" if times == 1 else f"{times:,} answers are words"
            yield (
                f"“{self.question.id}”: {some} beside numbers ({words}). They count as answers of their own, without a "
                "place on the scale."
            )
        if not self.question.labelled:
            yield (
                f"The answers to “{self.question.id}” do not say whether a pair is a paraphrase. Choose from which "
                "grade on they do: Change labels, human scores, annotators… in Setup, or --annotator COL=X."
            )


def file_answers(corpus: Corpus) -> tuple[FileAnswers, ...]:
    """Return the questions that a corpus's columns of annotators answer.

    Columns that no longer hold answers to one question are passed over.
    """
    asked: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for name in corpus.annotators:
        question, person = question_and_person(name)
        if few_answers(corpus.extra[name]):
            people = asked[question]
            people[person if person not in people else name] = name
    return tuple(found for question, columns in asked.items() if (found := _asked(corpus, question, columns)))


def question_of(id: str, answers: Iterable[str], least: float = np.nan) -> Question:
    """Return a question with answers that are known by nothing but their texts.

    Numbers are a scale, on which `least` and more is a paraphrase (NaN: unknown); 0 and 1, and words such as yes and
    no, say themselves whether a pair is one.
    """
    texts = sorted(dict.fromkeys(answers))
    values = {text: value if (value := _number(text)) is not None else None for text in texts}
    numbers = {value for value in values.values() if value is not None}
    labels = {text: read_label(text) for text in texts}
    speak = numbers <= {0.0, 1.0}  # otherwise 0 and 1 are two grades of a longer scale
    found = []
    for text in texts:
        value, label = values[text], labels[text] if labels[text] in (0, 1) and speak else None
        if value is not None and not isnan(least):
            label = int(value >= least)
        place = value if value is not None else label if not numbers or speak else None
        found.append(Answer(text, text, None if place is None else float(place), label))
    found.sort(key=lambda answer: (answer.value is None, answer.value or 0.0, answer.id))
    return Question(id, id, tuple(found), numeric=bool(numbers) and len(numbers) == len(texts) and not speak)


def _asked(corpus: Corpus, question: str, columns: Mapping[str, str]) -> FileAnswers | None:
    cells = {person: answer_texts(corpus.extra[name]) for person, name in columns.items()}
    spelled: dict[str, str] = {}
    for texts in cells.values():
        for text in dict.fromkeys(texts):
            if text is not None:
                spelled.setdefault(text.casefold(), text)
    if len(spelled) > MOST_ANSWERS:
        return None
    least = next((x for name in columns.values() if not isnan(x := corpus.annotators[name])), np.nan)
    found = question_of(question, spelled.values(), least)
    places = {answer.id: at for at, answer in enumerate(found.answers)}
    codes = {
        person: np.array([-1 if text is None else places[spelled[text.casefold()]] for text in texts], dtype=np.int8)
        for person, texts in cells.items()
    }
    words = [answer for answer in found.answers if _number(answer.id) is None]
    beside = words if len(words) < len(found.answers) and found.ordered else []
    odd = {each.id: sum(int((given == places[each.id]).sum()) for given in codes.values()) for each in beside}
    return FileAnswers(found, dict(columns), codes, odd)


def _number(text: str) -> float | None:
    """Return a text as a number where it is written as one; None for words such as "yes"."""
    value = number(text)
    return value if value is not None and not isnan(value) and any(letter.isdigit() for letter in text) else None
