"""Annotation schemes: questions about pairs with guideline, examples and training pairs, read from TOML files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from parapluie_gui import places
from parapluie_gui.errors import SchemeError
from parapluie_gui.own_files import BUILT_IN, BrokenFile, TomlFile, Where, read_folder

_ID = re.compile(r"[a-z][a-z0-9_]*")
_KEYS = {"id", "title", "provenance", "guideline", "mark_differences", "show_label", "pairs", "assessment"}
_KEYS |= {"question", "example", "training"}
_QUESTION_KEYS = {"id", "text", "answer", "scale", "lowest", "highest", "paraphrase_from"}
_ANSWER_KEYS = {"id", "title", "value", "label", "label_is"}
_PAIR_KEYS = {"source", "hypothesis", "answers", "why"}
#: Each answer has a digit as its key.
_MOST_ANSWERS = 9


@dataclass(frozen=True)
class AnswerOption:
    """One answer that a person can give.

    Attributes:
        id: Its id in session files.
        title: Its text in the window.
        value: Its value on the question's scale, or None (as for "Don't know").
        label: 1 if it calls the pair a paraphrase, 0 if it denies that, None for neither.
        label_is: "right" or "wrong" if it judges the pair's present label, otherwise "".
    """

    id: str
    title: str
    value: float | None = None
    label: int | None = None
    label_is: str = ""

    @property
    def word(self) -> str:
        """The answer in columns and filters: "same meaning"."""
        return self.title[:1].lower() + self.title[1:]


@dataclass(frozen=True)
class SchemeQuestion:
    """A question and its answers in order.

    Attributes:
        id: Its id, which also names the column of its answers.
        numeric: Whether the answers are the numbers of a scale.
        lowest, highest: The meaning of the ends of a scale, or "".
    """

    id: str
    text: str
    answers: tuple[AnswerOption, ...]
    numeric: bool = False
    lowest: str = ""
    highest: str = ""

    def answer(self, id: str) -> AnswerOption | None:
        """Return the answer with an id, or None."""
        return next((answer for answer in self.answers if answer.id == id), None)

    @property
    def implies_labels(self) -> bool:
        """Whether some answer implies that the pair is or is not a paraphrase."""
        return any(answer.label is not None for answer in self.answers)

    @property
    def reviews(self) -> bool:
        """Whether some answer calls the pair's label wrong."""
        return any(answer.label_is == "wrong" for answer in self.answers)

    @property
    def is_ordinal(self) -> bool:
        """Whether at least two answers have a value on a scale."""
        return sum(answer.value is not None for answer in self.answers) > 1


@dataclass(frozen=True)
class SamplePair:
    """A pair of the guideline or the training, with the expected answer to each question and the reason."""

    source: str
    hypothesis: str
    answers: Mapping[str, str] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True)
class Scheme:
    """The questions that annotators answer about each pair, with their guideline.

    Attributes:
        id: Its id in session files.
        pairs: The usual number of pairs in a round.
        mark_differences: Whether differing words are marked during annotation.
        show_label: Whether the pair's label is shown during annotation, because people judge the label.
        assessment: A question to annotators about themselves, or "".
        levels: The answers to `assessment`.
        origin: "built-in" or the user's file.
    """

    id: str
    title: str
    guideline: str
    questions: tuple[SchemeQuestion, ...]
    provenance: str = ""
    pairs: int = 50
    mark_differences: bool = True
    show_label: bool = False
    assessment: str = ""
    levels: tuple[str, ...] = ()
    examples: tuple[SamplePair, ...] = ()
    training: tuple[SamplePair, ...] = ()
    origin: str = BUILT_IN

    def question(self, id: str) -> SchemeQuestion | None:
        """Return the question with an id, or None."""
        return next((question for question in self.questions if question.id == id), None)


def load_schemes(folder: Path | None = None) -> tuple[list[Scheme], list[BrokenFile]]:
    """Return the built-in schemes and those in the user's folder, if it exists, and the broken files in that folder."""
    good = list(_built_in())
    return good, read_folder(folder, parse_scheme, good, "id")


