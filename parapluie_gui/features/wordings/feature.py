"""Wording test: the effect of wording, answer words, order and examples on a judge."""

from __future__ import annotations

from parapluie_gui.feature import Action, AnalysisPart, Command, Feature

FEATURE = Feature(
    name="wordings",
    package=__package__,
    about="wording test: the effect of wording, answer words, order and examples on a judge",
    commands=(
        Command(
            name="sweep",
            place="command:run",
            options="command:SweepOptions",
            about="test one question in many forms: wordings, answers, orders, examples",
            group="Judge the scores",
            examples=(
                "sweep pairs.csv --judge smollm2-135m --limit 20",
                "sweep pairs.csv --judge smollm2-135m --answers Yes/No --answers True/False --limit 20",
                "sweep pairs.csv --judge smollm2-135m --order both --limit 20 --json",
            ),
            offline=True,
            after="certify analyse",
        ),
    ),
    analyses=(
        AnalysisPart(
            "sweep",
            "analysis:WordingTest",
            after="certificate corpus",
            page="page:WordingTestPage",
            words="Sweep wordings prompts",
        ),
    ),
    window="window:WordingsWindow",
    actions=(
        Action(
            "wordings.show",
            (),
            "&Wording test…",
            tip="Ask the judge the same question in many forms, and compare its scores",
            words="Sweep",
            after="certificate.show",
        ),
    ),
    manual=("sweep",),
)
