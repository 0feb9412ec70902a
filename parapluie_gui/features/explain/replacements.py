"""Replacements of one word by rule: antonyms, synonyms, different numbers, tenses and names, negations."""

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
from parapluie_gui.pairs.difference.words import TextToken, tokenize

#: Maximum number of replacements by one rule.
MOST = 6

#: Number of senses of a word looked up in WordNet.
_SENSES = 3

_HELPER_WORDS = "is was are were will would can could should must may might has have had do does did"
_HELPERS = frozenset(_HELPER_WORDS.split())

#: Words before a noun and before a verb. In "the reason", the word is a noun, so "argue" cannot replace it.
_NOUN_SIGNS = "a an the this these those my your his its our their each every some any no"
_VERB_SIGNS = "will would can could should must may might do does did to i you he she it we they who not"
_BEFORE_NOUNS, _BEFORE_VERBS = frozenset(_NOUN_SIGNS.split()), frozenset(_VERB_SIGNS.split())

#: Fallback kinds, less specific than the rule that produced the replacement.
_FALLBACK_KINDS = frozenset(["rewording", "addition", "deletion", "function_word"])


@dataclass(frozen=True)
class WordReplacement:
    """A replacement of one word in a sentence.

    Attributes:
        before, after: The word and its replacement: "rose", "did not rise"; `after` is "" if the word is deleted.
        type: The id of the kind of change.
        text: The sentence with the replacement.
    """

    before: str
    after: str
    type: str
    text: str


@dataclass(frozen=True)
class _SentenceWord:
    """A word of a sentence with its neighbours, all normalized; `capital` if it is capitalized like a name."""

    key: str
    before: str
    after: str
    capital: bool


def replaceable(text: str) -> list[tuple[int, int]]:
    """Return the character offsets (start, end) of the words in a sentence that have replacements."""
    words = [token for token in tokenize(text) if token.kind == "word"]
    return [
        (token.start, token.end)
        for number, token in enumerate(words)
        if next(_candidates(_word(words, number)), None) is not None
    ]


def replacements(text: str, at: int) -> tuple[WordReplacement, ...]:
    """Return the replacements of the word at a character offset; () if there is no word or no replacement.

    The rules are for English. Synonyms and most antonyms need an installed WordNet.
    """
    words = [token for token in tokenize(text) if token.kind == "word"]
    number = next((number for number, token in enumerate(words) if token.start <= at < token.end), None)
    if number is None:
        return ()
    token = words[number]
    by_variant: dict[str, WordReplacement] = {}
    for type, after in _candidates(_word(words, number)):
        after = after[:1].upper() + after[1:] if token.text[:1].isupper() else after
        variant = _replace_word(text, words[number - 1] if number else None, token, after)
        if variant != text and variant not in by_variant:
            by_variant[variant] = WordReplacement(token.text, after, _kind_of(text, variant, type), variant)
    return tuple(by_variant.values())


def _word(words: list[TextToken], number: int) -> _SentenceWord:
    before, after = (words[place].key if 0 <= place < len(words) else "" for place in (number - 1, number + 1))
    text = words[number].text
    capital = text[:1].isupper() and (number > 0 or not is_known(words[number].key))
    return _SentenceWord(words[number].key, before, after, capital)


