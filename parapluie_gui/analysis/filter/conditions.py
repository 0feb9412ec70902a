"""The syntax tree of a filter: values and conditions over columns, computed for all rows at once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from parapluie_gui.analysis.filter.words import filter_error
from parapluie_gui.analysis.pattern import SearchPattern
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.shared_errors import score_verdicts, wrong_by
from parapluie_gui.errors import FilterError
from parapluie_gui.pairs.column import number
from parapluie_gui.scores.identity import BOUNDS


def bound_codes(column: str, get: Callable[[str], np.ndarray]) -> np.ndarray:
    """Return which values are bounds, according to a column: 1 for lower, -1 for upper bounds, 0 otherwise."""
    if not column:
        return np.zeros((), dtype=np.int8)
    least, most = (np.asarray(get(column) == word) for word in BOUNDS)
    return least.astype(np.int8) - most.astype(np.int8)


def holds_for_certain(sign: str, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return where a comparison that holds for the numbers holds for all values that their bounds allow.

    A score with the lower bound 2 is certainly above 1, but not certainly below 3, equal to 2 or different from 5.
    """
    if sign in (">", ">="):
        return np.asarray((left >= 0) & (right <= 0))
    if sign in ("<", "<="):
        return np.asarray((left <= 0) & (right >= 0))
    return np.asarray((left == 0) & (right == 0))


#: A function that returns a column by name: float64 with NaN where missing, or objects (str, None where missing).
Get = Callable[[str], np.ndarray]
#: One number or text for all rows, or one per row.
Cells = np.ndarray | float | str

#: The column of labels.
LABEL = "label"

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_CALCULATE: dict[str, np.ufunc] = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}

_COMBINE: dict[str, Callable[..., Any]] = {"min": np.min, "max": np.max, "mean": np.mean}


@dataclass(frozen=True)
class FilterNode:
    """A node of a filter; `start` is its place in the text, 0-based."""

    start: int

    def parts(self) -> Iterator[FilterNode]:
        """Yield the child nodes among its fields."""
        return _nodes(tuple(getattr(self, item.name) for item in fields(self)))

    def columns(self) -> Iterator[str]:
        """Yield the names of the columns that it uses."""
        for part in self.parts():
            yield from part.columns()


class ValueNode(FilterNode):
    """A node with a number or a text in every row."""

    def cells(self, get: Get) -> Cells:
        """Return the values, one for all rows or shape (n,)."""
        raise NotImplementedError


class ConditionNode(FilterNode):
    """A node that is true or false in every row."""

    def mask(self, get: Get) -> np.ndarray:
        """Return where the condition is true, as a bool array (n,), or () if it is the same in every row."""
        raise NotImplementedError


@dataclass(frozen=True)
class LiteralNode(ValueNode):
    """A literal number or text."""

    value: float | str

    def cells(self, get: Get) -> Cells:
        """Return the literal."""
        return self.value


@dataclass(frozen=True)
class NamedColumn(ValueNode):
    """A column by name; `bound` is the column that marks bounds among its values, "" if there is none."""

    name: str
    bound: str = ""

    def columns(self) -> Iterator[str]:
        """Yield the name of the column."""
        yield self.name

    def cells(self, get: Get) -> Cells:
        """Return the column."""
        return get(self.name)


@dataclass(frozen=True)
class ArithmeticNode(ValueNode):
    """A sum or a product of several values, computed from left to right."""

    first: ValueNode
    steps: tuple[tuple[str, ValueNode], ...]

    def cells(self, get: Get) -> Cells:
        """Return the result as float64."""
        result = _exact(self.first, get)
        for sign, value in self.steps:
            result = _CALCULATE[sign](result, _exact(value, get))
        return result


@dataclass(frozen=True)
class FunctionNode(ValueNode):
    """abs(number), minus(number), length(text) in characters, words(text) at white space."""

    name: str
    argument: ValueNode

    def cells(self, get: Get) -> Cells:
        """Return the result as float64."""
        if self.name in ("abs", "minus"):
            result: Cells = (np.abs if self.name == "abs" else np.negative)(_exact(self.argument, get))
            return result
        measure: Callable[[str], int] = len if self.name == "length" else lambda text: len(text.split())
        texts = _texts(self.argument, self.argument.cells(get))
        if isinstance(texts, str):
            return float(measure(texts))
        return np.array([measure(text) if isinstance(text, str) else np.nan for text in texts], dtype=np.float64)


