"""What the scoring of the corpus says, shown where the user looks: in Setup, on the scatter, in the tool bar."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from parapluie_gui.ui.scatter.view import ScatterView
from parapluie_gui.ui.setup.setup import Setup
from parapluie_gui.ui.state.scoring import IDLE, Scoring
from parapluie_gui.ui.widgets.banner import Banner
from parapluie_gui.ui.window.status_line import StatusLine


class ScoringNews(QObject):
    """Shows state, progress, notices and the end of a job over the corpus.

    Args:
        scoring: What is listened to.
        setup, scatter, status, banner: Where it is shown.
        actions: The menu's actions by their slots; those that do not apply are disabled.
    """

    def __init__(
        self,
        scoring: Scoring,
        setup: Setup,
        scatter: ScatterView,
        status: StatusLine,
        banner: Banner,
        actions: Mapping[str, QAction],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._scoring, self._setup, self._scatter = scoring, setup, scatter
        self._status, self._banner, self._actions = status, banner, actions
        scoring.state_changed.connect(self._show_state)
        scoring.staged.connect(setup.run.show_stage)
        scoring.staged.connect(scatter.show_stage)
        scoring.judged.connect(setup.show_judge)
        scoring.progressed.connect(setup.show_progress)
        scoring.noticed.connect(setup.notes.show_notice)
        scoring.failed.connect(self._show_failure)
        scoring.hung.connect(self._show_hang)
        scoring.ended.connect(self._show_end)

    def _show_state(self, state: str) -> None:
        self._setup.set_state(state)
        self._scatter.set_state(state)
        idle = state == IDLE
        self._actions["run"].setEnabled(idle)
        for name in ("scoring.pause_or_resume", "scoring.stop"):
            self._actions[name].setEnabled(not idle)

    def _show_failure(self, text: str) -> None:
        self._setup.notes.show_error(text)
        self._banner.complain(text)

    def _show_hang(self, hung: bool) -> None:
        text = self.tr("The worker does not answer. Wait, or restart it; finished scores are kept.")
        if hung:
            self._banner.complain(text, self.tr("Restart the worker"), self._scoring.restart_worker)
        else:
            self._banner.withdraw(text)

    def _show_end(self, cancelled: bool, seconds: float) -> None:
        self._setup.run.show_end(cancelled)
        if not cancelled:
            self._status.say(self.tr("Scored in {0} s.").format(f"{seconds:,.1f}"))
