"""Passports, which describe the quality of a judge before its scores are relied on."""

from __future__ import annotations

from parapluie_gui.feature import AnalysisPart, Command, Feature, FeaturePart

FEATURE = Feature(
    name="passport",
    package=__package__,
    about="passports of judges: accuracy, zero, calibration, order, shortcuts, speed, and their change over time",
    commands=(
        Command(
            name="passport",
            place="command:run",
            options="command:PassportCommandOptions",
            about="measure what to know about a judge before you trust it",
            group="Judge the scores",
            examples=(
                "passport pocket pairs.csv",
                "passport pocket pairs.csv --page passport.html",
                "passport pocket pairs.csv --save passport.json",
            ),
            offline=True,
            after="certify analyse",
        ),
    ),
    analyses=(AnalysisPart("passport", "analysis:PassportAnalysis", after="certificate corpus"),),
    functions=(FeaturePart("passport", "api:passport"),),
    manual=("passport",),
)
