"""A stage for the back of a room, and talks."""

from __future__ import annotations

from parapluie_gui.feature import Action, Feature

FEATURE = Feature(
    name="talks",
    package=__package__,
    about="a stage for the back of a room, and talks",
    window="talks:Talks",
    content=("talk",),
    actions=(
        Action(
            slot="talks.add",
            menu=("&Pairs",),
            text="Add to the &talk",
            keys=("Ctrl+Shift+T",),
            tip="Put the chosen pairs at the end of the talk",
            after="writing.paraphrase paraphrase edit_copy",
        ),
        Action(slot="", menu=("&View",), text="-", after="arrangements.reset"),
        Action(
            slot="talks.present",
            menu=("&View",),
            text="S&tage",
            keys=("F11",),
            tip="Presentation for an audience: the selected pairs, one thing at a time, by the keys of a presenter's "
            "remote",
            checkable=True,
            pairs=True,
            after="arrangements.reset",
        ),
        Action(
            slot="talks.open",
            menu=("&View",),
            text="T&alk…",
            keys=("Shift+F11",),
            tip="Chosen pairs in an order, each with steps and a note: make, rehearse and give a talk",
            after="talks.present",
        ),
        Action(
            slot="talks.give",
            menu=("&View",),
            text="Gi&ve the talk",
            keys=("Ctrl+F11",),
            tip="Show the talk to an audience, from its first pair",
            after="talks.open",
        ),
    ),
    manual=("presentation",),
)
