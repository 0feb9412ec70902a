"""The feature "template_editor": templates written in the window."""

from __future__ import annotations

from parapluie_gui.feature import Action, Feature

FEATURE = Feature(
    name="template_editor",
    package=__package__,
    about="templates written in the window",
    window="actions:TemplateActions",
    actions=(
        Action(
            slot="template_editor.edit",
            menu=("&Score",),
            text="&Templates…",
            keys=("Ctrl+T",),
            tip="Write your own templates and try them on a pair",
            icon="file-pen-line",
            after="setup.metrics.open",
            button="templates",
        ),
    ),
)
