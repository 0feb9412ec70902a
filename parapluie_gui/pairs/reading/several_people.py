"""Combines files that each have one person's answers about the same pairs into one corpus."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from parapluie_gui.errors import join_words
from parapluie_gui.pairs.annotators import answer_texts, has_few_answers, question_and_person
from parapluie_gui.pairs.column import number
from parapluie_gui.pairs.corpus import UNLABELLED, Corpus
from parapluie_gui.pairs.pool import pool
from parapluie_gui.pairs.reading.assemble import assemble
from parapluie_gui.pairs.reading.mapping import ColumnMapping
from parapluie_gui.pairs.reading.people import unfold_judgements
from parapluie_gui.pairs.reading.raw_table import FileOrigin, RawTable

#: Share of a file's pairs that the files before it have to contain.
_SHARED = 0.5
#: Maximum number of different answers to a question: the grades 0 to 10, and none.
_MOST_GRADES = 12
#: The column for the person of each row; its name occurs in no file.
_PERSON = "\N{NO-BREAK SPACE}person"

_ROLES = ("source", "hypothesis", "reference", "id", "group")


@dataclass(frozen=True)
class CombinedCorpus:
    """Several corpora as one, with sentences about how their rows were combined."""

    corpus: Corpus
    descriptions: tuple[str, ...] = ()


def combine(corpora: Sequence[Corpus]) -> CombinedCorpus:
    """Combine corpora: files of several people about the same pairs become columns of people, others are pooled.

    Files are those of several people if they have the same columns, at least half of each file's pairs are in the
    files before it, and the answers (the human score, the label, or the only column of few values that differs) are
    not all the same. If another column has fractions that differ, such as scores, the files are pooled.

    Raises:
        ValueError: There is no corpus.
    """
    if len(corpora) > 1:
        shared = _count_shared(corpora)
        if all(2 * number >= len(corpus) for number, corpus in zip(shared[1:], corpora[1:], strict=True)) and (
            question := _find_question(corpora)
        ):
            return _join_people(corpora, question)
        if repeated := sum(shared):
            word = "pair has" if repeated == 1 else "pairs have"
            return CombinedCorpus(
                pool(corpora), (f"{repeated:,} {word} the same two sentences as a pair in an earlier file",)
            )
    return CombinedCorpus(pool(corpora))


def _count_shared(corpora: Sequence[Corpus]) -> list[int]:
    """Count each corpus's pairs whose sentences are those of a pair of an earlier corpus."""
    earlier: set[tuple[str, str]] = set()
    counts = []
    for corpus in corpora:
        pairs = list(zip(corpus.source, corpus.hypothesis, strict=True))
        counts.append(sum(pair in earlier for pair in pairs))
        earlier.update(pairs)
    return counts


def _find_question(corpora: Sequence[Corpus]) -> str:
    """Return the column or role with each file's answers, or "" if the files are not those of several people."""
    joined = [corpus for corpus in corpora if corpus.annotators]
    single = [corpus for corpus in corpora if not corpus.annotators]
    if not single or len({tuple(corpus.extra) for corpus in single}) > 1:
        return ""
    questions = {_question_of_people(corpus) for corpus in joined}
    if joined:
        (question,) = questions if len(questions) == 1 else ("",)
        return question if question and all(_own_question(corpus, question) for corpus in single) else ""
    if any(_holds_scores(corpora, name) for name in corpora[0].extra):
        return ""
    for role in ("human", "label"):
        if all(getattr(corpus, role) is not None for corpus in corpora):
            return _name_of(corpora[0], role) if _differ(corpora, role) else ""
    fitting = [name for name in corpora[0].extra if _holds_answers(corpora, name) and _differ(corpora, name)]
    return fitting[0] if len(fitting) == 1 else ""


def _holds_answers(corpora: Sequence[Corpus], name: str) -> bool:
    """Return whether a column has few words or whole numbers in all corpora, unlike scores of metrics."""
    answers = {answer for corpus in corpora for answer in answer_texts(corpus.extra[name])}
    few = len(answers) <= _MOST_GRADES and all(has_few_answers(corpus.extra[name]) for corpus in corpora)
    return few and all((value := number(answer)) is None or value.is_integer() for answer in answers if answer)


def _holds_scores(corpora: Sequence[Corpus], name: str) -> bool:
    """Return whether a column has fractions that differ between the corpora: scores of runs, not of people."""
    columns = [corpus.numbers(name) for corpus in corpora]
    fractions = any(column is not None and (np.nan_to_num(column) % 1).any() for column in columns)
    return fractions and all(column is not None for column in columns) and _differ(corpora, name)


def _name_of(corpus: Corpus, role: str) -> str:
    """Return the name of the column of a role."""
    column = role if corpus.plan is None else corpus.plan.roles.get(role, role)
    return (column if isinstance(column, str) else role).replace(".", " ")


