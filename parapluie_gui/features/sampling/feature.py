"""Sampling: pairs drawn at random, as many of each label, outcome, group or quarter of a score."""

from __future__ import annotations

from parapluie_gui.feature import Action, Command, Feature, FeaturePart

FEATURE = Feature(
    name="sampling",
    package=__package__,
    about="pairs drawn at random, with the same number of each label, outcome, group or quarter of a score",
    commands=(
        Command(
            name="sample",
            place="command:run",
            options="command:SampleOptions",
            about="draw pairs at random, with the same number of each label or group",
            group="Look at pairs",
            examples=("sample pairs.csv -o hundred.csv --pairs 100 --seed 1", "sample pairs.csv -o s.csv --by label"),
        ),
    ),
    functions=(FeaturePart("draw_pairs", "draw:draw_pairs"),),
    window="actions:SamplingActions",
    actions=(
        Action(
            slot="sampling.ask",
            menu=("&Pairs", "Se&lections"),
            text="Select at &random…",
            tip="Draw some of the selected pairs at random, with the same number of each label, outcome, group or "
            "quarter of y",
            words="sample draw stratified precision confidence interval how many pairs",
            pairs=True,
            after="files.keep_set",
        ),
    ),
)
