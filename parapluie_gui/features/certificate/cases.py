"""The cases of a certificate: pairs made by rule, each made once, and which of them each case looks at."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from parapluie_gui.features.certificate.behaviours import (
    ADDED,
    BY_KEY,
    CONTRACTIONS,
    DIGITS,
    IDENTITY,
    LADDER,
    LOST,
    NEGATION,
    REWORDED,
    SYMMETRY,
    TRIANGLES,
    UNRELATED,
)
from parapluie_gui.features.certificate.sentences import Made, own_sentences, shared_words
from parapluie_gui.features.certificate.surface import changed, contracted
from parapluie_gui.features.certificate.words import NUMBERS, slots
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


#: Grows when other cases are made for the same seed.
REVISION = 1

#: No row.
NONE = -1

#: No behaviour gets more cases than so many, and so many times those of the rarest: few sentences have a unit, all can
#: be written in capitals, and the pairs are to go where the intervals are wide.
_FIRST, _TIMES = 10, 2

#: Of so many sentences, one is used for ladders and one for triangles: they take many pairs.
_LADDERS, _TRIANGLES = 2, 4


@dataclass(frozen=True)
class Case:
    """What one case looks at: rows of the pairs.

    Attributes:
        behaviour: Its key.
        rows: The pair. Behind it, for another sentence, the sentence beside itself; for swapped ones, the pair the
            other way round; for a ladder, the pairs of growing change; for a triangle, AB, BC and AC.
        against: A pair made of the same sentence whose answer is the opposite, NONE without one: the two must not be
            ranked the wrong way round.
    """

    behaviour: str
    rows: tuple[int, ...]
    against: int = NONE


@dataclass(frozen=True, eq=False)
class Suite:
    """Pairs to be scored, and the cases over them."""

    corpus: Corpus
    cases: tuple[Case, ...]
    seed: int
    origins: tuple[str, ...] = ()

    def __str__(self) -> str:
        origin = f", sentences of {', '.join(self.origins)} too" if self.origins else ""
        return f"{len(self.corpus):,} pairs, seed {self.seed}, cases of revision {REVISION}{origin}"


def suite(pairs: int, seed: int = 0, corpora: Sequence[Corpus] = ()) -> Suite:
    """Return the cases over at most `pairs` pairs; the same ones for the same arguments.

    Half of them are made of the sentences of `corpora`, as long as these last.
    """
    rng = random.Random(seed)
    maker = _Maker(pairs, rng)
    other = _other_sentences(seed)
    for number, made in enumerate(_mixed(own_sentences(rng), [corpus_sentences(each, rng) for each in corpora])):
        if not maker.add(made, next(other), ladder=number % _LADDERS == 0, triangles=number % _TRIANGLES == 0):
            break
    rows = list(maker.rows)
    corpus = Corpus(
        name="certificate",
        id=[str(row + 1) for row in range(len(rows))],
        source=[source for source, _ in rows],
        hypothesis=[hypothesis for _, hypothesis in rows],
    )
    return Suite(corpus, tuple(maker.cases), seed, tuple(each.name for each in corpora))


def _mixed(own: Iterator[Made], others: list[Iterator[Made]]) -> Iterator[Made]:
    """Yield one of the own sentences, then one of a corpus, and so on; the own ones never end."""
    turn = 0
    while True:
        yield next(own)
        while others:
            found = next(others[turn % len(others)], None)
            if found is not None:
                turn += 1
                yield found
                break
            del others[turn % len(others)]


def _other_sentences(seed: int) -> Iterator[str]:
    return (made.text for made in own_sentences(random.Random(seed + 1)))


@dataclass
class _Maker:
    """Collects pairs, each once, until there are enough."""

    most: int
    rng: random.Random
    rows: dict[tuple[str, str], int] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(BY_KEY, 0))

    def add(self, made: Made, unrelated: str, *, ladder: bool, triangles: bool) -> bool:
        """Add the cases of a sentence; False where their pairs would be too many, and then none is added."""
        pairs, cases = len(self.rows), len(self.cases)
        self._add_meanings(made, unrelated)
        self._add_ways(made)
        if ladder and made.ladder:
            steps = [*made.ladder, *self._unless_related(made, unrelated)]
            self._case(LADDER, (made.text, made.text), *((made.text, step) for step in steps))
        if triangles:
            self._add_triangles(made.family)
        if len(self.rows) <= self.most:
            return True
        for pair in list(self.rows)[pairs:]:
            del self.rows[pair]
        del self.cases[cases:]
        return False

    def _add_meanings(self, made: Made, unrelated: str) -> None:
        text = made.text
        reworded = (text, made.reworded) if made.reworded else None
        others = {**made.others, **dict.fromkeys([UNRELATED] * bool(self._unless_related(made, unrelated)), unrelated)}
        self._case(IDENTITY, (text, text), against=reworded)
        for key, other in others.items():
            self._case(key, (text, other), (text, text), against=reworded)
        opposite = self._opposite(made)
        if reworded is not None:
            self._case(REWORDED, reworded, (text, text), against=opposite)
            self._case(SYMMETRY, reworded, reworded[::-1])
        if opposite is not None:
            self._case(SYMMETRY, opposite, opposite[::-1])

    def _add_ways(self, made: Made) -> None:
        text, against = made.text, self._opposite(made)
        ways = changed(text, self.rng)
        if made.digits:
            ways[DIGITS] = made.digits
        for key, way in ways.items():
            # Which of the two is the source must not matter to what is tried.
            pair = (text, way) if self.rng.random() < 0.5 else (way, text)
            self._case(key, pair, (text, text), against=against)
        denied = made.others.get(NEGATION)
        if denied is not None and CONTRACTIONS not in ways and (short := contracted(denied)) is not None:
            self._case(CONTRACTIONS, (denied, short), (denied, denied), against=(denied, text))

    def _add_triangles(self, family: tuple[str, ...]) -> None:
        for one, middle, other in itertools.permutations(family, 3):
            if one < other:
                self._case(TRIANGLES, (one, middle), (middle, other), (one, other))

    def _opposite(self, made: Made) -> tuple[str, str] | None:
        """Return the sentence beside one of another meaning, the same one for every case of the sentence."""
        keys = [key for key in made.others if key not in (ADDED, LOST)]
        return (made.text, made.others[keys[len(made.text) % len(keys)]]) if keys else None

    @staticmethod
    def _unless_related(made: Made, unrelated: str) -> list[str]:
        return [] if shared_words(made.text, unrelated, least=4) else [unrelated]

    def _case(self, behaviour: str, *pairs: tuple[str, str], against: tuple[str, str] | None = None) -> None:
        if self.counts[behaviour] >= _FIRST + _TIMES * min(self.counts.values()):
            return
        self.counts[behaviour] += 1
        rows = tuple(self._row(pair) for pair in pairs)
        self.cases.append(Case(behaviour, rows, NONE if against is None else self._row(against)))

    def _row(self, pair: tuple[str, str]) -> int:
        return self.rows.setdefault(pair, len(self.rows))
