"""Rules for the kind of each change: number, name, negation, synonym ... (all listed in `resources/change_types.toml`).

Terms are taken from the Extended Typology of Paraphrases (Kovatchev et al., LREC 2018, after Vila, Martí and Rodríguez
2014) where it has them. The rules read the words of one edit; the rules for active and passive read the whole pair.
They are written for English; in other languages, changes that depend on English words are "rewording", "addition" or
"deletion". Synonyms, antonyms and hypernyms need WordNet; without it, only the antonyms of a short list are recognised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import product
from unicodedata import category

import Levenshtein

from parapluie_gui.metrics.changes.edits import Edit
from parapluie_gui.metrics.changes.tokens import split_change_words
from parapluie_gui.metrics.changes.vocabulary import (
    Quantity,
    are_related,
    fold,
    is_known,
    is_known_name,
    is_same_word,
    number_of,
    quantities,
    read_resource,
    relation,
    unify_spelling,
    units_of,
    without_possessive,
    words,
)
from parapluie_gui.pairs.difference.alignment import FUNCTION_WORDS
from parapluie_gui.pairs.difference.words import TextToken

#: Maximum number of content words of an edit that may take the kind of a single word in it: on both sides, on one side.
_SHORT, _ONE_SIDED = 3, 1
#: Maximum number of other content words of an edit that may take the kind of a name in it.
_MOST_BESIDE_A_NAME = 3


@dataclass(frozen=True)
class ChangeType:
    """A kind of change.

    Attributes:
        name: The name shown to the user ("negation").
        etpc: Its name in the Extended Typology of Paraphrases, or "".
        example: Source and hypothesis of an example.
        precision: Precision of the rules: the share of edits of this kind that overlap a change of that type in ETPC,
            0 to 1; None if unknown.
        edits: Number of edits from which `precision` was measured.
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
class _ChangedWords:
    """The words and marks that occur on only one side of an edit.

    `begins` is true for each sentence that the edit begins, `inside_word` if the added or dropped text is in the middle
    of a word.
    """

    left: tuple[TextToken, ...]
    right: tuple[TextToken, ...]
    edit: Edit
    begins: tuple[bool, bool]
    inside_word: bool

    @cached_property
    def words(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The keys of the words of both sides, without marks."""
        left, right = (tuple(token.key for token in side if token.kind == "word") for side in (self.left, self.right))
        return left, right

    @cached_property
    def all(self) -> tuple[str, ...]:
        left, right = self.words
        return left + right

    @cached_property
    def content(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The content words of both sides: no articles, prepositions, auxiliaries ..."""
        left, right = (tuple(word for word in side if word not in FUNCTION_WORDS) for side in self.words)
        return left, right


@cache
def change_types() -> dict[str, ChangeType]:
    """Return the kinds of change by id, in the order in which they are tried."""
    data = read_resource()
    return {
        id: ChangeType(
            id,
            entry["name"],
            entry["definition"],
            (entry["example"][0], entry["example"][1]),
            entry.get("etpc", ""),
            entry.get("precision"),
            entry.get("edits", 0),
        )
        for id, entry in data.items()
        if id != "words"
    }


def types_of(source: str, hypothesis: str, edits: Sequence[Edit]) -> tuple[str, ...]:
    """Return the id of each edit's kind of change."""
    passive = any(map(_turns_round, edits)) and _differ_in_voice(source, hypothesis)
    same = _same_quantities(source, hypothesis)
    return tuple(
        "format"
        if _changes_form_only(edit, same)
        else _classify(
            edit, passive, _is_inside_word(source, edit.source_at), _is_inside_word(hypothesis, edit.hypothesis_at)
        )
        for edit in edits
    )


def _turns_round(edit: Edit) -> bool:
    """Return whether an edit can be part of a change of voice: something moved, or the agent is named with "by"."""
    return edit.kind == "move" or "by" in f"{edit.source} {edit.hypothesis}".lower().split()


def _same_quantities(source: str, hypothesis: str) -> list[tuple[Quantity, Quantity]]:
    """Return the pairs of equal quantities in the two texts, which may be written differently."""
    unmatched, pairs = list(quantities(hypothesis)), list[tuple[Quantity, Quantity]]()
    for one in quantities(source):
        other = next((quantity for quantity in unmatched if one.is_same(quantity)), None)
        if other is not None:
            unmatched.remove(other)
            pairs.append((one, other))
    return pairs


def _changes_form_only(edit: Edit, same: Sequence[tuple[Quantity, Quantity]]) -> bool:
    """Return whether an edit changes only the form of a quantity."""
    if edit.kind in ("spacing", "move"):
        return False
    spans = ((edit.source, edit.source_at[0]), (edit.hypothesis, edit.hypothesis_at[0]))
    texts = [(text.strip(" .,;:!?"), start + len(text) - len(text.lstrip(" .,;:!?"))) for text, start in spans]
    return any(text for text, _ in texts) and any(
        all(
            not text or (quantity.start <= start and start + len(text) <= quantity.end)
            for (text, start), quantity in zip(texts, pair, strict=True)
        )
        for pair in same
    )


def _classify(edit: Edit, passive: bool, *inside: bool) -> str:
    if edit.kind == "spacing":
        return "spacing"
    if edit.kind == "move":
        return "diathesis" if passive else "order"
    change = _change(edit, inside[0] if edit.kind == "drop" else inside[1])
    for name, rule in _RULES:
        if rule(change):
            return name
    changed = [token for token in (*change.left, *change.right) if token.kind == "word"]
    if changed and all(token.key in FUNCTION_WORDS and token.text not in ("US", "IT") for token in changed):
        return "diathesis" if passive else "function_word"
    removes, adds = map(bool, change.words)
    if removes != adds:
        return "deletion" if removes else "addition"
    return {"add": "addition", "drop": "deletion"}.get(edit.kind, "rewording")


def _is_inside_word(text: str, at: tuple[int, int]) -> bool:
    around = text[at[0] - 1 : at[0]] + text[at[1] : at[1] + 1]
    return len(around) == 2 and around.isalnum() and not any(map(str.isspace, text[slice(*at)]))


def _change(edit: Edit, inside_word: bool) -> _ChangedWords:
    left, right = (split_change_words(text, part=True) for text in (edit.source, edit.hypothesis))
    common = [token.key for token in left]
    added: list[TextToken] = []
    for token in right:
        if token.key in common:
            common.remove(token.key)
        else:
            added.append(token)
    removed: list[TextToken] = []
    for token in reversed(left):
        if token.key in common:
            common.remove(token.key)
            removed.insert(0, token)
    begins = edit.source_at[0] == 0, edit.hypothesis_at[0] == 0
    return _ChangedWords(tuple(removed), tuple(added), edit, begins, inside_word)


# The rules, in order


def _punctuation(change: _ChangedWords) -> bool:
    marks = [token.text for token in (*change.left, *change.right)]
    emoji = any(category(letter) == "So" for mark in marks for letter in mark)
    return not change.all and bool(marks) and not emoji and not _unit(change)


def _spelling(change: _ChangedWords) -> bool:
    if not change.left and not change.right:
        return True  # only letter case differs
    if not change.all:
        return change.inside_word  # only a hyphen differs
    left, right = (fold("".join(token.text for token in side)) for side in (change.left, change.right))
    if left == right:
        return True
    if len(change.words[0]) != 1 or len(change.words[1]) != 1 or min(len(left), len(right)) < 4:
        return False
    if any(letter.isdigit() for letter in left + right) or _number(change):
        return False
    if unify_spelling(left) == unify_spelling(right):
        return True
    slip = not all(is_known(word) for word in (left, right)) and not any(
        map(_has_capital, (change.left[0], change.right[0]))
    )
    return slip and Levenshtein.distance(left, right) == 1 and not is_same_word(left, right)


def _function_word(change: _ChangedWords) -> bool:
    """Return whether only the possessive differs."""
    left, right = ([without_possessive(word) for word in side] for side in change.words)
    return bool(left) and left == right


def _format(change: _ChangedWords) -> bool:
    if set(change.words) in ({("a",), ("one",)}, {("an",), ("one",)}):
        return True
    left, right = (number_of(side) for side in (change.left, change.right))
    if left is not None and left == right:
        return True
    units = [
        [
            units_of(token.key)
            for token in side
            if token.key not in FUNCTION_WORDS and (token.kind == "word" or units_of(token.key))
        ]
        for side in (change.left, change.right)
    ]
    if len(units[0]) == len(units[1]) == 1 and units[0][0] & units[1][0]:
        return True
    one, other = change.words
    return _is_abbreviation(one, other) or _is_abbreviation(other, one)


def _contraction(change: _ChangedWords) -> bool:
    texts = change.edit.source, change.edit.hypothesis
    if {text.lower() for text in texts} == {"it is", "its"}:
        return True  # a slip for "it's"
    if not any(sign in text for text in texts for sign in "'’"):
        return False
    left, right = map(_expand, texts)
    return left == right


def _negation(change: _ChangedWords) -> bool:
    known = words().negations
    left, right = (sum(word in known or word.endswith(("n't", "n’t")) for word in side) for side in change.words)
    one, other = change.content
    failing = [_FAILING.search(text.lower()) is not None for text in (change.edit.source, change.edit.hypothesis)]
    left, right = left + failing[0], right + failing[1]
    if left % 2 != right % 2 and len(one) + len(other) <= (_SHORT if one and other else _ONE_SIDED):
        return True
    if len(one) == len(other) == 1:
        short, long = sorted((one[0], other[0]), key=len)
        return len(short) > 3 and any(long == prefix + short for prefix in words().negating_prefixes)
    return False


#: Verbs that negate the act after them: "failed to".
_FAILING = re.compile(
    r"\b(?:fail(?:s|ed|ing)?|unable|neglect(?:s|ed)?|not able)\s+to\b|\b(?:has|have|had|is|are)\s+yet\s+to\b"
)


def _unit(change: _ChangedWords) -> bool:
    if not _differ_within(change, words().units):
        return False
    one, other = ([names for token in side if (names := units_of(token.key))] for side in (change.left, change.right))
    return not (len(one) == len(other) == 1 and one[0] & other[0])  # "% were", "percent"


def _number(change: _ChangedWords) -> bool:
    return all(
        any(token.kind == "word" and (token.text[0].isdigit() or token.key in words().numbers) for token in side)
        for side in (change.left, change.right)
    )


def _date(change: _ChangedWords) -> bool:
    if _differ_within(change, words().times):
        return True
    halves = {"".join(side).replace(".", "") for side in change.words}
    return halves in ({"am", "pm"}, {"a", "p"})


def _quantifier(change: _ChangedWords) -> bool:
    return _differ_mainly_within(change, words().quantifiers)


def _modality(change: _ChangedWords) -> bool:
    return _differ_mainly_within(change, words().modals)


def _pronoun(change: _ChangedWords) -> bool:
    left, right = ([word for word in side if word not in words().auxiliaries] for side in change.words)
    known = words().pronouns
    if not (left and right) or not (change.content[0] or change.content[1] or set(left + right) <= known):
        return False
    return any(set(side) <= known for side in (left, right))


def _inflection(change: _ChangedWords) -> bool:
    left, right = ([word for word in side if word not in words().auxiliaries] for side in change.words)
    if not left and not right:
        return any(is_same_word(*pair) for pair in product(*change.words))
    # "the fact", "facts"; "say", "said that"
    left, right = ([word for word in side if word not in ("a", "an", "the", "that")] or side for side in (left, right))
    return len(left) == len(right) and all(_is_form(*pair) for pair in zip(left, right, strict=True))


def _is_form(left: str, right: str) -> bool:
    """Return whether two words are forms of one word, the possessive included."""
    return is_same_word(left, right) or is_same_word(without_possessive(left), without_possessive(right))


def _people(change: _ChangedWords) -> bool:
    """Return whether one side is a country or place, the other its people or language: Arabia's, Arabian."""
    pairs = [tuple(map(without_possessive, pair)) for pair in _word_pairs(change)]
    return bool(pairs) and all(_belongs(*pair) or _belongs(pair[1], pair[0]) for pair in pairs)


def _belongs(place: str, people: str) -> bool:
    return len(place) >= 4 and any(people == place.removesuffix(end) + more for end, more in _PEOPLE)


#: Endings of a place's name and the matching endings of its people's name: Iraq, Iraqi; Arabia, Arabian; Japan,
#: Japanese.
_PEOPLE = (("", "i"), ("", "n"), ("", "ian"), ("", "ese"), ("", "an"), ("a", "ese"), ("a", "an"), ("e", "ian"))


def _antonym(change: _ChangedWords) -> bool:
    left, right = (_direction(side) for side in change.words)
    if left and right and sum(map(len, change.content)) <= _SHORT + 2:
        return left != right
    return any(frozenset(pair) in words().antonyms or relation(*pair) == "antonym" for pair in _word_pairs(change))


def _derivation(change: _ChangedWords) -> bool:
    pairs = _word_pairs(change)
    return bool(pairs) and all(are_related(*pair) for pair in pairs)


def _synonym(change: _ChangedWords) -> bool:
    left, right = (_direction(side) for side in change.words)
    if left and right and sum(map(len, change.content)) <= _SHORT + 2:
        return left == right
    pairs = _word_pairs(change)
    return bool(pairs) and all(relation(*pair) == "synonym" and not is_same_word(*pair) for pair in pairs)


def _hypernym(change: _ChangedWords) -> bool:
    pairs = _word_pairs(change)
    return bool(pairs) and all(relation(*pair) == "hypernym" for pair in pairs)


def _is_name(change: _ChangedWords) -> bool:
    if not change.words[0] or not change.words[1] or _count_small_words(change) > _MOST_BESIDE_A_NAME:
        return False
    sides = zip((change.left, change.right), change.begins, strict=True)
    return all(_has_name(side, begins) for side, begins in sides)


def _count_small_words(change: _ChangedWords) -> int:
    """Return the number of content words without a capital letter on both sides."""
    tokens = [token for side in (change.left, change.right) for token in side if token.kind == "word"]
    return sum(token.key not in FUNCTION_WORDS and token.text.islower() for token in tokens)


_RULES: tuple[tuple[str, Callable[[_ChangedWords], bool]], ...] = (
    ("spelling", _spelling),
    ("punctuation", _punctuation),
    ("contraction", _contraction),
    ("function_word", _function_word),
    ("format", _format),
    ("negation", _negation),
    ("unit", _unit),
    ("number", _number),
    ("date", _date),
    ("quantifier", _quantifier),
    ("modality", _modality),
    ("inflection", _inflection),
    ("derivation", _people),
    ("name", _is_name),
    ("pronoun", _pronoun),
    ("antonym", _antonym),
    ("synonym", _synonym),
    ("derivation", _derivation),
    ("hypernym", _hypernym),
)


# Conditions of the rules


def _differ_within(change: _ChangedWords, known: frozenset[str]) -> bool:
    """Return whether both sides have words from a list, but different words."""
    left, right = (known & {token.key for token in side} for side in (change.left, change.right))
    return bool(left and right) and left != right


def _differ_mainly_within(change: _ChangedWords, known: frozenset[str]) -> bool:
    """Return whether the sides differ in words from a list, and apart from these only in forms of the same words."""
    left, right = (known & set(side) for side in change.words)
    one, other = ([word for word in side if word not in known] for side in change.content)
    same = len(one) == len(other) and all(_is_form(*pair) for pair in zip(one, other, strict=True))
    return left != right and same


def _direction(side: Sequence[str]) -> str:
    """Return whether words mean going "up" or "down"; "" for neither or both."""
    directions = [name for name, known in (("up", words().up), ("down", words().down)) if known & set(side)]
    return directions[0] if len(directions) == 1 else ""


def _word_pairs(change: _ChangedWords) -> list[tuple[str, str]]:
    """Return the pairs of content words in order, if both sides have equally many."""
    left, right = change.content
    return list(zip(left, right, strict=True)) if len(left) == len(right) else []


def _has_name(side: Sequence[TextToken], begins: bool) -> bool:
    """Return whether a word looks like a name; the capital of a sentence's first word does not count."""
    tokens = [token for token in side if token.kind == "word"]
    return any(
        _has_capital(token)
        and token.key not in FUNCTION_WORDS | words().times
        and (not (begins and token is tokens[0]) or is_known_name(token.key) or not is_known(token.key))
        for token in tokens
    )


def _has_capital(token: TextToken) -> bool:
    return token.text[:1].isupper()


def _is_abbreviation(short: Sequence[str], long: Sequence[str]) -> bool:
    """Return whether one side is an abbreviation of the other: CEO, chief executive officer; Sen., Senator."""
    if len(short) == len(long) == 1 and short[0].endswith("."):
        return _shortens(short[0].removesuffix("."), long[0])
    if len(short) != 1 or len(long) < 2:
        return False
    letters = "".join(word[0] for word in long if word not in FUNCTION_WORDS)
    return len(letters) > 1 and short[0].replace(".", "") in (letters, f"{letters}s")  # SUVs


def _shortens(short: str, long: str) -> bool:
    """Return whether a word begins with an abbreviation, or with its first letter and has the others in order."""
    if len(short) < 2 or len(short) >= len(long) or short[0] != long[0]:
        return False
    letters = iter(long)
    return long.startswith(short) or (short[-1] == long[-1] and all(letter in letters for letter in short))


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


def _expand(text: str) -> str:
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


def _differ_in_voice(source: str, hypothesis: str) -> bool:
    """Return whether a verb is in the passive in one sentence and in the active in the other."""
    left, right = _passive_verbs(source), _passive_verbs(hypothesis)
    return _is_active(left - right, hypothesis) or _is_active(right - left, source)


def _is_active(verbs: Iterable[str], text: str) -> bool:
    """Return whether one of these verbs is in a text outside the passive."""
    passive = _passive_verbs(text)
    others = {token.key for token in split_change_words(text) if token.kind == "word"} - passive - FUNCTION_WORDS
    return any(is_same_word(verb, word) for verb in verbs for word in others)


@lru_cache(maxsize=1_000)
def _passive_verbs(text: str) -> frozenset[str]:
    return frozenset(match[0].lower().split()[-1] for match in _BE.finditer(text))
