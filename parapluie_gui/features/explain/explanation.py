"""What decided one score of one pair."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.features.explain import shapley
from parapluie_gui.metrics.changes.edits import Edit, Edits
from parapluie_gui.pairs.corpus import Corpus


def pairs_to_score(pairs: Sequence[tuple[str, str]]) -> Corpus:
    """Return pairs of a source and a hypothesis as a corpus without a name."""
    sources, hypotheses = ([pair[side] for pair in pairs] for side in (0, 1))
    return Corpus("", [str(number) for number in range(len(pairs))], sources, hypotheses)


@dataclass(frozen=True)
class Explanation:
    """A score, edit by edit.

    Attributes:
        edits: (k,) The edits between source and hypothesis.
        score: Of the pair; `same`: of the source with itself. The edits' values sum to their difference.
        values, errors: (k,) What each edit did, and its standard error (0 if exact). Variants need not be grammatical,
            so a value says what the edit does to the score, not what it means.
        exact: Whether every subset of the edits was scored.
        evaluations: How many variants were scored.
        flip: Which edits to leave undone, as few as were found, for the other verdict; None if the score has no
            threshold, or if no variant that was scored has the other verdict.
        fewest: Whether no fewer edits can do that: all variants without fewer were scored. Always so up to six edits.
        turning: The edits of which each one, left undone alone, gives the other verdict.
        interaction: The two edits that depend on one another most; None if not exact.
        variants: The score of every variant, by the subset of edits done (see `Edits.variant`).
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
    interaction: shapley.Interaction | None
    variants: Mapping[int, float]

    @property
    def margins(self) -> tuple[float, ...]:
        """Half the widths of the values' 95 % intervals; 0 if exact."""
        return tuple(shapley.MARGIN * error for error in self.errors)


