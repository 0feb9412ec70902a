"""Mean and standard deviation of each score per label, and histograms of both classes (ParaPLUIE, table 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from parapluie_gui.analysis.base import Analysis, Block, Run
from parapluie_gui.analysis.evaluations.claims import order_claims
from parapluie_gui.analysis.evaluations.rows import COLOURS, KINDS, score_rows, study_of
from parapluie_gui.analysis.figure import Chart, HistogramBars
from parapluie_gui.analysis.finding import compose_finding, count_pairs
from parapluie_gui.analysis.link import AxesLink, PairsLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.options import part
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.analysis.statistics.distribution import Distribution, bin_mask
from parapluie_gui.analysis.study import CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Cell, Table, number, percent, slim
from parapluie_gui.arrays import Mask, Rows

Studies = tuple[CorpusStudy, ...]


@dataclass(frozen=True)
class DistributionsOptions:
    """Options of *Distributions*: the corpus of the histograms."""

    part: str = part("Histograms &of", only_shown=True)


class DistributionAnalysis(Analysis[DistributionsOptions, Studies]):
    """Shows the mean and spread of each score per label and a histogram for each; clicking a bar selects its pairs."""

    name = "distributions"
    title = "Distributions"
    group = "Scores"
    about = "Mean and standard deviation of each score per label, and histograms (ParaPLUIE, table 1)"
    options = DistributionsOptions

    def compute(self, material: AnalysisMaterial, options: DistributionsOptions, tick: Tick) -> Studies:
        return material.all_studies(tick)

    def finding(self, run: Run[DistributionsOptions, Studies]) -> str:
        shown = study_of(run.result, run.options.part)
        overlaps = shown.numbers(lambda study: study.distribution.overlap)
        if not overlaps:
            return ""

        def describe(title: str, estimate: Estimate, pairs: int) -> str:
            share = percent(overlaps[title], pairs)
            return f"keeps paraphrases and other pairs apart: their histograms share {share} of {count_pairs(pairs)}"

        strengths = {title: -overlap for title, overlap in overlaps.items()}
        candidates, differs, turned = order_claims(run.material, run.material.parts[shown.name], describe, strengths)
        nothing = "no score clearly keeps paraphrases and other pairs apart"
        return f"{compose_finding(candidates, nothing, 'further', differs)} {turned}".strip()

    def blocks(self, run: Run[DistributionsOptions, Studies]) -> Sequence[Block]:
        shown = study_of(run.result, run.options.part)
        return (
            slim(distributions_table(run.material, run.result)),
            *(score_histogram(run.material, shown.name, study) for study in shown.scores.values()),
        )


def distributions_table(material: AnalysisMaterial, studies: Studies) -> Table:
    """Return a table of the mean and standard deviation of each score per label (ParaPLUIE, table 1)."""

    def cells(study: ScoreStudy) -> Iterable[Cell]:
        distribution, summary = study.distribution, study.distribution.summary
        return (
            summary.all.scored,
            summary.paraphrase,
            summary.other,
            summary.all,
            distribution.overlap,
            distribution.distance,
        )

    rows, names = score_rows(studies, material, cells)
    return Table(
        "distributions",
        "Scores of paraphrases and of other pairs, mean and standard deviation",
        ("corpus", "score", "pairs", "paraphrases", "not paraphrases", "all", "overlap", "KS"),
        rows,
        "Overlap: area that the two histograms share. KS: Kolmogorov-Smirnov distance.",
        link=lambda row, column: AxesLink(names[row]),
        bars=("overlap", "KS"),
    )


def score_histogram(material: AnalysisMaterial, corpus: str, study: ScoreStudy) -> Chart:
    """Return the histograms of both classes of a score as one chart."""
    score, distribution = study.score_column, study.distribution
    overlap = "" if np.isnan(distribution.overlap) else f" · overlap {number(distribution.overlap, 2)}"

    def mask(label: int, point: int, now: AnalysisMaterial) -> Mask:
        # More scores may have arrived since the analysis.
        values = now.score_column(score.name).values if score.name in now.names else score.values
        chosen = now.labels == label if label >= 0 else (now.labels != 1) & (now.labels != 0)
        return np.asarray(bin_mask(values, distribution.edges, point, where=material.parts[corpus]) & chosen)

    return histogram(
        f"distribution-{score.name}", score.title + overlap, score.title, distribution, mask, (score.name,)
    )


def histogram(
    name: str,
    title: str,
    measure: str,
    distribution: Distribution,
    mask: Callable[[int, int, AnalysisMaterial], Mask],
    scores: tuple[str, ...] | None = None,
    *,
    all_kinds: bool = False,
) -> Chart:
    """Return a distribution as a bar chart of both classes.

    `measure` is the title of the values; `mask(label, bin, material)` returns the pairs of a bar, (n,). With
    `all_kinds`, unlabelled pairs are shown too.
    """
    marks = []
    for label, counts in classes(distribution, all_kinds=all_kinds):

        def tip(point: int, label: int = label, counts: Rows = counts) -> str:
            low, high = number(distribution.edges[point]), number(distribution.edges[point + 1])
            return f"{measure}: {KINDS[label]} from {low} to {high}\n{counts[point]:,} pairs. Click to select them"

        def link(point: int, label: int = label) -> PairsLink:
            low, high = number(distribution.edges[point]), number(distribution.edges[point + 1])
            return PairsLink(f"{KINDS[label]} with {measure} from {low} to {high}", partial(mask, label, point))

        shares = counts / max(counts.sum(), 1)
        marks.append(HistogramBars(KINDS[label], distribution.edges, shares, COLOURS[label], tip, link))
    return Chart(name, title, tuple(marks), measure, "share of class", wide=False, scores=scores)


def classes(distribution: Distribution, *, all_kinds: bool = False) -> list[tuple[int, Rows]]:
    """Return the labels to draw, each with its counts per bin, (b,); unlabelled pairs only with `all_kinds`.

    Many unlabelled pairs would hide the classes. Without labels, all pairs are drawn as unlabelled.
    """
    labels = [(-1, distribution.unlabelled), (0, distribution.other), (1, distribution.paraphrase)]
    return [(label, counts) for label, counts in labels if (all_kinds or label >= 0) and counts.any()] or labels[:1]
