"""The list of all analyses, in the order of their pages: those of the core and those of features."""

from __future__ import annotations

from functools import cache
from typing import Any

from parapluie_gui.analysis.base import Analysis
from parapluie_gui.errors import ParapluieError, with_advice
from parapluie_gui.feature import AnalysisPart, arrange_entries, collect_parts, in_package

#: The analyses of the core, each in a module of `analysis.evaluations`.
_CORE = (
    AnalysisPart("distributions", "distributions:DistributionAnalysis"),
    AnalysisPart("thresholds", "thresholds:ThresholdAnalysis", page_title="Thresholds and curves", words="Curves ROC"),
    AnalysisPart("curves", "curves:CurveAnalysis", page_of="thresholds"),
    AnalysisPart("transfer", "transfer:TransferAnalysis"),
    AnalysisPart("coverage", "coverage:CoverageAnalysis"),
    AnalysisPart("independence", "independence:IndependenceAnalysis", words="Independence"),
    AnalysisPart("compare", "compare:CompareTwo", words="disagree differ flips movers"),
    AnalysisPart("comparison", "comparisons:ComparisonAnalysis"),
    AnalysisPart("buckets", "buckets:BucketAnalysis", words="Buckets by bucket"),
    AnalysisPart("lengths", "lengths:LengthAnalysis"),
    AnalysisPart("corpus", "corpus:CorpusItself"),
    AnalysisPart("every-threshold", "listings:EveryThreshold"),
    AnalysisPart("pairs", "listings:PairList"),
)


@cache
def parts() -> dict[str, AnalysisPart]:
    """Return the module and class of each analysis by its name."""
    own = [in_package(part, "parapluie_gui.analysis.evaluations") for part in _CORE]
    return {part.name: part for part in arrange_entries(own, collect_parts("analyses"))}


def names() -> tuple[str, ...]:
    """Return the names of all analyses."""
    return tuple(parts())


@cache
def analysis(name: str) -> Analysis[Any, Any]:
    """Return an analysis by its name; it is imported at its first use.

    Raises:
        ParapluieError: There is no analysis with this name.
    """
    if name not in parts():
        raise ParapluieError(with_advice(f'There is no analysis "{name}"', f"choose among {', '.join(parts())}"))
    kind: type[Analysis[Any, Any]] = parts()[name].load()
    return kind()


def analyses() -> tuple[Analysis[Any, Any], ...]:
    """Return all analyses."""
    return tuple(map(analysis, parts()))
