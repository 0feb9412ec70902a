"""The part of the tool bar that starts, pauses and stops scoring, and the messages about it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QMenu, QProgressBar, QPushButton, QWidget

from parapluie_gui.analysis.names import judge_with_weights
from parapluie_gui.pluie.judge_settings import COMPUTED_BY
from parapluie_gui.ui.widgets import icons
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, give_menu, hbox, name_control, vbox
from parapluie_gui.ui.widgets.text import duration, plain_tip, tooltip
from parapluie_gui.ui.widgets.wrapped import ElidedText, WrappedText
from parapluie_gui.work.events import JobProgress

#: Maximum number of notices shown at a time, of which the latest are kept.
MOST_NOTICES = 6


class RunNotes(QWidget):
    """Messages about scoring, each hidden while it is empty."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._idle = True
        self._lacks = self._known_message = self._described = ""
        self._shown_notices: list[str] = []
        self._why = WrappedText(self, muted=True)
        self._error = WrappedText(self, bad=True)
        self._judge = WrappedText(self)
        self._notices = WrappedText(self, muted=True)
        self._language = WrappedText(self, muted=True)
        self._one_sided = WrappedText(self)
        for label, name in (
            (self._why, self.tr("Pairs left to score")),
            (self._error, self.tr("Error")),
            (self._judge, self.tr("Judge in use")),
            (self._notices, self.tr("Notices")),
            (self._language, self.tr("Language of the corpus")),
            (self._one_sided, self.tr("Answers of the judges")),
        ):
            label.setAccessibleName(name)
            label.hide()
        parts = (self._why, self._language, self._one_sided, self._error, self._judge, self._notices)
        vbox(*parts, within=self, margins=(8, 6, 8, 8), spacing=5)
        self._show()

    def set_idle(self, idle: bool) -> None:
        """Show what is missing while nothing is scored; a new run removes the last run's messages."""
        if self._idle and not idle:
            self._shown_notices = []
            for label in (self._error, self._notices, self._judge):
                label.say("")
        self._idle = idle
        self.end_states()

    def end_states(self) -> None:
        """Remove notices of a state that has ended, such as "Still waiting for 127.0.0.1:8080 …"."""
        self._shown_notices = [text for text in self._shown_notices if not text.endswith("…")]
        self._show()

    def set_lacks(self, text: str) -> None:
        """Show what is missing before Run works, "" for nothing."""
        self._lacks = text
        self._show()

    def set_known(self, text: str) -> None:
        """Show why there is nothing to compute, "" if there is something."""
        self._known_message = text
        self._show()

    def set_language(self, text: str) -> None:
        """Show that the chosen judges or metrics do not support the language of the pairs, "" if they do."""
        self._language.say(text)
        self._show()

    def set_one_sided(self, text: str) -> None:
        """Show which judges give nearly all pairs the same answer, "" if no judge does."""
        self._one_sided.say(text)
        self._show()

    def show_judge(self, description: str) -> None:
        """Show the loaded judge; the code that computes it is in the tooltip, since few users know it."""
        name, colon, facts = description.partition(COMPUTED_BY)[0].partition(": ")
        self._described = judge_with_weights(name) + colon + facts
        self._judge.say(self._described)
        self._judge.setToolTip(tooltip(description))
        self._show()

    def show_spent(self, text: str) -> None:
        """Show the tokens and cost spent after the judge's description, "" if they are not counted."""
        if text:
            self._judge.say(f"{self._described} · {text}" if self._described else text)
            self._show()

    def show_notice(self, text: str) -> None:
        """Add a notice, unless it is already shown."""
        if text and text not in self._shown_notices:
            self._shown_notices = [*self._shown_notices, text][-MOST_NOTICES:]
        self._show()

    def show_error(self, text: str) -> None:
        """Show an error until the next run; "" removes it."""
        self._error.say(text)
        self._show()

    def _show(self) -> None:
        self._why.say((self._lacks or self._known_message) if self._idle else "")
        self._notices.say("\n".join(text for text in self._shown_notices if text != self._language.full_text))
        labels = (self._why, self._language, self._one_sided, self._error, self._judge, self._notices)
        self.setVisible(any(label.full_text for label in labels))


STATES = ("idle", "loading", "running", "paused", "stopping")

BAR_WIDTH = 150


