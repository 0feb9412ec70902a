"""Base classes of pages that run an experiment in the worker: start, progress, stop and result."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.base import Analysis, Run
from parapluie_gui.ui.analysis.links import AnalysisLinks
from parapluie_gui.ui.analysis.page import AnalysisPage
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, hbox, widget_of
from parapluie_gui.ui.widgets.controls import bar
from parapluie_gui.ui.widgets.wrapped import WrappedText


class WorkedPage(AnalysisPage):
    """Page with computations that run in the worker.

    Attributes:
        progress, stage, stop_button: Progress of the current run, its step, and the button to stop it.
        running: Shown during a run.

    Signals:
        wanted: (object) The user starts a run; the feature turns the object into a plan.
        stopped: The user stops the run.
    """

    wanted = Signal(object)
    stopped = Signal()

    def __init__(self, links: AnalysisLinks, analysis: Analysis[Any, Any]) -> None:
        super().__init__(links, analysis)
        self.stage = WrappedText(muted=True)
        self.progress = bar(self.tr("Progress"), 1000, width=200)
        self.progress.setTextVisible(True)

    def offer_stop(self, what: str) -> QWidget:
        """Return the line with the progress of a run (`what`, in words) and its stop button."""
        self.progress.setAccessibleName(self.tr("Progress: {0}").format(what))
        self.stop_button = button(self.tr("&Stop"), self.stopped.emit, name=self.tr("Stop: {0}").format(what))
        self.running = widget_of(hbox(self.progress, self.stop_button, margins=NO_MARGINS))
        self.running.hide()
        return self.running

    def show_begun(self) -> None:
        """Show that a run has started."""
        self.progress.setValue(0)
        self.running.show()
        self.show_chosen()

    def show_stage(self, text: str) -> None:
        self.stage.say(text)

    def show_end(self, sentence: str) -> None:
        """Show that the run has ended, and why scores are missing, if any."""
        self.running.hide()
        self.stage.say(sentence)
        self.show_chosen()

    def show_outcome(self, outcome: Any) -> None:
        """Show the result."""
        raise NotImplementedError

    def show_chosen(self) -> None:
        """Show what a run would compute, and enable the start button if it can."""
        raise NotImplementedError


class ExperimentPage(WorkedPage):
    """Page that scores generated pairs and shows the analysis of their scores.

    Attributes:
        start_button: Starts the run.
    """

    def __init__(self, links: AnalysisLinks, analysis: Analysis[Any, Any]) -> None:
        super().__init__(links, analysis)
        self._refused = False
        self.form.show_shown(False)

    def offer_start(self, verb: str) -> None:
        """Add the start line and the progress line above the results."""
        self.start_button = button(verb, self._start)
        begin = widget_of(hbox(self.start_button, self.offer_stop(self.title), 1, margins=NO_MARGINS))
        at = self.flow.indexOf(self.form) + 1
        self.flow.insertWidget(at, begin)
        self.flow.insertWidget(at + 1, self.stage)
        self.form.changed.connect(self._take_change)
        self.form.refused.connect(self._refuse)

    @property
    def options(self) -> Any:
        """The chosen options."""
        return self.form.options()

    def show_outcome(self, outcome: Run[Any, Any]) -> None:
        """Show the result, keeping the user's choices on the page where possible."""
        self.form.offer(outcome.material)
        self.form.show_shown(True)
        self.take(outcome)

    def showEvent(self, event: object) -> None:
        """Update the page with choices made elsewhere."""
        super().showEvent(event)  # type: ignore[arg-type]
        self.show_chosen()

    def what(self) -> Any:
        """Return the chosen options, the argument of `wanted`."""
        return self.options

    def _take_change(self, anew: bool) -> None:
        if anew and not self._refused:
            self.show_chosen()

    def _refuse(self, why: str) -> None:
        """Disable the start button while a field has an invalid value."""
        self._refused = bool(why)
        self.show_chosen()
        if why:
            self.start_button.setEnabled(False)
            self.stage.say(why)

    def _start(self) -> None:
        self.show_begun()
        self.wanted.emit(self.what())
