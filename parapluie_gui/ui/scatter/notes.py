"""What the legend of the scatter says besides the kinds of points."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from parapluie_gui.ui.scatter.arrows import arrow_words
from parapluie_gui.ui.scatter.axes import counted
from parapluie_gui.ui.scatter.cloud import Cloud
from parapluie_gui.ui.scatter.points import PointLayer
from parapluie_gui.ui.state.workspace import Workspace

_CONTEXT = "Scatter"
translate = QCoreApplication.translate


def legend_notes(workspace: Workspace, cloud: Cloud, points: PointLayer) -> list[str]:
    """Return how many pairs are drawn, how many scores are bounds, and what a cell of the density means."""
    notes = []
    if total := workspace.table.rows:
        text = translate(_CONTEXT, "— {scored} of {total} scored")
        notes.append(text.format(scored=counted(len(cloud)), total=counted(total)))
    if cloud.ruled:
        notes.append(translate(_CONTEXT, "· histograms: selected pairs"))
    notes += arrow_words(cloud.arrows, counted)
    if points.dense:
        text = translate(_CONTEXT, "· density: up to {count} pairs per cell, stronger colour = more")
        notes.append(text.format(count=counted(points.largest)))
    return notes
