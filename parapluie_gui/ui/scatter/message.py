"""Messages of the scatter in an empty plot, and notes of its legend."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from parapluie_gui.models.sources import receiving_host
from parapluie_gui.ui.scatter.arrows import arrow_words
from parapluie_gui.ui.scatter.axes import format_count
from parapluie_gui.ui.scatter.cloud import PointCloud
from parapluie_gui.ui.scatter.points import PointLayer
from parapluie_gui.ui.state.scoring import IDLE, PAUSED, STOPPING
from parapluie_gui.ui.state.workspace import CorpusWorkspace

translate = QCoreApplication.translate
_CONTEXT = "Scatter"


def empty_plot(workspace: CorpusWorkspace, state: str, stage: str) -> tuple[str, str]:
    """Return the message of an empty plot and the action that helps ("" for none).

    Args:
        workspace: The workspace shown.
        state: The state of scoring, as in `CorpusScoring`.
        stage: The current step of scoring before scores arrive, or "".
    """
    if workspace.corpus is None:
        return translate(_CONTEXT, "Drop a corpus here, or open one (Ctrl+O)"), "files.open"
    if not len(workspace.corpus):
        return translate(_CONTEXT, "This corpus has no pairs"), "files.open"
    if state != IDLE:
        return _doing(workspace, state, stage), ""
    if not any(workspace.table.count_scores(column) for column in workspace.table.scores):
        text = translate(_CONTEXT, "Press Run (F5) to score {count} pairs")
        return text.format(count=format_count(len(workspace.corpus))), "run"
    text = translate(_CONTEXT, "No pair has both {x} and {y} yet: press Run (F5), or choose other axes")
    return text.format(x=workspace.title(workspace.x), y=workspace.title(workspace.y)), "run"


def _doing(workspace: CorpusWorkspace, state: str, stage: str) -> str:
    if state == PAUSED:
        return translate(_CONTEXT, "Scoring is paused. Press F6 to resume it")
    if state == STOPPING or {workspace.x, workspace.y} - set(workspace.table):
        return stage or translate(_CONTEXT, "Scoring …")
    waiting = next((name for name in (workspace.y, workspace.x) if not workspace.table.count_scores(name)), workspace.y)
    return stage or translate(_CONTEXT, "Scoring {column} …").format(column=workspace.title(waiting))


def legend_notes(workspace: CorpusWorkspace, cloud: PointCloud, points: PointLayer) -> list[str]:
    """Return notes for the legend: pairs drawn, scores that are bounds, and the meaning of a density cell."""
    notes = []
    if total := workspace.table.rows:
        text = translate(_CONTEXT, "— {scored} of {total} scored")
        notes.append(text.format(scored=format_count(len(cloud)), total=format_count(total)))
    if cloud.ruled and len(cloud) and not cloud.member.any():
        notes.append(translate(_CONTEXT, "· none of the selected pairs"))
    elif cloud.ruled:
        notes.append(translate(_CONTEXT, "· histograms: selected pairs"))
    if host := receiving_host(workspace.model_of(workspace.y)):
        notes.append(translate(_CONTEXT, "· scored by {host}, which receives the sentences").format(host=host))
    notes += arrow_words(cloud.arrows, format_count)
    if points.dense:
        text = translate(_CONTEXT, "· density: up to {count} pairs per cell; stronger colour = more pairs")
        notes.append(text.format(count=format_count(points.largest)))
    return notes
