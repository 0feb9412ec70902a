"""Accuracy at the best, the natural and the chosen threshold, and the confusion matrix (ParaPLUIE, table 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.base import LABELS, PAIRS, SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.claims import (
    CONSTANT,
    accuracy_claims,
    describe_different_pairs,
    majority_sentence,
)
from parapluie_gui.analysis.evaluations.rows import study_of
from parapluie_gui.analysis.finding import compose_finding, find_standing_out
from parapluie_gui.analysis.kept_threshold import KeptThreshold
from parapluie_gui.analysis.link import Link, PairsLink, ThresholdLink
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.one_sided import describe_one_sided
from parapluie_gui.analysis.options import part, score
from parapluie_gui.analysis.score_column import Tick, keep_selected
from parapluie_gui.analysis.statistics.decision import ThresholdDecision
from parapluie_gui.analysis.study import CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Cell, Table, number, slim
from parapluie_gui.analysis.threshold import Outcome, counts, outcome
from parapluie_gui.arrays import Mask
from parapluie_gui.options import choice

Studies = tuple[CorpusStudy, ...]

#: The thresholds and their names.
_KINDS = {"best": "best accuracy", "best_f1": "best F1", "natural": "natural", "chosen": "chosen"}

#: The columns of the table that count outcomes.
_COUNTS = {
    "TP": Outcome.TRUE_POSITIVE,
    "FP": Outcome.FALSE_POSITIVE,
    "FN": Outcome.FALSE_NEGATIVE,
    "TN": Outcome.TRUE_NEGATIVE,
}
#: The cells of the confusion matrix: rows are labels, columns are verdicts.
_CELLS = {
    (0, 1): Outcome.TRUE_POSITIVE,
    (0, 2): Outcome.FALSE_NEGATIVE,
    (1, 1): Outcome.FALSE_POSITIVE,
    (1, 2): Outcome.TRUE_NEGATIVE,
}
#: Why a best threshold may be right less often than one answer to all pairs.
_LIMITED = (
    "Answering no to all pairs is right more often than even a best threshold here: a best threshold is one of the "
    "scores, as in ParaPLUIE's paper, so at least one pair is judged a paraphrase."
)
_WORDS = {
    Outcome.TRUE_POSITIVE: "True positives",
    Outcome.FALSE_POSITIVE: "False positives",
    Outcome.FALSE_NEGATIVE: "False negatives",
    Outcome.TRUE_NEGATIVE: "True negatives",
}


@dataclass(frozen=True)
class ThresholdsOptions:
    """Options of *Thresholds*: the score, threshold and pairs of the confusion matrix."""

    score: str = score("&Score", "the score whose confusion matrix is shown", only_shown=True, flag="--confusion")
    at: str = choice(
        "&Matrix at",
        {"": "usual threshold", **{kind: f"{words} threshold" for kind, words in _KINDS.items()}},
        "the threshold of the confusion matrix (default: the chosen one, the natural one, or the best)",
        only_shown=True,
    )
    part: str = part(only_shown=True)


class ThresholdAnalysis(Analysis[ThresholdsOptions, Studies]):
    """Shows the accuracy of each score at several thresholds.

    Clicking a count selects its pairs; clicking a row moves the decision line.
    """

    name = "thresholds"
    title = "Thresholds"
    group = "Scores"
    about = "Accuracy, F1, recall and precision at each threshold, and the confusion matrix (ParaPLUIE, table 3)"
    needs = (SCORES, PAIRS, LABELS)
    options = ThresholdsOptions
    follows_threshold = True

    def compute(self, material: AnalysisMaterial, options: ThresholdsOptions, tick: Tick) -> Studies:
        return material.all_studies(tick)

    def finding(self, run: Run[ThresholdsOptions, Studies]) -> str:
        material, where = run.material, run.material.parts[run.options.part]
        candidates, differs, nothing = accuracy_claims(material, where)
        if not candidates:
            return ""
        sentence = compose_finding(candidates, nothing, "more often", differs)
        if find_standing_out(candidates):
            sentence += f" {majority_sentence(material, where)}"
        one_sided = describe_one_sided(material.score_columns, material.labels, where)
        return f"{sentence} {one_sided}".strip()

    def blocks(self, run: Run[ThresholdsOptions, Studies]) -> Sequence[Block]:
        return slim(thresholds_table(run.material, run.result)), confusion_table(run)


def thresholds_table(material: AnalysisMaterial, studies: Studies) -> Table:
    """Return a table of accuracy, F1, recall, precision and counts at each threshold (ParaPLUIE, table 3)."""
    rows: list[tuple[Cell, ...]] = []
    places: list[tuple[str, str, ThresholdDecision]] = []
    for corpus in studies:
        for name, study in corpus.scores.items():
            named = {_KINDS[kind]: decision for kind, decision in decisions(study).items()}
            for kind, decision in (named | _kept_decisions(material, corpus.name, name)).items():
                if decision.counts.counted:
                    rows.append((corpus.name, material.title(name), kind, *_cells(decision)))
                    places.append((corpus.name, name, decision))
    header = (
        "corpus",
        "score",
        "threshold",
        "at",
        "pairs",
        "accuracy",
        CONSTANT,
        "F1",
        "recall",
        "precision",
        "TP",
        "FP",
        "FN",
        "TN",
    )
    majority = "; ".join(f"{study.name} {share:.3f}" for study in studies if (share := _majority(study)))

    origins = " ".join(
        f"{_quote_name(kept_threshold)} of {material.title(kept_threshold.score)}: {kept_threshold.origin}."
        for kept_threshold in material.kept
    )

    one_sided = describe_one_sided(material.score_columns, material.labels, material.where)
    below = any(
        (best := decisions(study).get("best")) is not None and best.accuracy < best.counts.constant
        for corpus in studies
        for study in corpus.scores.values()
    )

    def link(row: int, column: int) -> Link:
        corpus, name, decision = places[row]
        if header[column] in _COUNTS:
            return _pairs(material, corpus, name, decision.threshold, _COUNTS[header[column]])
        return ThresholdLink(name, decision.threshold)

    return Table(
        "thresholds",
        "Accuracy at the best and at the natural threshold",
        header,
        tuple(rows),
        " ".join(
            filter(
                None,
                [
                    f"Accuracy of always answering the more common label: {majority}." * bool(majority),
                    _LIMITED * below,
                    describe_different_pairs((name, decision.counts.counted) for name, _, decision in places),
                    one_sided,
                    origins,
                ],
            )
        ),
        link=link,
        bars=("accuracy", "F1", "recall", "precision"),
    )


def _quote_name(kept_threshold: KeptThreshold) -> str:
    return f"“{kept_threshold.name}”"


def _kept_decisions(material: AnalysisMaterial, part: str, name: str) -> dict[str, ThresholdDecision]:
    """Return the decisions of a score at its kept thresholds on a corpus, by their quoted names."""
    score, where, by_name = material.score_column(name), material.parts[part], {}
    for kept_threshold in material.kept:
        if kept_threshold.score == name:
            confusion = counts(
                score.values[where], material.labels[where], kept_threshold.threshold, score.higher_is_closer
            )
            by_name[_quote_name(kept_threshold)] = ThresholdDecision(kept_threshold.threshold, confusion)
    return by_name


def confusion_table(run: Run[ThresholdsOptions, Studies]) -> Table:
    """Return the confusion matrix of the chosen score at the chosen threshold."""
    material, corpus = run.material, study_of(run.result, run.options.part)
    name = run.options.score
    by_key = decisions(corpus.scores[name])
    usual = next(kind for kind in ("chosen", "natural", "best") if kind in by_key)
    decision = by_key.get(run.options.at, by_key[usual])
    counts = decision.counts
    negatives = counts.fp + counts.tn

    def link(row: int, column: int) -> Link | None:
        if (row, column) not in _CELLS:
            return None
        return _pairs(material, corpus.name, name, decision.threshold, _CELLS[row, column])

    return Table(
        "confusion",
        f"{material.title(name)} at {number(decision.threshold)} on {corpus.name}",
        ("label", "judged a paraphrase", "judged not a paraphrase", "right"),
        (
            ("paraphrase", counts.tp, counts.fn, decision.recall if counts.tp + counts.fn else None),
            ("not a paraphrase", counts.fp, counts.tn, counts.tn / negatives if negatives else None),
        ),
        "Click a count to select its pairs.",
        scores=(name,),
        link=link,
    )


def decisions(study: ScoreStudy) -> dict[str, ThresholdDecision]:
    """Return a score's decisions by the keys of `_KINDS`, leaving out those without a threshold.

    A chosen threshold that is the natural one is left out too.
    """
    thresholds = study.thresholds
    natural, chosen = thresholds.natural, thresholds.given
    if chosen is not None and natural is not None and chosen.threshold == natural.threshold:
        chosen = None
    kinds = {"best": thresholds.best, "best_f1": thresholds.best_f1, "natural": natural, "chosen": chosen}
    if study.score_column.holds_verdicts:
        kinds |= {"best": None, "best_f1": None}
    return {kind: decision for kind, decision in kinds.items() if decision is not None}


def _pairs(material: AnalysisMaterial, part: str, name: str, threshold: float, which: Outcome) -> PairsLink:
    where, score = material.parts[part], material.score_column(name)

    def mask(now: AnalysisMaterial) -> Mask:
        values = now.score_column(name).values if name in now.names else score.values
        codes = outcome(keep_selected(values, where), now.labels, threshold, score.higher_is_closer)
        return np.asarray(codes == which)

    return PairsLink(f"{_WORDS[which]} of {score.title} at {number(threshold)}", mask)


def _cells(decision: ThresholdDecision) -> tuple[Cell, ...]:
    shares = (decision.accuracy, decision.counts.constant, decision.f1, decision.recall, decision.precision)
    return (
        decision.threshold,
        decision.counts.counted,
        *shares,
        decision.counts.tp,
        decision.counts.fp,
        decision.counts.fn,
        decision.counts.tn,
    )


def _majority(corpus: CorpusStudy) -> float:
    labelled = corpus.paraphrases + corpus.negatives
    return max(corpus.paraphrases, corpus.negatives) / labelled if labelled else 0.0
