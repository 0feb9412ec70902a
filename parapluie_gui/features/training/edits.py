"""Training pairs made from the sentences and words of the corpora: words, clauses, tense or voice changed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from parapluie_gui.features.training import controls
from parapluie_gui.features.training.alternations import Example, replace_words
from parapluie_gui.metrics.changes.word_lists import word_lists

_VERB = re.compile(r"\b(?:was|were|been|is|are|being) ([a-z]{3,}ed) by\b")
_NOUN = re.compile(
    r"\b(?:[Tt]he|a|an|his|her) ([a-z]{3,12})(?= (?:was|is|were|are|has|had|of|in|on|to|by|said|and)\b|[.,])"
)
_NAME = re.compile(r"(?<=[a-z,] )([A-Z][a-z]{2,})(?: [A-Z][a-z]{2,})?")
_NUMBER = re.compile(r"\b\d+(?:[.,]\d+)*\b")
_HELPERS = re.compile(r"\b(is|was|are|were|will|would|could|should|has|have|had) (?!not\b)")

#: Share of pairs that are built from forms; the others are sentences with one change.
_BUILT = 0.4
#: Maximum number of sentences tried for one change.
_TRIES = 400
#: Probability of a typo or a rewording after a change and its control.
_UNPAIRED = 0.2
#: A function that changes a sentence and returns it with the target answer; None if the change does not fit.
Change = Callable[[str, random.Random], tuple[str, float] | None]
#: Maximum number of words of a sentence that is built into a form.
_SHORT = 12


@dataclass(frozen=True)
class CorpusWords:
    """Sentences and words of the corpora, each list sorted."""

    sentences: tuple[str, ...]
    short: tuple[str, ...]
    verbs: tuple[str, ...]
    nouns: tuple[str, ...]
    names: tuple[str, ...]


def collect_words(sentences: Sequence[str]) -> CorpusWords:
    """Collect the distinct and the short sentences, regular verbs, nouns and names of some sentences."""
    distinct = sorted(set(sentences))
    by_class: dict[str, set[str]] = {"verbs": set(), "nouns": set(), "names": set()}
    for text in distinct:
        by_class["verbs"].update(_VERB.findall(text))
        by_class["nouns"].update(_NOUN.findall(text))
        by_class["names"].update(match.group(0) for match in _NAME.finditer(text))
    short = [text for text in distinct if 4 <= len(text.split()) <= _SHORT and text.rstrip().endswith(".")]
    no_names = {*word_lists()["days"], *word_lists()["no_names"]}
    nouns = by_class["nouns"] - by_class["verbs"]
    return CorpusWords(
        tuple(distinct),
        tuple(short),
        *(tuple(sorted(words)) for words in (by_class["verbs"], nouns, by_class["names"] - no_names)),
    )


def examples(words: CorpusWords, seed: int, *, paired: bool = False) -> Iterator[Example]:
    """Yield pairs endlessly, the same for the same words and seed; none if the corpora are too small.

    With `paired`, every change of meaning is followed by an edit of the same kind that keeps the meaning.
    """
    rng = random.Random(seed)
    if min(map(len, (words.short, words.verbs, words.nouns, words.names))) < 3:
        return
    forms = word_lists()["form"]
    controlled = _changes_with_controls(words, rng) if paired else None
    while True:
        pair: Example | None
        if rng.random() < _BUILT:
            pair = _fill_form(rng.choice(forms), words, rng)
        elif controlled is not None:
            pair = next(controlled)
        else:
            pair = _change_sentence(rng.choice(words.sentences), words, rng)
        if pair is not None and pair[0] != pair[1]:
            yield (pair[1], pair[0], pair[2]) if rng.random() < 0.5 else pair


def _fill_form(form: dict[str, list[str]], words: CorpusWords, rng: random.Random) -> Example:
    slots = {}
    slots["m"], slots["n"], slots["o"] = rng.sample(words.nouns, 3)
    slots["v"], slots["w"] = rng.sample(words.verbs, 2)
    slots["A"], slots["B"] = rng.sample(words.names, 2)
    slots["S"], slots["T"] = (text.replace(" .", ".").replace(" ,", ",").strip() for text in rng.sample(words.short, 2))
    slots["s"], slots["t"] = (_lower_first(slots[name], words) for name in "ST")
    if rng.random() < 0.5:
        (first, second), answer = rng.sample(form["same"], 2), 1.0
    else:
        first, second, answer = rng.choice(form["same"]), rng.choice(form["other"]), 0.0
    one, other = (text.format_map(slots) for text in (first, second))
    return one[:1].upper() + one[1:], other[:1].upper() + other[1:], answer


def _lower_first(text: str, words: CorpusWords) -> str:
    """Return a sentence in the form that it has within a longer sentence."""
    text = text.rstrip(" .")
    first = text.split(" ")[0]
    keep = first in ("I", "I'm") or first in words.names or text[1:2].isupper()
    return text if keep else text[:1].lower() + text[1:]


def _change_sentence(sentence: str, words: CorpusWords, rng: random.Random) -> Example | None:
    """Return a sentence and a copy with one change, or None if the change drawn does not fit."""
    change = rng.choice((*_CHANGES, partial(_change_name, words)))
    edited = change(sentence, rng)
    if edited is None:
        return None
    text, answer = edited
    return sentence, text, answer


def _changes_with_controls(words: CorpusWords, rng: random.Random) -> Iterator[Example]:
    """Yield changed sentences alternating with controls of the same kind, and sometimes a typo or a rewording."""
    kinds: list[tuple[Change, Change]] = [*_CONTROLS, (partial(_change_name, words), controls.swap_listed_names)]
    while True:
        change, control = rng.choice(kinds)
        pairs = _find_fitting(change, 0.0, words, rng), _find_fitting(control, 1.0, words, rng)
        for pair in pairs:
            if None not in pairs and pair is not None:
                yield pair
        if rng.random() < _UNPAIRED and (pair := _find_fitting(rng.choice((_mistype, _reword)), 1.0, words, rng)):
            yield pair


def _find_fitting(change: Change, answer: float, words: CorpusWords, rng: random.Random) -> Example | None:
    """Apply a change to random sentences until it fits with this answer; return None after `_TRIES` sentences."""
    for _ in range(_TRIES):
        sentence = rng.choice(words.sentences)
        edited = change(sentence, rng)
        if edited is not None and edited[1] == answer and edited[0] != sentence:
            return sentence, *edited
    return None


def _change_number(text: str, rng: random.Random) -> tuple[str, float] | None:
    places = list(_NUMBER.finditer(text))
    if not places:
        return None
    place = rng.choice(places)
    digits = place.group()
    at = rng.choice([at for at, letter in enumerate(digits) if letter.isdigit()])
    digit = rng.choice([digit for digit in "123456789" if digit != digits[at]])
    return text[: place.start()] + digits[:at] + digit + digits[at + 1 :] + text[place.end() :], 0.0


def _use_opposite(text: str, rng: random.Random) -> tuple[str, float] | None:
    words = text.split(" ")
    places = [place for place, word in enumerate(words) if word in word_lists()["opposite"]]
    if not places:
        return None
    place = rng.choice(places)
    words[place] = rng.choice(word_lists()["opposite"][words[place]])
    return " ".join(words), 0.0


def _change_word(text: str, rng: random.Random) -> tuple[str, float] | None:
    """Replace a unit, month, quantity or certainty by a different one."""
    words, others = text.split(" "), word_lists()["others"]
    places = [place for place, word in enumerate(words) if word in others]
    if not places:
        return None
    place = rng.choice(places)
    words[place] = rng.choice(others[words[place]])
    return " ".join(words), 0.0


def _change_time(text: str, rng: random.Random) -> tuple[str, float] | None:
    """Change the tense of a verb, or make it uncertain."""
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


def _change_name(words: CorpusWords, text: str, rng: random.Random) -> tuple[str, float] | None:
    """Replace a name by a different one."""
    names = [match.group(0) for match in _NAME.finditer(text) if match.group(0) in words.names]
    if not names:
        return None
    name, other = rng.choice(names), rng.choice(words.names)
    return None if other in name or name in other else (text.replace(name, other), 0.0)


def _mistype(text: str, rng: random.Random) -> tuple[str, float] | None:
    """Swap, drop or double a letter within a word: the meaning stays."""
    words = text.split(" ")
    places = [place for place, word in enumerate(words) if len(word) > 5 and word.isalpha() and word.islower()]
    if not places:
        return None
    place = rng.choice(places)
    word, at = words[place], rng.randrange(1, len(words[place]) - 2)
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    words[place] = rng.choice((swapped, word[:at] + word[at + 1 :], word[:at] + word[at] + word[at:]))
    return " ".join(words), 1.0


def _toggle_negation(text: str, rng: random.Random) -> tuple[str, float] | None:
    if " not " in text:
        return text.replace(" not ", " ", 1), 0.0
    places = list(_HELPERS.finditer(text))
    if not places:
        return None
    place = rng.choice(places)
    return f"{text[: place.end()]}not {text[place.end() :]}", 0.0


def _swap_names(text: str, rng: random.Random) -> tuple[str, float] | None:
    names = list(dict.fromkeys(match.group(0) for match in _NAME.finditer(text)))
    if len(names) < 2:
        return None
    one, other = rng.sample(names, 2)
    if one in other or other in one or f"{one} and {other}" in text or f"{other} and {one}" in text:
        return None
    return text.replace(one, "\0").replace(other, one).replace("\0", other), 0.0


def _move_day(text: str, rng: random.Random) -> tuple[str, float] | None:
    """Move a weekday to the front, which keeps the meaning, or replace it by a different one."""
    days = word_lists()["days"]
    day = next((other for other in days if f" on {other} " in text), None)
    if day is None:
        return None
    if rng.random() < 0.5:
        return text.replace(day, rng.choice([other for other in days if other != day])), 0.0
    rest = text.replace(f" on {day} ", " ", 1)
    return (
        f"On {day} , {rest[:1].lower() + rest[1:] if rest.split(' ')[0] in ('The', 'A', 'It', 'He', 'She') else rest}",
        1.0,
    )


def _change_spelled_number(text: str, rng: random.Random) -> tuple[str, float] | None:
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


def _reword(text: str, rng: random.Random) -> tuple[str, float] | None:
    other = replace_words(text, rng)
    return None if other is None else (other, 1.0)


_CHANGES = (
    _change_number,
    _use_opposite,
    _change_word,
    _change_time,
    _toggle_negation,
    _swap_names,
    _move_day,
    _change_spelled_number,
    _reword,
    _reword,
    _mistype,
)
#: Changes of meaning, each with an edit that looks like it but keeps the meaning.
_CONTROLS: tuple[tuple[Change, Change], ...] = (
    (_change_number, controls.reformat_number),
    (_use_opposite, controls.deny_opposite),
    (_change_word, controls.convert_measure),
    (_change_time, controls.rewrite_helper),
    (_toggle_negation, controls.rewrite_negation),
    (_swap_names, controls.swap_listed_names),
    (_move_day, _move_day),
    (_change_spelled_number, _change_spelled_number),
)
