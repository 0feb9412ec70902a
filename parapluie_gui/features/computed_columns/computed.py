"""A column that is worked out from others by an expression: its definition, how its numbers read, its signature."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from parapluie_gui.analysis.filter.conditions import Combined, Condition, Function, NamedColumn, Node
from parapluie_gui.analysis.score_column import EXPRESSION, Meaning
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.corpus import ROLES
from parapluie_gui.scores.identity import ScoreKind, identify
from parapluie_gui.scores.signature import Signature

#: The session's setting that holds its columns; see `kept_columns`.
SETTING = "columns"

#: Letters of a name, at most.
LONGEST_NAME = 60

#: A verdict is 1 for a paraphrase, 0 for none.
VERDICT = Meaning(threshold=0.5, low=0.0, high=1.0)

_STRANGE = re.compile(r"[`\"'=<>()\x00-\x1f\x7f]")


@dataclass(frozen=True)
class ComputedColumn:
    """A column by its name and the expression that it is worked out by, in the language of filters."""

    name: str
    text: str

    @classmethod
    def parse(cls, text: str) -> ComputedColumn:
        """Read a definition written NAME = EXPRESSION; neither is looked at yet.

        Raises:
            ParapluieError: It is not written so.
        """
        name, equals, expression = text.partition("=")
        if not equals or not name.strip() or not expression.strip() or expression.startswith("="):
            example = "paraphrase = min(pluie.p1, pluie.p2) > 0"
            raise ParapluieError(f'"{text}" defines no column. Write NAME = EXPRESSION, such as {example}.')
        return cls(name.strip(), expression.strip())


def kept_columns(kept: object) -> tuple[ComputedColumn, ...]:
    """Return the columns that a session keeps as a list of [name, expression]; what makes no sense is left out."""
    found: dict[str, ComputedColumn] = {}
    for each in kept if isinstance(kept, list) else ():
        if isinstance(each, list) and len(each) == 2 and all(isinstance(part, str) for part in each):
            with contextlib.suppress(ParapluieError):
                check_name(each[0])
                found.setdefault(each[0], ComputedColumn(*each))
    return tuple(found.values())


def check_name(name: str) -> None:
    """Refuse a name that has another meaning in files, filters or the program.

    Raises:
        ParapluieError: It is empty, too long, or has a sign that means something.
    """
    if not name.strip():
        raise ParapluieError("The column has no name. Write one, such as “all three”.")
    if len(name) > LONGEST_NAME:
        raise ParapluieError(f"The name has more than {LONGEST_NAME} letters. Choose a shorter one.")
    if sign := _STRANGE.search(name):
        shown = f"the sign {sign.group()}" if sign.group().isprintable() else "a control character"
        raise ParapluieError(
            f"The name “{one_name(name)}” has {shown}, which means something in a filter. Leave it out."
        )
    if name.casefold() in ROLES or identify(name).kind is not ScoreKind.OTHER:
        raise ParapluieError(f"“{name}” is the name of another kind of column. Choose another name.")


def one_name(name: str) -> str:
    """Return a name as a sentence can hold it."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())


def reading(tree: Node, meaning_of: Callable[[str], Meaning]) -> Meaning:
    """Return how the numbers of an expression read.

    A condition is a verdict. min, max and mean of scores that read alike read like them: ParaPLUIE's natural threshold
    of 0 stays one. Anything else has none, and higher is closer, unless it is minus a distance, or a distance alone.

    Args:
        tree: What the expression means.
        meaning_of: Returns how a column reads, by its plain name.
    """
    if isinstance(tree, Condition):
        return VERDICT
    if isinstance(tree, NamedColumn):
        return meaning_of(tree.name)
    if isinstance(tree, Combined):
        found = {reading(each, meaning_of) for each in tree.arguments}
        same = next(iter(found)) if len(found) == 1 else None
        directions = {each.higher_is_closer for each in found}
        return same or Meaning(higher_is_closer=directions != {False})
    if isinstance(tree, Function) and tree.name == "minus":
        inner = reading(tree.argument, meaning_of)
        threshold = None if inner.threshold is None else -inner.threshold
        return Meaning(not inner.higher_is_closer, threshold, -inner.high, -inner.low)
    return Meaning()


def signature_of(column: ComputedColumn, read: Meaning) -> Signature:
    """Return the note in a file that explains how the column was computed, and lets this program read it again."""
    fields = {"name": column.name, EXPRESSION: column.text, "closer": "higher" if read.higher_is_closer else "lower"}
    more = {} if read.threshold is None else {"threshold": f"{read.threshold:g}"}
    return Signature.of(column.name, fields | more)
