"""The filter language of the table: `edit_distance > 0.6 and pluie.direct >= 0`, or just words to search for.

Comparisons (`<`, `<=`, `>`, `>=`, `==` or `=`, `!=`) may be chained and joined by `and`, `or`, `not` and parentheses.
Numbers: columns, `+ - * /`, `abs(x)`, `min(x, y)`, `max(x, y)`, `mean(x, y)` of any number of values, `zscore(x)`,
`length(source)` in characters, `words(source)`. Texts: columns and quoted texts,
compared by `==` and `!=` exactly, searched ignoring case: `source contains "x"`, `contains(source, "x")`,
`"x" in source`, or for a regular expression: `source contains /no[tr]?/i`. `type has "x"` tests for a member of the
list in a cell. `missing(column)` finds missing values; a comparison with a missing value is false. `wrong_by_all()` and
`wrong_by_any()` find pairs that the judges, or the scores named in the parentheses, get wrong. A column with an unusual
name is written in backticks or, except where text can stand, in quotes; its shown name, in any case, needs them only if
it has signs other than letters, digits and spaces. `outcome == FP` and `label = yes` need no quotes.
Words, a quoted text or an expression by itself are searched for in both sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import numpy as np

from parapluie_gui.analysis.filter.conditions import (
    LABEL,
    AggregateNode,
    ArithmeticNode,
    BooleanJunction,
    ConditionNode,
    ContainsText,
    FilterNode,
    FunctionNode,
    HasMember,
    LiteralNode,
    MatchesRegex,
    MissingValue,
    NamedColumn,
    NotCondition,
    RegexNode,
    ValueComparison,
    ValueNode,
    WrongBy,
    ZScore,
)
from parapluie_gui.analysis.filter.words import (
    ABOUT_SCORES,
    COMBINING,
    FUNCTIONS,
    KEYWORDS,
    OUTCOME,
    OUTCOMES,
    FilterToken,
    filter_error,
    find_title,
    quote_column,
    tokenize,
    unknown_column,
)
from parapluie_gui.analysis.pattern import compile_pattern
from parapluie_gui.analysis.statistics.shared_errors import independent_scores
from parapluie_gui.errors import FilterError
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.reading.values import read_label
from parapluie_gui.scores.identity import ColumnIdentity, identify

#: The columns that are searched for words.
SEARCHED = ("source", "hypothesis")

#: Maximum number of nested parentheses and `not`; more would exhaust Python's stack.
_DEEPEST = 40

#: Number of characters from which a filter counts as slow, since it may have many conditions, and maximum number.
_LONG, _LONGEST = 300, 100_000

NO_TITLES: Mapping[str, str] = MappingProxyType({})
NO_SCORES: Mapping[str, ColumnIdentity] = MappingProxyType({})
_ORDERS = frozenset({"<", "<=", ">", ">="})
_COMPARISONS = _ORDERS | {"==", "=", "!="}
#: Signs and keywords after which a word that is not a column is probably a text without its quotes.
_BEFORE_TEXTS = frozenset({"==", "=", "!=", "contains"})
#: Words in typographic quotation marks, as a word processor sets them.
_TYPOGRAPHIC = re.compile("[“„«]([^“”„«»]+)[”“»]")
#: Signs that make a text a condition instead of words; the apostrophe of "don't" is not among them.
_SIGNS = re.compile(r"[<>=`()\"]|(?<!\S)'|'(?!\S)|\A\s*/.+/")


@dataclass(frozen=True)
class Filter:
    """A compiled filter.

    Attributes:
        text: The text as typed.
        columns: The columns that it uses; its mask changes only with these.
        words: Was it read as words to search for, not as a condition?
        slow: May it take long, because it has a regular expression or very many conditions?
    """

    text: str
    columns: frozenset[str]
    words: bool
    slow: bool
    _first: str | None
    _condition: ConditionNode | None

    @property
    def looks_at(self) -> frozenset[str]:
        """The columns that `mask` reads: `columns`, or else a column that gives the number of rows."""
        return self.columns or frozenset(() if self._first is None else (self._first,))

    def mask(self, get: Callable[[str], np.ndarray]) -> np.ndarray:
        """Return the rows that satisfy the filter, a bool array (n,).

        Args:
            get: The function that returns a column, (n,): float64 with NaN where missing, or objects (str, None where
                missing).

        Raises:
            FilterError: A text is used as a number, or a number as a text.
        """
        if self._first is None:
            return np.ones(0, dtype=bool)
        get = cache(get)  # a column may take long
        count = len(get(self._first))
        if self._condition is None:
            return np.ones(count, dtype=bool)
        with np.errstate(all="ignore"):
            return np.array(np.broadcast_to(self._condition.mask(get), (count,)), dtype=bool)


def compile_filter(
    text: str,
    columns: Sequence[str],
    titles: Mapping[str, str] = NO_TITLES,
    scores: Mapping[str, ColumnIdentity] = NO_SCORES,
) -> Filter:
    """Compile a filter.

    Args:
        text: The text as typed; a filter of white space accepts every row.
        columns: The names of the columns that can be used.
        titles: Columns by shown names, which can be used too.
        scores: The identities of columns that are scores, if more than their names are known.

    Raises:
        FilterError: The filter is faulty; the message tells what is wrong, where, and what to do.
    """
    if len(text) > _LONGEST:
        raise FilterError(f"The filter has more than {_LONGEST:,} characters. Write it more simply.")
    words = _is_search(text, columns)
    reader = FilterParser("" if words else text, columns, titles, scores)
    if not text.strip():
        tree: ConditionNode | None = None
    elif words:
        quoted = _TYPOGRAPHIC.fullmatch(text.strip())
        tree = _search_sentences(LiteralNode(0, quoted[1] if quoted else text.strip()), columns)
    else:
        tree = reader.read()
    used = frozenset() if tree is None else frozenset(tree.columns())
    first = next(iter(sorted(used)), columns[0] if columns else None)
    return Filter(text, used, words, not words and (reader.searches or len(text) > _LONG), first, tree)


def _is_search(text: str, columns: Sequence[str]) -> bool:
    """Return True for words to search for: a text without signs and keywords of the language and without columns."""
    if _SIGNS.search(text):
        return False
    if KEYWORDS.intersection(text.split()) and len(text.split()) > 1:
        return False
    return not any(
        name and name in text and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w.])", text) for name in columns
    )


def _search_sentences(needle: ValueNode, columns: Sequence[str]) -> ConditionNode:
    start = needle.start
    where = [NamedColumn(start, name) for name in SEARCHED if name in columns]
    if not where:
        raise filter_error("There are no sentences to search", start, "compare a column with a value")
    return BooleanJunction(start, "or", tuple(_contain_condition(start, column, needle) for column in where))


def _contain_condition(start: int, searched: ValueNode, part: ValueNode) -> ConditionNode:
    return (
        MatchesRegex(start, searched, part.pattern)
        if isinstance(part, RegexNode)
        else ContainsText(start, searched, part)
    )


class FilterParser:
    """A recursive descent parser of filters: or, and, not, comparison, sum, product, sign, value.

    Each method returns a condition or a value, since the content of parentheses is known only at their end; the caller
    checks that it is the kind it needs. Without `searching`, words are columns and never searched for.

    Attributes:
        named: The columns that were read, each with its place in the text: start, end, name.
    """

    def __init__(
        self,
        text: str,
        columns: Sequence[str],
        titles: Mapping[str, str],
        scores: Mapping[str, ColumnIdentity],
        *,
        searching: bool = True,
    ) -> None:
        self._text = text
        self._searching = searching
        self._columns = columns
        self._titles = titles
        self._scores = scores
        self._tokens = tokenize(text, columns, titles)
        self.named: list[tuple[int, int, str]] = []
        self._at = 0
        self._depth = 0
        self.searches = any(word.kind == "expression" for word in self._tokens)

    def read(self) -> ConditionNode:
        """Parse the text as a condition."""
        tree = self._condition(self._disjunction())
        if self._next.kind != "end":
            raise self._unexpected_word()
        return tree

    def read_any(self) -> ValueNode | ConditionNode:
        """Parse the text as a value or a condition."""
        tree = self._disjunction()
        if self._next.kind != "end":
            raise self._unexpected_word()
        return tree if isinstance(tree, ValueNode) and not isinstance(tree, RegexNode) else self._condition(tree)

    @property
    def _next(self) -> FilterToken:
        return self._tokens[self._at]

    def _advance(self) -> FilterToken:
        self._at += 1
        return self._tokens[self._at - 1]

    def _next_is(self, *values: str) -> bool:
        return self._next.kind in ("sign", "keyword") and self._next.value in values

    def _next_is_call(self) -> bool:
        # The last token is "end", so a name always has a token after it.
        return self._next.kind in ("name", "column", "keyword") and (
            self._next.value in (*FUNCTIONS, *COMBINING, *ABOUT_SCORES) and self._tokens[self._at + 1].value == "("
        )

    def _nest(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise filter_error("The filter is nested too deeply", self._next.start, "write it more simply")

    # Conditions

    def _disjunction(self) -> FilterNode:
        return self._junction("or", self._conjunction)

    def _conjunction(self) -> FilterNode:
        return self._junction("and", self._negation)

    def _junction(self, word: str, part: Callable[[], FilterNode]) -> FilterNode:
        first = part()
        if not self._next_is(word):
            return first
        conditions = [self._condition(first)]
        while self._next_is(word):
            self._advance()
            conditions.append(self._condition(part()))
        return BooleanJunction(first.start, word, tuple(conditions))

    def _negation(self) -> FilterNode:
        if not self._next_is("not"):
            return self._comparison()
        start = self._advance().start
        self._nest()
        negated = self._condition(self._negation())
        self._depth -= 1
        return NotCondition(start, negated)

    def _comparison(self) -> FilterNode:
        left = self._bare_words() or self._sum()
        parts: list[ConditionNode] = []
        while True:
            start = self._next.start
            if self._next_is_has():
                self._advance()
                parts.append(HasMember(start, self._column_or(left), self._advance().value))
                continue
            negated = self._next_is("not") and self._tokens[self._at + 1].value in ("in", "contains")
            if negated:
                self._advance()
            if not self._next_is(*_COMPARISONS, "in", "contains"):
                break
            sign = self._advance().value
            value = self._value(left) if sign == "in" else self._column_or(left)
            if sign in _ORDERS and isinstance(value, LiteralNode) and isinstance(value.value, str):
                raise unknown_column(value.value, value.start, self._columns, self._titles)
            part = self._unquoted_value(value) or self._value(self._sum())
            if sign == "in" or sign in _ORDERS or isinstance(value, LiteralNode):
                part = self._column_or(part)
            left = part
            if sign in _COMPARISONS:
                parts.append(ValueComparison(start, value, "==" if sign == "=" else sign, part))
            else:
                condition = (
                    _contain_condition(start, part, value) if sign == "in" else _contain_condition(start, value, part)
                )
                parts.append(NotCondition(start, condition) if negated else condition)
        if not parts:
            return left
        return parts[0] if len(parts) == 1 else BooleanJunction(parts[0].start, "and", tuple(parts))

    def _next_is_has(self) -> bool:
        # People also search for the word "has", so it is an operator only before a text in quotes.
        return self._next.kind == "name" and self._next.value == "has" and self._tokens[self._at + 1].kind == "text"

    def _unquoted_value(self, compared: ValueNode) -> ValueNode | None:
        """Parse an outcome that is compared with the outcomes, or a word for a label that is compared with the labels.

        Neither needs quotes.
        """
        word = self._next
        value: str | float | None = None
        if isinstance(compared, NamedColumn) and word.kind in ("name", "text"):
            if compared.name == OUTCOME and word.kind == "name" and word.value.upper() in OUTCOMES:
                value = word.value.upper()
            elif compared.name == LABEL and (label := read_label(word.value)) in (0, 1):
                value = float(label)
        if value is None:
            return None
        return LiteralNode(self._advance().start, value)

    def _bare_words(self) -> ConditionNode | None:
        """Parse words that form a condition by themselves: a search for them."""
        if self._next_is_call() or not self._searching:
            return None
        end = self._at
        while self._tokens[end].kind in ("name", "number"):
            end += 1
        words = self._tokens[self._at : end]
        following = self._tokens[end]
        if following.kind != "end" and following.value not in (")", "and", "or"):
            return None
        if all(word.kind == "number" for word in words):
            return None
        self._at = end
        needle = LiteralNode(words[0].start, self._text[words[0].start : words[-1].end])
        return _search_sentences(needle, self._columns)

    # Values

    def _sum(self) -> FilterNode:
        return self._chain(("+", "-"), self._product)

    def _product(self) -> FilterNode:
        return self._chain(("*", "/"), self._signed_value)

    def _chain(self, signs: tuple[str, ...], part: Callable[[], FilterNode]) -> FilterNode:
        first = part()
        if not self._next_is(*signs):
            return first
        steps: list[tuple[str, ValueNode]] = []
        while self._next_is(*signs):
            sign = self._advance().value
            steps.append((sign, self._column_or(part())))
        return ArithmeticNode(first.start, self._column_or(first), tuple(steps))

    def _signed_value(self) -> FilterNode:
        if not self._next_is("-", "+"):
            return self._atom()
        word = self._advance()
        self._nest()
        value = self._column_or(self._signed_value())
        self._depth -= 1
        return value if word.value == "+" else FunctionNode(word.start, "minus", value)

    def _atom(self) -> FilterNode:
        if self._next_is_call():
            return self._call()
        word = self._column_by_title()
        if word.kind == "name":
            compared = self._at > 0 and self._tokens[self._at - 1].value in _BEFORE_TEXTS
            raise unknown_column(word.value, word.start, self._columns, self._titles, is_text=compared)
        if word.kind not in ("number", "text", "column", "expression") and not self._next_is("("):
            raise self._unexpected_word()
        self._advance()
        if word.kind == "number":
            return LiteralNode(word.start, float(word.value))
        if word.kind == "text":
            return LiteralNode(word.start, word.value)
        if word.kind == "expression":
            return RegexNode(word.start, compile_pattern(word.value))
        if word.kind == "column":
            return self._name_column(word.start, word.end, word.value)
        self._nest()
        inside = self._disjunction()
        self._expect_closing(word)
        self._depth -= 1
        return inside

    def _name_column(self, start: int, end: int, name: str) -> NamedColumn:
        self.named.append((start, end, name))
        identity = identify(name)
        bound = identity.bound if identity.is_from_judge else ""
        return NamedColumn(start, name, bound if bound in self._columns else "")

    def _column_or(self, node: FilterNode) -> ValueNode:
        """Return the column that a text in quotes names, where a text has no meaning; any other value unchanged."""
        value = self._value(node)
        if not isinstance(value, LiteralNode) or not isinstance(value.value, str):
            return value
        name = value.value if value.value in self._columns else find_title(value.value, self._titles)
        end = next((token.end for token in self._tokens if token.start == value.start), 0)
        return self._name_column(value.start, end, name) if name else value

    def _column_by_title(self) -> FilterToken:
        """Return the next token, or the column whose title the next tokens are, such as Edit distance."""
        first = self._next
        if first.kind not in ("name", "column"):  # words to search for were parsed before
            return first
        end = self._at
        while self._tokens[end + 1].kind in ("name", "column", "number"):
            end += 1
        for last in range(end, self._at - 1, -1):
            title = self._text[first.start : self._tokens[last].end]
            column = find_title(title, self._titles)
            if column and (last > self._at or first.kind == "name"):
                self._at = last
                return FilterToken("column", column, first.start, self._tokens[last].end)
        return first

    def _call(self) -> FilterNode:
        name = self._advance()
        opening = self._advance()
        if name.value in ABOUT_SCORES:
            return self._parse_score_condition(name, opening)
        self._nest()
        arguments = [self._column_or(self._sum())]
        while self._next_is(","):
            self._advance()
            part = self._sum()
            arguments.append(self._value(part) if name.value == "contains" else self._column_or(part))
        self._expect_closing(opening)
        self._depth -= 1
        if name.value in COMBINING:
            return AggregateNode(name.start, name.value, tuple(arguments))
        expected = FUNCTIONS[name.value]
        if len(arguments) != expected:
            raise filter_error(f"{name.value}() has {len(arguments)} values", name.start, f"it takes {expected}")
        if name.value == "contains":
            return _contain_condition(name.start, *arguments)
        if name.value == "zscore":
            return ZScore(name.start, *arguments)
        if name.value == "missing":
            return MissingValue(name.start, *arguments)
        return FunctionNode(name.start, name.value, *arguments)

    def _parse_score_condition(self, name: FilterToken, opening: FilterToken) -> ConditionNode:
        """Parse the scores in the parentheses; without scores, those of `independent_scores` are used."""
        if LABEL not in self._columns:
            raise filter_error("There are no labels, so nothing can be wrong", name.start, "open a corpus with labels")
        scores = [] if self._next_is(")") else [self._column()]
        while self._next_is(","):
            self._advance()
            scores.append(self._column())
        self._expect_closing(opening)
        if not scores:
            named = [self._scores.get(column) or identify(column) for column in self._columns]
            known = [score for score in named if score.is_from_judge or catalogue.info(score.column) is not None]
            scores = [NamedColumn(name.start, column) for column in independent_scores(known)]
        if not scores:
            raise filter_error("There are no scores that could be wrong", name.start, "score the pairs first")
        return WrongBy(name.start, name.value == "wrong_by_all", tuple(scores))

    def _column(self) -> NamedColumn:
        value = self._column_or(self._atom())
        if not isinstance(value, NamedColumn):
            raise filter_error("A score is expected here", value.start, "write the name of a column")
        return value

    def _expect_closing(self, opening: FilterToken) -> None:
        if self._next_is(")"):
            self._advance()
        elif self._next.kind == "end":
            raise filter_error("A closing parenthesis is missing", opening.start, "add one")
        else:
            raise self._unexpected_word()

    # Checks and errors

    def _condition(self, node: FilterNode) -> ConditionNode:
        if isinstance(node, ConditionNode):
            return node
        if isinstance(node, RegexNode) or (isinstance(node, LiteralNode) and isinstance(node.value, str)):
            return _search_sentences(node, self._columns)
        if isinstance(node, NamedColumn):
            name = quote_column(node.name)
            raise filter_error(
                f"{name} is a column, not a condition",
                node.start,
                f'compare it, as in {name} > 0, or write "{node.name}" in quotes to search for the word',
            )
        raise filter_error("A number is not a condition", node.start, "compare it, as in length(source) > 100")

    def _value(self, node: FilterNode) -> ValueNode:
        if isinstance(node, ValueNode):
            return node
        raise filter_error(
            "There is a condition where a value is expected", node.start, "write a column, a number or a text"
        )

    def _unexpected_word(self) -> FilterError:
        word = self._next
        if word.kind == "end":
            return filter_error("The filter is incomplete", word.start, "write a column, a number or a text in quotes")
        what = self._text[word.start : word.end]
        if word.kind in ("name", "column", "number", "text"):
            todo = 'join conditions with "and" or "or", and put quotes around text to search for it'
            return filter_error(f"{what} is not expected here", word.start, todo)
        if what == ")":
            return filter_error(") is not expected here", word.start, "write a column, a number or a text before it")
        return filter_error(f"Expected a column, a number or a text before “{what}”", word.start, "write one there")
