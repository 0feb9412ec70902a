"""Pairs made of the corpora's own sentences and words: a word changed, clauses turned round, a voice changed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from parapluie_gui.features.training import controls
from parapluie_gui.features.training.alternations import Example, rewritten
from parapluie_gui.metrics.changes.word_lists import word_lists

_VERB = re.compile(r"\b(?:was|were|been|is|are|being) ([a-z]{3,}ed) by\b")
_NOUN = re.compile(
    r"\b(?:[Tt]he|a|an|his|her) ([a-z]{3,12})(?= (?:was|is|were|are|has|had|of|in|on|to|by|said|and)\b|[.,])"
)
_NAME = re.compile(r"(?<=[a-z,] )([A-Z][a-z]{2,})(?: [A-Z][a-z]{2,})?")
_NUMBER = re.compile(r"\b\d+(?:[.,]\d+)*\b")
_HELPERS = re.compile(r"\b(is|was|are|were|will|would|could|should|has|have|had) (?!not\b)")

#: Share of pairs that are built from forms; the rest are sentences with one change.
_BUILT = 0.4
#: How many sentences are tried for a change, and how often a typo or a rewording follows a change and its control.
_TRIES, _UNPAIRED = 400, 0.2
#: What turns a sentence into another one, with the answer; None where it does not fit.
Change = Callable[[str, random.Random], tuple[str, float] | None]
#: Longest sentence, in words, that is put into a form.
_SHORT = 12


@dataclass(frozen=True)
class CorpusWords:
    """What was found in the corpora, each list sorted."""

    sentences: tuple[str, ...]
    short: tuple[str, ...]
    verbs: tuple[str, ...]
    nouns: tuple[str, ...]
    names: tuple[str, ...]


def words_of(sentences: Sequence[str]) -> CorpusWords:
    """Return the short sentences, regular verbs, nouns and names of a corpus's sentences."""
    distinct = sorted(set(sentences))
    found: dict[str, set[str]] = {"verbs": set(), "nouns": set(), "names": set()}
    for text in distinct:
        found["verbs"].update(_VERB.findall(text))
        found["nouns"].update(_NOUN.findall(text))
        found["names"].update(match.group(0) for match in _NAME.finditer(text))
    short = [text for text in distinct if 4 <= len(text.split()) <= _SHORT and text.rstrip().endswith(".")]
    no_names = {*word_lists()["days"], *word_lists()["no_names"]}
    nouns = found["nouns"] - found["verbs"]
    return CorpusWords(
        tuple(distinct),
        tuple(short),
        *(tuple(sorted(each)) for each in (found["verbs"], nouns, found["names"] - no_names)),
    )


def examples(words: CorpusWords, seed: int, *, paired: bool = False) -> Iterator[Example]:
    """Yield pairs for ever; the same ones for the same words and seed. Corpora too small for it give none.

    When `paired`, every change of a sentence is followed by an edit of the same kind that changes no meaning.
    """
    rng = random.Random(seed)
    if min(map(len, (words.short, words.verbs, words.nouns, words.names))) < 3:
        return
    forms = word_lists()["form"]
    turns = _controlled(words, rng) if paired else None
    while True:
        pair: Example | None
        if rng.random() < _BUILT:
            pair = _built(rng.choice(forms), words, rng)
        elif turns is not None:
            pair = next(turns)
        else:
            pair = _changed(rng.choice(words.sentences), words, rng)
        if pair is not None and pair[0] != pair[1]:
            yield (pair[1], pair[0], pair[2]) if rng.random() < 0.5 else pair


