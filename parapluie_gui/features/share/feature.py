"""Sharing of pairs and scores as one page for readers with a browser."""

from __future__ import annotations

from parapluie_gui.feature import Action, Command, Feature, FeaturePart

FEATURE = Feature(
    name="share",
    package=__package__,
    about="pairs and scores as one page for readers with a browser",
    commands=(
        Command(
            name="share",
            place="command:run",
            options="command:ShareOptions",
            about="write pairs and scores as one page for readers with a browser",
            group="Share",
            examples=(
                "share scored.csv -o page.html --licence CC0",
                "share scored.csv -o page.html --without-sentences",
                "share scored.csv -o page.html --licence CC0 --analyses --report report.html",
            ),
        ),
    ),
    functions=(FeaturePart("share", "api:share"),),
    window="window:SharingWindow",
    actions=(
        Action(
            "share.ask",
            ("&File", "E&xport"),
            "S&hare…",
            tip="Write pairs and scores as one page that readers open in a browser. A dialog first asks whether the "
            "sentences may be shared",
            pairs=True,
            after="reporter.ask",
        ),
    ),
    manual=("share",),
)
