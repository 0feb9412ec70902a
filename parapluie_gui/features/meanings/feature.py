"""Two meanings: a corpus on which word overlap is no help, and what scores make of it."""

from __future__ import annotations

from parapluie_gui.feature import AnalysisPart, Feature

FEATURE = Feature(
    name="meanings",
    package=__package__,
    about="Two meanings: a corpus on which word overlap is no help, and what scores make of it",
    analyses=(AnalysisPart("families", "analysis:TwoMeanings", after="lengths"),),
    manual=(
        "meanings",
        "case-study",
    ),
)
