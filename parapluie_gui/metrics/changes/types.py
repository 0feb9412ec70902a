"""The kind of each change, by rule: number, name, negation, synonym ... (`resources/change_types.toml` has them all).

The terms are those of the Extended Typology of Paraphrases (Kovatchev et al., LREC 2018, after Vila, Martí and
Rodríguez 2014) where it has one. The rules look at the words of one edit, and for active and passive at the pair.
They know English; in other languages what needs words of English is "rewording", "addition" or "deletion". With
WordNet installed, synonyms, antonyms and hypernyms are distinguished; without it only the antonyms of a short
list are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from unicodedata import category

import Levenshtein

from parapluie_gui.metrics.changes.edits import Edit
from parapluie_gui.metrics.changes.vocabulary import (
    Quantity,
    is_known,
    is_known_name,
    number_of,
    one_spelling,
    plain,
    quantities,
    read_resource,
    related,
    relation,
    same_word,
    units_of,
    words,
)
from parapluie_gui.pairs.difference.alignment import FUNCTION_WORDS
from parapluie_gui.pairs.difference.words import Token, tokens

#: Content words of an edit up to which one word of negation is what it is about.
_SHORT = 5


@dataclass(frozen=True)
class ChangeType:
    """A kind of change.

    Attributes:
        name: What a user reads ("negation").
        etpc: Its name in the Extended Typology of Paraphrases, or "".
        example: Two texts.
        precision: How often the rules are right: the share of edits of this kind that touch a change of that type in
            ETPC, 0 to 1; None where that is not known.
        edits: How many edits that was counted on.
    """

    id: str
    name: str
    definition: str
    example: tuple[str, str]
    etpc: str = ""
    precision: float | None = None
    edits: int = 0

    @property
    def is_unsure(self) -> bool:
        """Whether the rules are wrong more often than right."""
        return self.precision is not None and self.precision < 0.5


@dataclass(frozen=True)
class _Change:
    """The words and marks of an edit that are not on both sides of it.

    `begins` tells whether the edit stands at the beginning of each sentence, `inside_word` whether what is added or
    left out has no white space around it.
    """

    left: tuple[Token, ...]
    right: tuple[Token, ...]
    edit: Edit
    begins: tuple[bool, bool]
    inside_word: bool

    @cached_property
    def words(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The keys of the words of both sides, without marks."""
        left, right = (tuple(each.key for each in side if each.kind == "word") for side in (self.left, self.right))
        return left, right

    @cached_property
    def all(self) -> tuple[str, ...]:
        """The keys of all words."""
        left, right = self.words
        return left + right

    @cached_property
    def content(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The words but for articles, prepositions, auxiliaries ..."""
        left, right = (tuple(word for word in side if word not in FUNCTION_WORDS) for side in self.words)
        return left, right


@cache
def change_types() -> dict[str, ChangeType]:
    """Return the kinds of change by id, in the order in which they are tried."""
    data = read_resource()
    return {
        id: ChangeType(
            id,
            each["name"],
            each["definition"],
            (each["example"][0], each["example"][1]),
            each.get("etpc", ""),
            each.get("precision"),
            each.get("edits", 0),
        )
        for id, each in data.items()
        if id != "words"
    }


def types_of(source: str, hypothesis: str, edits: Sequence[Edit]) -> tuple[str, ...]:
    """Return the id of each edit's kind of change."""
    passive = _is_passive(source) != _is_passive(hypothesis)
    same = _same_quantities(source, hypothesis)
    return tuple(
        "format"
        if _is_within(edit, same)
        else _type_of(edit, passive, _inside(source, edit.source_at), _inside(hypothesis, edit.hypothesis_at))
        for edit in edits
    )


def _same_quantities(source: str, hypothesis: str) -> list[tuple[Quantity, Quantity]]:
    """Return the quantities that are the same in both texts, each with its other form."""
    left, found = list(quantities(hypothesis)), list[tuple[Quantity, Quantity]]()
    for one in quantities(source):
        other = next((each for each in left if one.is_same(each)), None)
        if other is not None:
            left.remove(other)
            found.append((one, other))
    return found


def _is_within(edit: Edit, same: Sequence[tuple[Quantity, Quantity]]) -> bool:
    """Return whether an edit changes nothing but the form of a quantity."""
    if edit.kind in ("spacing", "move"):
        return False
    spans = ((edit.source, edit.source_at[0]), (edit.hypothesis, edit.hypothesis_at[0]))
    texts = [(text.strip(" .,;:!?"), start + len(text) - len(text.lstrip(" .,;:!?"))) for text, start in spans]
    return any(text for text, _ in texts) and any(
        all(
            not text or (quantity.start <= start and start + len(text) <= quantity.end)
            for (text, start), quantity in zip(texts, each, strict=True)
        )
        for each in same
    )


def _type_of(edit: Edit, passive: bool, *inside: bool) -> str:
    if edit.kind == "spacing":
        return "spacing"
    if edit.kind == "move":
        return "diathesis" if passive else "order"
    change = _change(edit, inside[0] if edit.kind == "drop" else inside[1])
    for name, rule in _RULES:
        if rule(change):
            return name
    if passive and change.all and set(change.all) <= FUNCTION_WORDS:
        return "diathesis"
    if change.all and set(change.all) <= FUNCTION_WORDS:
        return "function_word"
    return {"add": "addition", "drop": "deletion"}.get(edit.kind, "rewording")


def _inside(text: str, at: tuple[int, int]) -> bool:
    around = text[at[0] - 1 : at[0]] + text[at[1] : at[1] + 1]
    return len(around) == 2 and around.isalnum()


def _change(edit: Edit, inside_word: bool) -> _Change:
    left, right = (
        [token for token in tokens(text) if token.kind != "space"] for text in (edit.source, edit.hypothesis)
    )
    common = [token.key for token in left]
    kept: list[Token] = []
    for token in right:
        if token.key in common:
            common.remove(token.key)
        else:
            kept.append(token)
    rest: list[Token] = []
    for token in reversed(left):
        if token.key in common:
            common.remove(token.key)
            rest.insert(0, token)
    begins = edit.source_at[0] == 0, edit.hypothesis_at[0] == 0
    return _Change(tuple(rest), tuple(kept), edit, begins, inside_word)


# The rules, in order


def _punctuation(change: _Change) -> bool:
    marks = [token.text for token in (*change.left, *change.right)]
    emoji = any(category(letter) == "So" for mark in marks for letter in mark)
    return not change.all and bool(marks) and not emoji and not _unit(change)


def _spelling(change: _Change) -> bool:
    if not change.left and not change.right:
        return True  # letter case only
    if not change.all:
        return change.inside_word  # a hyphen
    left, right = (plain("".join(token.text for token in side)) for side in (change.left, change.right))
    if left == right:
        return True
    if len(change.words[0]) != 1 or len(change.words[1]) != 1 or min(len(left), len(right)) < 4:
        return False
    if any(letter.isdigit() for letter in left + right) or _number(change):
        return False
    if one_spelling(left) == one_spelling(right):
        return True
    slip = not all(is_known(word) for word in (left, right)) and not any(
        map(_capital, (change.left[0], change.right[0]))
    )
    return slip and Levenshtein.distance(left, right) == 1 and not same_word(left, right)


def _format(change: _Change) -> bool:
    left, right = (number_of(side) for side in (change.left, change.right))
    if left is not None and left == right:
        return True
    units = [[units_of(token.key) for token in side] for side in (change.left, change.right)]
    if len(units[0]) == len(units[1]) == 1 and units[0][0] & units[1][0]:
        return True
    one, other = change.words
    return _initials(one, other) or _initials(other, one)


def _contraction(change: _Change) -> bool:
    texts = change.edit.source, change.edit.hypothesis
    if not any(sign in text for text in texts for sign in "'’"):
        return False
    left, right = map(_expanded, texts)
    return left == right


def _negation(change: _Change) -> bool:
    known = words().negations
    left, right = (sum(word in known or word.endswith(("n't", "n’t")) for word in side) for side in change.words)
    one, other = change.content
    failing = [_FAILING.search(text.lower()) is not None for text in (change.edit.source, change.edit.hypothesis)]
    left, right = left + failing[0], right + failing[1]
    if left % 2 != right % 2 and len(one) + len(other) <= (_SHORT if one and other else _SHORT // 2):
        return True
    if len(one) == len(other) == 1:
        short, long = sorted((one[0], other[0]), key=len)
        return len(short) > 3 and any(long == prefix + short for prefix in words().negating_prefixes)
    return False


#: What is said of an act that did not come about.
_FAILING = re.compile(r"\b(?:fail(?:s|ed|ing)?|unable|neglect(?:s|ed)?|not able)\s+to\b")


def _unit(change: _Change) -> bool:
    return _both_of(change, words().units)


def _number(change: _Change) -> bool:
    numbers = [any(_is_number(token) for token in side) for side in (change.left, change.right)]
    return all(numbers)


def _date(change: _Change) -> bool:
    return _both_of(change, words().times) or set(change.words) == {("a",), ("p",)}  # 5 a.m., 5 p.m.


def _quantifier(change: _Change) -> bool:
    return _one_of(change, words().quantifiers)


def _modality(change: _Change) -> bool:
    return _one_of(change, words().modals)


def _pronoun(change: _Change) -> bool:
    left, right = ([word for word in side if word not in words().auxiliaries] for side in change.words)
    known = words().pronouns
    return bool(left and right) and any(set(side) <= known for side in (left, right))


def _inflection(change: _Change) -> bool:
    left, right = ([word for word in side if word not in words().auxiliaries] for side in change.words)
    if not left and not right:
        return bool(change.all) and bool(change.words[0] and change.words[1])
    return len(left) == len(right) and all(same_word(*pair) for pair in zip(left, right, strict=True))


def _antonym(change: _Change) -> bool:
    left, right = (_direction(side) for side in change.words)
    if left and right:
        return left != right
    return any(frozenset(pair) in words().antonyms or relation(*pair) == "antonym" for pair in _aligned(change))


def _derivation(change: _Change) -> bool:
    pairs = _aligned(change)
    return bool(pairs) and all(related(*pair) for pair in pairs)


def _synonym(change: _Change) -> bool:
    left, right = (_direction(side) for side in change.words)
    if left and right and sum(map(len, change.content)) <= _SHORT:
        return left == right
    pairs = _aligned(change)
    return bool(pairs) and all(relation(*pair) == "synonym" for pair in pairs)


def _hypernym(change: _Change) -> bool:
    pairs = _aligned(change)
    return bool(pairs) and all(relation(*pair) == "hypernym" for pair in pairs)


def _is_name(change: _Change) -> bool:
    if not change.words[0] or not change.words[1]:
        return False
    sides = zip((change.left, change.right), change.begins, strict=True)
    return all(_has_name(side, begins) for side, begins in sides)


_RULES: tuple[tuple[str, Callable[[_Change], bool]], ...] = (
    ("spelling", _spelling),
    ("punctuation", _punctuation),
    ("contraction", _contraction),
    ("format", _format),
    ("negation", _negation),
    ("unit", _unit),
    ("number", _number),
    ("date", _date),
    ("quantifier", _quantifier),
    ("modality", _modality),
    ("inflection", _inflection),
    ("name", _is_name),
    ("pronoun", _pronoun),
    ("antonym", _antonym),
    ("synonym", _synonym),
    ("derivation", _derivation),
    ("hypernym", _hypernym),
)


# What the rules ask


def _both_of(change: _Change, known: frozenset[str]) -> bool:
    """Return whether both sides have such words, and different ones."""
    left, right = (known & {token.key for token in side} for side in (change.left, change.right))
    return bool(left and right) and left != right


def _one_of(change: _Change, known: frozenset[str]) -> bool:
    """Return whether such words are on one side, or others on the other, and little else is changed."""
    left, right = (known & set(side) for side in change.words)
    others = [word for side in change.content for word in side if word not in known]
    return left != right and len(others) <= 2


def _direction(side: Sequence[str]) -> str:
    """Return whether words tell of going "up" or "down", "" if of neither or both."""
    found = [name for name, known in (("up", words().up), ("down", words().down)) if known & set(side)]
    return found[0] if len(found) == 1 else ""


def _aligned(change: _Change) -> list[tuple[str, str]]:
    """Return the content words that stand for one another, if there are as many on both sides."""
    left, right = change.content
    return list(zip(left, right, strict=True)) if len(left) == len(right) else []


def _has_name(side: Sequence[Token], begins: bool) -> bool:
    """Return whether one of the words is a name by its shape; the first word of a sentence is none for its capital."""
    words = [token for token in side if token.kind == "word"]
    return any(
        _capital(token)
        and token.key not in FUNCTION_WORDS
        and (not (begins and token is words[0]) or is_known_name(token.key) or not is_known(token.key))
        for token in words
    )


def _capital(token: Token) -> bool:
    return token.text[:1].isupper()


def _is_number(token: Token) -> bool:
    return token.kind == "word" and (token.text[0].isdigit() or token.key in words().numbers)


def _initials(short: Sequence[str], long: Sequence[str]) -> bool:
    """Return whether one side is an abbreviation of the other: CEO, chief executive officer."""
    if len(short) != 1 or len(long) < 2:
        return False
    letters = "".join(word[0] for word in long if word not in ("of", "the", "and", "for"))
    return short[0].replace(".", "") == letters


_CONTRACTED = (
    (r"\bcan['’]?t\b", "cannot"),
    (r"\bcan not\b", "cannot"),
    (r"\bwon['’]t\b", "will not"),
    (r"n['’]t\b", " not"),
    (r"['’]re\b", " are"),
    (r"['’]ve\b", " have"),
    (r"['’]ll\b", " will"),
    (r"['’]m\b", " am"),
    (r"['’]d\b", " would"),
    (r"\b(what|that|it|he|she|there|who|where|how|let)['’]s\b", r"\1 is"),
)


def _expanded(text: str) -> str:
    text = text.lower()
    for pattern, full in _CONTRACTED:
        text = re.sub(pattern, full, text)
    return " ".join(text.split())


_BE = re.compile(
    r"\b(?:am|is|are|was|were|be|been|being|get|gets|got)\s+(?:\w+ly\s+|not\s+)?"
    r"(?:\w+(?:ed|en|wn|ght|ne|un|ld|id|ut|et|ft)|(?:re|over|under|out|up|mis|with)?"
    r"(?:made|sent|spent|lent|bent|meant|built|dealt|spilt|spelt|burnt|learnt|lost|kept|swept|struck|stuck|hung|sung|"
    r"rung|stung|swung|flung|strung|drunk|sunk|shrunk|hit|split|found|bound|ground|wound|stood|torn|worn|born|borne|"
    r"sworn|heard|read|shot|dug|slain|cast|thrown|spread|hurt|burst|won|overcome))\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=1_000)
def _is_passive(text: str) -> bool:
    return _BE.search(text) is not None
