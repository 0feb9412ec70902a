"""One question in many forms: what wording, answer words, order and examples change."""

from __future__ import annotations

from parapluie_gui.feature import Action, AnalysisPart, Command, Feature

FEATURE = Feature(
    name="wordings",
    package=__package__,
    about="one question in many forms: what wording, answer words, order and examples change",
    commands=(
        Command(
            name="sweep",
            place="command:run",
            options="command:Options",
            about="one question in many forms: wordings, answers, orders, examples",
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
            page="page:SweepPage",
            words="Sweep wordings prompts",
        ),
    ),
    window="window:WordingsWindow",
    actions=(
        Action(
            "wordings.show",
            (),
            "&Wording test…",
            tip="Ask the judge in many forms of one question, and see what the forms change",
            words="Sweep",
            after="certificate.show",
        ),
    ),
    manual=("sweep",),
)
