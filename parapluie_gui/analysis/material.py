"""The material of an analysis: the chosen scores, corpora and pairs, copied so that a thread may work on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from parapluie_gui.analysis.cache import Cache
from parapluie_gui.analysis.columns import change_kinds
from parapluie_gui.analysis.errors.traits import Trait, bucket_traits, find_traits
from parapluie_gui.analysis.kept_threshold import KeptThreshold
from parapluie_gui.analysis.score_column import ScoreColumn, Tick, part_masks
from parapluie_gui.analysis.statistics.buckets import Cut, cut_column, cut_numbers, pair_lengths
from parapluie_gui.analysis.statistics.comparison import Comparison, compare, default_threshold
from parapluie_gui.analysis.study import DISTANCE, CorpusStudy, ScoreStudy, StudyInput, study
from parapluie_gui.arrays import Labels, Mask, Scores
from parapluie_gui.judgements.columns import People
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature, signature_lines

Kept = TypeVar("Kept")

#: The name of the buckets by length.
LENGTH = "length"

#: Pairs whose kinds of change are found between two looks at whether the work is to stop.
_PART = 50


@dataclass(frozen=True, eq=False)
class CorpusParts:
    """A corpus, and the pairs of each corpus that was pooled into it; see `score_column.part_masks`."""

    corpus: Corpus
    parts: Mapping[str, Mask]

    @classmethod
    def of_corpus(cls, corpus: Corpus) -> CorpusParts:
        """Find the parts of a corpus; of a large one this takes a second."""
        return cls(corpus, part_masks(corpus))


@dataclass(frozen=True, eq=False)
class Material:
    """A copy of everything that an analysis computes from.

    Attributes:
        score_columns: The chosen scores; those without any number are left out.
        labels: (n,)
        parts: The pairs of each chosen corpus, within the selection where only that is asked for.
        where: The pairs of all of them together, or None for all.
        draws: Resamples for confidence intervals and tests.
        seed: Of their random numbers.
        y: The score looked at: the one on the scatter's y axis; "" where there is none.
        given: Thresholds that were chosen, by score: the decision line in the window, `--threshold` elsewhere.
        kept: Thresholds of these scores that were learnt elsewhere and kept under a name.
        distance: The edit distances if all are computed, otherwise None.
        signatures: What each score was computed with, by its name.
        own: The scores that are columns of the corpus, which are read with it.
        people: What people answered.
        kinds: The kinds of change if all are found (see `metrics.changes.kinds`), otherwise None.
        corrected: The kinds of change that a person corrected, by row.
        selected: The selection, (n,), where something asks for it; None for all pairs.
        versions: Equal as long as a score, by its name, stays as it is.
        scope: Grows when the corpus, its chosen parts or the selection change.
        studies: What was computed of single scores already.
    """

    corpus_parts: CorpusParts
    score_columns: tuple[ScoreColumn, ...]
    labels: Labels
    parts: Mapping[str, Mask]
    where: Mask | None = None
    draws: int = 0
    seed: int = 0
    y: str = ""
    given: Mapping[str, float] = field(default_factory=dict)
    kept: tuple[KeptThreshold, ...] = ()
    distance: Scores | None = None
    signatures: Mapping[str, Signature] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    people: People = field(default_factory=People)
    kinds: Scores | None = None
    corrected: Mapping[int, float] = field(default_factory=dict)
    selected: Mask | None = None
    versions: Mapping[str, object] = field(default_factory=dict)
    scope: int = 0
    studies: Studies = field(default_factory=lambda: Studies())

    @property
    def corpus(self) -> Corpus:
        """The pairs."""
        return self.corpus_parts.corpus

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

    def score_column(self, name: str) -> ScoreColumn:
        """Return one of the scores by its name."""
        return next(each for each in self.score_columns if each.name == name)

    @property
    def names(self) -> list[str]:
        """The names of the scores."""
        return [each.name for each in self.score_columns]

    def title(self, name: str) -> str:
        """Return what a person calls a score, its name where it is not among the scores."""
        return next((each.title for each in self.score_columns if each.name == name), name)

    def threshold(self, score: ScoreColumn, where: Mask | None = None) -> float:
        """Return where paraphrases begin: the chosen threshold, the natural one, the best for the pairs, or NaN."""
        given = self.given.get(score.name)
        return default_threshold(score, self.labels, where) if given is None else given

    def compare(self, first: ScoreColumn, second: ScoreColumn, where: Mask, tick: Tick | None = None) -> Comparison:
        """Return two scores compared on some pairs, each at the threshold that these have."""
        return compare(
            first,
            second,
            self.labels,
            first_threshold=self.threshold(first, where),
            second_threshold=self.threshold(second, where),
            human=self.corpus.human,
            where=where,
            draws=self.draws,
            seed=self.seed,
            tick=tick,
        )

    def all_studies(self, tick: Tick, *, related: bool = False) -> tuple[CorpusStudy, ...]:
        """Return the study of each score alone, on each corpus; see `Studies.all`."""
        return self.studies.all(self, tick, related=related)

    def signature_lines(self, names: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return what the named scores (None: all) were computed with, a line each."""
        return signature_lines(self.signatures, self.names if names is None else names)


