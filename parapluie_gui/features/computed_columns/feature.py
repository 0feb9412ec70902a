"""Columns computed from others."""

from __future__ import annotations

from parapluie_gui.feature import Action, ColumnPart, Feature

FEATURE = Feature(
    name="computed_columns",
    package=__package__,
    about="columns computed from others",
    columns=(
        ColumnPart(
            name="computed",
            place="columns:compute_columns",
            setting="columns",
            reader="computed:parse_columns",
            checker="new_column:check_definitions",
            definer="new_column:add_computed",
        ),
    ),
    window="actions:ColumnActions",
    actions=(
        Action(
            slot="computed_columns.new",
            menu=("&File", "This &corpus"),
            text="Ne&w column…",
            tip=(
                "Compute a column from others: min(pluie.p1, pluie.p2) > 0, a mean, a difference. Change or delete one"
            ),
            pairs=True,
            after="files.add",
        ),
    ),
)
