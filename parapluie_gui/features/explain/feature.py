"""Which of the words that differ decided a score."""

from __future__ import annotations

from parapluie_gui.feature import Command, Feature, FeaturePart

FEATURE = Feature(
    name="explain",
    package=__package__,
    about="which of the words that differ decided a score",
    commands=(
        Command(
            name="explain",
            place="command:run",
            options="command:ExplainOptions",
            about="show which changed words decided a score",
            group="Look at pairs",
            examples=(
                "explain --pair 'The cat slept.' 'The cat did not sleep.'",
                "explain pairs.csv --metric bleu --limit 3",
                "explain pairs.csv --judge pocket --limit 1 --figure explained.svg",
            ),
            offline=True,
        ),
    ),
    functions=(FeaturePart("explain", "api:explain"),),
    report_columns=(FeaturePart("which words decided", "page:deciding_words"),),
    pair_edits=(FeaturePart("explanations", "page:known_edits"),),
    window="window:ExplanationSections",
    manual=("explain",),
)
