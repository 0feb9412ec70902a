"""What is said in an empty plot: what is being done, or what to do."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from parapluie_gui.ui.scatter.axes import counted
from parapluie_gui.ui.state.scoring import IDLE, PAUSED, STOPPING
from parapluie_gui.ui.state.workspace import Workspace

translate = QCoreApplication.translate
_CONTEXT = "Scatter"


def empty_plot(workspace: Workspace, state: str, stage: str) -> tuple[str, str]:
    """Return what to say where no pair has both numbers, and the action that helps ("" for none).

    Args:
        workspace: What is shown.
        state: Of scoring, as `Scoring` has it.
        stage: What scoring does before scores can come, or "".
    """
    if workspace.corpus is None:
        return translate(_CONTEXT, "Drop a corpus here, or open one (Ctrl+O)"), "files.open"
    if not len(workspace.corpus):
        return translate(_CONTEXT, "This corpus has no pairs"), "files.open"
    if state != IDLE:
        return _doing(workspace, state, stage), ""
    if not any(workspace.table.scored(column) for column in workspace.table.scores):
        text = translate(_CONTEXT, "Press Run (F5) to score {count} pairs")
        return text.format(count=counted(len(workspace.corpus))), "run"
    text = translate(_CONTEXT, "No pair has both {x} and {y} yet: press Run (F5), or choose other axes")
    return text.format(x=workspace.title(workspace.x), y=workspace.title(workspace.y)), "run"


def _doing(workspace: Workspace, state: str, stage: str) -> str:
    if state == PAUSED:
        return translate(_CONTEXT, "Scoring is paused. Press F6 to resume it")
    if state == STOPPING or {workspace.x, workspace.y} - set(workspace.table):
        return stage or translate(_CONTEXT, "Scoring …")
    waiting = next((name for name in (workspace.y, workspace.x) if not workspace.table.scored(name)), workspace.y)
    return stage or translate(_CONTEXT, "Scoring {column} …").format(column=workspace.title(waiting))
