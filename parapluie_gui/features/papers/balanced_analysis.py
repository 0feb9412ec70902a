"""Accuracy on the mixed balanced dataset: equally many pairs of each label from each corpus (ParaPLUIE, table 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan

import numpy as np

from parapluie_gui.analysis.base import LABELS, PAIRS, SCORES, Analysis, AnalysisRemark, Block, Run
from parapluie_gui.analysis.evaluations.claims import order_claims
from parapluie_gui.analysis.figure import BarBlock, BarList, SignedBar
from parapluie_gui.analysis.finding import compose_finding
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.features.papers.mixed_balanced import (
    DRAWS,
    PER_LABEL,
    BalancedDecision,
    BalancedScore,
    MixedBalanced,
    evaluate_balanced,
)
from parapluie_gui.options import integer


@dataclass(frozen=True)
class BalancedOptions:
    """Options of the analysis: number of pairs per draw, number of draws, and their seed."""

    per_label: int = integer(
        "&Pairs per label and corpus",
        1,
        100_000,
        PER_LABEL,
        "pairs of each label drawn from each corpus",
        flag="--balanced",
    )
    times: int = integer("&Draws", 1, 10_000, DRAWS, "number of draws")
    seed: int = integer("&Seed", 0, 2**31 - 1, 0, "seed of the draws", flag="--balanced-seed")


class BalancedDraws(Analysis[BalancedOptions, MixedBalanced]):
    """Shows the column MBD of the ParaPLUIE paper's table 3."""

    name = "balanced"
    title = "Balanced draws"
    group = "Errors"
    about = "Accuracy on the same number of pairs of each label from each corpus (ParaPLUIE, table 3, column MBD)"
    needs = (SCORES, PAIRS, LABELS)
    options = BalancedOptions
    in_analyse = False
    as_on_page = True

    def usual(self, material: AnalysisMaterial) -> Sequence[BalancedOptions]:
        return [BalancedOptions()] if len(material.parts) > 1 else []

    def trial(self, options: BalancedOptions) -> BalancedOptions:
        return replace(options, times=1)

    def compute(self, material: AnalysisMaterial, options: BalancedOptions, tick: Tick) -> MixedBalanced:
        return evaluate_balanced(
            material.score_columns,
            material.labels,
            material.parts,
            per_label=options.per_label,
            draws=options.times,
            seed=options.seed,
            tick=tick,
        )

    def finding(self, run: Run[BalancedOptions, MixedBalanced]) -> str:
        if not run.result.scores:
            return ""
        material, scores = run.material, {score.title: score for score in run.result.scores}
        usable = np.all([~np.isnan(column.values) for column in material.score_columns], axis=0)
        parts = [mask for name, mask in material.parts.items() if name in run.result.corpora]

        def describe(title: str, estimate: Estimate, pairs: int) -> str:
            return f"is right on {_describe_accuracy(scores[title])}"

        strengths = {title: _honest(score) for title, score in scores.items()}
        where = np.any(parts, axis=0) & usable
        candidates, differs, turned = order_claims(material, where, describe, strengths)
        nothing = "no score is clearly right more often than chance on balanced pairs"
        return f"{compose_finding(candidates, nothing, 'more often', differs)} {turned}".strip()

    def blocks(self, run: Run[BalancedOptions, MixedBalanced]) -> Sequence[Block]:
        alone = (
            "There is only one corpus. Add others (File, Add corpus to this one…) to draw from each, as the paper does."
        )
        note = AnalysisRemark(alone if len(run.material.parts) == 1 else "")
        return balanced_figure(run.result), note, balanced_table(run.result)


def _honest(score: BalancedScore) -> float:
    """Return the accuracy at a threshold learnt on other pairs; if there are none, on the same pairs."""
    if score.natural is not None:
        return score.natural.accuracy.value
    return score.best.accuracy.value if isnan(score.tried.value) else score.tried.value


def _describe_accuracy(score: BalancedScore) -> str:
    """Return the accuracy of a score on balanced pairs, and how its threshold was chosen."""
    paper = f"{number(100 * score.best.accuracy.value, 1)} %"
    chance = f"{number(100 * score.chance.value, 1)} % with shuffled labels"
    if score.natural is not None:
        natural = f"{number(100 * score.natural.accuracy.value, 1)} % of balanced pairs at its natural threshold"
        return f"{natural} (on {paper} at the best threshold of each draw, {chance})"
    if isnan(score.tried.value):
        return f"{paper} of balanced pairs at the best threshold of each draw, learnt on these pairs ({chance})"
    tried = f"{number(100 * score.tried.value, 1)} % of balanced pairs at thresholds learnt on another draw"
    return f"{tried} (on {paper} at the best threshold of each draw, {chance})"


def balanced_figure(dataset: MixedBalanced) -> BarList:
    """Return a bar chart of each score's accuracy at its best threshold, the best score first."""
    scores = sorted(dataset.scores, key=lambda score: -score.best.accuracy.value)

    def bar(score: BalancedScore) -> SignedBar:
        best, natural = score.best, score.natural
        plain = "–" if natural is None else number(100 * natural.accuracy.value, 1)
        cells = (number(100 * score.tried.value, 1), plain, number(100 * score.chance.value, 1))
        return SignedBar(score.title, (100 * best.accuracy.value,), cells=cells)

    title = "Accuracy on balanced pairs"
    bars = tuple(map(bar, scores))
    heads = ("% with another draw's threshold", "% at the natural one", "% with shuffled labels")
    key = ("% right at the best threshold of each draw (the paper's)", "paraphrase")
    note = (
        "The paper chooses the best threshold on the same pairs, so even with shuffled labels more than half of "
        "the verdicts are right."
    )
    return BarList("balanced", title, (BarBlock(", ".join(dataset.corpora), bars),), (key,), heads, note=note)


def balanced_table(dataset: MixedBalanced) -> Table:
    """Return a table of each score's accuracy at the best threshold and at its natural one."""

    def row(title: str, kind: str, decision: BalancedDecision) -> tuple[Cell, ...]:
        return title, kind, decision.threshold, decision.accuracy, decision.f1, decision.recall, decision.precision

    def accuracy(title: str, kind: str, value: Estimate) -> tuple[Cell, ...]:
        return title, kind, None, value, None, None, None

    rows = []
    for score in dataset.scores:
        rows.append(row(score.title, "best accuracy", score.best))
        if score.natural is not None:
            rows.append(row(score.title, "natural", score.natural))
        rows.append(accuracy(score.title, "best of another draw", score.tried))
        rows.append(accuracy(score.title, "best, labels shuffled", score.chance))
    return Table(
        "balanced",
        f"Mixed balanced dataset of {', '.join(dataset.corpora)}, means of the draws",
        ("score", "threshold", "at", "accuracy", "F1", "recall", "precision"),
        tuple(rows),
        f"{dataset.per_label} pairs per label from each corpus, {dataset.draws} draws, seed {dataset.seed}. Best "
        "accuracy: at the best threshold of each draw, the paper's number. In brackets: the 95 % interval of the mean "
        "of these draws (the paper's), which narrows as their number grows; it says nothing about the score on other "
        "pairs.",
        bars=("accuracy", "F1", "recall", "precision"),
    )
