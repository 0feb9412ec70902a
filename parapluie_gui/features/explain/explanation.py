"""The explanation of a score: Shapley values of a pair's edits, and the variants that have to be scored for them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.features.explain import shapley
from parapluie_gui.metrics.changes.edits import Edit, Edits
from parapluie_gui.pairs.column import TextColumn
from parapluie_gui.pairs.corpus import Corpus


def pairs_to_score(pairs: Sequence[tuple[str, str]]) -> Corpus:
    """Return a nameless corpus of (source, hypothesis) pairs."""
    sources, hypotheses = ([pair[side] for pair in pairs] for side in (0, 1))
    return Corpus("", [str(number) for number in range(len(pairs))], sources, hypotheses)


@dataclass(frozen=True)
class Explanation:
    """A score attributed to the edits of a pair.

    Attributes:
        edits: (k,) The edits between source and hypothesis.
        score, same: The scores of the pair, and of the source with itself. The values sum to their difference.
        values, errors: (k,) The Shapley value of each edit, and its standard error (0 if exact). Variants need not be
            grammatical, so a value is the effect of an edit on the score, not a judgement of its meaning.
        exact: Whether every subset of the edits was scored.
        evaluations: The number of variants scored.
        flip: The smallest known set of edits that changes the verdict when undone; None if the score has no threshold,
            or if every scored variant has the same verdict.
        fewest: Whether no smaller set can do so, because all variants with fewer edits undone were scored. Always true
            up to six edits.
        turning: The edits that each change the verdict when undone alone.
        interaction: The two edits with the strongest interaction; None if not exact.
        variants: The score of every variant, by the subset of edits done (see `Edits.variant`).
        is_paraphrase: The verdict on the pair; None if the score has no threshold or no value.
    """

    edits: tuple[Edit, ...]
    score: float
    same: float
    values: tuple[float, ...]
    errors: tuple[float, ...]
    exact: bool
    evaluations: int
    flip: tuple[int, ...] | None
    fewest: bool
    turning: tuple[int, ...]
    interaction: shapley.EditInteraction | None
    variants: Mapping[int, float]
    is_paraphrase: bool | None = None

    @property
    def margins(self) -> tuple[float, ...]:
        """Half the width of each value's 95 % interval; 0 if exact."""
        return tuple(shapley.MARGIN * error for error in self.errors)