def find_scheme(id: str, schemes: Sequence[Scheme]) -> Scheme | None:
    """Return the scheme with an id, or None."""
    return next((scheme for scheme in schemes if scheme.id == id), None)


@cache
def _built_in() -> tuple[Scheme, ...]:
    folder = places.resources() / "schemes"
    return tuple(parse_scheme((folder / f"{name}.toml").read_text("utf-8"), f"{name}.toml") for name in _SHIPPED)


#: The built-in schemes in the order in which lists show them.
_SHIPPED = ("parapluie", "pem", "paraphrasus", "review")

#: The scheme that asks whether labels are right, and its question, which also names the column of its answers.
REVIEW, REVIEWED = "review", "label_review"


def pair_verdict() -> tuple[str, SchemeQuestion]:
    """Return the scheme's id and the question that the Pair panel shows: ParaPLUIE's five answers."""
    scheme = _built_in()[0]
    return scheme.id, scheme.questions[0]


def parse_scheme(text: str, file: str = "scheme", origin: str = BUILT_IN) -> Scheme:
    """Read one scheme from TOML text.

    Raises:
        SchemeError: It is not TOML or not a scheme; the message names the line.
    """
    return _SchemeReader(TomlFile(text, file, SchemeError)).scheme(origin)


class _SchemeReader:
    """Reads the scheme of one TOML file."""

    def __init__(self, file: TomlFile) -> None:
        self._file, self._data = file, file.data

    def scheme(self, origin: str) -> Scheme:
        data = self._data
        self._file.check_keys(data, _KEYS, "a scheme")
        id, title, guideline = (self._file.text(data, key, (), needed=True) for key in ("id", "title", "guideline"))
        if not _ID.fullmatch(id):
            raise self._file.wrong(
                f'the id "{id}" must consist of lower-case letters, digits and "_", such as "my_scheme"', "id"
            )
        pairs, marked, shown = data.get("pairs", 50), data.get("mark_differences", True), data.get("show_label", False)
        if type(pairs) is not int or pairs < 1:
            raise self._file.wrong("pairs is not a whole number of at least 1", "pairs")
        for key, value in (("mark_differences", marked), ("show_label", shown)):
            if not isinstance(value, bool):
                raise self._file.wrong(f"{key} is neither true nor false", key)
        assessment, levels = self._assessment()
        entries = self._file.tables(data, "question", ())
        if not entries:
            raise self._file.wrong("it has no questions. Add a [[question]] with answers", "question")
        questions = tuple(self._question(entry, (("question", at),)) for at, entry in enumerate(entries))
        if len({question.id for question in questions}) < len(questions):
            raise self._file.wrong("two questions have the same id", "id", (("question", len(questions) - 1),))
        samples = {kind: tuple(self._samples(kind, questions)) for kind in ("example", "training")}
        return Scheme(
            id=id,
            title=title,
            guideline=guideline.strip(),
            questions=questions,
            provenance=self._file.text(data, "provenance", ()).strip(),
            pairs=pairs,
            mark_differences=marked,
            show_label=shown,
            assessment=assessment,
            levels=levels,
            examples=samples["example"],
            training=samples["training"],
            origin=origin,
        )

    def _assessment(self) -> tuple[str, tuple[str, ...]]:
        entry = self._data.get("assessment")
        if entry is None:
            return "", ()
        where = (("assessment", 0),)
        if not isinstance(entry, dict):
            raise self._file.wrong("assessment is not an [assessment] section", "assessment")
        self._file.check_keys(entry, {"text", "answers"}, "an assessment", where)
        levels = entry.get("answers")
        if not isinstance(levels, list) or len(levels) < 2 or not all(isinstance(level, str) for level in levels):
            raise self._file.wrong("answers is not a list of at least two texts", "answers", where)
        if len(levels) > _MOST_ANSWERS:
            raise self._file.wrong(
                f"there are more than {_MOST_ANSWERS} answers, and each needs a digit key", "answers", where
            )
        return self._file.text(entry, "text", where, needed=True), tuple(levels)

    def _question(self, entry: dict[str, Any], where: Where) -> SchemeQuestion:
        self._file.check_keys(entry, _QUESTION_KEYS, "a question", where)
        id = self._file.text(entry, "id", where, needed=True)
        if not _ID.fullmatch(id) or id == "note":
            raise self._file.wrong(
                f'the id "{id}" must consist of lower-case letters, digits and "_", and must not be "note"', "id", where
            )
        text = self._file.text(entry, "text", where, needed=True)
        if "scale" in entry:
            return self._scale(entry, id, text, where)
        entries = self._file.tables(entry, "answer", where)
        if not 2 <= len(entries) <= _MOST_ANSWERS:
            raise self._file.wrong(
                f'question "{id}" needs 2 to {_MOST_ANSWERS} answers, or scale = [1, 5]', "id", where
            )
        before = sum(len(question.get("answer", ())) for question in self._data["question"][: where[0][1]])
        answers = [self._answer(answer, (("question.answer", before + at),)) for at, answer in enumerate(entries)]
        if len({answer.id for answer in answers}) < len(answers):
            raise self._file.wrong(f'two answers of question "{id}" have the same id', "id", where)
        return SchemeQuestion(id, text, tuple(answers))

    def _scale(self, entry: dict[str, Any], id: str, text: str, where: Where) -> SchemeQuestion:
        ends, least = entry["scale"], entry.get("paraphrase_from")
        valid = isinstance(ends, list) and len(ends) == 2 and all(type(end) is int for end in ends)
        if not valid or not 0 <= ends[0] < ends[1] <= _MOST_ANSWERS:
            raise self._file.wrong("scale is not two whole numbers from 0 to 9, such as [1, 5]", "scale", where)
        if least is not None and (type(least) is not int or not ends[0] < least <= ends[1]):
            raise self._file.wrong(
                "paraphrase_from is not a number on the scale above its lowest", "paraphrase_from", where
            )
        if "answer" in entry:
            raise self._file.wrong("a question can have a scale or answers, not both", "scale", where)
        answers = (
            AnswerOption(str(value), str(value), float(value), None if least is None else int(value >= least))
            for value in range(ends[0], ends[1] + 1)
        )
        lowest, highest = self._file.text(entry, "lowest", where), self._file.text(entry, "highest", where)
        return SchemeQuestion(id, text, tuple(answers), True, lowest, highest)

    def _answer(self, entry: dict[str, Any], where: Where) -> AnswerOption:
        self._file.check_keys(entry, _ANSWER_KEYS, "an answer", where)
        value, label = entry.get("value"), entry.get("label")
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise self._file.wrong("value is not a number", "value", where)
        if label is not None and (type(label) is not int or label not in (0, 1)):
            raise self._file.wrong("label is neither 1 (paraphrase) nor 0 (not a paraphrase)", "label", where)
        label_is = self._file.text(entry, "label_is", where)
        if label_is not in ("", "right", "wrong"):
            raise self._file.wrong('label_is is neither "right" nor "wrong"', "label_is", where)
        id, title = (
            self._file.text(entry, "id", where, needed=True),
            self._file.text(entry, "title", where, needed=True),
        )
        return AnswerOption(id, title, None if value is None else float(value), label, label_is)

    def _samples(self, kind: str, questions: Sequence[SchemeQuestion]) -> list[SamplePair]:
        samples = []
        for at, entry in enumerate(self._file.tables(self._data, kind, ())):
            where = ((kind, at),)
            self._file.check_keys(entry, _PAIR_KEYS, f"[[{kind}]]", where)
            entered = entry.get("answers", {})
            if not isinstance(entered, dict):
                raise self._file.wrong('answers is not written as { question = "answer" }', "answers", where)
            answers = {str(name): str(answer) for name, answer in entered.items()}
            for name, answer in answers.items():
                question = next((question for question in questions if question.id == name), None)
                if question is None or question.answer(answer) is None:
                    raise self._file.wrong(f'there is no answer "{answer}" to a question "{name}"', "answers", where)
            pair = [self._file.text(entry, key, where, needed=True) for key in ("source", "hypothesis")]
            samples.append(SamplePair(pair[0], pair[1], answers, self._file.text(entry, "why", where)))
        return samples
