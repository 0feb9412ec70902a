"""What could stand in the place of one word, by rule: an antonym, a synonym, another number, time or name, a denial."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from parapluie_gui.metrics.changes.edits import Edits
from parapluie_gui.metrics.changes.types import types_of
from parapluie_gui.metrics.changes.vocabulary import installed_wordnet, is_known
from parapluie_gui.metrics.changes.vocabulary import words as rule_words
from parapluie_gui.metrics.changes.word_lists import names, word_lists
from parapluie_gui.metrics.lexical.wordnet import WordNet
from parapluie_gui.pairs.difference.alignment import FUNCTION_WORDS
from parapluie_gui.pairs.difference.words import Token, tokenize

#: Replacements by one rule.
MOST = 6

#: Senses of a word that are looked at.
_SENSES = 3

_HELPER_WORDS = "is was are were will would can could should must may might has have had do does did"
_HELPERS = frozenset(_HELPER_WORDS.split())

#: After these stands no verb, after those no noun: "the reason" is none that one can argue.
_NOUN_SIGNS = "a an the this these those my your his its our their each every some any no"
_VERB_SIGNS = "will would can could should must may might do does did to i you he she it we they who not"
_BEFORE_NOUNS, _BEFORE_VERBS = frozenset(_NOUN_SIGNS.split()), frozenset(_VERB_SIGNS.split())

#: Kinds that say only that no rule knows better; the rule that made the replacement does.
_UNKNOWING = frozenset(["rewording", "addition", "deletion", "function_word"])


@dataclass(frozen=True)
class Replacement:
    """Another word in the place of one.

    Attributes:
        before, after: The words: "rose", "did not rise"; `after` is "" where the word is left out.
        type: The id of its kind of change.
        text: The sentence with it.
    """

    before: str
    after: str
    type: str
    text: str


@dataclass(frozen=True)
class _Word:
    """A word of a sentence: as it is compared, and its neighbours; `capital` tells of a name's capital letter."""

    key: str
    before: str
    after: str
    capital: bool


def replaceable(text: str) -> list[tuple[int, int]]:
    """Return where the words of a sentence are that have replacements, as character offsets."""
    words = [token for token in tokenize(text) if token.kind == "word"]
    return [
        (token.start, token.end)
        for number, token in enumerate(words)
        if next(_found(_word(words, number)), None) is not None
    ]


def replacements(text: str, at: int) -> tuple[Replacement, ...]:
    """Return what could stand in the place of the word at a character offset; nothing where there is none.

    The rules know English. Synonyms, and most antonyms, need WordNet on the computer.
    """
    words = [token for token in tokenize(text) if token.kind == "word"]
    number = next((number for number, token in enumerate(words) if token.start <= at < token.end), None)
    if number is None:
        return ()
    token, made = words[number], {}
    for type, after in _found(_word(words, number)):
        after = after[:1].upper() + after[1:] if token.text[:1].isupper() else after
        variant = _put(text, words[number - 1] if number else None, token, after)
        if variant != text and variant not in made:
            made[variant] = Replacement(token.text, after, _type(text, variant, type), variant)
    return tuple(made.values())


def _word(words: list[Token], number: int) -> _Word:
    before, after = (words[place].key if 0 <= place < len(words) else "" for place in (number - 1, number + 1))
    text = words[number].text
    capital = text[:1].isupper() and (number > 0 or not is_known(words[number].key))
    return _Word(words[number].key, before, after, capital)


def _found(word: _Word) -> Iterator[tuple[str, str]]:
    """Yield the kind and the words of each replacement; the "No." of "No. 2" has none."""
    if word.key == "no" and word.after.isdecimal():
        return
    for type, rule in _RULES:
        for after in islice(dict.fromkeys(rule(word)), MOST):
            if after != word.key:
                yield type, after


def _put(text: str, before: Token | None, token: Token, after: str) -> str:
    """Return a sentence with other words in the place of one; "a" and "an" follow."""
    start, end = token.start, token.end
    if not after:
        start -= start > 0 and text[start - 1] == " "
    elif before is not None and before.key in ("a", "an"):
        article = before.text[0] + ("n" if after[0].lower() in "aeiou" else "")
        return text[: before.start] + article + text[before.end : start] + after + text[end:]
    return text[:start] + after + text[end:]


def _type(text: str, variant: str, made_as: str) -> str:
    """Return the kind of change by rule; where the rules know nothing, what it was made as."""
    found = types_of(text, variant, Edits(text, variant).edits)
    return found[0] if len(found) == 1 and found[0] not in _UNKNOWING else made_as


# The rules


def _antonyms(word: _Word) -> Iterator[str]:
    yield from word_lists()["opposite"].get(word.key, ())
    yield from (other for pair in rule_words().antonyms if word.key in pair for other in sorted(pair - {word.key}))
    yield from _related(word, "antonym")


def _synonyms(word: _Word) -> Iterator[str]:
    yield from _related(word, "synonym")