def _built(form: dict[str, list[str]], words: CorpusWords, rng: random.Random) -> Example:
    slots = {}
    slots["m"], slots["n"], slots["o"] = rng.sample(words.nouns, 3)
    slots["v"], slots["w"] = rng.sample(words.verbs, 2)
    slots["A"], slots["B"] = rng.sample(words.names, 2)
    slots["S"], slots["T"] = (text.replace(" .", ".").replace(" ,", ",").strip() for text in rng.sample(words.short, 2))
    slots["s"], slots["t"] = (_inner(slots[name], words) for name in "ST")
    if rng.random() < 0.5:
        (first, second), answer = rng.sample(form["same"], 2), 1.0
    else:
        first, second, answer = rng.choice(form["same"]), rng.choice(form["other"]), 0.0
    one, other = (text.format_map(slots) for text in (first, second))
    return one[:1].upper() + one[1:], other[:1].upper() + other[1:], answer


def _inner(text: str, words: CorpusWords) -> str:
    """Return a sentence as it stands within another one."""
    text = text.rstrip(" .")
    first = text.split(" ")[0]
    keep = first in ("I", "I'm") or first in words.names or text[1:2].isupper()
    return text if keep else text[:1].lower() + text[1:]


def _changed(sentence: str, words: CorpusWords, rng: random.Random) -> Example | None:
    """Return a sentence beside itself with one change, or None where the change that was drawn does not fit."""
    change = rng.choice((*_CHANGES, partial(_renamed, words)))
    found = change(sentence, rng)
    if found is None:
        return None
    text, answer = found
    return sentence, text, answer


def _controlled(words: CorpusWords, rng: random.Random) -> Iterator[Example]:
    """Yield changed sentences and, by turns, controls of the same kind; now and then a typo or a rewording."""
    kinds: list[tuple[Change, Change]] = [*_CONTROLS, (partial(_renamed, words), controls.turned_list)]
    while True:
        change, control = rng.choice(kinds)
        pairs = _sought(change, 0.0, words, rng), _sought(control, 1.0, words, rng)
        for pair in pairs:
            if None not in pairs and pair is not None:
                yield pair
        if rng.random() < _UNPAIRED and (pair := _sought(rng.choice((_mistyped, _reworded)), 1.0, words, rng)):
            yield pair


def _sought(change: Change, answer: float, words: CorpusWords, rng: random.Random) -> Example | None:
    """Return a sentence that a change fits, so that it has this answer; None if none of those that are tried does."""
    for _ in range(_TRIES):
        sentence = rng.choice(words.sentences)
        found = change(sentence, rng)
        if found is not None and found[1] == answer and found[0] != sentence:
            return sentence, *found
    return None


def _number(text: str, rng: random.Random) -> tuple[str, float] | None:
    places = list(_NUMBER.finditer(text))
    if not places:
        return None
    place = rng.choice(places)
    digits = place.group()
    at = rng.choice([at for at, letter in enumerate(digits) if letter.isdigit()])
    digit = rng.choice([each for each in "123456789" if each != digits[at]])
    return text[: place.start()] + digits[:at] + digit + digits[at + 1 :] + text[place.end() :], 0.0


def _opposite(text: str, rng: random.Random) -> tuple[str, float] | None:
    words = text.split(" ")
    places = [place for place, word in enumerate(words) if word in word_lists()["opposite"]]
    if not places:
        return None
    place = rng.choice(places)
    words[place] = rng.choice(word_lists()["opposite"][words[place]])
    return " ".join(words), 0.0


def _other_word(text: str, rng: random.Random) -> tuple[str, float] | None:
    """Put another unit, month, quantity or certainty in the place of one."""
    words, others = text.split(" "), word_lists()["others"]
    places = [place for place, word in enumerate(words) if word in others]
    if not places:
        return None
    place = rng.choice(places)
    words[place] = rng.choice(others[words[place]])
    return " ".join(words), 0.0


def _other_time(text: str, rng: random.Random) -> tuple[str, float] | None:
    """Move what somebody did or does into another time, or make it uncertain."""
    words, data = text.split(" "), word_lists()
    places = [
        place
        for place, word in enumerate(words)
        if word in data["helper"] or (word in data["verb"] and words[place - 1].lower() not in data["no_subjects"])
    ]
    if not places:
        return None
    place = rng.choice(places)
    if (verb := data["verb"].get(words[place])) is not None:
        base, participle = verb
        ways = f"will {base}|may have {participle}|is going to {base}|never {words[place]}|might {base}"
        words[place] = rng.choice(ways.split("|"))
    else:
        words[place] = rng.choice(data["helper"][words[place]])
    return " ".join(words), 0.0