class RunBox(QWidget):
    """The buttons that run, pause and stop scoring, and its progress, in one line.

    Attributes:
        state: "idle", "loading", "running", "paused" or "stopping".
        menu: Runs on some of the pairs, opened by the button next to Run.
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
        self.state = "idle"
        self._ready = True
        run_tip = self.tr("Score every pair that has no score yet")
        self.run_button = button(self.tr("Run"), self.run_requested.emit, run_tip)
        self.run_button.setProperty("primary", True)
        icons.put(self.run_button, "play", QPalette.ColorRole.HighlightedText)
        self.menu = QMenu(self)
        self.menu_button = name_control(
            QPushButton(), self.tr("Other ways to run"), self.tr("Score only some of the pairs")
        )
        give_menu(self.menu_button, self.menu)
        self.menu_button.setMaximumWidth(2 * self.menu_button.fontMetrics().height())
        self.pause_button = button(self.tr("Pause"), self._pause_or_resume, icon="pause")
        stop_tip = self.tr("Stop scoring. Finished scores are kept")
        self.stop_button = button(self.tr("Stop"), self.stop_requested.emit, stop_tip, icon="square")
        for control in (self.run_button, self.menu_button, self.pause_button, self.stop_button):
            # As in any tool bar, a click does not move the focus. A button that its own click disables would pass the
            # focus to the judge's list, where Space would then act.
            control.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.bar = name_control(QProgressBar(self), self.tr("Progress of scoring"), "")
        self.bar.setFixedWidth(BAR_WIDTH)
        self.bar.hide()
        self._stage = name_control(ElidedText(self), self.tr("Current step"), "")
        self._step = name_control(ElidedText(self), self.tr("Score under way"), "")
        self._rate = name_control(ElidedText(self), self.tr("Speed"), "")
        buttons = (self.run_button, self.menu_button, self.pause_button, self.stop_button)
        hbox(*buttons, self.bar, self._stage, self._step, self._rate, 1, within=self, margins=NO_MARGINS)
        self.set_state("idle")

    def set_ready(self, ready: bool) -> None:
        """Enable or disable Run, depending on whether anything is missing."""
        self._ready = ready
        self._enable()

    def set_state(self, state: str) -> None:
        if state not in STATES:
            raise ValueError(f"unknown state {state!r}")
        if state == "loading" and self.state == "idle":
            for label in (self._step, self._rate):
                label.say("")
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

    def show_progress(self, progress: JobProgress, title: str = "", spent: str = "") -> None:
        """Show the progress of the current score, called `title`: pairs done, speed and time left.

        `spent` names the tokens and cost so far.
        """
        # In thousandths: the number of pairs can exceed the range of a progress bar.
        done, total = progress.column_done, progress.pairs
        if self.state != "stopping":
            self._stage.say("")  # scores arrive: loading is over
        self.bar.show()
        self.bar.setRange(0, 1000)
        self.bar.setValue(int(1000 * done / total) if total else 1000)
        count = self.tr("{0}: {1} of {2} pairs").format(title or progress.column, f"{done:,}", f"{total:,}")
        if progress.steps > 1:
            count += self.tr(" (score {0} of {1})").format(progress.step, progress.steps)
        self.bar.setToolTip(plain_tip(count))
        self._step.say(count if total else "")
        if self.state == "paused":
            return
        more = f" · {spent}" if spent else ""
        rate = f"{progress.rate:.1f}" if progress.rate < 100 else f"{progress.rate:,.0f}"
        if progress.rate <= 0:
            self._rate.say("")
        elif progress.remaining is None:
            self._rate.say(self.tr("{} pairs/s").format(rate) + more)
        else:
            left = duration(progress.remaining)
            self._rate.say(self.tr("{0} pairs/s · {1} left").format(rate, left) + more)

    def show_end(self, cancelled: bool) -> None:
        """Show that scoring was stopped or is done, and hide the progress."""
        self.bar.hide()
        self._step.say(self.tr("Stopped.") if cancelled else "")

    def forget(self) -> None:
        """Remove the messages about the last corpus."""
        if self.state == "idle":
            self.bar.hide()
            for label in (self._step, self._rate, self._stage):
                label.say("")

    def show_stage(self, text: str) -> None:
        """Show the current step before scores arrive, and hide the progress of the last run."""
        self._stage.say(text)
        if text:
            for label in (self._step, self._rate):
                label.say("")

    def _enable(self) -> None:
        for control in (self.run_button, self.menu_button):
            control.setEnabled(self.state == "idle" and self._ready)
        paused = self.state == "paused"
        self.pause_button.setText(self.tr("Resume") if paused else self.tr("Pause"))
        icons.put(self.pause_button, "play" if paused else "pause")
        tip = self.tr("Resume scoring") if paused else self.tr("Pause after the current batch")
        name_control(self.pause_button, self.pause_button.text(), tip)
        self.pause_button.setEnabled(self.state in ("loading", "running", "paused"))
        self.stop_button.setEnabled(self.state in ("loading", "running", "paused"))

    def _pause_or_resume(self) -> None:
        if self.state == "paused":
            self.resume_requested.emit()
        else:
            self.pause_requested.emit()
