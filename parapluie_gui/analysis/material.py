"""The input of an analysis: the chosen scores, corpora and pairs, copied for use in a thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from parapluie_gui.analysis.cache import StateCache
from parapluie_gui.analysis.columns import change_kinds
from parapluie_gui.analysis.errors.traits import ErrorTrait, bucket_traits, find_traits
from parapluie_gui.analysis.kept_threshold import KeptThreshold
from parapluie_gui.analysis.score_column import ScoreColumn, Tick, divide_tick, part_masks
from parapluie_gui.analysis.statistics.buckets import CutColumn, cut_column, cut_numbers, pair_lengths
from parapluie_gui.analysis.statistics.comparison import ScoreComparison, compare, default_threshold
from parapluie_gui.analysis.study import DISTANCE, CorpusStudy, ScoreStudy, StudyInput, study
from parapluie_gui.arrays import Labels, Mask, Scores
from parapluie_gui.errors import join_words
from parapluie_gui.judgements.columns import CorpusJudgements
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature, signature_lines

Cached = TypeVar("Cached")

#: The name of the buckets by length.
LENGTH = "length"

#: Number of pairs whose kinds of change are found between two calls of `tick`.
_TICK_PAIRS = 50


@dataclass(frozen=True, eq=False)
class CorpusParts:
    """A corpus and the pairs of each corpus pooled into it, as masks (n,) by name; see `score_column.part_masks`."""

    corpus: Corpus
    parts: Mapping[str, Mask]

    @classmethod
    def from_corpus(cls, corpus: Corpus) -> CorpusParts:
        """Find the parts of a corpus; a large one takes a second."""
        return cls(corpus, part_masks(corpus))


@dataclass(frozen=True, eq=False)
class AnalysisMaterial:
    """A copy of all input of an analysis.

    Attributes:
        corpus_parts: The corpus and the corpora pooled into it.
        score_columns: The chosen scores; scores without any number are left out.
        labels: The labels, (n,).
        parts: The pairs of each chosen corpus, masks (n,) by name, within the selection if only that is analysed.
        where: The pairs of all these corpora, (n,), or None for all pairs.
        draws: Number of resamples for confidence intervals and tests.
        seed: Random seed of the resamples.
        y: The score on the scatter plot's y axis; "" if there is none.
        x: The column on the other axis of the scatter, or "".
        left_out: The titles of scores of the corpus that are not analysed.
        colours: The number of the colour of each score by name; by default the places of the scores.
        given: Chosen thresholds by score: the decision line in the window, `--threshold` elsewhere.
        kept: Kept thresholds of these scores, which were learnt on other pairs.
        distance: The edit distances if all are computed, otherwise None.
        signatures: The signatures of the scores, by name.
        own: The scores that are columns of the corpus.
        people: The answers of people.
        kinds: The kinds of change if all are found (see `metrics.changes.kinds`), otherwise None.
        corrected: The kinds of change that a person corrected, by row.
        selected: The selection, (n,), if an analysis uses it; None for all pairs.
        versions: For each score by name, a version that changes with its numbers.
        scope: A number that grows when the corpus, its chosen parts or the selection change.
        studies: The cache of the studies of single scores.
    """

    corpus_parts: CorpusParts
    score_columns: tuple[ScoreColumn, ...]
    labels: Labels
    parts: Mapping[str, Mask]
    where: Mask | None = None
    draws: int = 0
    seed: int = 0
    y: str = ""
    x: str = ""
    left_out: tuple[str, ...] = ()
    colours: Mapping[str, int] = field(default_factory=dict)
    given: Mapping[str, float] = field(default_factory=dict)
    kept: tuple[KeptThreshold, ...] = ()
    distance: Scores | None = None
    signatures: Mapping[str, Signature] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    people: CorpusJudgements = field(default_factory=CorpusJudgements)
    kinds: Scores | None = None
    corrected: Mapping[int, float] = field(default_factory=dict)
    selected: Mask | None = None
    versions: Mapping[str, object] = field(default_factory=dict)
    scope: int = 0
    studies: StudyCache = field(default_factory=lambda: StudyCache())

    @property
    def corpus(self) -> Corpus:
        """The pairs."""
        return self.corpus_parts.corpus

    @property
    def has_labels(self) -> bool:
        """Does one of the analysed pairs have a label?"""
        known = (self.labels == 0) | (self.labels == 1)
        return bool((known if self.where is None else known & self.where).any())

    @property
    def has_human_scores(self) -> bool:
        """Does one of the analysed pairs have a human score?"""
        human = self.corpus.human
        if human is None:
            return False
        return bool((~np.isnan(human if self.where is None else human[self.where])).any())

    #: The earlier names.
    labelled, judged = has_labels, has_human_scores

    def score_column(self, name: str) -> ScoreColumn:
        """Return a score by its name."""
        return next(column for column in self.score_columns if column.name == name)

    @property
    def names(self) -> list[str]:
        """The names of the scores."""
        return [column.name for column in self.score_columns]

    def colour(self, name: str) -> int:
        """Return the number of a score's colour, the same in every figure."""
        places = self.names
        return self.colours.get(name, places.index(name) if name in places else 0)

    def describe_left_out(self) -> str:
        """Return which scores are not analysed ("8 of 10 scores, without Pocket and DIRECT"), "" if all are."""
        if not self.left_out:
            return ""
        count = len(self.score_columns)
        return f"{count} of {count + len(self.left_out)} scores, without {join_words(self.left_out)}"

    def title(self, name: str) -> str:
        """Return the title of a score; its name if it is not one of the chosen scores."""
        return next((column.title for column in self.score_columns if column.name == name), name)

    def threshold(self, score: ScoreColumn, where: Mask | None = None) -> float:
        """Return the chosen threshold of a score; failing that the natural one, the best for the pairs, or NaN."""
        chosen = self.given.get(score.name)
        return default_threshold(score, self.labels, where) if chosen is None else chosen

    def compare(
        self, first: ScoreColumn, second: ScoreColumn, where: Mask, tick: Tick | None = None
    ) -> ScoreComparison:
        """Compare two scores on some pairs, each at its threshold for these pairs."""
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
        """Return the study of each score on each corpus; see `StudyCache.all`."""
        return self.studies.all(self, tick, related=related)

    def signature_lines(self, names: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return the signatures of the named scores (None: all), one per line."""
        return signature_lines(self.signatures, self.names if names is None else names)


@dataclass
class StudyCache:
    """A cache of studies of single scores, valid until a score or the pairs change; not thread-safe."""

    _cache: StateCache = field(default_factory=StateCache)

    def all(self, material: AnalysisMaterial, tick: Tick, related: bool = False) -> tuple[CorpusStudy, ...]:
        """Return the study of each score on each corpus, without comparisons.

        Args:
            material: The scores and pairs.
            tick: Called between the scores; an exception it raises stops the work.
            related: Whether to correlate with edit distance and human scores too, which takes longest.
        """
        columns = material.score_columns
        distance = self.distance(material) if related else None
        studies = [
            self._study_score(column, material, distance, divide_tick(tick, number, len(columns)))
            for number, column in enumerate(columns)
        ]
        tick(1, 1)
        return tuple(
            CorpusStudy.from_labels(
                part,
                material.labels[mask],
                {column.name: study[part] for column, study in zip(columns, studies, strict=True)},
            )
            for part, mask in material.parts.items()
        )

    def compute_once(self, name: str, state: object, make: Callable[[], Cached]) -> Cached:
        """Return a cached value by its name; compute it if it is not cached for this state."""
        value: Cached = self._cache.get(name, state, make)
        return value

    def distance(self, material: AnalysisMaterial) -> Scores:
        """Return the edit distances, computed once for a corpus."""
        if material.distance is not None:
            return material.distance
        return self._cache.get(DISTANCE, material.corpus_parts, lambda: edit_distance(material.corpus))

    def kinds(self, material: AnalysisMaterial, tick: Tick) -> Scores:
        """Return the kinds of change, found once for a corpus, which takes a few milliseconds per pair."""

        def make() -> Scores:
            corpus, parts = material.corpus, range(0, max(len(material.corpus), 1), _TICK_PAIRS)
            kinds = []
            for start in parts:
                tick(start, len(corpus))
                kinds.append(change_kinds(corpus.take(range(start, min(start + _TICK_PAIRS, len(corpus))))))
            return np.concatenate(kinds)

        if material.kinds is not None:
            return material.kinds
        kinds: Scores = self._cache.get("kinds", material.corpus_parts, make).copy()
        for row, number in material.corrected.items():
            kinds[row] = number
        return kinds

    def traits(self, material: AnalysisMaterial, tick: Tick) -> list[ErrorTrait]:
        """Return the traits of pairs, found once for a corpus, and those of the buckets of `closeness_cuts`."""

        def make() -> list[ErrorTrait]:
            kinds = self.kinds(material, tick)
            return find_traits(material.corpus, kinds, usual_cuts(material.corpus, self.distance(material)), tick)

        corpus_traits = self._cache.get("traits", (material.corpus_parts, material.corrected), make)
        return [*corpus_traits, *bucket_traits(closeness_cuts(material.score_columns), len(material.corpus))]

    def _study_score(
        self, score_column: ScoreColumn, material: AnalysisMaterial, distance: Scores | None, tick: Tick
    ) -> Mapping[str, ScoreStudy]:
        related = distance is not None
        draws = material.draws if related else 0
        # Correlations take long but do not depend on a threshold.
        threshold = None if related else material.given.get(score_column.name)
        # The state includes the version of the distances, since more of them may arrive.
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

        return self._cache.get((score_column.name, related), state, make)


def edit_distance(corpus: Corpus) -> Scores:
    return catalogue.metric(DISTANCE).score(corpus.source, corpus.hypothesis)


def usual_cuts(corpus: Corpus, distance: Scores, where: Mask | None = None) -> tuple[CutColumn, ...]:
    """Return the buckets of edit distance, length and, if the corpus has it, group."""
    cuts = (
        cut_numbers(DISTANCE, distance, where=where),
        cut_numbers(LENGTH, pair_lengths(corpus.source, corpus.hypothesis), where=where),
    )
    return cuts if corpus.group is None else (*cuts, cut_column("group", corpus.group, where=where))


def closeness_cuts(scores: Sequence[ScoreColumn]) -> tuple[CutColumn, ...]:
    """Return the buckets of the scores that compare sentence vectors, such as SBERT's cosine.

    They replace clusters of the vectors, which explain no more errors: `tests/benchmarks/error_vectors.py`.
    """
    infos = [(score, catalogue.info(score.name)) for score in scores]
    return tuple(cut_numbers(score.name, score.values) for score, info in infos if info and info.family == "embedding")


#: The earlier name, which other packages may import.
Material = AnalysisMaterial