@dataclass(frozen=True)
class AggregateNode(ValueNode):
    """min, max or mean of several numbers; missing if one of them is missing."""

    name: str
    arguments: tuple[ValueNode, ...]

    def cells(self, get: Get) -> Cells:
        columns = np.broadcast_arrays(*(_exact(argument, get) for argument in self.arguments))
        return np.asarray(_COMBINE[self.name](np.stack(columns), axis=0), dtype=np.float64)


@dataclass(frozen=True)
class ZScore(ValueNode):
    """A number minus the mean of the column, in population standard deviations; missing if all numbers are equal."""

    argument: ValueNode

    def cells(self, get: Get) -> Cells:
        """Return the result as float64."""
        values = _exact(self.argument, get)
        finite = values[np.isfinite(values)]
        spread = float(np.std(finite)) if finite.size else 0.0
        return (values - np.mean(finite)) / spread if spread else np.full(values.shape, np.nan)


@dataclass(frozen=True)
class ValueComparison(ConditionNode):
    """A comparison of two values; false if one of them is missing, whatever the sign."""

    left: ValueNode
    sign: str
    right: ValueNode

    def mask(self, get: Get) -> np.ndarray:
        """Return where the comparison holds."""
        compare = _COMPARE[self.sign]
        left, right = self.left.cells(get), self.right.cells(get)
        left, right = _read_number(left, right), _read_number(right, left)
        if not _is_text(left) and not _is_text(right):
            left, right = _numbers(self.left, left), _numbers(self.right, right)
            holds = compare(left, right) & ~np.isnan(left) & ~np.isnan(right)
            return np.asarray(
                holds & holds_for_certain(self.sign, *(_codes(side, get) for side in (self.left, self.right)))
            )
        for value, cells, other in ((self.left, left, right), (self.right, right, left)):
            if _is_text(cells) and not _may_be_text(other):
                raise _no_number(value)
        if self.sign not in ("==", "!="):
            raise FilterError(
                f'Texts cannot be compared with "{self.sign}" (at character {self.start + 1}); '
                "use ==, != or contains, or compare their length(...)."
            )
        return _pairwise(compare, _texts(self.left, left), _texts(self.right, right))


@dataclass(frozen=True)
class ContainsText(ConditionNode):
    """A text within a longer one, ignoring case; false if one of them is missing."""

    searched: ValueNode
    part: ValueNode

    def mask(self, get: Get) -> np.ndarray:
        """Return where the text contains the part."""
        searched, part = _texts(self.searched, self.searched.cells(get)), _texts(self.part, self.part.cells(get))
        if isinstance(part, str) and not isinstance(searched, str):
            # The usual case; avoid a second array of a million folded texts.
            part = part.casefold()
            return np.array([isinstance(text, str) and part in text.casefold() for text in searched], dtype=bool)
        return _pairwise(operator.contains, _fold_case(searched), _fold_case(part))


@dataclass(frozen=True)
class RegexNode(ValueNode):
    """A regular expression, which can be searched for but has no value."""

    pattern: SearchPattern

    def cells(self, get: Get) -> Cells:
        """Raise an error: a regular expression cannot be compared."""
        raise filter_error(
            "A regular expression cannot be compared",
            self.start,
            "write source contains /…/, or the expression alone",
        )


