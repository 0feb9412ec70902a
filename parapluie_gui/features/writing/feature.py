"""The feature of paraphrases written by a judge."""

from __future__ import annotations

from parapluie_gui.feature import Action, Command, Feature

FEATURE = Feature(
    name="writing",
    package=__package__,
    about="paraphrases written by a judge",
    commands=(
        Command(
            name="paraphrase",
            place="command:run",
            options="command:ParaphraseOptions",
            about="write paraphrases of sentences with a judge",
            group="Open and score",
            examples=(
                "paraphrase pairs.csv -o candidates.csv --judge smollm2-135m",
                "paraphrase pairs.csv -o candidates.csv --judge smollm2-135m --candidates 4 --limit 10",
                "paraphrase pairs.csv -o candidates.csv --judge smollm2-135m --temperature 0.7",
            ),
            offline=True,
            after="score",
        ),
    ),
    window="window:BenchWriting",
    actions=(
        Action(
            "writing.paraphrase",
            ("&Pairs",),
            "&Paraphrase in the Bench",
            keys=("Ctrl+Shift+B",),
            tip="Write paraphrases of the source with a judge",
            after="edit_copy",
        ),
    ),
    manual=("paraphrases",),
)