def _renamed(words: CorpusWords, text: str, rng: random.Random) -> tuple[str, float] | None:
    """Put another name in the place of one."""
    names = [match.group(0) for match in _NAME.finditer(text) if match.group(0) in words.names]
    if not names:
        return None
    name, other = rng.choice(names), rng.choice(words.names)
    return None if other in name or name in other else (text.replace(name, other), 0.0)


def _mistyped(text: str, rng: random.Random) -> tuple[str, float] | None:
    """Change the places of two letters within a word, or leave one out: the same meaning."""
    words = text.split(" ")
    places = [place for place, word in enumerate(words) if len(word) > 5 and word.isalpha() and word.islower()]
    if not places:
        return None
    place = rng.choice(places)
    word, at = words[place], rng.randrange(1, len(words[place]) - 2)
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    words[place] = rng.choice((swapped, word[:at] + word[at + 1 :], word[:at] + word[at] + word[at:]))
    return " ".join(words), 1.0


def _denied(text: str, rng: random.Random) -> tuple[str, float] | None:
    if " not " in text:
        return text.replace(" not ", " ", 1), 0.0
    places = list(_HELPERS.finditer(text))
    if not places:
        return None
    place = rng.choice(places)
    return f"{text[: place.end()]}not {text[place.end() :]}", 0.0


def _swapped(text: str, rng: random.Random) -> tuple[str, float] | None:
    names = list(dict.fromkeys(match.group(0) for match in _NAME.finditer(text)))
    if len(names) < 2:
        return None
    one, other = rng.sample(names, 2)
    if one in other or other in one or f"{one} and {other}" in text or f"{other} and {one}" in text:
        return None
    return text.replace(one, "\0").replace(other, one).replace("\0", other), 0.0


def _day(text: str, rng: random.Random) -> tuple[str, float] | None:
    """Move a day to the front, or name another one."""
    days = word_lists()["days"]
    day = next((each for each in days if f" on {each} " in text), None)
    if day is None:
        return None
    if rng.random() < 0.5:
        return text.replace(day, rng.choice([each for each in days if each != day])), 0.0
    rest = text.replace(f" on {day} ", " ", 1)
    return (
        f"On {day} , {rest[:1].lower() + rest[1:] if rest.split(' ')[0] in ('The', 'A', 'It', 'He', 'She') else rest}",
        1.0,
    )


def _spelled(text: str, rng: random.Random) -> tuple[str, float] | None:
    words = text.split(" ")
    names = word_lists()["number_words"]
    places = [place for place, word in enumerate(words) if word in names[1:]]
    if not places:
        return None
    place = rng.choice(places)
    number = names.index(words[place]) + 1
    if rng.random() < 0.5:
        words[place] = str(number)
        return " ".join(words), 1.0
    words[place] = rng.choice([name for name in names if name != words[place]])
    return " ".join(words), 0.0


def _reworded(text: str, rng: random.Random) -> tuple[str, float] | None:
    other = rewritten(text, rng)
    return None if other is None else (other, 1.0)


_CHANGES = (
    _number,
    _opposite,
    _other_word,
    _other_time,
    _denied,
    _swapped,
    _day,
    _spelled,
    _reworded,
    _reworded,
    _mistyped,
)
#: Changes of meaning, and for each what looks like it and is none.
_CONTROLS: tuple[tuple[Change, Change], ...] = (
    (_number, controls.same_number),
    (_opposite, controls.unopposed),
    (_other_word, controls.same_measure),
    (_other_time, controls.same_time),
    (_denied, controls.still_denied),
    (_swapped, controls.turned_list),
    (_day, _day),
    (_spelled, _spelled),
)
