"""Training pairs of a judge: labelled corpora, easy negatives and pairs made by rule, drawn for each epoch."""

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

#: Human scores (0..5) up to the first number count as "no" and from the second as "yes"; in between, linearly.
GRADED = (3.0, 4.8)

#: Share of the pairs made by rule that are sentences of the corpora with words replaced.
_REWORDED = 0.1
#: Share of the corpora's pairs in whose hypothesis words are replaced.
_VARIED = 0.2
#: Characters at the end of a sentence that are ignored.
_ENDS = " .!"


class TrainingPair(NamedTuple):
    """A pair with its target in a training step.

    Attributes:
        source, hypothesis: The sentences.
        answer: The target answer, 0..1.
        weight: Weight in the loss, about 1 on average.
        family: Family whose pairs are learnt in one step; "" if it has none.
    """

    source: str
    hypothesis: str
    answer: float
    weight: float
    family: str = ""


@dataclass(frozen=True)
class TrainingCorpus:
    """A corpus to train on.

    Attributes:
        corpus: The corpus.
        share: Share of its pairs in an epoch: 0.5 = a random half, different in each epoch; 2 = every pair twice.
        examples: Its pairs with their target answers, 0..1.
        kind: Kind of the corpus; kinds are balanced with each other.
        noise: Estimated share of wrong labels; target answers are no more certain than that.
        families: Family of each example if they are drawn and learnt by families; otherwise empty.
    """

    corpus: Corpus
    share: float
    examples: tuple[Example, ...]
    kind: str = ""
    noise: float = 0.0
    families: tuple[str, ...] = ()

    @property
    def drawn(self) -> float:
        """Expected number of its pairs in an epoch."""
        return self.share * len(self.examples)

    def draw(self, rng: random.Random, weight: float) -> list[TrainingPair]:
        """Draw the pairs of an epoch, with target answers no more certain than the labels."""
        times, fraction = divmod(self.share, 1.0)
        if self.families:
            family_names = sorted(set(self.families))
            drawn_families = set(rng.sample(family_names, round(fraction * len(family_names))))
            last_places = [place for place, name in enumerate(self.families) if name in drawn_families]
            places = [*list(range(len(self.examples))) * int(times), *last_places]
            # A family drawn twice counts as two families, so that no step has the same pair twice.
            pair_families = [
                f"{self.corpus.name} {at // len(self.examples)} {self.families[p]}" for at, p in enumerate(places)
            ]
            pairs = [self.examples[place] for place in places]
        else:
            pairs = [*self.examples * int(times), *rng.sample(self.examples, round(fraction * len(self.examples)))]
            pair_families = [""] * len(pairs)
        return [
            TrainingPair(source, hypothesis, self.noise + (1.0 - 2.0 * self.noise) * answer, weight, family)
            for (source, hypothesis, answer), family in zip(pairs, pair_families, strict=True)
        ]


@dataclass(frozen=True)
class TrainingMixture:
    """The corpora and the artificial pairs from which epochs are drawn.

    Attributes:
        parts: The corpora.
        easy: Easy negatives, as a share of the corpora's pairs (PARAPHRASUS, ablation A).
        rules: Pairs made by rule, as a share of the corpora's pairs.
        seed: Seed of every draw.
        edits: Pairs made from the sentences and words of the corpora, as a share of the corpora's pairs.
        same: Pairs of the same sentence, identical, in a different case or without its full stop, as a share of the
            corpora's pairs.
        balance: How far the loss compensates for different numbers of pairs per kind: 0 = not at all, 1 = equal
            weights.
        controls: Whether every changed sentence is paired with an edit of the same kind that keeps the meaning.
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
        """Words and sentences of the corpora."""
        return changes.collect_words([text for part in self.parts for pair in part.examples for text in pair[:2]])

    @cached_property
    def weights(self) -> dict[str, float]:
        """Weight in the loss of a pair of each kind; 1 on average over the corpora's pairs."""
        counts: dict[str, float] = defaultdict(float)
        for part in self.parts:
            counts[part.kind] += part.drawn
        raw = {kind: count**-self.balance for kind, count in counts.items()}
        mean = sum(raw[kind] * count for kind, count in counts.items()) / sum(counts.values())
        return {kind: weight / mean for kind, weight in raw.items()}

    def epoch(self, number: int) -> list[TrainingPair]:
        """Draw the pairs of an epoch (0, 1, …) in random order, each in a random direction."""
        rng = random.Random(f"{self.seed}/{number}")
        pairs: list[TrainingPair] = []
        for part in self.parts:
            pairs += part.draw(rng, self.weights[part.kind])
        for place, pair in enumerate(pairs):
            if rng.random() < _VARIED and (reworded := alternations.replace_words(pair.hypothesis, rng)) is not None:
                pairs[place] = pair._replace(hypothesis=reworded)
        count = len(pairs)
        artificial: list[Example] = []
        sentences = [sentence for part in self.parts for pair in part.examples for sentence in pair[:2]]
        artificial += islice(_easy_negatives(sentences, rng), round(self.easy * count))
        artificial += islice(_identities(sentences, rng), round(self.same * count))
        rule_count = round(self.rules * count)
        reworded_count = round(_REWORDED * rule_count)
        sentences_to_reword = rng.sample(sentences, min(len(sentences), 20 * reworded_count))
        artificial += islice(alternations.reworded_examples(sentences_to_reword, rng.getrandbits(32)), reworded_count)
        artificial += islice(alternations.examples(rng.getrandbits(32)), rule_count - reworded_count)
        if self.edits:
            artificial += islice(
                changes.examples(self.words, rng.getrandbits(32), paired=self.controls), round(self.edits * count)
            )
        pairs += [TrainingPair(*pair, 1.0) for pair in artificial]
        pairs = [pair._replace(source=pair[1], hypothesis=pair[0]) if rng.random() < 0.5 else pair for pair in pairs]
        rng.shuffle(pairs)
        return pairs


