"""What an analysis is about: the chosen scores, corpora and pairs, copied so that a thread may work on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from parapluie_gui.analysis.cache import Cache
from parapluie_gui.analysis.columns import change_kinds
from parapluie_gui.analysis.errors.traits import Trait, bucket_traits, traits
from parapluie_gui.analysis.score_column import ScoreColumn, Tick, parts
from parapluie_gui.analysis.statistics.buckets import Cut, cut_column, cut_numbers, pair_lengths
from parapluie_gui.analysis.study import DISTANCE, CorpusStudy, Material, study
from parapluie_gui.arrays import Labels, Mask, Scores
from parapluie_gui.judgements.columns import People
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature, lines_of

#: The name of the buckets by length.
LENGTH = "length"

#: Pairs whose kinds of change are found between two looks at whether the work is to stop.
_PART = 50


@dataclass(frozen=True, eq=False)
class Facts:
    """A corpus, and the pairs of each corpus that was pooled into it; see `score_column.parts`."""

    corpus: Corpus
    parts: Mapping[str, Mask]

    @classmethod
    def of(cls, corpus: Corpus) -> Facts:
        """Find the parts of a corpus; of a large one this takes a second."""
        return cls(corpus, parts(corpus))


@dataclass(frozen=True, eq=False)
class Inputs:
    """A copy of everything that a page computes from.

    Attributes:
        score_columns: The chosen scores; those without any number are left out.
        versions: Equal as long as a score, by its name, stays as it is.
        parts: The pairs of each chosen corpus, within the selection where only that is asked for.
        where: The pairs of all of them together, or None for all.
        scope: Grows when the corpus, its chosen parts or the selection change.
        draws: Resamples for confidence intervals.
        y: The score on the scatter's y axis.
        threshold: Where the decision line is.
        distance: The edit distances if all are computed, otherwise None.
        signatures: What each score was computed with, by its name.
        own: The scores that are columns of the corpus, which are read with it.
        said: What people said of the pairs.
        kinds: Their kinds of change if all are found (see `metrics.changes.kinds`), otherwise None.
        corrected: The kinds of change that a person corrected, by row.
    """

    facts: Facts
    score_columns: tuple[ScoreColumn, ...]
    versions: Mapping[str, object]
    labels: Labels
    parts: Mapping[str, Mask]
    where: Mask | None
    scope: int
    draws: int
    y: str
    threshold: float
    distance: Scores | None
    signatures: Mapping[str, Signature]
    own: frozenset[str] = frozenset()
    said: People = field(default_factory=People)
    kinds: Scores | None = None
    corrected: Mapping[int, float] = field(default_factory=dict)

    @property
    def corpus(self) -> Corpus:
        """The pairs."""
        return self.facts.corpus

    @property
    def labelled(self) -> bool:
        """Are there labels among the pairs asked for?"""
        known = (self.labels == 0) | (self.labels == 1)
        return bool((known if self.where is None else known & self.where).any())

    @property
    def judged(self) -> bool:
        """Are there human scores among the pairs asked for?"""
        human = self.corpus.human
        if human is None:
            return False
        return bool((~np.isnan(human if self.where is None else human[self.where])).any())

    @property
    def given(self) -> dict[str, float]:
        """The chosen threshold, by its score."""
        return {self.y: self.threshold} if self.y in self.names else {}

    def score_column(self, name: str) -> ScoreColumn:
        """Return one of the scores by its name."""
        return next(each for each in self.score_columns if each.name == name)

    @property
    def names(self) -> list[str]:
        """The names of the scores."""
        return [each.name for each in self.score_columns]


@dataclass
class Studies:
    """Studies of single scores, kept until a score or the pairs change; one thread at a time works with it."""

    _made: Cache = field(default_factory=Cache)

    def all(self, inputs: Inputs, tick: Tick, related: bool = False, given: bool = False) -> tuple[CorpusStudy, ...]:
        """Return the study of each score alone, on each corpus; nothing is compared.

        Args:
            inputs: The scores and pairs.
            tick: Called between the scores; what it raises stops the work.
            related: Also correlate with edit distance and human scores, which takes longest.
            given: Also decide by the score on y at the decision line.
        """
        chosen = inputs.score_columns
        distance = self.distance(inputs) if related else None
        found = []
        for number, each in enumerate(chosen):

            def step(done: int, total: int, before: int = number) -> None:
                tick(1000 * before + 1000 * done // max(total, 1), 1000 * len(chosen))

            found.append(self._single(each, inputs, distance, step, given and each.name == inputs.y))
        tick(1, 1)
        return tuple(
            CorpusStudy.of(
                part, inputs.labels[mask], {name: each for one in found for name, each in one[at].scores.items()}
            )
            for at, (part, mask) in enumerate(inputs.parts.items())
        )

    def distance(self, inputs: Inputs) -> Scores:
        """Return the edit distances, computed at most once for a corpus."""
        if inputs.distance is not None:
            return inputs.distance
        return self._made.get(DISTANCE, inputs.facts, lambda: edit_distance(inputs.corpus))

    def kinds(self, inputs: Inputs, tick: Tick) -> Scores:
        """Return the kinds of change, found at most once for a corpus; some milliseconds a pair."""

        def make() -> Scores:
            corpus, parts = inputs.corpus, range(0, max(len(inputs.corpus), 1), _PART)
            found = []
            for start in parts:
                tick(start, len(corpus))
                found.append(change_kinds(corpus.take(range(start, min(start + _PART, len(corpus))))))
            return np.concatenate(found)

        if inputs.kinds is not None:
            return inputs.kinds
        found: Scores = self._made.get("kinds", inputs.facts, make).copy()
        for row, number in inputs.corrected.items():
            found[row] = number
        return found

    def traits(self, inputs: Inputs, tick: Tick) -> list[Trait]:
        """Return what pairs can have in common, found once for a corpus, and the buckets of `closeness_cuts`."""

        def make() -> list[Trait]:
            kinds = self.kinds(inputs, tick)
            return traits(inputs.corpus, kinds, usual_cuts(inputs.corpus, self.distance(inputs)), tick)

        found = self._made.get("traits", (inputs.facts, inputs.corrected), make)
        return [*found, *bucket_traits(closeness_cuts(inputs.score_columns), len(inputs.corpus))]

    def _single(
        self, score_column: ScoreColumn, inputs: Inputs, distance: Scores | None, tick: Tick, given: bool
    ) -> Sequence[CorpusStudy]:
        related = distance is not None
        draws = inputs.draws if related else 0
        threshold = inputs.threshold if given else None
        # The version of the distances counts: they may still be arriving.
        state = (
            inputs.scope,
            inputs.versions.get(score_column.name),
            inputs.versions.get(DISTANCE) if related else 0,
            draws,
            threshold,
        )
        material = Material(
            score_columns=[score_column],
            labels=inputs.labels,
            parts=inputs.parts,
            human=inputs.corpus.human if related else None,
            distance=distance,
            given={} if threshold is None else {score_column.name: threshold},
        )

        def make() -> Sequence[CorpusStudy]:
            tick(0, 1)
            return study(material, draws=draws, tick=tick)

        return self._made.get((score_column.name, related), state, make)


def edit_distance(corpus: Corpus) -> Scores:
    return catalogue.metric(DISTANCE).score(corpus.source, corpus.hypothesis)


def usual_cuts(corpus: Corpus, distance: Scores, where: Mask | None = None) -> tuple[Cut, ...]:
    """Return the buckets of edit distance, length and, if there is one, group."""
    cuts = (
        cut_numbers(DISTANCE, distance, where=where),
        cut_numbers(LENGTH, pair_lengths(corpus.source, corpus.hypothesis), where=where),
    )
    return cuts if corpus.group is None else (*cuts, cut_column("group", corpus.group, where=where))


def closeness_cuts(scores: Sequence[ScoreColumn]) -> tuple[Cut, ...]:
    """Return the buckets of the scores that say how near the vectors of two sentences are, such as SBERT's cosine.

    They stand for the vectors themselves, whose clusters say no more of errors: `tests/benchmarks/error_vectors.py`.
    """
    infos = [(each, catalogue.info(each.name)) for each in scores]
    return tuple(cut_numbers(each.name, each.values) for each, info in infos if info and info.family == "embedding")


def signature_lines(inputs: Inputs, names: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return what the named scores (None: all) were computed with, a line each."""
    return lines_of(inputs.signatures, inputs.names if names is None else names)
