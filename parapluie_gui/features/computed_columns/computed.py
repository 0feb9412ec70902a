"""The definition of a computed column: its name and expression, the meaning of its values, and its signature."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass

from parapluie_gui.analysis.filter.conditions import AggregateNode, ConditionNode, FilterNode, FunctionNode, NamedColumn
from parapluie_gui.analysis.score_column import EXPRESSION, ColumnMeaning
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.corpus import ROLES
from parapluie_gui.scores.identity import ScoreKind, identify
from parapluie_gui.scores.signature import Signature

#: The session's setting with its computed columns; see `parse_columns`.
SETTING = "columns"

#: Maximum number of letters in a name.
LONGEST_NAME = 60

#: The meaning of a verdict: 1 for a paraphrase, otherwise 0.
VERDICT = ColumnMeaning(threshold=0.5, low=0.0, high=1.0)

_FORBIDDEN = re.compile(r"[`\"'=<>()\x00-\x1f\x7f]")


@dataclass(frozen=True)
class ComputedColumn:
    """The name of a column and its expression, in the language of filters."""

    name: str
    text: str

    @classmethod
    def parse(cls, text: str) -> ComputedColumn:
        """Parse a definition written NAME = EXPRESSION, without checking either.

        Raises:
            ParapluieError: It is not written like that.
        """
        name, equals, expression = text.partition("=")
        if not equals or not name.strip() or not expression.strip() or expression.startswith("="):
            example = "paraphrase = min(pluie.p1, pluie.p2) > 0"
            raise ParapluieError(f'"{text}" defines no column. Write NAME = EXPRESSION, such as {example}.')
        return cls(name.strip(), expression.strip())


def parse_columns(stored: object) -> tuple[ComputedColumn, ...]:
    """Return the columns that a session stores as a list of [name, expression], skipping invalid entries."""
    columns: dict[str, ComputedColumn] = {}
    for entry in stored if isinstance(stored, list) else ():
        if isinstance(entry, list) and len(entry) == 2 and all(isinstance(part, str) for part in entry):
            with contextlib.suppress(ParapluieError):
                check_name(entry[0])
                columns.setdefault(entry[0], ComputedColumn(*entry))
    return tuple(columns.values())


def check_name(name: str) -> None:
    """Check that a name has no other meaning in files, filters or the program.

    Raises:
        ParapluieError: It is empty, too long, taken, or has a sign with a meaning in filters.
    """
    if not name.strip():
        raise ParapluieError("The column has no name. Write one, such as “all three”.")
    if len(name) > LONGEST_NAME:
        raise ParapluieError(f"The name has more than {LONGEST_NAME} characters. Choose a shorter one.")
    if sign := _FORBIDDEN.search(name):
        description = f"the character {sign.group()}" if sign.group().isprintable() else "a control character"
        raise ParapluieError(
            f"The name “{printable_name(name)}” has {description}, which has a meaning in filters. Leave it out."
        )
    if name.casefold() in ROLES or identify(name).kind is not ScoreKind.OTHER:
        raise ParapluieError(f"“{name}” is the name of another kind of column. Choose another name.")


def printable_name(name: str) -> str:
    """Return a name on one line, without control characters."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())


def infer_meaning(tree: FilterNode, meaning_of: Callable[[str], ColumnMeaning]) -> ColumnMeaning:
    """Return the meaning of the values of an expression.

    A condition is a verdict. min, max and mean of scores with the same meaning keep it, such as ParaPLUIE's natural
    threshold of 0. Any other expression has no natural threshold, and higher is closer unless it only combines
    distances; a negated expression has the opposite direction.

    Args:
        tree: The parsed expression.
        meaning_of: Returns the meaning of a column by its plain name.
    """
    if isinstance(tree, ConditionNode):
        return VERDICT
    if isinstance(tree, NamedColumn):
        return meaning_of(tree.name)
    if isinstance(tree, AggregateNode):
        meanings = {infer_meaning(argument, meaning_of) for argument in tree.arguments}
        common = next(iter(meanings)) if len(meanings) == 1 else None
        directions = {meaning.higher_is_closer for meaning in meanings}
        return common or ColumnMeaning(higher_is_closer=directions != {False})
    if isinstance(tree, FunctionNode) and tree.name == "minus":
        inner = infer_meaning(tree.argument, meaning_of)
        threshold = None if inner.threshold is None else -inner.threshold
        return ColumnMeaning(not inner.higher_is_closer, threshold, -inner.high, -inner.low)
    return ColumnMeaning()


def definition_signature(column: ComputedColumn, meaning: ColumnMeaning) -> Signature:
    """Return the signature that explains a computed column in a file, and from which it can be read again."""
    fields = {"name": column.name, EXPRESSION: column.text, "closer": "higher" if meaning.higher_is_closer else "lower"}
    more = {} if meaning.threshold is None else {"threshold": f"{meaning.threshold:g}"}
    return Signature.from_fields(column.name, fields | more)
