"""The factorial design of a wording test: wordings × answer words × order of the sentences × solved examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from parapluie_gui.errors import TemplateError
from parapluie_gui.pluie.examples import ANSWER, HYPOTHESIS, SOURCE, ExampleSettings, hash_file
from parapluie_gui.pluie.templates import EXAMPLES, Template
from parapluie_gui.pluie.turns import ChatTurn

#: The names of the factors, in the order of `FactorialDesign.levels`.
FACTORS = ("wording", "answers", "order", "examples")

SOURCE_FIRST, HYPOTHESIS_FIRST = "source first", "hypothesis first"
ORDERS = (SOURCE_FIRST, HYPOTHESIS_FIRST)

#: The name of the level at which each wording keeps its own answer words.
OWN = "its own"


@dataclass(frozen=True)
class FactorialDesign:
    """The levels of the four factors; each factor has at least one.

    Attributes:
        wordings: Templates of one kind of judge.
        answers: Pairs of words for yes and no; () to keep each wording's own.
        orders: SOURCE_FIRST, HYPOTHESIS_FIRST or both.
        examples: Numbers of solved examples.
        file: A labelled corpus from which the examples are drawn.
    """

    wordings: tuple[Template, ...]
    answers: tuple[tuple[str, str], ...] = ()
    orders: tuple[str, ...] = (SOURCE_FIRST,)
    examples: tuple[int, ...] = (0,)
    file: Path | None = None

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """The names of the levels of each factor."""
        answers = tuple(f"{yes}/{no}" for yes, no in self.answers) or (OWN,)
        return tuple(wording.name for wording in self.wordings), answers, self.orders, tuple(map(str, self.examples))

    def templates(self) -> tuple[Template, ...]:
        """Return a template for each combination of levels, the last factor varying fastest.

        An unchanged template keeps its name, so that its stored scores are used; the names of changed templates end in
        their digest.

        Raises:
            TemplateError: A wording cannot have examples, or the file of examples cannot be read.
        """
        source = None
        if any(self.examples):
            if self.file is None:
                raise TemplateError("Solved examples are drawn from a file. Name a corpus with labels.")
            try:
                source = str(self.file.resolve()), hash_file(self.file)
            except OSError as error:
                raise TemplateError(f"{self.file}: the examples cannot be read ({error.strerror}).") from error
        templates = []
        for wording, answers, order, count in product(
            self.wordings, self.answers or (None,), self.orders, self.examples
        ):
            template = wording if answers is None else _with_answers(wording, *answers)
            if count and source is not None:
                template = _with_examples(template, count, *source)
            if template != wording:
                template = replace(template, name=f"{wording.name}.{template.digest}")
            templates.append(template.swap_sentences() if order == HYPOTHESIS_FIRST else template)
        return tuple(templates)


def read_answers(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Parse pairs of answer words such as "Yes/No", and return the distinct pairs.

    Raises:
        TemplateError: A text is not a pair of two different words.
    """
    pairs = []
    for text in texts:
        yes, sign, no = (part.strip() for part in text.partition("/"))
        if not sign or not yes or not no or "/" in no or yes == no:
            raise TemplateError(f"“{text.strip()}” is not a pair of answers. Write two different words such as Yes/No.")
        pairs.append((yes, no))
    return tuple(dict.fromkeys(pairs))


def _with_answers(wording: Template, yes: str, no: str) -> Template:
    if wording.spellings == ((yes,), (no,)):
        return wording
    return replace(wording, yes=yes, no=no, more_yes=(), more_no=())


def _with_examples(wording: Template, count: int, file: str, sha256: str) -> Template:
    """Return a wording with solved examples before its question, half of them paraphrases."""
    number = next((at for at, turn in enumerate(wording.turns) if _has_both_sentences(turn)), None)
    if wording.cloze or wording.examples is not None or number is None or any(t.generate for t in wording.turns):
        if wording.cloze:
            reason = "it is a cloze"
        elif wording.examples is not None:
            reason = "it already has examples"
        else:
            reason = "no single turn contains both sentences and asks for the answer"
        raise TemplateError(f"{wording.name} cannot have solved examples: {reason}. Leave it out, or use no examples.")
    turn = wording.turns[number]
    text = f"{turn.text.strip()}\n{ANSWER}\n\n"
    turns = list(wording.turns)
    turns[number] = replace(turn, text=EXAMPLES + turn.text.lstrip())
    examples = ExampleSettings(file, sha256, count - count // 2, count // 2, text)
    return replace(wording, turns=tuple(turns), examples=examples)


def _has_both_sentences(turn: ChatTurn) -> bool:
    return all(turn.text.count(slot) == 1 for slot in (SOURCE, HYPOTHESIS))
