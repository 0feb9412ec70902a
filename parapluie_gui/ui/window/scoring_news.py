"""Display of the scoring of the corpus: state, progress, notices and end."""

from __future__ import annotations

import numpy as np

from parapluie_gui.ui.state.scoring import IDLE
from parapluie_gui.ui.widgets.text import duration
from parapluie_gui.ui.window.context import WindowContext, WindowController


class ScoringStatus(WindowController):
    """Shows the state, progress, notices and end of scoring the corpus."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._scatter, self._status = context.scatter, context.status
        self._banner, self._actions = context.banner, context.actions
        self._selection = context.workspace.selection
        self._scored = ""
        scoring, setup, scatter = self._scoring, self._setup, self._scatter
        scoring.state_changed.connect(self._show_state)
        scoring.staged.connect(setup.run.show_stage)
        scoring.staged.connect(scatter.show_stage)
        scoring.client.judged.connect(setup.show_judge)
        scoring.progressed.connect(setup.show_progress)
        scoring.progressed.connect(lambda *_: scatter.show_stage(""))  # loading is over
        scoring.noticed.connect(setup.notes.show_notice)
        scoring.failed.connect(self._show_failure)
        scoring.client.hanging.connect(self._show_hang)
        scoring.ended.connect(self._show_end)
        self._selection.set_changed.connect(self._show_selected)
        # The duration is shown until the next action.
        for change in (scoring.state_changed, context.workspace.corpus_changed, self._selection.primary_changed):
            change.connect(self._clear_duration)
        setup.changed.connect(self._clear_duration)
        self._show_selected()

    def _show_state(self, state: str) -> None:
        self._setup.set_state(state)
        self._scatter.set_state(state)
        idle = state == IDLE
        self._actions["run"].setEnabled(idle)
        self._show_selected()
        for name in ("scoring.pause_or_resume", "scoring.stop"):
            self._actions[name].setEnabled(not idle)

    def _show_selected(self) -> None:
        """Show the number of selected pairs in the action that scores them."""
        action, count = self._actions["run_selected"], int(np.count_nonzero(self._selection.mask))
        action.setEnabled(self._scoring.state == IDLE and self._selection.rule is not None and count > 0)
        few = self.tr("Run o&n this pair") if count == 1 else self.tr("Run o&n these {0} pairs").format(f"{count:,}")
        action.setText(few if self._selection.rule is not None else self.tr("Run o&n these pairs"))

    def _show_failure(self, text: str) -> None:
        self._setup.notes.show_error(text)
        self._banner.complain(text)

    def _show_hang(self, hung: bool) -> None:
        text = self.tr("The scoring process does not respond. Wait, or restart it. Finished scores are kept.")
        if hung:
            self._banner.complain(text, self.tr("Restart scoring"), self._scoring.restart_worker)
        else:
            self._banner.withdraw(text)

    def _show_end(self, cancelled: bool, seconds: float) -> None:
        self._setup.run.show_end(cancelled)
        if not cancelled:
            self._scored = self.tr("Scored in {0}.").format(duration(seconds))
            self._status.say(self._scored)

    def _clear_duration(self, *_: object) -> None:
        if self._scored and self._status.text == self._scored:
            self._status.say("")