@dataclass(frozen=True)
class MatchesRegex(ConditionNode):
    """A text that matches a regular expression; false if it is missing."""

    searched: ValueNode
    pattern: SearchPattern
    #: The texts of the last search and its result: only texts that changed are searched again.
    _last: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list, compare=False, repr=False)

    def mask(self, get: Get) -> np.ndarray:
        """Return where the text matches."""
        texts = _texts(self.searched, self.searched.cells(get))
        if isinstance(texts, str):
            return np.array(bool(len(self.pattern.spans([texts]))))
        matches, changed = np.zeros(len(texts), dtype=bool), np.arange(len(texts))
        if self._last and len(self._last[0][0]) == len(texts):
            previous, matches = self._last[0][0], self._last[0][1].copy()
            changed = changed[:0] if previous is texts else np.flatnonzero(previous != texts)
        searched_texts = [text if isinstance(text, str) else "" for text in texts[changed].tolist()]
        matches[changed] = False
        matches[changed[self.pattern.spans(searched_texts)[:, 0]]] = True
        self._last[:] = [(texts, matches)]
        return matches.copy()


@dataclass(frozen=True)
class HasMember(ConditionNode):
    """A cell with a list separated by commas that has a member, ignoring case; false if the cell is missing."""

    searched: ValueNode
    member: str

    def mask(self, get: Get) -> np.ndarray:
        """Return where the list has the member."""
        member = self.member.strip().casefold()
        cells = _texts(self.searched, self.searched.cells(get))
        texts = np.array([cells], dtype=object) if isinstance(cells, str) else cells
        has_member: dict[str, bool] = {}
        for text in {text for text in texts.tolist() if isinstance(text, str)}:
            has_member[text] = member in (item.strip() for item in text.casefold().split(","))
        mask = np.array([isinstance(text, str) and has_member[text] for text in texts.tolist()], dtype=bool)
        return mask[0] if isinstance(cells, str) else mask


@dataclass(frozen=True)
class MissingValue(ConditionNode):
    """A missing value."""

    value: ValueNode

    def mask(self, get: Get) -> np.ndarray:
        """Return where the value is missing."""
        return is_missing(self.value.cells(get))


@dataclass(frozen=True)
class WrongBy(ConditionNode):
    """A labelled pair that all scores get wrong, or at least one; false if a score is missing.

    Each score uses its natural threshold or, if it has none, the most accurate one on all labelled pairs. Scores that
    have no numbers yet do not count.
    """

    every: bool
    scores: tuple[NamedColumn, ...]

    def parts(self) -> Iterator[FilterNode]:
        """Yield the scores and the label."""
        return _nodes((*self.scores, NamedColumn(self.start, LABEL)))

    def mask(self, get: Get) -> np.ndarray:
        """Return where the scores are wrong."""
        labels = _numbers(NamedColumn(self.start, LABEL), get(LABEL))
        columns = [(score.name, _numbers(score, score.cells(get))) for score in self.scores]
        score_columns = [score_column(name, numbers) for name, numbers in columns if not np.isnan(numbers).all()]
        _, by_all, by_any = wrong_by(score_verdicts(score_columns, labels), labels)
        return by_all if self.every else by_any


@dataclass(frozen=True)
class NotCondition(ConditionNode):
    """The negation of a condition."""

    condition: ConditionNode

    def mask(self, get: Get) -> np.ndarray:
        """Return where the condition does not hold."""
        return ~self.condition.mask(get)


@dataclass(frozen=True)
class BooleanJunction(ConditionNode):
    """A conjunction ("and") or a disjunction ("or") of conditions."""

    word: str
    conditions: tuple[ConditionNode, ...]

    def mask(self, get: Get) -> np.ndarray:
        """Return where the combined conditions hold."""
        join = np.logical_and if self.word == "and" else np.logical_or
        result = self.conditions[0].mask(get)
        for condition in self.conditions[1:]:
            result = join(result, condition.mask(get))
        return result


def columns_tested_for_missing(node: FilterNode) -> Iterator[str]:
    """Yield the names of the columns that a node tests with `missing(column)`."""
    if isinstance(node, MissingValue):
        yield from node.columns()
    for part in node.parts():
        yield from columns_tested_for_missing(part)


def is_missing(cells: Cells) -> np.ndarray:
    """Return where a value is missing: NaN, or None for a text."""
    if isinstance(cells, str):
        return np.array(False)
    if isinstance(cells, np.ndarray) and cells.dtype == object:
        return np.array([cell is None or cell != cell for cell in cells], dtype=bool)
    return np.isnan(np.asarray(cells, dtype=np.float64))


