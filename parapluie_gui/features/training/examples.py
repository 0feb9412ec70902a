"""What a judge is trained on: labelled corpora, easy negatives and pairs made by rule, anew for each epoch."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np

from parapluie_gui import places
from parapluie_gui.arrays import Scores
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.training import alternations
from parapluie_gui.features.training import edits as changes
from parapluie_gui.features.training.alternations import Example
from parapluie_gui.pairs import UNLABELLED, Corpus, read

#: Human scores at or below the first count as "no", at or above the second as "yes", and linearly between; 0..5.
GRADED = (3.0, 4.8)

#: Share of the pairs made by rule that are sentences of the corpora with words replaced.
_REWRITTEN = 0.1
#: Share of the corpora's pairs whose hypothesis gets words replaced.
_VARIED = 0.2
#: What ends a sentence, of which the same sentence may have none.
_ENDS = " .!"


class Taught(NamedTuple):
    """A pair of a step.

    Attributes:
        answer: To be learnt, 0..1.
        weight: In the loss; about 1 on the mean.
        family: Name of the family whose pairs are learnt in one step; "" where it has none.
    """

    source: str
    hypothesis: str
    answer: float
    weight: float
    family: str = ""


@dataclass(frozen=True)
class TrainingCorpus:
    """One corpus to be trained on.

    Attributes:
        share: How much of it an epoch takes: 0.5 = half, drawn anew each time; 2 = every pair twice.
        examples: Its pairs with the answer to be learnt, 0..1.
        kind: What it is a corpus of; kinds are balanced with each other.
        noise: Share of its labels that are wrong, as far as is known: no answer is learnt with more certainty.
        families: The family of each of the examples, where they are drawn and learnt by families; else empty.
    """

    corpus: Corpus
    share: float
    examples: tuple[Example, ...]
    kind: str = ""
    noise: float = 0.0
    families: tuple[str, ...] = ()

    @property
    def drawn(self) -> float:
        """How many pairs an epoch takes of it."""
        return self.share * len(self.examples)

    def draw(self, rng: random.Random, weight: float) -> list[Taught]:
        """Return what an epoch takes, as it is learnt: no answer is surer than the labels are."""
        whole, rest = divmod(self.share, 1.0)
        if self.families:
            names = sorted(set(self.families))
            drawn = set(rng.sample(names, round(rest * len(names))))
            left = [place for place, name in enumerate(self.families) if name in drawn]
            places = [*list(range(len(self.examples))) * int(whole), *left]
            # A family that is taken twice is two families: its pairs are not to be put into one step twice.
            named = [f"{self.corpus.name} {at // len(self.examples)} {self.families[p]}" for at, p in enumerate(places)]
            pairs = [self.examples[place] for place in places]
        else:
            pairs = [*self.examples * int(whole), *rng.sample(self.examples, round(rest * len(self.examples)))]
            named = [""] * len(pairs)
        return [
            Taught(source, hypothesis, self.noise + (1.0 - 2.0 * self.noise) * answer, weight, family)
            for (source, hypothesis, answer), family in zip(pairs, named, strict=True)
        ]


@dataclass(frozen=True)
class Mixture:
    """Everything an epoch is drawn from.

    Attributes:
        easy: Pairs that are no paraphrases beyond doubt, as a share of the corpora's pairs (PARAPHRASUS, ablation A).
        rules: Pairs made by rule, as a share of the corpora's pairs.
        seed: Of every draw.
        edits: Pairs made of the corpora's own sentences and words, as a share of the corpora's pairs.
        same: Sentences beside themselves, or beside what is the same but for its dress, as a share likewise.
        balance: How far the loss evens out how many pairs the kinds have: 0 = not at all, 1 = all weigh as much.
        controls: Whether every changed sentence comes with an edit of its kind that changes no meaning.
    """

    parts: tuple[TrainingCorpus, ...]
    easy: float
    rules: float
    seed: int
    edits: float = 0.0
    same: float = 0.0
    balance: float = 0.0
    controls: bool = False

    @cached_property
    def words(self) -> changes.CorpusWords:
        """The corpora's words and sentences."""
        return changes.words_of([text for part in self.parts for pair in part.examples for text in pair[:2]])

    @cached_property
    def weights(self) -> dict[str, float]:
        """How much a pair of each kind weighs in the loss; 1 on the mean over the corpora's pairs."""
        counts: dict[str, float] = defaultdict(float)
        for part in self.parts:
            counts[part.kind] += part.drawn
        raw = {kind: count**-self.balance for kind, count in counts.items()}
        mean = sum(raw[kind] * count for kind, count in counts.items()) / sum(counts.values())
        return {kind: weight / mean for kind, weight in raw.items()}

    def epoch(self, number: int) -> list[Taught]:
        """Return the pairs of an epoch (0, 1 ...), shuffled; each pair either way round by chance."""
        rng = random.Random(f"{self.seed}/{number}")
        learnt: list[Taught] = []
        for part in self.parts:
            learnt += part.draw(rng, self.weights[part.kind])
        for place, pair in enumerate(learnt):
            if rng.random() < _VARIED and (varied := alternations.rewritten(pair.hypothesis, rng)) is not None:
                learnt[place] = pair._replace(hypothesis=varied)
        count = len(learnt)
        pairs: list[Example] = []
        sentences = [sentence for part in self.parts for pair in part.examples for sentence in pair[:2]]
        pairs += islice(_easy(sentences, rng), round(self.easy * count))
        pairs += islice(_same(sentences, rng), round(self.same * count))
        made = round(self.rules * count)
        rewritten = round(_REWRITTEN * made)
        drawn = rng.sample(sentences, min(len(sentences), 20 * rewritten))
        pairs += islice(alternations.rewritings(drawn, rng.getrandbits(32)), rewritten)
        pairs += islice(alternations.examples(rng.getrandbits(32)), made - rewritten)
        if self.edits:
            pairs += islice(
                changes.examples(self.words, rng.getrandbits(32), paired=self.controls), round(self.edits * count)
            )
        learnt += [Taught(*pair, 1.0) for pair in pairs]
        learnt = [each._replace(source=each[1], hypothesis=each[0]) if rng.random() < 0.5 else each for each in learnt]
        rng.shuffle(learnt)
        return learnt


