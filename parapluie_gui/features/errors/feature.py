"""Groups of errors by what they have in common, and labels that may be wrong."""

from __future__ import annotations

from parapluie_gui.feature import AnalysisCommand, AnalysisPart, Feature

FEATURE = Feature(
    name="errors",
    package=__package__,
    about="groups of errors by what they have in common, and labels that may be wrong",
    commands=(
        AnalysisCommand(
            name="errors",
            place="command:run",
            options="command:ErrorsArguments",
            about="find what errors have in common, and labels that may be wrong",
            group="Look at pairs",
            examples=(
                "errors scored.csv",
                "errors scored.csv --score bleu --pairs 'false positives'",
                "errors scored.csv --labels",
            ),
            analyses=("errors",),
            apart=True,
            draws=0,
            after="explain",
        ),
    ),
    analyses=(AnalysisPart("errors", "analysis:ErrorAnalysis", after="families lengths", page="page:ErrorsPage"),),
    window="window:ErrorsWindow",
    manual=("errors",),
)
