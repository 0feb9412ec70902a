"""A word in the form that another word has: reported → announced, rose → fell, shares → stocks."""

from __future__ import annotations

from parapluie_gui.metrics.changes.word_lists import word_lists
from parapluie_gui.metrics.lexical.wordnet import WordNet

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
