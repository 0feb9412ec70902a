"""The run part of the Setup panel: start, pause and stop scoring, and see how it goes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGroupBox, QProgressBar, QWidget

from parapluie_gui.ui.widgets.arrange import button, named, vbox
from parapluie_gui.ui.widgets.flow import flow
from parapluie_gui.ui.widgets.wrapped import WrappedText
from parapluie_gui.work.job import Progress

STATES = ("idle", "loading", "running", "paused", "stopping")

#: Most notices shown at a time; the latest stay.
MOST_NOTICES = 6


class RunBox(QGroupBox):
    """Buttons to run, pause and stop; progress; what the judge is and what went wrong.

    Attributes:
        state: "idle", "loading", "running", "paused" or "stopping".
        pause_button: Becomes Resume while scoring is paused.

    Signals:
        run_requested, pause_requested, resume_requested, stop_requested: The user pressed the button.
    """

    run_requested = Signal()
    pause_requested = Signal()
    resume_requested = Signal()
    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(self.tr("Scoring"))
        self.state = "idle"
        self._lacks = self._known = ""
        self._shown_notices: list[str] = []
        run_tip = self.tr("Score every pair that has no score yet")
        self.run_button = button(self.tr("Run"), self.run_requested.emit, run_tip)
        self.run_button.setProperty("primary", True)
        self.pause_button = button(self.tr("Pause"), self._pause_or_resume)
        stop_tip = self.tr("Stop scoring. Finished scores are kept")
        self.stop_button = button(self.tr("Stop"), self.stop_requested.emit, stop_tip)
        self._why = WrappedText(self, muted=True)
        self._why.setAccessibleName(self.tr("Whether there is something to score"))
        self.bar = QProgressBar(self)
        self.bar.setAccessibleName(self.tr("Progress of scoring"))
        self.bar.hide()
        self._rate = WrappedText(self)
        self._stage = WrappedText(self, muted=True)
        self._judge = WrappedText(self)
        self._notices = WrappedText(self, muted=True)
        self._error = WrappedText(self, bad=True)
        buttons = flow(self.run_button, self.pause_button, self.stop_button)
        texts = (self._stage, self._rate, self._error, self._judge, self._notices)
        vbox(buttons, self._why, self.bar, *texts, within=self, margins=(4, 2, 4, 4), spacing=5)
        for label, name in (
            (self._rate, self.tr("Speed")),
            (self._stage, self.tr("Current step")),
            (self._error, self.tr("Error")),
            (self._judge, self.tr("Judge in use")),
            (self._notices, self.tr("Notices")),
        ):
            label.setAccessibleName(name)
            label.hide()
        self.set_state("idle")

    def set_lacks(self, text: str) -> None:
        """Show what is missing before Run works; "" when nothing is."""
        self._lacks = text
        self._enable()

    def set_known(self, text: str) -> None:
        """Show that there is nothing to compute; "" when there is."""
        self._known = text
        self._enable()

    def set_state(self, state: str) -> None:
        if state not in STATES:
            raise ValueError(f"unknown state {state!r}")
        if state == "loading" and self.state == "idle":
            self._begin()
        if "paused" in (state, self.state) or state == "idle":
            self._rate.say(self.tr("Paused") if state == "paused" else "")
        self.state = state
        if state == "loading":
            self.bar.setRange(0, 0)
            self.bar.show()
        elif state == "idle" and not self.bar.maximum():
            self.bar.hide()  # nothing was scored
        if state in ("idle", "running", "stopping"):
            self._stage.say(self.tr("Stopping…") if state == "stopping" else "")
        self._enable()

    def show_progress(self, progress: Progress) -> None:
        """Show how many scores are done, how fast it goes, and how long it will take."""
        # In thousandths: the count can be larger than a progress bar's numbers.
        self.bar.show()
        self.bar.setRange(0, 1000)
        self.bar.setValue(int(1000 * progress.done / progress.total) if progress.total else 1000)
        count = self.tr("{0} of {1} scores").format(f"{progress.done:,}", f"{progress.total:,}")
        self.bar.setToolTip(f"{count} ({progress.column})" if progress.column else count)
        if self.state == "paused":
            return
        rate = f"{progress.rate:.1f}" if progress.rate < 100 else f"{progress.rate:,.0f}"
        if progress.rate <= 0:
            self._rate.say(count)
        elif progress.remaining is None:
            self._rate.say(self.tr("{} pairs/s").format(rate))
        else:
            left = self._duration(progress.remaining)
            self._rate.say(self.tr("{0} pairs/s · {1} left").format(rate, left))

    def show_stage(self, text: str) -> None:
        self._stage.say(text)

    def show_judge(self, description: str, notices: Sequence[str] = ()) -> None:
        """Show which judge was loaded, and its notices."""
        self._judge.say(description)
        for notice in notices:
            self.show_notice(notice)

    def show_notice(self, text: str) -> None:
        """Show one more sentence the user should know; the same sentence is shown once."""
        if text and text not in self._shown_notices:
            self._shown_notices = [*self._shown_notices, text][-MOST_NOTICES:]
        self._notices.say("\n".join(self._shown_notices))

    def show_error(self, text: str) -> None:
        """Show what went wrong, until the next run; "" takes it away."""
        self._error.say(text)

    def _begin(self) -> None:
        self._shown_notices = []
        for label in (self._error, self._notices, self._judge, self._rate, self._stage):
            label.say("")

    def _enable(self) -> None:
        idle = self.state == "idle"
        self.run_button.setEnabled(idle and not self._lacks)
        self._why.say((self._lacks or self._known) if idle else "")
        paused = self.state == "paused"
        self.pause_button.setText(self.tr("Resume") if paused else self.tr("Pause"))
        tip = self.tr("Resume scoring") if paused else self.tr("Pause after the current batch")
        named(self.pause_button, self.pause_button.text(), tip)
        self.pause_button.setEnabled(self.state in ("running", "paused"))
        self.stop_button.setEnabled(self.state in ("loading", "running", "paused"))

    def _pause_or_resume(self) -> None:
        if self.state == "paused":
            self.resume_requested.emit()
        else:
            self.pause_requested.emit()

    def _duration(self, seconds: float) -> str:
        whole = max(round(seconds), 1)
        if whole < 60:
            return self.tr("{} s").format(whole)
        if whole < 3600:
            return self.tr("{0} min {1} s").format(whole // 60, whole % 60)
        return self.tr("{0} h {1} min").format(whole // 3600, whole % 3600 // 60)
