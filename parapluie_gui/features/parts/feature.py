"""Corpora too large for one process, scored in parts."""

from __future__ import annotations

from parapluie_gui.feature import Command, ExtensionPart, Feature, FeaturePart

FEATURE = Feature(
    name="parts",
    package=__package__,
    about="corpora too large for one process, scored in parts",
    commands=(
        Command(
            name="merge",
            place="command:run",
            options="command:MergeOptions",
            about="merge the scored parts of a large corpus",
            group="Large corpora",
            examples=("score pairs.csv -o parts --shard 1/2 --metric bleu", "merge parts -o scored.parquet"),
        ),
    ),
    extensions=(ExtensionPart("parts", "extension:ScoringInParts", command="score"),),
    growing=(FeaturePart("parts", "reading:FOLDERS"),),
    manual=("cluster",),
)
