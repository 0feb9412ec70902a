"""Columns of a file that hold what people answered, one person each: which they are, whose, and to what question."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import nan

import numpy as np

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.column import MISSING, TRUTH, Column, NumberColumn, number
from parapluie_gui.pairs.corpus import Corpus

#: The question of columns that are called as the person alone is.
ANSWERS = "answers"

#: More different answers, or longer ones, are no answers to one question.
MOST_ANSWERS, LONGEST_ANSWER = 100, 40

_PEOPLE = "annotat(?:or|ion)|rater|judge|coder|worker|labell?er|assessor|evaluator|expert|reviewer|participant"
#: "annotator 1", "judgeA", "Human Annotation - P2".
_ONE_OF_SEVERAL = re.compile(
    rf"(?i)((?:.*[\W_])?(?:{_PEOPLE}))[\s_\-.:#]*(P?\d{{1,3}}|(?-i:[A-Z])|(?<=[\s_\-.:#])[a-z])"
)
_PARTS = re.compile(r"(.+?)\s*(?:\.|: | [-–—] )\s*([^.]+)")
#: What this program writes beside an answer: when it was given.
_TIME = ".time"


def question_and_person(column: str) -> tuple[str, str]:
    """Return what was asked and of whom: "verdict.Anna" and "Human Annotation - P1" say both, "Anna" says whom."""
    found = _PARTS.fullmatch(column.strip())
    return (found[1], found[2]) if found else (ANSWERS, column.strip())


def annotators_of(columns: Mapping[str, Column]) -> list[str]:
    """Return the columns that are annotators' by their names: two or more of a kind, or with the times of answers."""
    several: defaultdict[str, list[str]] = defaultdict(list)
    timed = []
    for name in columns:
        if f"{name}{_TIME}" in columns and len(question_and_person(name)[1]) < len(name):
            timed.append(name)
        elif found := _ONE_OF_SEVERAL.fullmatch(name.strip()):
            several[found[1].casefold()].append(name)
    fitting = [name for names in several.values() if len(names) > 1 for name in names if few_answers(columns[name])]
    return [name for name in columns if name in timed or name in fitting]


def few_answers(column: Column) -> bool:
    """Tell whether a column has any answers, and no more or longer ones than one question has."""
    found = set(answer_texts(column)) - {None}
    return 0 < len(found) <= MOST_ANSWERS and max(map(len, filter(None, found))) <= LONGEST_ANSWER


def answer_texts(column: Column) -> list[str | None]:
    """Return the answers as texts, numbers as short as can be ("1", "4.5"); None where there is none."""
    if isinstance(column, NumberColumn) and column.words is None:
        return [None if np.isnan(value) else f"{value:.10g}" for value in column.values.tolist()]
    texts = (None if cell is None else str(cell).strip() for cell in column.cells(missing=True))
    return [None if text is None or text.casefold() in MISSING else text for text in texts]


def annotated(corpus: Corpus, texts: Sequence[str]) -> Corpus:
    """Return a corpus in which columns are annotators': COL, or COL=X where X or more says that it is a paraphrase.

    Raises:
        CorpusError: There is no such column, it holds no answers or no grade where one is named, or two are one
            person's answers to one question.
    """
    chosen: dict[str, float] = {}
    for text in texts:
        name, least = split_threshold(text, corpus.extra)
        if name not in corpus.extra:
            has = ", ".join(f'"{each}"' for each in list(corpus.extra)[:30])
            raise CorpusError(f'there is no column "{name}" of an annotator', f"choose among {has}", corpus.path)
        if not few_answers(corpus.extra[name]):
            what = f'column "{name}" is no annotator\'s: it has no answers, more than {MOST_ANSWERS} or long texts'
            raise CorpusError(what, "choose a column of few different answers", corpus.path)
        answers = list(filter(None, answer_texts(corpus.extra[name])))
        if least is not None and all(number(each) is None or each.casefold() in TRUTH for each in answers):
            what = f'column "{name}" has words ("{answers[0]}"), and {least:g} is a grade'
            raise CorpusError(what, f"name it without ={least:g}, or write its answers as grades", corpus.path)
        chosen[name] = nan if least is None else least
    if doubled := doubled_people(chosen):
        first, second = doubled[0]
        what = f'"{first}" and "{second}" would be two columns of one person'
        raise CorpusError(what, "rename one of them in the file", corpus.path)
    return corpus.with_annotators(chosen)


def split_threshold(text: str, columns: Iterable[str]) -> tuple[str, float | None]:
    """Read COL or COL=X; a column that is called so, equals sign and all, goes before."""
    name, equals, value = text.rpartition("=")
    if text in columns or not equals:
        return text, None
    try:
        return name, float(value)
    except ValueError:
        return text, None


def doubled_people(columns: Iterable[str]) -> list[tuple[str, str]]:
    """Return the columns that are called as another one's person and question, after that one."""
    first: dict[tuple[str, str], str] = {}
    found = []
    for name in columns:
        question, person = question_and_person(name)
        before = first.setdefault((question.casefold(), person.casefold()), name)
        if before != name:
            found.append((before, name))
    return found


def said_of(corpus: Corpus, repeated: Iterable[str] = ()) -> Iterator[str]:
    """Yield in a few words what was found, for the user; `repeated` are names that several columns of a file have."""
    names = list(corpus.annotators)
    if not names:
        return
    people = list(dict.fromkeys(question_and_person(name)[1] for name in names))
    shown = ", ".join(people[:4]) + (f" and {len(people) - 4} more" if len(people) > 4 else "")
    yield f"answers of {len(people)} annotators ({shown})" if len(people) > 1 else f"answers of {shown}"
    for name in repeated:
        if name in names:
            yield f'several columns called "{name}" (the first is the annotator\'s)'
