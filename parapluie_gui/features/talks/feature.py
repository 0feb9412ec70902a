"""The feature "talks": the stage for an audience, and talks made of chosen pairs."""

from __future__ import annotations

from parapluie_gui.feature import Action, Feature

FEATURE = Feature(
    name="talks",
    package=__package__,
    about="a stage for an audience, and talks made of chosen pairs",
    window="talks:TalkController",
    content=("talk",),
    actions=(
        Action(
            slot="talks.add",
            menu=("&Pairs",),
            text="Add to the &talk",
            keys=("Ctrl+Shift+T",),
            tip="Add the chosen pairs to the end of the talk",
            after="writing.paraphrase paraphrase edit_copy",
        ),
        Action(slot="", menu=("&View",), text="-", after="arrangements.reset"),
        Action(
            slot="talks.present",
            menu=("&View",),
            text="S&tage",
            keys=("F11",),
            tip="Present the selected pairs to an audience, step by step, with a presenter's remote",
            checkable=True,
            pairs=True,
            after="arrangements.reset",
        ),
        Action(
            slot="talks.open",
            menu=("&View",),
            text="T&alk…",
            keys=("Shift+F11",),
            tip="Make, rehearse and give a talk: chosen pairs in order, each with steps and a note",
            after="talks.present",
        ),
        Action(
            slot="talks.give",
            menu=("&View",),
            text="Gi&ve the talk",
            keys=("Ctrl+F11",),
            tip="Present the talk to an audience, from its first pair",
            after="talks.open",
        ),
    ),
    manual=("presentation",),
)
