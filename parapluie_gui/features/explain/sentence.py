"""The sentence on what changes a verdict, for the Pair panel and the stage."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from parapluie_gui.features.explain.effects import format_edit
from parapluie_gui.features.explain.explanation import Explanation


def flip_sentence(explanation: Explanation) -> str:
    """Return which edits change the verdict when they are undone, "" if these are unknown."""
    if explanation.flip is None:
        return ""
    translate = QCoreApplication.translate
    undone = translate("Explanation", "”, “").join(format_edit(explanation.edits[edit]) for edit in explanation.flip)
    return translate("Explanation", "The verdict changes without “{0}”.").format(undone)
