"""PEM, the metric with a second language as the pivot (Liu et al., EMNLP 2010), and its training."""

from __future__ import annotations

from parapluie_gui.feature import Command, Feature, FeaturePart

FEATURE = Feature(
    name="pem",
    package=__package__,
    about="PEM, the metric with a second language as the pivot (Liu et al., EMNLP 2010), and its training",
    commands=(
        Command(
            name="pem",
            place="",
            about="train the metric PEM on your own parallel text",
            group="Metrics and models",
            examples=("pem train --help",),
            description="PEM, the paraphrase metric with a second language as the pivot (Liu et al., EMNLP 2010).",
            actions=(
                Command(
                    "train",
                    "command:run",
                    about="train a model from a parallel text and human scores",
                    options="options:TrainPem",
                ),
            ),
        ),
    ),
    metrics=(FeaturePart("pem", "metric:Pem"),),
    window="window:PemSection",
    manual=("pem",),
)