def part(text: str, graded: tuple[float, float] = GRADED) -> TrainingCorpus:
    """Read a corpus named on the command line, FILE or FILE@SHARE; `graded` as `GRADED`.

    Raises:
        ParapluieError: It cannot be read, or its pairs have neither labels nor human scores.
    """
    name, at, number = text.rpartition("@")
    try:
        share = float(number) if at else 1.0
    except ValueError:
        name, at, share = text, "", 1.0
    corpus = read(places.expand_user_path(name if at else text))
    if not 0 < share <= 100:
        raise ParapluieError(f"{text}: the share behind @ must be above 0 and at most 100.")
    return labelled(corpus, share, graded)


def labelled(
    corpus: Corpus,
    share: float = 1.0,
    graded: tuple[float, float] = GRADED,
    kind: str = "",
    noise: float = 0.0,
    *,
    families: bool = False,
) -> TrainingCorpus:
    """Return a corpus as a part of a mixture; with `families`, its groups are learnt as such.

    Raises:
        ParapluieError: Its pairs have neither labels nor human scores, or no groups where its families are wanted.
    """
    answers = answers_of(corpus, graded)
    if answers is None:
        raise ParapluieError(f"{corpus.name} has neither labels nor human scores. Name a corpus that has them.")
    known = [place for place, answer in enumerate(answers.tolist()) if not math.isnan(answer)]
    examples = tuple((corpus.source[place], corpus.hypothesis[place], float(answers[place])) for place in known)
    named: tuple[str, ...] = ()
    if families:
        if corpus.group is None:
            raise ParapluieError(f"{corpus.name} has no groups, so there are no families in it. Add a column `group`.")
        named = tuple(str(corpus.group[place]) for place in known)
    return TrainingCorpus(corpus, share, examples, kind, noise, named)


def answers_of(corpus: Corpus, graded: tuple[float, float] = GRADED) -> Scores | None:
    """Return the answer to be learnt for each pair, float64 (n,) in 0..1, NaN without one; None without any.

    A graded corpus counts by its grades where it has any: they say more than labels made of them.
    """
    if corpus.human is not None and not np.isnan(corpus.human).all():
        low, high = graded
        top = float(np.nanmax(corpus.human))
        scale = 5.0 if top > 1.0 else 1.0  # shares of annotators are in 0..1
        return np.clip((corpus.human * (5.0 / scale) - low) / (high - low), 0.0, 1.0)
    if corpus.labelled and corpus.label is not None:
        return np.where(corpus.label == UNLABELLED, np.nan, corpus.label.astype(np.float64))
    return None


def _easy(sentences: Sequence[str], rng: random.Random) -> Iterator[Example]:
    """Yield pairs that are no paraphrases: strangers, a sentence and its first third, a sentence and twice as much."""
    while True:
        first, second = rng.sample(sentences, 2)
        words = first.split()
        kind = rng.randrange(4)
        if kind == 0 and len(words) > 8:
            yield first, " ".join(words[: len(words) // 3]), 0.0
        elif kind == 1:
            yield first, f"{first.rstrip(' .')} and {second}", 0.0
        else:
            yield first, second, 0.0


def is_beside_itself(source: str, hypothesis: str) -> bool:
    """Return whether two sentences are the same but for capitals and the stop at the end: nobody doubts the answer."""
    return source.casefold().rstrip(_ENDS) == hypothesis.casefold().rstrip(_ENDS)


def _same(sentences: Sequence[str], rng: random.Random) -> Iterator[Example]:
    """Yield sentences beside themselves: as they are, without the last stop, in small letters or in capitals."""
    dresses = (str, str, lambda text: text.rstrip(_ENDS), str.lower, str.upper)
    while True:
        text = rng.choice(sentences)
        yield text, rng.choice(dresses)(text) or text, 1.0
