"""Concordance: where words are in the corpus, in which pairs, and among which other words."""

from __future__ import annotations

from parapluie_gui.feature import Action, Command, Feature, Tab

FEATURE = Feature(
    name="concordance",
    package=__package__,
    about="where words are in the corpus, in which pairs, and among which other words",
    commands=(
        Command(
            name="concordance",
            place="command:run",
            options="command:Options",
            about="where words stand in pairs, and among which others",
            group="Look at pairs",
            examples=(
                "concordance pairs.csv not",
                "concordance pairs.csv '/un\\w+/'",
                "concordance scored.csv not --score bleu",
            ),
        ),
    ),
    tabs=(Tab("concordance", "view:make_tab", title="Concordance"),),
    window="actions:ConcordanceActions",
    actions=(
        Action(
            slot="concordance.show",
            menu=("&View",),
            text="&Concordance",
            keys=("Ctrl+4",),
            tip="Show where words stand in sources and hypotheses",
            icon="text-search",
            after="tabs.show_analysis",
        ),
    ),
    manual=("concordance",),
)