def read_training_corpus(text: str, graded: tuple[float, float] = GRADED) -> TrainingCorpus:
    """Read a corpus named on the command line, FILE or FILE@SHARE; `graded` as in `GRADED`.

    Raises:
        ParapluieError: The file cannot be read, or its pairs have neither labels nor human scores.
    """
    name, at, number = text.rpartition("@")
    try:
        share = float(number) if at else 1.0
    except ValueError:
        name, at, share = text, "", 1.0
    corpus = read(places.expand_user_path(name if at else text))
    if not 0 < share <= 100:
        raise ParapluieError(f"{text}: the share after @ must be above 0 and at most 100. Correct it.")
    return training_corpus(corpus, share, graded)


def training_corpus(
    corpus: Corpus,
    share: float = 1.0,
    graded: tuple[float, float] = GRADED,
    kind: str = "",
    noise: float = 0.0,
    *,
    families: bool = False,
) -> TrainingCorpus:
    """Return a corpus for training; with `families`, its groups are the families.

    Raises:
        ParapluieError: The pairs have neither labels nor human scores, or no groups although `families` is True.
    """
    answers = target_answers(corpus, graded)
    if answers is None:
        raise ParapluieError(f"{corpus.name} has neither labels nor human scores. Choose a corpus that has them.")
    labelled_rows = [place for place, answer in enumerate(answers.tolist()) if not math.isnan(answer)]
    examples = tuple((corpus.source[place], corpus.hypothesis[place], float(answers[place])) for place in labelled_rows)
    pair_families: tuple[str, ...] = ()
    if families:
        if corpus.group is None:
            raise ParapluieError(f"{corpus.name} has no groups, so it has no families. Add a column `group`.")
        pair_families = tuple(str(corpus.group[place]) for place in labelled_rows)
    return TrainingCorpus(corpus, share, examples, kind, noise, pair_families)


def target_answers(corpus: Corpus, graded: tuple[float, float] = GRADED) -> Scores | None:
    """Return the target answer of each pair, float64 (n,) in 0..1, NaN for unlabelled pairs; None without any label.

    Human scores are used if the corpus has any, since they carry more information than labels made from them.
    """
    if corpus.human is not None and not np.isnan(corpus.human).all():
        low, high = graded
        highest = float(np.nanmax(corpus.human))
        scale = 5.0 if highest > 1.0 else 1.0  # scores that are shares of annotators are in 0..1
        return np.clip((corpus.human * (5.0 / scale) - low) / (high - low), 0.0, 1.0)
    if corpus.has_labels and corpus.label is not None:
        return np.where(corpus.label == UNLABELLED, np.nan, corpus.label.astype(np.float64))
    return None


def _easy_negatives(sentences: Sequence[str], rng: random.Random) -> Iterator[Example]:
    """Yield negatives: two random sentences, a sentence and its first third, a sentence and both joined."""
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


def is_same_sentence(source: str, hypothesis: str) -> bool:
    """Return True if two sentences differ only by case and the full stop at the end."""
    return source.casefold().rstrip(_ENDS) == hypothesis.casefold().rstrip(_ENDS)


def _identities(sentences: Sequence[str], rng: random.Random) -> Iterator[Example]:
    """Yield sentences with copies of themselves: identical, without the final full stop, in lower or in upper case."""
    variants = (str, str, lambda text: text.rstrip(_ENDS), str.lower, str.upper)
    while True:
        text = rng.choice(sentences)
        yield text, rng.choice(variants)(text) or text, 1.0