def _question_of_people(corpus: Corpus) -> str:
    questions = {question_and_person(name)[0] for name in corpus.annotators}
    return questions.pop() if len(questions) == 1 else ""


def _own_question(corpus: Corpus, question: str) -> str:
    """Return the role or column that holds the answers to a question, or ""."""
    for role in ("human", "label"):
        if getattr(corpus, role) is not None and _name_of(corpus, role) == question:
            return role
    return question if question in corpus.extra else ""


def _differ(corpora: Sequence[Corpus], column: str) -> bool:
    """Return whether a pair has different values in different corpora."""
    first: dict[tuple[str, str], object] = {}
    for corpus in corpora:
        for key, cell in zip(zip(corpus.source, corpus.hypothesis, strict=True), _cells(corpus, column), strict=True):
            if first.setdefault(key, cell) != cell:
                return True
    return False


def _cells(corpus: Corpus, column: str) -> Sequence[object]:
    """Return the cells of a role or an extra column, None for missing ones."""
    if column == "human" and corpus.human is not None:
        return [None if np.isnan(value) else value for value in corpus.human.tolist()]
    if column == "label" and corpus.label is not None:
        return [None if value == UNLABELLED else value for value in corpus.label.tolist()]
    return corpus.extra[column].cells()


def _join_people(corpora: Sequence[Corpus], question: str) -> CombinedCorpus:
    people = _name_people(corpora)
    names = [role for role in _ROLES if any(getattr(corpus, role) is not None for corpus in corpora)]
    extra = list(dict.fromkeys(name for corpus in corpora for name in corpus.extra if name not in corpus.annotators))
    extra = [name for name in extra if name != question and name not in names]
    rows: list[list[object]] = []
    for corpus, own in zip(corpora, people, strict=True):
        columns = [getattr(corpus, name) or [None] * len(corpus) for name in names]
        columns += [corpus.extra[name].cells() if name in corpus.extra else [None] * len(corpus) for name in extra]
        for person, answers in _answers(corpus, question, own):
            rows += [
                [*cells, person, answer] for *cells, answer in zip(*columns, answers, strict=True) if answer is not None
            ]
    table = RawTable(
        [*names, *extra, _PERSON, question],
        [list(cells) for cells in zip(*rows, strict=True)],
        range(1, len(rows) + 1),
        FileOrigin(kind="several files"),
    )
    roles = {name: name for name in names}
    unfolded = unfold_judgements(table, {**roles, "person": _PERSON, "answer": question})
    mapping = ColumnMapping(**{role: name for role, name in roles.items() if name in unfolded.names})
    corpus = assemble(unfolded, mapping, " + ".join(corpus.name for corpus in corpora), "custom")
    given = sum(len(own) for own in corpora)
    answers = f"{len(rows):,} answers" if len(rows) != 1 else "1 answer"
    left_out = f", {given - len(rows):,} rows have no answer" if given > len(rows) else ""
    described = (
        f"the files of {join_words(list(dict.fromkeys(person for own in people for person in own)))} have the same "
        f"pairs: {len(corpus):,} pairs, {answers}{left_out}"
    )
    return CombinedCorpus(corpus, (described,))


def _answers(corpus: Corpus, question: str, people: Sequence[str]) -> Iterator[tuple[str, Sequence[object]]]:
    """Yield each person of a corpus with the answers to its pairs."""
    if corpus.annotators:
        for name, person in zip(corpus.annotators, people, strict=True):
            yield person, corpus.extra[name].cells()
    else:
        yield people[0], _cells(corpus, _own_question(corpus, question))


def _name_people(corpora: Sequence[Corpus]) -> list[list[str]]:
    """Name the people of each corpus: those of its columns, or the part of its name that the other names lack."""
    names = [corpus.name for corpus in corpora]
    prefix = _cut_to_word(_common_start(names))
    ends = [name[len(prefix) :] for name in names]
    suffix = _cut_to_word(_common_start([end[::-1] for end in ends]))
    parts = [re.sub(r"[.\s]+", " ", end[: len(end) - len(suffix)]).strip(" _-") for end in ends]
    if not all(parts) or len(set(parts)) < len(parts):
        parts = [re.sub(r"[.\s]+", " ", name) for name in names]
    return [
        [question_and_person(name)[1] for name in corpus.annotators] or [part]
        for corpus, part in zip(corpora, parts, strict=True)
    ]


def _common_start(texts: Sequence[str]) -> str:
    """Return the longest beginning that all texts share."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in same)


def _cut_to_word(text: str) -> str:
    """Return the beginning of a text up to its last character that is neither letter nor digit."""
    return re.sub(r"[^\W_]+\Z", "", text)