def as_numbers(value: ValueNode, get: Get) -> np.ndarray:
    """Return a value as float64, (n,) or (), NaN for bounds and missing numbers.

    Raises:
        FilterError: The value is a text.
    """
    return _exact(value, get)


def _nodes(value: object) -> Iterator[FilterNode]:
    """Yield the nodes in a value: itself, or those in nested tuples."""
    if isinstance(value, FilterNode):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)


def _is_text(cells: Cells) -> bool:
    if isinstance(cells, np.ndarray):
        return cells.dtype == object and any(isinstance(cell, str) for cell in cells)
    return isinstance(cells, str)


def _read_number(cells: Cells, other: Cells) -> Cells:
    """Return the number for a text that looks like one ("2000", "true") and is compared with numbers."""
    if not isinstance(cells, str) or _may_be_text(other):
        return cells
    value = number(cells)
    return cells if value is None or np.isnan(value) else value


def _may_be_text(cells: Cells) -> bool:
    """Return True for texts, and for cells that are all missing and so may be texts."""
    return isinstance(cells, str) or (isinstance(cells, np.ndarray) and cells.dtype == object)


def _numbers(value: ValueNode, cells: Cells) -> np.ndarray:
    """Return a value's cells as float64, shape () or (n,)."""
    if _is_text(cells):
        raise _no_number(value)
    return np.asarray(cells, dtype=np.float64)  # None becomes NaN


def _codes(value: ValueNode, get: Get) -> np.ndarray:
    return bound_codes(value.bound if isinstance(value, NamedColumn) else "", get)


def _exact(value: ValueNode, get: Get) -> np.ndarray:
    """Return a value's cells as float64, NaN for bounds, which cannot be used in computations."""
    return np.where(_codes(value, get) == 0, _numbers(value, value.cells(get)), np.nan)


def _texts(value: ValueNode, cells: Cells) -> np.ndarray | str:
    """Return a value's cells as one text or as objects, (n,)."""
    if isinstance(cells, str) or (isinstance(cells, np.ndarray) and _may_be_text(cells)):
        return cells
    what = f'The column "{value.name}"' if isinstance(value, NamedColumn) else "This"
    raise FilterError(
        f"{what} is a number, not text (at character {value.start + 1}). Compare it using <, <=, ==, !=, >= or >."
    )


def _no_number(value: ValueNode) -> FilterError:
    """Return the error for a text where a number is needed."""
    if isinstance(value, LiteralNode):
        what, todo = f'"{value.value}"', "write numbers without quotes"
    else:
        what = f'The column "{value.name}"' if isinstance(value, NamedColumn) else "This"
        todo = "compare it with text in quotes, or use length(...) or words(...)"
    return filter_error(f"{what} is text, not a number", value.start, todo)


def _fold_case(texts: np.ndarray | str) -> np.ndarray | str:
    if isinstance(texts, str):
        return texts.casefold()
    folded = np.empty(len(texts), dtype=object)
    folded[:] = [text.casefold() if isinstance(text, str) else None for text in texts]
    return folded


def _pairwise(test: Callable[[str, str], bool], left: np.ndarray | str, right: np.ndarray | str) -> np.ndarray:
    """Return where a test of two texts holds; False where one is missing."""
    if isinstance(left, str) and isinstance(right, str):
        return np.array(test(left, right))
    if isinstance(right, str) and not isinstance(left, str) and test in (operator.eq, operator.ne):
        equal = np.asarray(left == right, dtype=bool)  # in C: ten times as fast
        return equal if test is operator.eq else ~equal & ~is_missing(left)
    if isinstance(right, str):
        return np.array([isinstance(text, str) and test(text, right) for text in left], dtype=bool)
    if isinstance(left, str):
        return np.array([isinstance(text, str) and test(left, text) for text in right], dtype=bool)
    both = zip(left, right, strict=True)
    return np.array([isinstance(a, str) and isinstance(b, str) and test(a, b) for a, b in both], dtype=bool)