class ExplanationPlan:
    """The variants of a pair that have to be scored, and what their scores say. The same pair has the same plan.

    Attributes:
        source: What every variant is scored with.
        subsets: (n,) The subsets of edits that are done in the variants.
        variants: (n,) The variants, each to stand in the place of the hypothesis.
    """

    def __init__(self, source: str, hypothesis: str) -> None:
        self.source = source
        self._edits = Edits(source, hypothesis)
        self._orders = shapley.orders_for(len(self._edits), crc32(f"{source}\0{hypothesis}".encode()))
        self.subsets = shapley.subsets_for(len(self._edits), self._orders)
        self.variants = tuple(self._edits.variant(done) for done in self.subsets)

    def corpus(self) -> Corpus:
        """Return the variants as pairs to be scored."""
        return pairs_to_score([(self.source, variant) for variant in self.variants])

    def turns(self) -> tuple[list[int], list[int]]:
        """Return which variants to score first, those that tell what each edit does alone, and the others."""
        first = [number for number, done in enumerate(self.subsets) if done.bit_count() < 2]
        return first, [number for number, done in enumerate(self.subsets) if done.bit_count() >= 2]

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits between the two sentences."""
        return self._edits.edits

    def variant_without(self, undone: Collection[int], scores: Sequence[float]) -> tuple[str, float | None]:
        """Return the hypothesis with some edits undone, and its score, None where it is not among the variants."""
        done = self._edits.all
        for edit in undone:
            done &= ~(1 << edit)
        score = scores[self.subsets.index(done)] if done in self.subsets else None
        return self._edits.variant(done), score

    def explain(
        self, scores: Sequence[float], threshold: float | None = None, higher_is_closer: bool = True
    ) -> Explanation:
        """Return what decided a score.

        Args:
            scores: (n,) The scores of the variants; NaN where there is none.
            threshold: Where paraphrases begin, or for distances end; without it nothing is said of verdicts.
            higher_is_closer: False for distances.
        """
        count = len(self._edits)
        value = dict(zip(self.subsets, map(float, scores), strict=True))
        found = shapley.effects(count, value, self._orders)
        flip, fewest, turning = None, False, list[int]()
        if threshold is not None:
            closer = {
                done: score >= threshold if higher_is_closer else score <= threshold
                for done, score in value.items()
                if score == score
            }
            whole = self._edits.all
            undone = shapley.smallest_flip(count, value, closer) if whole in closer else None
            if undone is not None:
                flip = tuple(edit for edit in range(count) if undone >> edit & 1)
                fewest = shapley.is_fewest(count, undone, closer)
                alone = ((edit, whole ^ 1 << edit) for edit in range(count))
                turning = [edit for edit, rest in alone if closer.get(rest, closer[whole]) != closer[whole]]
        return Explanation(
            edits=self.edits,
            score=value[self._edits.all],
            same=value[0],
            values=tuple(map(float, found.values)),
            errors=tuple(map(float, found.errors)),
            exact=not self._orders,
            evaluations=len(value),
            flip=flip,
            fewest=fewest,
            turning=tuple(turning),
            interaction=shapley.strongest_interaction(count, value),
            variants=value,
        )


@dataclass(frozen=True)
class Blame:
    """What the edits of one kind did.

    Attributes:
        kind: The id of the kind of change.
        edits: Their number.
        mean: The mean of their values.
        strongest: In how many pairs such an edit did most.
        flips: In how many pairs there is such an edit without which alone the verdict is another one; a pair in which
            edits of several kinds do that counts in each of them.
    """

    kind: str
    edits: int
    mean: float
    strongest: int
    flips: int


def blame(explained: Iterable[tuple[Explanation, Sequence[str]]]) -> tuple[Blame, ...]:
    """Return what each kind of change did over pairs, those that did most in most pairs first.

    Args:
        explained: What decided each pair, and the ids of its edits' kinds. Pairs with a value that is missing are
            left out.
    """
    values: dict[str, list[float]] = {}
    strongest: dict[str, int] = {}
    flips: dict[str, int] = {}
    for found, kinds in explained:
        if not kinds or any(value != value for value in found.values):
            continue
        for kind, value in zip(kinds, found.values, strict=True):
            values.setdefault(kind, []).append(value)
        first = kinds[max(range(len(kinds)), key=lambda edit: abs(found.values[edit]))]
        strongest[first] = strongest.get(first, 0) + 1
        for kind in {kinds[edit] for edit in found.turning}:
            flips[kind] = flips.get(kind, 0) + 1
    rows = (
        Blame(kind, len(each), sum(each) / len(each), strongest.get(kind, 0), flips.get(kind, 0))
        for kind, each in values.items()
    )
    return tuple(sorted(rows, key=lambda row: (-row.strongest, -row.edits, row.kind)))


class Variants:
    """What has to be scored so that the pairs of a corpus can be explained; each text beside each source once.

    Attributes:
        plans: (n,) The plan of each pair.
        corpus: The variants as pairs, each with the reference of the pair that it was made of.
    """

    def __init__(self, pairs: Corpus) -> None:
        self.plans = tuple(ExplanationPlan(*texts) for texts in zip(pairs.source, pairs.hypothesis, strict=True))
        references = [None] * len(pairs) if pairs.reference is None else pairs.reference
        rows: dict[tuple[str, str, str | None], int] = {}
        self._rows = [
            [rows.setdefault((plan.source, variant, reference), len(rows)) for variant in plan.variants]
            for plan, reference in zip(self.plans, references, strict=True)
        ]
        self.corpus = Corpus(
            name=pairs.name,
            id=[str(number) for number in range(len(rows))],
            source=[source for source, _, _ in rows],
            hypothesis=[variant for _, variant, _ in rows],
            reference=None if pairs.reference is None else [reference for _, _, reference in rows],
        )

    def explanations(self, scores: ScoreColumn, threshold: float | None = None) -> Iterator[Explanation]:
        """Yield what decided a score, pair by pair.

        Args:
            scores: The scores of `corpus`.
            threshold: Instead of the natural one.
        """
        at = scores.threshold if threshold is None else threshold
        for plan, rows in zip(self.plans, self._rows, strict=True):
            yield plan.explain(scores.values[rows].tolist(), at, scores.higher_is_closer)
