"""Accuracy on the mixed balanced dataset: equally many pairs of each label from each corpus (ParaPLUIE, table 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan

from parapluie_gui.analysis.base import LABELS, PAIRS, SCORES, Analysis, Block, Remark, Run
from parapluie_gui.analysis.figure import BarBlock, BarList, SignedBar
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.table import Cell, Table, number
from parapluie_gui.features.papers.mixed_balanced import (
    DRAWS,
    PER_LABEL,
    BalancedDecision,
    MixedBalanced,
    evaluate_balanced,
)
from parapluie_gui.options import integer


@dataclass(frozen=True)
class BalancedOptions:
    """Number of pairs per draw, number of draws, and their seed."""

    per_label: int = integer(
        "&Pairs per label and corpus",
        1,
        100_000,
        PER_LABEL,
        "pairs of each label drawn from each corpus",
        flag="--balanced",
    )
    times: int = integer("&Draws", 1, 10_000, DRAWS, "how often they are drawn")
    seed: int = integer("&Seed", 0, 2**31 - 1, 0, "seed of the draws", flag="--balanced-seed")


class BalancedDraws(Analysis[BalancedOptions, MixedBalanced]):
    """Column MBD of the ParaPLUIE paper's table 3."""

    name = "balanced"
    title = "Balanced draws"
    group = "Errors"
    about = "Accuracy on equally many pairs of each label from each corpus (ParaPLUIE, table 3, column MBD)"
    needs = (SCORES, PAIRS, LABELS)
    options = BalancedOptions
    in_analyse = False
    as_on_page = True

    def usual(self, material: Material) -> Sequence[BalancedOptions]:
        return [BalancedOptions()] if len(material.parts) > 1 else []

    def trial(self, options: BalancedOptions) -> BalancedOptions:
        return replace(options, times=1)

    def compute(self, material: Material, options: BalancedOptions, tick: Tick) -> MixedBalanced:
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
        best = max(run.result.scores, key=lambda score: score.best.accuracy.value)
        accuracy = best.best.accuracy
        words = f"{best.title} is right most often: on {number(100 * accuracy.value, 1)} %"
        between = "" if isnan(accuracy.low) else f" [{number(100 * accuracy.low, 1)}, {number(100 * accuracy.high, 1)}]"
        return f"{words}{between} of balanced pairs, each at its best threshold."

    def blocks(self, run: Run[BalancedOptions, MixedBalanced]) -> Sequence[Block]:
        alone = (
            "There is only one corpus. Add others to it (File, Add corpus to this one…) to draw from each, as the "
            "paper does."
        )
        note = Remark(alone if len(run.material.parts) == 1 else "")
        return balanced_figure(run.result), note, balanced_table(run.result)


def balanced_figure(dataset: MixedBalanced) -> BarList:
    """Return each score's accuracy at its best threshold as a bar, the best score first."""
    scores = sorted(dataset.scores, key=lambda score: -score.best.accuracy.value)

    def bar(title: str, best: BalancedDecision, natural: BalancedDecision | None) -> SignedBar:
        between = f"{number(100 * best.accuracy.low, 1)} to {number(100 * best.accuracy.high, 1)}"
        plain = "–" if natural is None else number(100 * natural.accuracy.value, 1)
        cells = (between, number(best.threshold.value), plain)
        return SignedBar(title, (100 * best.accuracy.value,), cells=cells)

    title = "Accuracy on balanced pairs"
    bars = tuple(bar(score.title, score.best, score.natural) for score in scores)
    heads = ("95 % interval", "best threshold", "% at the natural one")
    key = ("% right at the best threshold", "paraphrase")
    note = "Guessing is right on half of the pairs."
    return BarList("balanced", title, (BarBlock(", ".join(dataset.corpora), bars),), (key,), heads, note=note)


def balanced_table(dataset: MixedBalanced) -> Table:
    """Return each score's accuracy at the best threshold and at its natural one."""

    def row(title: str, kind: str, decision: BalancedDecision) -> tuple[Cell, ...]:
        return title, kind, decision.threshold, decision.accuracy, decision.f1, decision.recall, decision.precision

    rows = []
    for score in dataset.scores:
        rows.append(row(score.title, "best accuracy", score.best))
        if score.natural is not None:
            rows.append(row(score.title, "natural", score.natural))
    return Table(
        "balanced",
        f"Mixed balanced dataset of {', '.join(dataset.corpora)}, means with 95 % confidence",
        ("score", "threshold", "at", "accuracy", "F1", "recall", "precision"),
        tuple(rows),
        f"{dataset.per_label} pairs per label from each corpus, {dataset.draws} draws, seed {dataset.seed}.",
        bars=("accuracy", "F1", "recall", "precision"),
    )