def _candidates(word: _SentenceWord) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each possible replacement."""
    if word.key == "no" and word.after.isdecimal():  # "No. 2"
        return
    for type, rule in _RULES:
        for after in islice(dict.fromkeys(rule(word)), MOST):
            if after != word.key:
                yield type, after


def _replace_word(text: str, before: TextToken | None, token: TextToken, after: str) -> str:
    """Return the sentence with a word replaced, and "a" or "an" before it adapted."""
    start, end = token.start, token.end
    if not after:
        start -= start > 0 and text[start - 1] == " "
    elif before is not None and before.key in ("a", "an"):
        article = before.text[0] + ("n" if after[0].lower() in "aeiou" else "")
        return text[: before.start] + article + text[before.end : start] + after + text[end:]
    return text[:start] + after + text[end:]


def _kind_of(text: str, variant: str, intended: str) -> str:
    """Return the kind of change by the rules for edits, or the intended kind if they give only a fallback."""
    kinds = types_of(text, variant, Edits(text, variant).edits)
    return kinds[0] if len(kinds) == 1 and kinds[0] not in _FALLBACK_KINDS else intended


# The rules


def _antonyms(word: _SentenceWord) -> Iterator[str]:
    yield from word_lists()["opposite"].get(word.key, ())
    yield from (other for pair in rule_words().antonyms if word.key in pair for other in sorted(pair - {word.key}))
    yield from _find_related(word, "antonym")


def _synonyms(word: _SentenceWord) -> Iterator[str]:
    yield from _find_related(word, "synonym")


def _find_related(word: _SentenceWord, relation: Literal["synonym", "antonym"]) -> Iterator[str]:
    wordnet = installed_wordnet()
    if wordnet is None or word.capital or word.key in FUNCTION_WORDS or word.key in rule_words().numbers:
        return
    if not word.key.isalpha():
        return
    for base, part, other in wordnet.neighbours(word.key, relation, _SENSES):
        impossible = (part == "verb" and word.before in _BEFORE_NOUNS) or (
            part == "noun" and word.before in _BEFORE_VERBS
        )
        if not impossible and other.islower() and (form := inflect(word.key, base, part, other, wordnet)) is not None:
            yield form


def _numbers(word: _SentenceWord) -> Iterator[str]:
    if word.key.isdecimal() and word.key.isascii() and len(word.key) < 10:
        number = int(word.key)
        yield from (str(other) for other in (number + 1, number - 1, number * 10, number * 2) if other >= 0)
    names = word_lists()["number_words"]
    if word.key in names:
        at = names.index(word.key)
        yield from (names[place] for place in (at + 1, at - 1, at + 5, at - 3) if 0 <= place < len(names))


def _denials(word: _SentenceWord) -> Iterator[str]:
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


def _tenses(word: _SentenceWord) -> Iterator[str]:
    """Yield the verb in a different tense or with a modal verb."""
    yield from word_lists()["helper"].get(word.key, ())
    base = _past_of(word)
    if base is not None:
        participle = word_lists()["verb"].get(word.key, (base, word.key))[1]
        yield from (f"will {base}", f"may have {participle}", f"is going to {base}", f"might {base}")


def _past_of(word: _SentenceWord) -> str | None:
    """Return the base form of a past-tense verb in its context; None for participles and other words."""
    if word.capital or word.key in _HELPERS or word.before in word_lists()["no_subjects"]:
        return None
    return base_of(word.key, installed_wordnet())


def _names(word: _SentenceWord) -> Iterator[str]:
    kinds = {kind: group for kind, group in names().items() if kind != "names"}
    group = next((group for group in kinds.values() if word.key.capitalize() in group), None)
    if group is not None:
        yield from (other for other in group if other.lower() != word.key)
    elif word.capital and len(word.key) > 1:  # the letters in "U.S." are not names
        people, places = names()["names"], names()["place"]
        yield from (*people[: MOST // 2], *places[: MOST // 2])


def _listed_replacements(word: _SentenceWord) -> Iterator[str]:
    yield from word_lists()["others"].get(word.key, ())


#: The rules in order, each with the kind of its replacements unless the rules for edits give a more specific one.
_RULES: tuple[tuple[str, Callable[[_SentenceWord], Iterator[str]]], ...] = (
    ("antonym", _antonyms),
    ("synonym", _synonyms),
    ("number", _numbers),
    ("negation", _denials),
    ("inflection", _tenses),
    ("name", _names),
    ("rewording", _listed_replacements),
)


_VOWELS = "aeiou"


def inflect(word: str, base: str, part: str, other: str, wordnet: WordNet) -> str | None:
    """Return `other` in the same inflected form as `word`, or None if that form is unknown.

    Args:
        word: The inflected form, in lower case.
        base: The base form of `word`.
        part: The part of speech: "noun", "verb", "adj" or "adv".
        other: The base form to inflect.
        wordnet: The source of irregular forms.
    """
    if word == base:
        return other
    irregular = wordnet.irregular_forms(other, part)
    if part == "verb" and word.endswith("ing"):
        return next((form for form in irregular if form.endswith("ing")), _with_ending(other, "ing"))
    if part in ("noun", "verb") and word.endswith("s"):
        return irregular[0] if part == "noun" and irregular else _with_ending(other, "s")
    if part == "verb":
        return _past(other, irregular)
    return None


def base_of(word: str, wordnet: WordNet | None) -> str | None:
    """Return the base form of a past-tense verb ("rose" → "rise"), or None if the word is not known as one."""
    listed = word_lists()["verb"].get(word)
    if listed is not None:
        return str(listed[0])
    bases = wordnet.bases(word, "verb") - {word} if wordnet is not None and not word.endswith(("s", "ing")) else set()
    return min(bases, key=len) if bases else None


def _past(base: str, irregular: list[str]) -> str | None:
    listed = [past for past, (other, _) in word_lists()["verb"].items() if other == base]
    candidates = listed or [form for form in irregular if not form.endswith("ing")]
    if not candidates:
        return _with_ending(base, "ed")
    return candidates[0] if len(candidates) == 1 else next((form for form in candidates if form.endswith("ed")), None)


def _with_ending(word: str, ending: str) -> str:
    if word.endswith("e") and ending != "s":
        return word[: -1 if ending == "ed" or not word.endswith("ee") else None] + ending
    if word.endswith("y") and word[-2:-1] not in _VOWELS and ending != "ing":
        return f"{word[:-1]}ie{'s' if ending == 's' else 'd'}"
    if ending == "s" and word.endswith(("s", "x", "z", "ch", "sh")):
        return f"{word}es"
    return word + ending