class ExplanationPlan:
    """The variants to score for an explanation of a pair. The same pair always has the same plan.

    Attributes:
        source: The source of every variant.
        subsets: (n,) The subset of edits that is done in each variant.
        variants: (n,) The variants of the hypothesis.
    """

    def __init__(self, source: str, hypothesis: str) -> None:
        self.source = source
        self._edits = Edits(source, hypothesis)
        self._orders = shapley.orders_for(len(self._edits), crc32(f"{source}\0{hypothesis}".encode()))
        self.subsets = shapley.subsets_for(len(self._edits), self._orders)
        self.variants = tuple(self._edits.variant(done) for done in self.subsets)

    def corpus(self) -> Corpus:
        """Return the variants as a corpus of n pairs with the source."""
        return pairs_to_score([(self.source, variant) for variant in self.variants])

    def batches(self) -> tuple[list[int], list[int]]:
        """Return the indices of the variants to score first, with at most one edit done, and then the others."""
        first = [number for number, done in enumerate(self.subsets) if done.bit_count() < 2]
        return first, [number for number, done in enumerate(self.subsets) if done.bit_count() >= 2]

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits between source and hypothesis."""
        return self._edits.edits

    def variant_without(self, undone: Collection[int], scores: Sequence[float]) -> tuple[str, float | None]:
        """Return the hypothesis with some edits undone, and its score (None if it is not one of the variants)."""
        done = self._edits.all
        for edit in undone:
            done &= ~(1 << edit)
        score = scores[self.subsets.index(done)] if done in self.subsets else None
        return self._edits.variant(done), score

    def explain(
        self, scores: Sequence[float], threshold: float | None = None, higher_is_closer: bool = True
    ) -> Explanation:
        """Return the explanation of a score.

        Args:
            scores: (n,) The scores of the variants; NaN where a score is missing.
            threshold: The lowest score of a paraphrase (for distances, the highest); None leaves verdicts out.
            higher_is_closer: False for distances.
        """
        count = len(self._edits)
        value = dict(zip(self.subsets, map(float, scores), strict=True))
        attribution = shapley.shapley_values(count, value, self._orders)
        flip, fewest, turning, verdict = None, False, list[int](), None
        if threshold is not None:
            is_paraphrase = {
                done: score >= threshold if higher_is_closer else score <= threshold
                for done, score in value.items()
                if score == score
            }
            all_done = self._edits.all
            verdict = is_paraphrase.get(all_done)
            undone = shapley.smallest_flip(count, value, is_paraphrase) if all_done in is_paraphrase else None
            if undone is not None:
                flip = tuple(edit for edit in range(count) if undone >> edit & 1)
                fewest = shapley.is_fewest(count, undone, is_paraphrase)
                alone = ((edit, all_done ^ 1 << edit) for edit in range(count))
                turning = [edit for edit, subset in alone if is_paraphrase.get(subset, verdict) != verdict]
        return Explanation(
            edits=self.edits,
            score=value[self._edits.all],
            same=value[0],
            values=tuple(map(float, attribution.values)),
            errors=tuple(map(float, attribution.errors)),
            exact=not self._orders,
            evaluations=len(value),
            flip=flip,
            fewest=fewest,
            turning=tuple(turning),
            interaction=shapley.strongest_interaction(count, value),
            variants=value,
            is_paraphrase=verdict,
        )


@dataclass(frozen=True)
class KindEffect:
    """The effect of all edits of one kind of change.

    Attributes:
        kind: The id of the kind of change.
        edits: The number of edits.
        mean: The mean of their values.
        strongest: The number of pairs in which such an edit has the largest absolute value.
        flips: The number of pairs in which undoing one such edit changes the verdict. A pair with edits of several
            kinds that do so counts for each of these kinds.
    """

    kind: str
    edits: int
    mean: float
    strongest: int
    flips: int


def effects_by_kind(explanations: Iterable[tuple[Explanation, Sequence[str]]]) -> tuple[KindEffect, ...]:
    """Return the effect of each kind of change over pairs, sorted by the number of pairs in which it is strongest.

    Args:
        explanations: The explanation of each pair, and the ids of its edits' kinds. A pair with a missing value is
            left out.
    """
    values: dict[str, list[float]] = {}
    strongest: dict[str, int] = {}
    flips: dict[str, int] = {}
    for explanation, kinds in explanations:
        if not kinds or any(value != value for value in explanation.values):
            continue
        for kind, value in zip(kinds, explanation.values, strict=True):
            values.setdefault(kind, []).append(value)
        first = kinds[max(range(len(kinds)), key=lambda edit: abs(explanation.values[edit]))]
        strongest[first] = strongest.get(first, 0) + 1
        for kind in {kinds[edit] for edit in explanation.turning}:
            flips[kind] = flips.get(kind, 0) + 1
    rows = (
        KindEffect(kind, len(numbers), sum(numbers) / len(numbers), strongest.get(kind, 0), flips.get(kind, 0))
        for kind, numbers in values.items()
    )
    return tuple(sorted(rows, key=lambda row: (-row.strongest, -row.edits, row.kind)))


class ExplanationVariants:
    """The variants to score for explanations of all pairs of a corpus, without duplicates.

    Attributes:
        plans: (n,) The plan of each pair.
        corpus: The distinct variants as pairs, each with the reference of its original pair.
    """

    def __init__(self, pairs: Corpus) -> None:
        self.plans = tuple(ExplanationPlan(*texts) for texts in zip(pairs.source, pairs.hypothesis, strict=True))
        columns = [pairs.texts(name) or () for name in pairs.reference_columns]
        references = list(zip(*columns, strict=True)) or [()] * len(pairs)
        rows: dict[tuple[str, str, tuple[str | None, ...]], int] = {}
        self._rows = [
            [rows.setdefault((plan.source, variant, texts), len(rows)) for variant in plan.variants]
            for plan, texts in zip(self.plans, references, strict=True)
        ]
        further = dict(zip(pairs.reference_columns, zip(*(texts for _, _, texts in rows), strict=True), strict=False))
        self.corpus = Corpus(
            name=pairs.name,
            id=[str(number) for number in range(len(rows))],
            source=[source for source, _, _ in rows],
            hypothesis=[variant for _, variant, _ in rows],
            reference=further.pop("reference", None),
            extra={name: TextColumn(texts) for name, texts in further.items()},
        )

    def explanations(self, scores: ScoreColumn, threshold: float | None = None) -> Iterator[Explanation]:
        """Yield the explanation of a score for each pair.

        Args:
            scores: The scores of `corpus`.
            threshold: The threshold to use instead of the natural one.
        """
        limit = scores.threshold if threshold is None else threshold
        for plan, rows in zip(self.plans, self._rows, strict=True):
            yield plan.explain(scores.values[rows].tolist(), limit, scores.higher_is_closer)
