"""Cleaning: finds oddities inside sentences, such as markup, and makes a corpus without them."""

from __future__ import annotations

from parapluie_gui.feature import Action, AnalysisPart, Command, Feature, FeaturePart

FEATURE = Feature(
    name="cleaning",
    package=__package__,
    about="markup, HTML entities, tabs and other oddities inside sentences: counted, and removed on request",
    commands=(
        Command(
            name="clean",
            place="command:run",
            options="command:CleanOptions",
            about="write pairs without markup, HTML entities and other oddities inside sentences",
            group="Look at pairs",
            examples=("clean pairs.csv -o cleaned.csv", "clean pairs.csv -o cleaned.csv --only entities"),
        ),
    ),
    analyses=(AnalysisPart("oddities", "analysis:InsideSentences", page_of="corpus"),),
    functions=(FeaturePart("clean", "command:clean"),),
    window="actions:CleaningActions",
    actions=(
        Action(
            slot="cleaning.ask",
            menu=("&File", "This &corpus"),
            text="&Clean…",
            tip="Show markup, HTML entities, tabs and other oddities in the sentences; open a copy without them",
            pairs=True,
            after="files.add",
        ),
    ),
)
