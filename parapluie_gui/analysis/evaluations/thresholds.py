"""Accuracy at the best, the natural and the chosen threshold, and the confusion matrix (ParaPLUIE, table 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.base import LABELS, PAIRS, SCORES, Analysis, Block, Run
from parapluie_gui.analysis.evaluations.rows import study_of
from parapluie_gui.analysis.kept_threshold import KeptThreshold
from parapluie_gui.analysis.link import Link, PairsLink, ThresholdLink
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.options import part, score
from parapluie_gui.analysis.score_column import Tick, selected
from parapluie_gui.analysis.statistics.decision import Decision
from parapluie_gui.analysis.study import CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Cell, Table, number, percent, slim
from parapluie_gui.analysis.threshold import Outcome, counts, outcome
from parapluie_gui.arrays import Mask
from parapluie_gui.options import choice

Studies = tuple[CorpusStudy, ...]

#: The thresholds, and what they are called.
_KINDS = {"best": "best accuracy", "best_f1": "best F1", "natural": "natural", "chosen": "chosen"}

#: The columns of the table that count an outcome.
_COUNTS = {
    "TP": Outcome.TRUE_POSITIVE,
    "FP": Outcome.FALSE_POSITIVE,
    "FN": Outcome.FALSE_NEGATIVE,
    "TN": Outcome.TRUE_NEGATIVE,
}
#: The confusion matrix: rows are what is true, columns what the score says.
_CELLS = {
    (0, 1): Outcome.TRUE_POSITIVE,
    (0, 2): Outcome.FALSE_NEGATIVE,
    (1, 1): Outcome.FALSE_POSITIVE,
    (1, 2): Outcome.TRUE_NEGATIVE,
}
_WORDS = {
    Outcome.TRUE_POSITIVE: "True positives",
    Outcome.FALSE_POSITIVE: "False positives",
    Outcome.FALSE_NEGATIVE: "False negatives",
    Outcome.TRUE_NEGATIVE: "True negatives",
}


@dataclass(frozen=True)
class ThresholdsOptions:
    """Of what the confusion matrix is."""

    score: str = score("&Score", "the score of the confusion matrix", only_shown=True, flag="--confusion")
    at: str = choice(
        "&Matrix at",
        {"": "usual threshold", **{kind: f"{words} threshold" for kind, words in _KINDS.items()}},
        "the threshold of the confusion matrix (default: the chosen one, the natural one, or the best)",
        only_shown=True,
    )
    part: str = part(only_shown=True)


class Thresholds(Analysis[ThresholdsOptions, Studies]):
    """A count clicked selects its pairs, a row moves the decision line."""

    name = "thresholds"
    title = "Thresholds"
    group = "Scores"
    about = "Accuracy, F1, recall and precision at each threshold, and the confusion matrix (ParaPLUIE, table 3)"
    needs = (SCORES, PAIRS, LABELS)
    options = ThresholdsOptions
    follows_threshold = True

    def compute(self, material: Material, options: ThresholdsOptions, tick: Tick) -> Studies:
        return material.all_studies(tick)

    def finding(self, run: Run[ThresholdsOptions, Studies]) -> str:
        corpus = study_of(run.result, run.options.part)
        found = [(each.thresholds.best, each) for each in corpus.scores.values() if each.thresholds.best.counts.counted]
        if not found:
            return ""
        best, each = max(found, key=lambda one: one[0].accuracy)
        right = f"{each.score_column.title} is right most often: on {percent(best.accuracy, best.counts.counted)} of "
        right += f"{best.counts.counted:,} pairs at its best threshold ({number(best.threshold)})"
        natural = each.thresholds.natural
        if natural is not None:
            right += f", on {percent(natural.accuracy, natural.counts.counted)} at its natural one"
        return f"{right}. The commoner label alone: {percent(_majority(corpus), corpus.pairs)}."

    def blocks(self, run: Run[ThresholdsOptions, Studies]) -> Sequence[Block]:
        return slim(thresholds_table(run.material, run.result)), confusion_table(run)


def thresholds_table(material: Material, studies: Studies) -> Table:
    """Return accuracy, F1, recall, precision and counts at each threshold (table 3)."""
    rows: list[tuple[Cell, ...]] = []
    places: list[tuple[str, str, Decision]] = []
    for corpus in studies:
        for name, each in corpus.scores.items():
            named = {_KINDS[kind]: decision for kind, decision in decisions(each).items()}
            for kind, decision in (named | _kept_decisions(material, corpus.name, name)).items():
                if decision.counts.counted:
                    rows.append((corpus.name, material.title(name), kind, *_cells(decision)))
                    places.append((corpus.name, name, decision))
    header = ("corpus", "score", "threshold", "at", "accuracy", "F1", "recall", "precision", "TP", "FP", "FN", "TN")
    majority = "; ".join(f"{each.name} {share:.3f}" for each in studies if (share := _majority(each)))

    origins = " ".join(f"{_called(each)} of {material.title(each.score)}: {each.origin}." for each in material.kept)

    def link(row: int, column: int) -> Link:
        corpus, name, decision = places[row]
        if header[column] in _COUNTS:
            return _pairs(material, corpus, name, decision.threshold, _COUNTS[header[column]])
        return ThresholdLink(name, decision.threshold)

    return Table(
        "thresholds",
        "Accuracy at the best threshold and at the natural one",
        header,
        tuple(rows),
        " ".join(
            filter(None, [f"Accuracy of always saying the commoner label: {majority}." * bool(majority), origins])
        ),
        link=link,
        bars=("accuracy", "F1", "recall", "precision"),
    )


def _called(kept: KeptThreshold) -> str:
    return f"“{kept.name}”"


def _kept_decisions(material: Material, part: str, name: str) -> dict[str, Decision]:
    """Return what the kept thresholds of a score get right on a corpus, by what they are called."""
    score, where, found = material.score_column(name), material.parts[part], {}
    for each in material.kept:
        if each.score == name:
            right = counts(score.values[where], material.labels[where], each.threshold, score.higher_is_closer)
            found[_called(each)] = Decision(each.threshold, right)
    return found


def confusion_table(run: Run[ThresholdsOptions, Studies]) -> Table:
    """Return the confusion matrix of what is chosen."""
    material, corpus = run.material, study_of(run.result, run.options.part)
    name = run.options.score
    found = decisions(corpus.scores[name])
    usual = next(kind for kind in ("chosen", "natural", "best") if kind in found)
    decision = found.get(run.options.at, found[usual])
    counts = decision.counts

    def link(row: int, column: int) -> Link | None:
        if (row, column) not in _CELLS:
            return None
        return _pairs(material, corpus.name, name, decision.threshold, _CELLS[row, column])

    return Table(
        "confusion",
        f"{material.title(name)} at {number(decision.threshold)} on {corpus.name}",
        ("label", "judged a paraphrase", "judged not a paraphrase", "right"),
        (
            ("paraphrase", counts.tp, counts.fn, decision.recall),
            ("not a paraphrase", counts.fp, counts.tn, counts.tn / max(counts.fp + counts.tn, 1)),
        ),
        "Click a count to select its pairs.",
        scores=(name,),
        link=link,
    )


def decisions(study: ScoreStudy) -> dict[str, Decision]:
    """Return a score's decisions by the key of their threshold."""
    found = study.thresholds
    kinds = {"best": found.best, "best_f1": found.best_f1, "natural": found.natural, "chosen": found.given}
    return {kind: decision for kind, decision in kinds.items() if decision is not None}


def _pairs(material: Material, part: str, name: str, threshold: float, which: Outcome) -> PairsLink:
    where, score = material.parts[part], material.score_column(name)

    def mask(now: Material) -> Mask:
        values = now.score_column(name).values if name in now.names else score.values
        codes = outcome(selected(values, where), now.labels, threshold, score.higher_is_closer)
        return np.asarray(codes == which)

    return PairsLink(f"{_WORDS[which]} of {score.title} at {number(threshold)}", mask)


def _cells(found: Decision) -> tuple[Cell, ...]:
    shares = (found.accuracy, found.f1, found.recall, found.precision)
    return (found.threshold, *shares, found.counts.tp, found.counts.fp, found.counts.fn, found.counts.tn)


def _majority(corpus: CorpusStudy) -> float:
    labelled = corpus.paraphrases + corpus.negatives
    return max(corpus.paraphrases, corpus.negatives) / labelled if labelled else 0.0
