"""The feature "alike": search for similar pairs."""

from __future__ import annotations

from parapluie_gui.feature import Action, ColumnPart, Feature

FEATURE = Feature(
    name="alike",
    package=__package__,
    about="search for similar pairs",
    columns=(ColumnPart("likeness", "columns:likeness"),),
    window="window:AlikeActions",
    actions=(
        Action(
            slot="alike.find_pairs",
            menu=("&Pairs", "L&ike this one"),
            text="Pairs l&ike this one",
            keys=("L",),
            tip="Select the 50 pairs most similar to the current pair, most similar first",
            pairs=True,
            corpus=True,
            after="kept_sets",
        ),
        Action(
            slot="alike.find_errors",
            menu=("&Pairs", "L&ike this one"),
            text="Errors like t&his one",
            keys=("Shift+L",),
            tip="Select the 50 errors at the threshold most similar to the current pair, most similar first",
            pairs=True,
            corpus=True,
            after="alike.find_pairs",
        ),
    ),
)
