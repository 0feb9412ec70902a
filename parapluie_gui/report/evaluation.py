"""The tables of an evaluation: what the Analysis tab shows, and what `parapluie analyse` prints and writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isnan

from parapluie_gui.analysis.evaluations.shared import SHARED, SHARED_NOTE, shared_cells
from parapluie_gui.analysis.statistics.decision import Decision
from parapluie_gui.analysis.statistics.shared_errors import templates_or_all
from parapluie_gui.analysis.study import CorpusStudy, Match, ScoreStudy
from parapluie_gui.analysis.table import Cell, Table

Studies = Sequence[CorpusStudy]


def evaluation_grids(studies: Studies, titles: Callable[[str], str] = str) -> list[Table]:
    """Return every table that has rows, in the order of the ParaPLUIE paper; `titles` gives the title of a score."""
    basic = distribution_grid, threshold_grid, curve_grid, calibration_grid
    related = independence_grid, human_grid, comparison_grid, shared_grid, bucket_grid
    grids = (make(studies, titles) for make in (*basic, *related))
    return [grid for grid in grids if len(grid)]


def distribution_grid(studies: Studies, titles: Callable[[str], str] = str) -> Table:
    """Return mean and standard deviation per label (table 1)."""

    def row(each: ScoreStudy) -> Iterable[Cell]:
        found, parts = each.distribution, each.distribution.summary
        return parts.all.scored, parts.paraphrase, parts.other, parts.all, found.overlap, found.distance

    return Table(
        "distributions",
        "Scores of paraphrases and of other pairs, mean and standard deviation",
        ("corpus", "score", "pairs", "paraphrases", "not paraphrases", "all", "overlap", "KS"),
        _rows(studies, titles, row),
        "Overlap: area the two histograms share. KS: Kolmogorov-Smirnov distance.",
    )


def threshold_grid(studies: Studies, titles: Callable[[str], str] = str) -> Table:
    """Return accuracy, F1, recall, precision and counts at each threshold (table 3)."""
    rows: list[tuple[Cell, ...]] = []
    for corpus in studies:
        for name, each in corpus.scores.items():
            found = each.thresholds
            kinds = ("best accuracy", "best F1", "natural", "given")
            decisions = (found.best, found.best_f1, found.natural, found.given)
            rows += [
                (corpus.name, titles(name), kind, *_decision(decision))
                for kind, decision in zip(kinds, decisions, strict=True)
                if decision is not None and decision.counts.counted
            ]
    majority = "; ".join(f"{each.name} {_majority(each):.3f}" for each in studies if _majority(each))
    return Table(
        "thresholds",
        "Accuracy at the best threshold and at the natural one",
        ("corpus", "score", "threshold", "at", "accuracy", "F1", "recall", "precision", "TP", "FP", "FN", "TN"),
        tuple(rows),
        f"Accuracy of always saying the commoner label: {majority}." if majority else "",
    )


def curve_grid(studies: Studies, titles: Callable[[str], str] = str) -> Table:
    """Return the areas under the curves and the equal error rate."""

    def row(each: ScoreStudy) -> Iterable[Cell] | None:
        error = each.equal_error
        if not each.sweep.positives or not each.sweep.negatives:
            return None
        return each.roc.auc, each.precision_recall.average_precision, error.rate, error.threshold

    return Table(
        "curves",
        "Area under the ROC curve, average precision and equal error rate",
        ("corpus", "score", "AUC", "AP", "EER", "EER at"),
        _rows(studies, titles, row),
    )


def calibration_grid(studies: Studies, titles: Callable[[str], str] = str) -> Table:
    """Return how well p(yes) fits."""

    def row(each: ScoreStudy) -> Iterable[Cell] | None:
        found = each.calibration
        return None if found is None or not found.pairs else (found.ece, found.mce, found.brier, found.pairs)

    return Table(
        "calibration",
        "Calibration of p(yes) / (p(yes) + p(no))",
        ("corpus", "score", "ECE", "MCE", "Brier", "pairs"),
        _rows(studies, titles, row),
        "ECE, MCE: mean and greatest gap of probability and share of paraphrases in ten bins.",
    )


def independence_grid(studies: Studies, titles: Callable[[str], str] = str) -> Table:
    """Return the correlations with edit distance inside each class (table 4), or over all pairs without labels."""
    kinds = ("Pearson", "Spearman", "Kendall")
    if any(corpus.paraphrases or corpus.negatives for corpus in studies):
        title = "Correlation with edit distance among paraphrases and among other pairs"
        parts: tuple[str, ...] = ("paraphrases", "not paraphrases")
    else:
        title = "Correlation with edit distance"
        parts = ("all",)

    def row(each: ScoreStudy) -> Iterable[Cell] | None:
        found = each.independence
        if found is None:
            return None
        by_part = {"paraphrases": found.paraphrase, "not paraphrases": found.other, "all": found.all}
        return [getattr(by_part[part], kind.lower()) for kind in kinds for part in parts]

    return Table(
        "independence",
        title,
        ("corpus", "score", *(f"{kind} {part}" for kind in kinds for part in parts)),
        _rows(studies, titles, row),
        "In brackets: 95 % bootstrap intervals." if _has_intervals(studies) else "",
    )


def human_grid(studies: Studies, titles: Callable[[str], str] = str) -> Table:
    """Return the correlations with human scores."""

    def row(each: ScoreStudy) -> Iterable[Cell] | None:
        found = each.human
        return None if found is None else (found.pearson, found.spearman, found.kendall, found.pairs)

    return Table(
        "human",
        "Correlation with human scores",
        ("corpus", "score", "Pearson", "Spearman", "Kendall", "pairs"),
        _rows(studies, titles, row),
    )


def comparison_grid(studies: Studies, titles: Callable[[str], str] = str) -> Table:
    """Return every two scores compared."""
    rows = [
        (corpus.name, titles(match.first), titles(match.second), *_match(match))
        for corpus in studies
        for match in corpus.matches
        if match.comparison.pairs or match.comparison.human
    ]
    return Table(
        "comparison",
        "Scores compared, each at its natural threshold, or its best if it has none",
        (
            *("corpus", "first", "second", "accuracy 1", "accuracy 2", "difference", "bootstrap p"),
            *("McNemar p", "exact p", "kappa", "human r difference", "human p"),
        ),
        tuple(rows),
        _least_p(studies),
    )


def shared_grid(studies: Studies, titles: Callable[[str], str] = str) -> Table:
    """Return what all templates get wrong, and what at least one gets right (PARAPHRASUS, section 6.3)."""
    found = [each for each in studies if each.shared is not None and each.shared.pairs]
    judged = ", ".join(titles(name) for name in templates_or_all(studies[0].scores)) if studies else ""
    return Table(
        "shared-errors",
        f"Wrong together: {judged}",
        ("corpus", *SHARED),
        tuple((each.name, *shared_cells(each.shared)) for each in found),
        SHARED_NOTE,
    )


def bucket_grid(studies: Studies, titles: Callable[[str], str] = str) -> Table:
    """Return accuracy by bucket."""
    rows: list[tuple[Cell, ...]] = [
        (
            *(corpus.name, titles(name), column, bucket.name, bucket.pairs),
            *(bucket.decision.accuracy, *bucket.interval, bucket.decision.f1, bucket.auc, bucket.summary.mean),
        )
        for corpus in studies
        for name, each in corpus.scores.items()
        for column, buckets in each.buckets.items()
        for bucket in buckets
        if bucket.pairs
    ]
    return Table(
        "buckets",
        "Accuracy by bucket, at the natural threshold, or the best if there is none",
        ("corpus", "score", "column", "bucket", "pairs", "accuracy", "low", "high", "F1", "AUC", "mean"),
        tuple(rows),
        "Low, high: Wilson's 95 % interval of accuracy.",
    )


def sweep_grid(studies: Studies, titles: Callable[[str], str] = str) -> Table:
    """Return every threshold of every score (figures 3 to 14); of longer curves, 10,000 of them at even ranks."""
    names = ("threshold", "rank", "tp", "fp", "accuracy", "f1", "recall", "precision", "false_positive_rate")
    rows: list[tuple[Cell, ...]] = []
    for corpus in studies:
        for name, each in corpus.scores.items():
            curve = each.sweep.thin(10_000)
            columns = [getattr(curve, key).tolist() for key in names]
            rows += [(corpus.name, titles(name), *cells) for cells in zip(*columns, strict=True)]
    return Table(
        "sweep",
        "Every score as threshold",
        ("corpus", "score", *(name.replace("_", " ") for name in names)),
        tuple(rows),
    )


def _rows(
    studies: Studies, titles: Callable[[str], str], make: Callable[[ScoreStudy], Iterable[Cell] | None]
) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        (corpus.name, titles(name), *cells)
        for corpus in studies
        for name, each in corpus.scores.items()
        if (cells := make(each)) is not None
    )


def _decision(found: Decision) -> tuple[Cell, ...]:
    shares = (found.accuracy, found.f1, found.recall, found.precision)
    return (found.threshold, *shares, found.counts.tp, found.counts.fp, found.counts.fn, found.counts.tn)


def _match(match: Match) -> tuple[Cell, ...]:
    found = match.comparison
    return (
        *(found.first_accuracy, found.second_accuracy, found.difference, found.p_value),
        *((found.mcnemar.p_value, found.mcnemar.exact) if found.pairs else (None, None)),
        found.kappa,
        *((found.pearson, found.pearson_p_value) if found.human else (None, None)),
    )


def _majority(corpus: CorpusStudy) -> float:
    labelled = corpus.paraphrases + corpus.negatives
    return max(corpus.paraphrases, corpus.negatives) / labelled if labelled else 0.0


def _least_p(studies: Studies) -> str:
    """Return what the smallest p of resampling means, where one is as small as so few resamples can give."""
    found = [match.comparison for corpus in studies for match in corpus.matches]
    for each in found:
        if each.draws and any(p <= each.least_p for p in (each.p_value, each.pearson_p_value)):  # never of NaN
            return f"bootstrap p, human p: {each.least_p:.2g} is the least that {each.draws:,} resamples can give."
    return ""


def _has_intervals(studies: Studies) -> bool:
    return any(
        each.independence is not None and not isnan(each.independence.paraphrase.spearman.low)
        for corpus in studies
        for each in corpus.scores.values()
    )
