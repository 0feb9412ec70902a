"""Lists for other programs: every threshold of every score, and every pair with the verdicts of all scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.base import PAIRS, SCORES, Analysis, Block, Run
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.statistics.disagreement import disagreement, split_verdicts
from parapluie_gui.analysis.study import CorpusStudy
from parapluie_gui.analysis.table import Cell, Table
from parapluie_gui.pairs.corpus import UNLABELLED

Studies = tuple[CorpusStudy, ...]

#: Maximum number of thresholds listed for a curve.
_MOST = 10_000


@dataclass(frozen=True)
class ListingOptions:
    """No options: a listing is always the same."""


class _ListingAnalysis(Analysis[ListingOptions, Studies]):
    group = "Scores"
    needs = (SCORES, PAIRS)
    options = ListingOptions
    in_window = False
    in_report = False
    in_analyse = False

    def compute(self, material: AnalysisMaterial, options: ListingOptions, tick: Tick) -> Studies:
        return material.all_studies(tick)


class EveryThreshold(_ListingAnalysis):
    """The full threshold curves, for drawing them in other programs."""

    name = "every-threshold"
    title = "Every threshold"
    about = "Every score as threshold (ParaPLUIE, figures 3 to 14)"

    def blocks(self, run: Run[ListingOptions, Studies]) -> Sequence[Block]:
        names = ("threshold", "rank", "tp", "fp", "accuracy", "f1", "recall", "precision", "false_positive_rate")
        rows: list[tuple[Cell, ...]] = []
        for corpus in run.result:
            for name, study in corpus.scores.items():
                curve = study.curve.thin(_MOST)
                columns = [getattr(curve, key).tolist() for key in names]
                rows += [(corpus.name, run.material.title(name), *cells) for cells in zip(*columns, strict=True)]
        header = ("corpus", "score", *(name.replace("_", " ") for name in names))
        return [Table("sweep", "Every score as threshold", header, tuple(rows))]


class PairList(_ListingAnalysis):
    """The pairs with all verdicts, for reading them in other programs."""

    name = "pairs"
    title = "Pairs"
    about = "The pairs with the verdict of each score, starting with those on which the scores disagree most"

    def blocks(self, run: Run[ListingOptions, Studies]) -> Sequence[Block]:
        material, scores = run.material, run.material.score_columns
        # The last part is the union of all corpora.
        thresholds = [study.thresholds.usual.threshold for study in run.result[-1].scores.values()]
        spread, split = disagreement(scores), split_verdicts(scores, thresholds)
        verdicts = [score.predicted_positive(threshold) for score, threshold in zip(scores, thresholds, strict=True)]
        order = np.argsort(-np.nan_to_num(spread, nan=-1.0), kind="stable").tolist()
        rows = tuple(
            (
                material.corpus.id[row],
                int(material.labels[row]) if material.labels[row] != UNLABELLED else None,
                float(spread[row]),
                float(split[row]),
                *(
                    None if np.isnan(score.values[row]) else int(verdict[row])
                    for score, verdict in zip(scores, verdicts, strict=True)
                ),
            )
            for row in order
        )
        title = "The pairs, starting with those on which the scores disagree most"
        verdict_columns = (f"{score.name} verdict" for score in scores)
        return [Table("pairs", title, ("id", "label", "disagreement", "split verdicts", *verdict_columns), rows)]
