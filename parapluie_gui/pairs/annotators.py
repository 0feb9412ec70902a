"""Recognises the columns of a file that hold annotators' answers, and the person and question of each column."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import nan

import numpy as np

from parapluie_gui.errors import CorpusError
from parapluie_gui.options import finite_number
from parapluie_gui.pairs.column import MISSING, TRUTH, Column, NumberColumn, number
from parapluie_gui.pairs.corpus import Corpus

#: The question of a column that is named after the person alone.
ANSWERS = "answers"

#: A column with more different answers, or longer ones, does not answer one question.
MOST_ANSWERS, LONGEST_ANSWER = 100, 40

_PEOPLE = (
    "annotat(?:or|ion)|rater|judge|coder|worker|labell?er|assessor|evaluator|expert|reviewer|participant"
    "|rating|judge?ment|vote"
)
#: "annotator 1", "judgeA", "Human Annotation - P2".
_ONE_OF_SEVERAL = re.compile(
    rf"(?i)((?:.*[\W_])?(?:{_PEOPLE}))[\s_\-.:#]*(P?\d{{1,3}}|(?-i:[A-Z])|(?<=[\s_\-.:#])[a-z])"
)
_PARTS = re.compile(r"(.+?)\s*(?:\.|: | [-–—] )\s*([^.]+)")
#: Ending of the name of the column in which this program writes the time of each answer.
_TIME = ".time"


def question_and_person(column: str) -> tuple[str, str]:
    """Split a column's name into question and person: "verdict.Anna", "Human Annotation - P1"; "Anna" is a person."""
    match = _PARTS.fullmatch(column.strip())
    return (match[1], match[2]) if match else (ANSWERS, column.strip())


def annotators_of(columns: Mapping[str, Column]) -> list[str]:
    """Recognise annotators' columns by name: two or more that differ in the person, or one with a column of times."""
    several: defaultdict[str, list[str]] = defaultdict(list)
    timed = []
    for name in columns:
        if f"{name}{_TIME}" in columns and len(question_and_person(name)[1]) < len(name):
            timed.append(name)
        elif match := _ONE_OF_SEVERAL.fullmatch(name.strip()):
            several[match[1].casefold()].append(name)
    fitting = [name for names in several.values() if len(names) > 1 for name in names if has_few_answers(columns[name])]
    return [name for name in columns if name in timed or name in fitting]


def has_few_answers(column: Column) -> bool:
    """Return whether a column can answer one question: it has answers, and they are neither too many nor too long."""
    answers = set(answer_texts(column)) - {None}
    return 0 < len(answers) <= MOST_ANSWERS and max(map(len, filter(None, answers))) <= LONGEST_ANSWER


def answer_texts(column: Column) -> list[str | None]:
    """Return the answers as texts, with numbers in their shortest form ("1", "4.5") and None for missing answers."""
    if isinstance(column, NumberColumn) and column.words is None:
        return [None if np.isnan(value) else f"{value:.10g}" for value in column.values.tolist()]
    texts = (None if cell is None else str(cell).strip() for cell in column.cells(missing=True))
    return [None if text is None or text.casefold() in MISSING else text for text in texts]


def mark_annotators(corpus: Corpus, texts: Sequence[str]) -> Corpus:
    """Mark columns of a corpus as annotators': COL, or COL=X if a grade of X or more means a paraphrase.

    Raises:
        CorpusError: A column is missing, has no answers, or has no grades although X is given; or two columns hold
            one person's answers to one question.
    """
    chosen: dict[str, float] = {}
    for text in texts:
        name, least = split_threshold(text, corpus.extra)
        if name not in corpus.extra:
            names = ", ".join(f'"{column}"' for column in list(corpus.extra)[:30])
            raise CorpusError(f'there is no annotator column "{name}"', f"choose among {names}", corpus.path)
        if not has_few_answers(corpus.extra[name]):
            what = f'column "{name}" is not an annotator\'s: it has no answers, more than {MOST_ANSWERS} or long texts'
            raise CorpusError(what, "choose a column with few different answers", corpus.path)
        answers = list(filter(None, answer_texts(corpus.extra[name])))
        if least is not None and all(number(answer) is None or answer.casefold() in TRUTH for answer in answers):
            what = f'column "{name}" has words ("{answers[0]}"), and {least:g} is a grade'
            raise CorpusError(what, f"leave out ={least:g}, or write the answers as grades", corpus.path)
        chosen[name] = nan if least is None else least
    if doubled := find_doubled_people(chosen):
        first, second = doubled[0]
        what = f'"{first}" and "{second}" would be two columns for one person'
        raise CorpusError(what, "rename one of them in the file", corpus.path)
    return corpus.with_annotators(chosen)


def split_threshold(text: str, columns: Iterable[str]) -> tuple[str, float | None]:
    """Parse COL or COL=X with a finite X; a column whose own name contains the equals sign takes precedence."""
    name, equals, value = text.rpartition("=")
    if text in columns or not equals:
        return text, None
    try:
        return name, finite_number(value)
    except ValueError:
        return text, None


def find_doubled_people(columns: Iterable[str]) -> list[tuple[str, str]]:
    """Return pairs of columns whose names give the same person and question, in the order of the file."""
    first: dict[tuple[str, str], str] = {}
    doubled = []
    for name in columns:
        question, person = question_and_person(name)
        earlier = first.setdefault((question.casefold(), person.casefold()), name)
        if earlier != name:
            doubled.append((earlier, name))
    return doubled


def describe_annotators(corpus: Corpus, repeated: Iterable[str] = ()) -> Iterator[str]:
    """Yield short descriptions of a corpus's annotators; `repeated` lists names shared by several of its columns."""
    names = list(corpus.annotators)
    if not names:
        return
    people = list(dict.fromkeys(question_and_person(name)[1] for name in names))
    shown = ", ".join(people[:4]) + (f" and {len(people) - 4} more" if len(people) > 4 else "")
    yield f"answers of {len(people)} annotators ({shown})" if len(people) > 1 else f"answers of {shown}"
    for name in repeated:
        if name in names:
            yield f'several columns called "{name}" (the first is the annotator\'s)'
