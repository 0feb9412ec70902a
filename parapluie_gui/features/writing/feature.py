"""Paraphrases written by a judge."""

from __future__ import annotations

from parapluie_gui.feature import Command, Feature

FEATURE = Feature(
    name="writing",
    package=__package__,
    about="paraphrases written by a judge",
    commands=(
        Command(
            name="paraphrase",
            place="command:run",
            options="command:Paraphrase",
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
    manual=("paraphrases",),
)
