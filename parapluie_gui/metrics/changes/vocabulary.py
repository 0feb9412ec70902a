"""Lexical knowledge for the rules on kinds of change: word lists, spellings, numbers, and WordNet if installed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile
from typing import Any

from parapluie_gui import places
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.lexical import wordnet
from parapluie_gui.own_files import read_toml
from parapluie_gui.pairs.difference.alignment import FUNCTION_WORDS
from parapluie_gui.pairs.difference.words import TextToken, tokenize

_TO_TWENTY = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty
"""
_TENS = ("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBER_WORDS = {
    **{word: float(number) for number, word in enumerate(_TO_TWENTY.split())},
    **{word: 10.0 * number for number, word in enumerate(_TENS, 3)},
}
_NUMBER_WORDS |= {
    f"{tens}-{ones}": _NUMBER_WORDS[tens] + _NUMBER_WORDS[ones]
    for tens in ("twenty", *_TENS)
    for ones in _TO_TWENTY.split()[1:10]
}
_TIMES = {"dozen": 12.0, "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
#: Fractions after a whole number: 5 1/2.
_FRACTIONS = {"1/2": 0.5, "1/4": 0.25, "3/4": 0.75}
#: Letters of British spelling and their American equivalents.
_SPELLINGS = (
    *(("our", "or"), ("yse", "yze"), ("ise", "ize"), ("isa", "iza"), ("isi", "izi"), ("tre", "ter")),
    *(("ogue", "og"), ("ence", "ense"), ("ll", "l"), ("ae", "e"), ("mme", "m")),
)


@dataclass(frozen=True)
class RuleWords:
    """The word lists that the rules for kinds of change use."""

    negations: frozenset[str]
    modals: frozenset[str]
    quantifiers: frozenset[str]
    times: frozenset[str]
    units: frozenset[str]
    numbers: frozenset[str]
    pronouns: frozenset[str]
    auxiliaries: frozenset[str]
    up: frozenset[str]
    down: frozenset[str]
    antonyms: frozenset[frozenset[str]]
    negating_prefixes: tuple[str, ...]
    same_units: Mapping[str, frozenset[str]]


@cache
def words() -> RuleWords:
    """Return the word lists that the rules use, read once."""
    lists = read_resource()["words"]
    sets = {
        name: frozenset(text.split())
        for name, text in lists.items()
        if name not in ("antonyms", "negating_prefixes", "same_units")
    }
    units: dict[str, frozenset[str]] = {}
    for group in lists["same_units"].split("|"):
        first, *_ = names = group.split()
        units.update({name: units.get(name, frozenset()) | {first} for name in names})
    sets["units"] |= units.keys()
    pairs = frozenset(frozenset(pair.split()) for pair in lists["antonyms"].split("|"))
    prefixes = tuple(lists["negating_prefixes"].split())
    return RuleWords(**sets, antonyms=pairs, negating_prefixes=prefixes, same_units=units)


@cache
def read_resource() -> dict[str, dict[str, Any]]:
    """Read `resources/change_types.toml`."""
    return read_toml(places.resources() / "change_types.toml")


def number_of(side: Sequence[TextToken]) -> tuple[float, frozenset[str]] | None:
    """Return the number on one side of an edit and its other words; None unless there is exactly one number."""
    values: list[float] = []
    others: set[str] = set()
    for token in side:
        value = _value(token)
        if value is not None:
            values.append(value)
        elif token.key in _TIMES:
            # a dozen
            values[-1:] = [values[-1] * _TIMES[token.key]] if values else [_TIMES[token.key]]
        elif token.key not in FUNCTION_WORDS:
            others.add(min(units_of(token.key), default=token.key))
    return (values[0], frozenset(others)) if len(values) == 1 else None


def is_number_word(word: str) -> bool:
    """Return whether a word is a number: twelve, fifty-seven."""
    return word in _NUMBER_WORDS


def units_of(word: str) -> frozenset[str]:
    """Return the units that a word or sign can mean, by their short names ("kilometres": km); empty for other words."""
    units = words().same_units.get(word)
    return units if units is not None else frozenset({word} & words().units)


@dataclass(frozen=True)
class Quantity:
    """A number in a text with its unit: $1.5 million, 5 percent.

    Attributes:
        value: The number's value.
        units: The units that it may have; empty if it has none.
        start, end: Its character offsets.
    """

    value: float
    units: frozenset[str]
    start: int
    end: int

    def is_same(self, other: Quantity) -> bool:
        """Return whether value and unit are equal."""
        return self.value == other.value and (self.units == other.units or bool(self.units & other.units))


@lru_cache(maxsize=1_000)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities in a text, in order."""
    parts = [token for token in tokenize(text) if token.kind != "space"]
    result, at = list[Quantity](), 0
    while at < len(parts):
        first, value = at, _value(parts[at])
        at += 1
        if value is None:
            continue
        while at < len(parts):
            if parts[at].text == "-" and at + 1 < len(parts) and parts[at + 1].key in _NUMBER_WORDS:
                at += 1  # twenty-one
            more, times = _NUMBER_WORDS.get(parts[at].key), _TIMES.get(parts[at].key)
            if times is not None:
                value *= times
            elif more is not None and more < 10 <= value < 100 and value % 10 == 0 and value > 10:
                value += more
            else:
                break
            at += 1
        following = [part.key for part in parts[at : at + 3]]
        if following == ["and", "a", "half"]:
            value, at = value + 0.5, at + 3
        elif "/".join(following[::2]) in _FRACTIONS and following[1] == "/":
            value, at = value + _FRACTIONS["/".join(following[::2])], at + 3
        start, end, units = parts[first].start, parts[at - 1].end, frozenset[str]()
        if first and parts[first - 1].kind != "word" and (units := units_of(parts[first - 1].key)):
            start = parts[first - 1].start
        elif at < len(parts) and (units := units_of(parts[at].key)):
            end, at = parts[at].end, at + 1
        result.append(Quantity(round(value, 9), units, start, end))
    return tuple(result)


def _value(token: TextToken) -> float | None:
    text = token.key.replace(",", "")
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    return _NUMBER_WORDS.get(token.key)


def without_possessive(word: str) -> str:
    """Return a word without the ending of the possessive."""
    return re.sub(r"(?<=\w)['’](?:s)?$", "", word)


def fold(text: str) -> str:
    """Return a text in lower case, without accents, hyphens or full stops."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in decomposed if letter.isalnum())


def unify_spelling(word: str) -> str:
    """Return a common form of a word's British and American spelling."""
    for british, american in _SPELLINGS:
        word = word.replace(british, american)
    return word


@lru_cache(maxsize=10_000)
def is_same_word(left: str, right: str) -> bool:
    """Return whether two words are forms of the same word."""
    return left == right or bool(_stems(left) & _stems(right))


@lru_cache(maxsize=10_000)
def are_related(left: str, right: str) -> bool:
    """Return whether two words belong to one word family."""
    if left[:3] == right[:3] and relation(left, right) == "derivation":
        return True
    common = sum(1 for _ in takewhile(lambda letters: letters[0] == letters[1], zip(left, right, strict=False)))
    return common >= 5 and common >= 0.6 * max(len(left), len(right))


def _stems(word: str) -> frozenset[str]:
    """Return the possible base forms of a word."""
    dictionary = installed_wordnet()
    if dictionary is not None:
        return dictionary.base_forms(word)
    endings = (("ies", "y"), ("es", ""), ("s", ""), ("ied", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"))
    return frozenset({word} | {word[: -len(old)] + new for old, new in endings if word.endswith(old)})


def has_wordnet() -> bool:
    """Return whether WordNet is installed."""
    return installed_wordnet() is not None


def is_known(word: str) -> bool:
    """Return whether an installed dictionary contains a word."""
    dictionary = installed_wordnet()
    return word in FUNCTION_WORDS or (dictionary is not None and dictionary.has(word))


def is_known_name(word: str) -> bool:
    """Return whether an installed dictionary contains a word only as a name (Paris, but not shares)."""
    dictionary = installed_wordnet()
    return dictionary is not None and dictionary.is_name(word)


@lru_cache(maxsize=10_000)
def relation(left: str, right: str) -> str | None:
    """Return the relation of two words in WordNet; None if they are unrelated or WordNet is missing."""
    dictionary = installed_wordnet()
    return None if dictionary is None else dictionary.relation(left, right)


@cache
def installed_wordnet() -> wordnet.WordNet | None:
    """Return WordNet if it is on this computer and readable, otherwise None."""
    path = wordnet.find_wordnet()
    try:
        return None if path is None else wordnet.load(path)
    except MetricError:
        return None
