"""Concordance: every occurrence of words in a corpus, in context, with counts and collocates."""

from __future__ import annotations

from parapluie_gui.feature import Action, Command, Feature, TabPart

FEATURE = Feature(
    name="concordance",
    package=__package__,
    about="every occurrence of words in a corpus, in context, with counts and collocates",
    commands=(
        Command(
            name="concordance",
            place="command:run",
            options="command:ConcordanceCommandOptions",
            about="find every occurrence of words in pairs, in context",
            group="Look at pairs",
            examples=(
                "concordance pairs.csv not",
                "concordance pairs.csv '/un\\w+/'",
                "concordance scored.csv not --score bleu",
            ),
        ),
    ),
    tabs=(TabPart("concordance", "view:make_tab", title="Concordance"),),
    window="actions:ConcordanceActions",
    actions=(
        Action(
            slot="concordance.show",
            menu=("&View",),
            text="&Concordance",
            keys=("Ctrl+4",),
            tip="Show every occurrence of words in sources and hypotheses",
            icon="text-search",
            after="tabs.show_analysis",
        ),
    ),
    manual=("concordance",),
)