@dataclass
class Studies:
    """Studies of single scores, kept until a score or the pairs change; one thread at a time works with it."""

    _made: Cache = field(default_factory=Cache)

    def all(self, material: Material, tick: Tick, related: bool = False) -> tuple[CorpusStudy, ...]:
        """Return the study of each score alone, on each corpus; nothing is compared.

        Args:
            material: The scores and pairs.
            tick: Called between the scores; what it raises stops the work.
            related: Also correlate with edit distance and human scores, which takes longest.
        """
        chosen = material.score_columns
        distance = self.distance(material) if related else None
        found = []
        for number, each in enumerate(chosen):

            def step(done: int, total: int, before: int = number) -> None:
                tick(1000 * before + 1000 * done // max(total, 1), 1000 * len(chosen))

            found.append(self._single(each, material, distance, step))
        tick(1, 1)
        return tuple(
            CorpusStudy.from_labels(
                part, material.labels[mask], {each.name: one[part] for each, one in zip(chosen, found, strict=True)}
            )
            for part, mask in material.parts.items()
        )

    def kept(self, name: str, state: object, make: Callable[[], Kept]) -> Kept:
        """Return what was made by this name, made anew where the state is another."""
        found: Kept = self._made.get(name, state, make)
        return found

    def distance(self, material: Material) -> Scores:
        """Return the edit distances, computed at most once for a corpus."""
        if material.distance is not None:
            return material.distance
        return self._made.get(DISTANCE, material.corpus_parts, lambda: edit_distance(material.corpus))

    def kinds(self, material: Material, tick: Tick) -> Scores:
        """Return the kinds of change, found at most once for a corpus; some milliseconds a pair."""

        def make() -> Scores:
            corpus, parts = material.corpus, range(0, max(len(material.corpus), 1), _PART)
            found = []
            for start in parts:
                tick(start, len(corpus))
                found.append(change_kinds(corpus.take(range(start, min(start + _PART, len(corpus))))))
            return np.concatenate(found)

        if material.kinds is not None:
            return material.kinds
        found: Scores = self._made.get("kinds", material.corpus_parts, make).copy()
        for row, number in material.corrected.items():
            found[row] = number
        return found

    def traits(self, material: Material, tick: Tick) -> list[Trait]:
        """Return what pairs can have in common, found once for a corpus, and the buckets of `closeness_cuts`."""

        def make() -> list[Trait]:
            kinds = self.kinds(material, tick)
            return find_traits(material.corpus, kinds, usual_cuts(material.corpus, self.distance(material)), tick)

        found = self._made.get("traits", (material.corpus_parts, material.corrected), make)
        return [*found, *bucket_traits(closeness_cuts(material.score_columns), len(material.corpus))]

    def _single(
        self, score_column: ScoreColumn, material: Material, distance: Scores | None, tick: Tick
    ) -> Mapping[str, ScoreStudy]:
        related = distance is not None
        draws = material.draws if related else 0
        # Correlations take long and know no threshold.
        threshold = None if related else material.given.get(score_column.name)
        # The version of the distances counts: they may still be arriving.
        state = (
            material.scope,
            material.versions.get(score_column.name),
            material.versions.get(DISTANCE) if related else 0,
            draws,
            threshold,
        )
        studied = StudyInput(
            score_column=score_column,
            labels=material.labels,
            parts=material.parts,
            human=material.corpus.human if related else None,
            distance=distance,
            given=threshold,
        )

        def make() -> Mapping[str, ScoreStudy]:
            tick(0, 1)
            return study(studied, draws=draws, seed=material.seed, tick=tick)

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
