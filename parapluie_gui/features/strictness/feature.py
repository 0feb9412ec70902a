"""Strictness: the wording and threshold for a wanted false positive rate."""

from __future__ import annotations

from parapluie_gui.feature import AnalysisPart, Feature

FEATURE = Feature(
    name="strictness",
    package=__package__,
    about="the wording and threshold for a wanted false positive rate, chosen on one half and reported on the other",
    analyses=(
        AnalysisPart("strictness", "analysis:StrictnessAnalysis", after="transfer", words="prompt calibration strict"),
    ),
    manual=("strictness",),
)