def _related(word: _Word, relation: Literal["synonym", "antonym"]) -> Iterator[str]:
    known = installed_wordnet()
    if known is None or word.capital or word.key in FUNCTION_WORDS or word.key in rule_words().numbers:
        return
    if not word.key.isalpha():
        return
    for base, part, other in known.neighbours(word.key, relation, _SENSES):
        impossible = (part == "verb" and word.before in _BEFORE_NOUNS) or (
            part == "noun" and word.before in _BEFORE_VERBS
        )
        if not impossible and other.islower() and (found := inflected(word.key, base, part, other, known)) is not None:
            yield found


def _numbers(word: _Word) -> Iterator[str]:
    if word.key.isdecimal() and word.key.isascii() and len(word.key) < 10:
        number = int(word.key)
        yield from (str(other) for other in (number + 1, number - 1, number * 10, number * 2) if other >= 0)
    names = word_lists()["number_words"]
    if word.key in names:
        at = names.index(word.key)
        yield from (names[place] for place in (at + 1, at - 1, at + 5, at - 3) if 0 <= place < len(names))


def _denials(word: _Word) -> Iterator[str]:
    if word.key in ("not", "never"):
        yield ""
    elif word.key in _HELPERS:
        if word.after != "not":
            yield "cannot" if word.key == "can" else f"{word.key} not"
    elif (base := _past_of(word)) is not None:
        yield f"did not {base}"
        yield f"never {word.key}"
    elif word.key in ("all", "every", "many", "much", "everyone", "everybody", "everything"):
        yield f"not {word.key}"


def _times(word: _Word) -> Iterator[str]:
    """Yield the word in another time, or as something less certain."""
    yield from word_lists()["helper"].get(word.key, ())
    base = _past_of(word)
    if base is not None:
        participle = word_lists()["verb"].get(word.key, (base, word.key))[1]
        yield from (f"will {base}", f"may have {participle}", f"is going to {base}", f"might {base}")


def _past_of(word: _Word) -> str | None:
    """Return the base of a verb in the past; None where it is none, or a participle."""
    if word.capital or word.key in _HELPERS or word.before in word_lists()["no_subjects"]:
        return None
    return base_of(word.key, installed_wordnet())


def _names(word: _Word) -> Iterator[str]:
    kinds = {kind: group for kind, group in names().items() if kind != "names"}
    group = next((group for group in kinds.values() if word.key.capitalize() in group), None)
    if group is not None:
        yield from (other for other in group if other.lower() != word.key)
    elif word.capital and len(word.key) > 1:  # the letters of "U.S." are no names
        people, places = names()["names"], names()["place"]
        yield from (*people[: MOST // 2], *places[: MOST // 2])


def _others(word: _Word) -> Iterator[str]:
    yield from word_lists()["others"].get(word.key, ())


#: What is tried, each with the kind of what it makes where the rules for kinds do not know better.
_RULES: tuple[tuple[str, Callable[[_Word], Iterator[str]]], ...] = (
    ("antonym", _antonyms),
    ("synonym", _synonyms),
    ("number", _numbers),
    ("negation", _denials),
    ("inflection", _times),
    ("name", _names),
    ("rewording", _others),
)


_VOWELS = "aeiou"


def inflected(word: str, base: str, part: str, other: str, known: WordNet) -> str | None:
    """Return a word in the form that `word` has of its base, or None where that is not known.

    Args:
        word: A form, in small letters.
        base: The word that it is a form of.
        part: "noun", "verb", "adj" or "adv".
        other: The word to put into that form.
        known: Knows irregular forms.
    """
    if word == base:
        return other
    irregular = known.irregular_forms(other, part)
    if part == "verb" and word.endswith("ing"):
        return next((form for form in irregular if form.endswith("ing")), _with_ending(other, "ing"))
    if part in ("noun", "verb") and word.endswith("s"):
        return irregular[0] if part == "noun" and irregular else _with_ending(other, "s")
    if part == "verb":
        return _past(other, irregular)
    return None


def base_of(word: str, known: WordNet | None) -> str | None:
    """Return the base of a verb in the past ("rose" → "rise"), None where it is not known to be one."""
    listed = word_lists()["verb"].get(word)
    if listed is not None:
        return str(listed[0])
    bases = known.bases(word, "verb") - {word} if known is not None and not word.endswith(("s", "ing")) else set()
    return min(bases, key=len) if bases else None


def _past(base: str, irregular: list[str]) -> str | None:
    listed = [past for past, (other, _) in word_lists()["verb"].items() if other == base]
    found = listed or [form for form in irregular if not form.endswith("ing")]
    if not found:
        return _with_ending(base, "ed")
    return found[0] if len(found) == 1 else next((form for form in found if form.endswith("ed")), None)


def _with_ending(word: str, ending: str) -> str:
    if word.endswith("e") and ending != "s":
        return word[: -1 if ending == "ed" or not word.endswith("ee") else None] + ending
    if word.endswith("y") and word[-2:-1] not in _VOWELS and ending != "ing":
        return f"{word[:-1]}ie{'s' if ending == 's' else 'd'}"
    if ending == "s" and word.endswith(("s", "x", "z", "ch", "sh")):
        return f"{word}es"
    return word + ending
