"""What can be made, beyond doubt, of the sentences of a corpus that the user names."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping

from parapluie_gui.analysis.certificate.sentences import Made
from parapluie_gui.analysis.certificate.words import NUMBERS, slots
from parapluie_gui.pairs.corpus import Corpus

#: A helping verb that "not" can follow, before a word it cannot be mistaken for another verb with.
_HELPER = re.compile(
    r"\b(?:is|was|are|were|will|would|can|could|should|must|may|might)\b(?= [a-z])|"
    r"\b(?:has|have|had)\b(?= (?:been|[a-z]{3,}ed)\b)"
)
#: Where these are, "not" may be there already, change nothing, or make no sentence.
_NO_DENIAL = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|hardly|only|whether|if|unless|until|till|any|anything|anyone|"
    r"as|than|let|there|or|also|too|what|how|who|which|where|when|why)\b|n't|n’t|[?!:;\"“”(]",
    re.IGNORECASE,
)
#: A whole number between words with small letters: no year, date, share, sum, part of a name or of another number.
_NUMBER = re.compile(r"(?:^|[ ,])[a-z]+ ([3-9]|1\d|20)(?= [a-z]{3,})")
_WORDS = (4, 40)


def corpus_sentences(corpus: Corpus, rng: random.Random) -> Iterator[Made]:
    """Yield the corpus's sources once, in an order drawn, with what can be made of them.

    The hypothesis of a pair labelled as a paraphrase is its source in other words.
    """
    rows = list(range(len(corpus)))
    rng.shuffle(rows)
    seen = set()
    for row in rows:
        text = corpus.source[row].strip()
        if text in seen or not _WORDS[0] <= len(text.split()) <= _WORDS[1]:
            continue
        seen.add(text)
        reworded = corpus.hypothesis[row].strip() if corpus.label is not None and corpus.label[row] == 1 else ""
        yield made_of(text, rng, reworded if reworded != text else "")


def made_of(text: str, rng: random.Random, reworded: str = "") -> Made:
    """Return what can be made of a sentence about which nothing is known; mostly little."""
    found = {key: make(text, rng) for key, make in _MAKERS.items()}
    others = {key: other for key, other in found.items() if other is not None}
    number = _NUMBER.search(text)
    digits = "" if number is None else text[: number.start(1)] + NUMBERS[int(number[1])] + text[number.end(1) :]
    return Made(text, reworded, others, digits)


def _denied(text: str, rng: random.Random) -> str | None:
    places = list(_HELPER.finditer(text))
    if len(places) != 1 or _NO_DENIAL.search(text) or not text.endswith("."):
        return None
    place = places[0]
    if place[0] == "can":
        return f"{text[: place.end()]}not{text[place.end() :]}"
    return f"{text[: place.end()]} not{text[place.end() :]}"


def _other_number(text: str, rng: random.Random) -> str | None:
    place = _NUMBER.search(text)
    if place is None:
        return None
    other = rng.choice([number for number in NUMBERS if str(number) != place[1]])
    return f"{text[: place.start(1)]}{other}{text[place.end(1) :]}"


def _other_time(text: str, rng: random.Random) -> str | None:
    """Name another day or month, if the sentence has one; months that are words as well do not count."""
    for names, before in ((slots()["day"], "[Oo]n"), (slots()["month"], "[Ii]n")):
        places = list(re.finditer(rf"(?<=\b{before} )(?:{'|'.join(names)})\b", text))
        if len(places) == 1:
            other = rng.choice([name for name in names if name not in text])
            return f"{text[: places[0].start()]}{other}{text[places[0].end() :]}"
    return None


def _other_quantifier(text: str, rng: random.Random) -> str | None:
    for one, other in (("All of the ", "Hardly any of the "), ("Most of the ", "Hardly any of the ")):
        if text.startswith(one) and not _NO_DENIAL.search(text):
            return other + text[len(one) :]
    return None


_MAKERS: Mapping[str, Callable[[str, random.Random], str | None]] = {
    "negation": _denied,
    "number": _other_number,
    "time": _other_time,
    "quantifier": _other_quantifier,
}
