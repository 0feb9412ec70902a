"""Training of small judges from labelled corpora."""

from __future__ import annotations

from parapluie_gui.feature import Command, Feature

FEATURE = Feature(
    name="training",
    package=__package__,
    about="training of small judges from labelled corpora",
    commands=(
        Command(
            name="train-judge",
            place="command:run",
            options="options:TrainJudge",
            about="train a small judge from labelled corpora",
            group="Metrics and models",
            examples=("train-judge pocket mixture.toml -o judge", "train-judge --help"),
        ),
    ),
    manual=("train-judge",),
)
