"""Dependence of each score on edit distance within each class (ParaPLUIE, table 4 and figure 2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from parapluie_gui.analysis.base import PAIRS, SCORES, Analysis, AnalysisRemark, AnalysisRequirement, Block, Run
from parapluie_gui.analysis.evaluations.rows import COLOURS, KINDS, score_rows
from parapluie_gui.analysis.figure import Chart, ScatterPoints
from parapluie_gui.analysis.finding import (
    FindingCandidate,
    compose_finding,
    count_pairs,
    estimate_words,
    find_standing_out,
    name_some,
)
from parapluie_gui.analysis.link import AxesLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import ScoreColumn, Tick, describe_constant
from parapluie_gui.analysis.statistics.significance import correlation_p
from parapluie_gui.analysis.study import DISTANCE, CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Cell, Table, slim

#: Maximum number of points of a scatter plot: more would make the file larger without changing the picture.
_POINTS = 2_500

_SCORE_TO_COMPARE = AnalysisRequirement(
    lambda material: material.names != [DISTANCE],
    "Edit distance is the only score chosen. Score the pairs with another metric or a template.",
    "setup.metrics.open",
)

Studies = tuple[CorpusStudy, ...]


@dataclass(frozen=True)
class IndependenceOptions:
    """No options: *Independent of edit distance?* is always computed in the same way."""


class IndependenceAnalysis(Analysis[IndependenceOptions, Studies]):
    """Shows ParaPLUIE's table 4; clicking a row plots its score against edit distance in the scatter plot."""

    name = "independence"
    title = "Independent of edit distance?"
    group = "Scores"
    about = "Correlation of each score with edit distance within each class (ParaPLUIE, table 4)"
    needs = (SCORES, PAIRS, _SCORE_TO_COMPARE)
    options = IndependenceOptions

    def compute(self, material: AnalysisMaterial, options: IndependenceOptions, tick: Tick) -> Studies:
        return material.all_studies(tick, related=True)

    def finding(self, run: Run[IndependenceOptions, Studies]) -> str:
        studies = [study for study in run.result[-1].scores.values() if study.independence is not None]
        candidates = [_describe_dependence(study) for study in studies]
        if not candidates:
            return ""
        by_class = any(corpus.paraphrases or corpus.negatives for corpus in run.result)
        nothing = f"no score clearly depends on edit distance{' within a class' * by_class}"
        standing = find_standing_out(candidates)
        others = [candidate.title for candidate in candidates if candidate not in standing]
        unclear = f" No clear dependence: {name_some(others)}." if standing and others else ""
        return compose_finding(candidates, nothing) + unclear

    def blocks(self, run: Run[IndependenceOptions, Studies]) -> Sequence[Block]:
        material, studies = run.material, run.result
        return (
            slim(independence_table(material, studies)),
            AnalysisRemark(
                "A value near 0 means that the score does not merely count edits. Click a row to see the score against "
                "edit distance in "
                "the scatter; its grid shows all scores in this way (the paper's figure 2)."
            ),
            *(scatter(material, score) for score in material.score_columns if score.name != DISTANCE),
        )


def _describe_dependence(study: ScoreStudy) -> FindingCandidate:
    """Return the candidate for a score's correlation with edit distance, in the class where that is strongest."""
    independence = study.independence
    assert independence is not None
    classes = {"paraphrases": independence.paraphrase, "pairs that are not paraphrases": independence.other}
    tested = {name: correlation for name, correlation in classes.items() if not isnan(correlation.spearman.value)} or {
        "pairs": independence.all
    }
    p_values = {
        name: correlation_p(correlation.spearman.value, correlation.pairs) for name, correlation in tested.items()
    }
    name = max(tested, key=lambda name: abs(tested[name].spearman.value))
    strongest = tested[name]
    known = [p for p in p_values.values() if not isnan(p)]
    among = count_pairs(strongest.pairs) if name == "pairs" else f"{strongest.pairs:,} {name}"
    return FindingCandidate(
        study.score_column.title,
        f"depends on edit distance: Spearman {estimate_words(strongest.spearman)} over {among}",
        abs(strongest.spearman.value),
        min(1.0, len(known) * min(known)) if known else nan,
    )


def independence_table(material: AnalysisMaterial, studies: Studies) -> Table:
    """Return a table of the correlations with edit distance within each class or, without labels, over all pairs."""
    kinds = ("Pearson", "Spearman", "Kendall")
    if any(corpus.paraphrases or corpus.negatives for corpus in studies):
        title = "Correlation with edit distance among paraphrases and among other pairs"
        parts: tuple[str, ...] = ("paraphrases", "not paraphrases")
    else:
        title = "Correlation with edit distance"
        parts = ("all",)

    def cells(study: ScoreStudy) -> Iterable[Cell] | None:
        independence = study.independence
        if independence is None:
            return None
        by_part = {
            "paraphrases": independence.paraphrase,
            "not paraphrases": independence.other,
            "all": independence.all,
        }
        return [getattr(by_part[part], kind.lower()) for kind in kinds for part in parts]

    rows, names = score_rows(studies, material, cells)
    intervals = any(
        study.independence is not None and not isnan(study.independence.paraphrase.spearman.low)
        for corpus in studies
        for study in corpus.scores.values()
    )
    notes = "In brackets: 95 % bootstrap intervals." if intervals else "", describe_constant(material.score_columns)
    return Table(
        "independence",
        title,
        ("corpus", "score", *(f"{kind} {part}" for kind in kinds for part in parts)),
        rows,
        " ".join(filter(None, notes)),
        link=lambda row, column: AxesLink(names[row], DISTANCE),
    )


def scatter(material: AnalysisMaterial, score: ScoreColumn) -> Chart:
    """Return a scatter plot of a score against edit distance, with up to `_POINTS` points."""
    rows = np.flatnonzero(list(material.parts.values())[-1])
    sample_note = ""
    if len(rows) > _POINTS:
        rows = np.sort(np.random.default_rng(0).choice(rows, _POINTS, replace=False))
        sample_note = f", {_POINTS:,} pairs drawn at random"
    distance, labels, values = material.studies.distance(material)[rows], material.labels[rows], score.values[rows]
    bounds = None if score.bounds is None else score.bounds[rows]
    kinds = ((-1, (labels != 1) & (labels != 0)), (0, labels == 0), (1, labels == 1))
    marks = tuple(
        ScatterPoints(
            *(KINDS[label], distance[chosen], values[chosen], COLOURS[label]),
            bounds=None if bounds is None else bounds[chosen],
        )
        for label, chosen in kinds
        if chosen.any()
    )
    arrows = "" if bounds is None or not bounds.any() else ", arrows where a score is at least or at most that"
    return Chart(
        f"scatter-{score.name}",
        f"{score.title} against edit distance{sample_note}{arrows}",
        marks,
        "edit distance",
        score.title,
        rules=() if score.threshold is None else (("y", score.threshold),),
        wide=False,
        scores=(score.name,),
    )
