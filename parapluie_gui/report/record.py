"""Every number of an evaluation under stable names: the JSON of `parapluie analyse --json`, listed in the manual."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

from parapluie_gui import __version__
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.statistics.comparison import RankedPairs
from parapluie_gui.analysis.statistics.curves import Sweep
from parapluie_gui.analysis.statistics.decision import Decision
from parapluie_gui.analysis.study import CorpusStudy, Match, ScoreStudy
from parapluie_gui.scores.signature import Signature

#: Grows when a name changes its meaning or goes; new names leave it as it is.
FORMAT = 1

#: Thresholds of a curve that are written; all of them are in the CSV files of --out.
POINTS = 500

#: Flips and movers that are written of every two scores.
LISTED = 20


def record(
    studies: Sequence[CorpusStudy],
    ids: Sequence[str],
    *,
    draws: int,
    seed: int,
    signatures: Mapping[str, Signature],
) -> dict[str, object]:
    """Return an evaluation as dicts, lists, numbers, texts and None (where a number is not defined).

    `draws` and `seed` are those of the resamples, `signatures` what the scores were computed with.
    """
    score_columns = {name: each.score_column for corpus in studies for name, each in corpus.scores.items()}
    return {
        "format": FORMAT,
        "written_by": f"ParaPLUIE Inspector {__version__}",
        "draws": draws,
        "seed": seed,
        "scores": {
            name: {
                "title": each.title,
                "higher_is_closer": each.higher_is_closer,
                "natural_threshold": each.threshold,
                "signature": dict(signatures[name].fields) if name in signatures else None,
            }
            for name, each in score_columns.items()
        },
        "corpora": {corpus.name: _corpus(corpus, ids) for corpus in studies},
    }


def _corpus(corpus: CorpusStudy, ids: Sequence[str]) -> dict[str, object]:
    return {
        "pairs": corpus.pairs,
        "paraphrases": corpus.paraphrases,
        "others": corpus.negatives,
        "scores": {name: _score(each) for name, each in corpus.scores.items()},
        "comparisons": [_match(match, ids) for match in corpus.matches],
        "shared_errors": plain(corpus.shared),
    }


def _score(each: ScoreStudy) -> dict[str, object]:
    found = each.thresholds
    return {
        "distribution": plain(each.distribution),
        "thresholds": {
            "best": _decision(found.best),
            "best_f1": _decision(found.best_f1),
            "natural": _decision(found.natural),
            "given": _decision(found.given),
            "majority": plain(found.majority),
        },
        "auc": plain(each.roc.auc),
        "average_precision": plain(each.precision_recall.average_precision),
        "equal_error": plain(each.equal_error),
        "sweep": _sweep(each.sweep),
        "calibration": plain(each.calibration),
        "independence": plain(each.independence),
        "human": plain(each.human),
        "buckets": {
            column: [
                {
                    **{name: plain(getattr(bucket, name)) for name in ("name", "low", "high", "pairs")},
                    **(_decision(bucket.decision) or {}),
                    **{name: plain(getattr(bucket, name)) for name in ("interval", "auc", "pearson", "summary")},
                }
                for bucket in buckets
            ]
            for column, buckets in each.buckets.items()
        },
    }


def _decision(found: Decision | None) -> dict[str, object] | None:
    if found is None:
        return None
    names = ("accuracy", "f1", "recall", "precision", "balanced_accuracy")
    counts = {field.name: getattr(found.counts, field.name) for field in fields(found.counts)}
    return {"threshold": plain(found.threshold), **{name: plain(getattr(found, name)) for name in names}, **counts}


def _sweep(curve: Sweep) -> object:
    thin = curve.thin(POINTS)
    names = ("threshold", "rank", "tp", "fp", "accuracy", "f1", "recall", "precision", "false_positive_rate")
    return {"distinct": len(curve), **{name: plain(getattr(thin, name)) for name in names}}


def _match(match: Match, ids: Sequence[str]) -> dict[str, object]:
    found = match.comparison
    numbers = {field.name: plain(getattr(found, field.name)) for field in fields(found)}
    return {
        "first": match.first,
        "second": match.second,
        "first_threshold": plain(match.first_threshold),
        "second_threshold": plain(match.second_threshold),
        "first_accuracy": plain(found.first_accuracy),
        "second_accuracy": plain(found.second_accuracy),
        **numbers,
        "flipped": len(match.flips.rows),
        "flips": _pairs(match.flips, ids),
        "movers": _pairs(match.movers, ids),
    }


def _pairs(found: RankedPairs, ids: Sequence[str]) -> list[dict[str, object]]:
    pairs = zip(found.rows[:LISTED].tolist(), found.change[:LISTED].tolist(), strict=True)
    return [{"id": ids[row], "change": plain(change)} for row, change in pairs]
