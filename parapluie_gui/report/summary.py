"""How a report begins: in a few lines, how many pairs there are and which score tells paraphrases apart best."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan

from parapluie_gui.analysis.study import CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Cell, Table, number


def summary_lines(whole: CorpusStudy, titles: Callable[[str], str]) -> list[str]:
    """Return sentences on a corpus, or on all of them pooled."""
    unlabelled = whole.pairs - whole.paraphrases - whole.negatives
    counts = [f"{whole.paraphrases:,} paraphrases", f"{whole.negatives:,} not"]
    counts += [f"{unlabelled:,} without a label"] if unlabelled else []
    lines = [f"{whole.pairs:,} pairs: {', '.join(counts)}." if unlabelled < whole.pairs else f"{whole.pairs:,} pairs."]
    ranked = _ranked(whole)
    if len(ranked) > 1:
        best, last = ranked[0], ranked[-1]
        lines.append(
            f"Of {len(ranked)} scores, {titles(best.score_column.name)} tells paraphrases from other pairs best (area "
            f"under the ROC curve {number(best.roc.auc)}), {titles(last.score_column.name)} worst "
            f"({number(last.roc.auc)}). Whether two scores differ by more than chance is in the table of comparisons."
        )
    return lines


def summary_grid(whole: CorpusStudy, titles: Callable[[str], str]) -> Table:
    """Return one line for each score, the best first; without rows where there are no labels."""
    rows: list[tuple[Cell, ...]] = []
    for each in _ranked(whole):
        best, natural = each.thresholds.best, each.thresholds.natural
        own = (None, None) if natural is None else (natural.accuracy, natural.threshold)
        name, pairs = titles(each.score_column.name), each.distribution.summary.all.scored
        rows.append((name, pairs, each.roc.auc, *own, best.accuracy, best.threshold))
    return Table(
        "summary",
        f"Scores on {whole.name}, by the area under the ROC curve",
        ("score", "pairs", "AUC", "accuracy", "at its threshold", "best accuracy", "at"),
        tuple(rows),
        "The best accuracy is that of a threshold chosen on these pairs, and so too high for others.",
    )


def _ranked(whole: CorpusStudy) -> list[ScoreStudy]:
    """Return the scores that have both classes, the largest area first."""
    found = [each for each in whole.scores.values() if not isnan(each.roc.auc)]
    return sorted(found, key=lambda each: -each.roc.auc)
