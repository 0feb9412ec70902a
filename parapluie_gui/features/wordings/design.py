"""One question in many forms: wordings × answer words × order of the sentences × number of solved examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from parapluie_gui.errors import TemplateError
from parapluie_gui.pluie.examples import ANSWER, HYPOTHESIS, SOURCE, Examples, digest
from parapluie_gui.pluie.templates import EXAMPLES, Template
from parapluie_gui.pluie.turns import Turn

#: What is varied, in the order of the levels of a cell.
FACTORS = ("wording", "answers", "order", "examples")

SOURCE_FIRST, HYPOTHESIS_FIRST = "source first", "hypothesis first"
ORDERS = (SOURCE_FIRST, HYPOTHESIS_FIRST)

#: Each wording keeps its own answers.
OWN = "its own"


@dataclass(frozen=True)
class Design:
    """What is varied; each of the four has at least one level.

    Attributes:
        wordings: Templates of one kind of judge.
        answers: Pairs of words for yes and no; empty for each wording's own.
        orders: SOURCE_FIRST, HYPOTHESIS_FIRST or both.
        examples: Numbers of solved examples.
        file: A corpus with labels from which they are drawn.
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
        return tuple(each.name for each in self.wordings), answers, self.orders, tuple(map(str, self.examples))

    def templates(self) -> tuple[Template, ...]:
        """Return a template for each combination of levels, the last factor varying fastest.

        One that is a template as it stands keeps its name, so that scores which are known are found again; the others
        are named after what they ask.

        Raises:
            TemplateError: A wording takes no examples, or the file of examples cannot be read.
        """
        drawn = None
        if any(self.examples):
            if self.file is None:
                raise TemplateError("Solved examples are drawn from a file. Name a corpus with labels.")
            try:
                drawn = str(self.file.resolve()), digest(self.file)
            except OSError as error:
                raise TemplateError(f"{self.file}: the examples cannot be read ({error.strerror}).") from error
        found = []
        for wording, answers, order, count in product(
            self.wordings, self.answers or (None,), self.orders, self.examples
        ):
            made = wording if answers is None else _answered(wording, *answers)
            if count and drawn is not None:
                made = _with_examples(made, count, *drawn)
            if made != wording:
                made = replace(made, name=f"{wording.name}.{made.digest}")
            found.append(made.reversed() if order == HYPOTHESIS_FIRST else made)
        return tuple(found)


def read_answers(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Read pairs of answer words such as Yes/No, each pair once.

    Raises:
        TemplateError: One is no such pair.
    """
    found = []
    for text in texts:
        yes, sign, no = (part.strip() for part in text.partition("/"))
        if not sign or not yes or not no or "/" in no or yes == no:
            raise TemplateError(f"“{text.strip()}” is no pair of answers. Write two different words such as Yes/No.")
        found.append((yes, no))
    return tuple(dict.fromkeys(found))


def _answered(wording: Template, yes: str, no: str) -> Template:
    if wording.spellings == ((yes,), (no,)):
        return wording
    return replace(wording, yes=yes, no=no, more_yes=(), more_no=())


def _with_examples(wording: Template, count: int, file: str, sha256: str) -> Template:
    """Return a wording whose question is put with solved examples before it, half of them paraphrases."""
    number = next((at for at, turn in enumerate(wording.turns) if _asks(turn)), None)
    if wording.cloze or wording.examples is not None or number is None or any(t.generate for t in wording.turns):
        why = (
            "it is a cloze"
            if wording.cloze
            else "it has examples of its own"
            if wording.examples is not None
            else "no single turn holds both sentences and asks for the answer at once"
        )
        raise TemplateError(f"{wording.name} takes no solved examples: {why}. Leave it out, or ask without examples.")
    turn = wording.turns[number]
    text = f"{turn.text.strip()}\n{ANSWER}\n\n"
    turns = list(wording.turns)
    turns[number] = replace(turn, text=EXAMPLES + turn.text.lstrip())
    examples = Examples(file, sha256, count - count // 2, count // 2, text)
    return replace(wording, turns=tuple(turns), examples=examples)


def _asks(turn: Turn) -> bool:
    return all(turn.text.count(each) == 1 for each in (SOURCE, HYPOTHESIS))
