"""What the pages have in common on which the worker tries something: begin, progress, stop, and how it ended."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.base import Analysis, Run
from parapluie_gui.ui.analysis.links import Links
from parapluie_gui.ui.analysis.page import AnalysisPage
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, hbox, widget_of
from parapluie_gui.ui.widgets.controls import bar
from parapluie_gui.ui.widgets.wrapped import WrappedText


class WorkedPage(AnalysisPage):
    """A page that asks the worker for something.

    Attributes:
        progress, stage, stop_button: What is under way, and how it ended.
        running: Shown while it is.

    Signals:
        wanted: (object) Something is to be tried: what its feature makes a plan of.
        stopped: It is to end.
    """

    wanted = Signal(object)
    stopped = Signal()

    def __init__(self, links: Links, analysis: Analysis[Any, Any]) -> None:
        super().__init__(links, analysis)
        self.stage = WrappedText(muted=True)
        self.progress = bar(self.tr("Progress"), 1000, width=200)
        self.progress.setTextVisible(True)

    def offer_stop(self, what: str) -> QWidget:
        """Return what is shown while something (`what`, in words) is under way: how far it is, and how to stop it."""
        self.progress.setAccessibleName(self.tr("Progress: {0}").format(what))
        self.stop_button = button(self.tr("&Stop"), self.stopped.emit, name=self.tr("Stop: {0}").format(what))
        self.running = widget_of(hbox(self.progress, self.stop_button, margins=NO_MARGINS))
        self.running.hide()
        return self.running

    def show_begun(self) -> None:
        """Show that something is under way."""
        self.progress.setValue(0)
        self.running.show()
        self.show_chosen()

    def show_stage(self, text: str) -> None:
        self.stage.say(text)

    def show_end(self, sentence: str) -> None:
        """Show that nothing is computed any more, and why scores are missing, if they are."""
        self.running.hide()
        self.stage.say(sentence)
        self.show_chosen()

    def show_outcome(self, outcome: Any) -> None:
        """Show what came out."""
        raise NotImplementedError

    def show_chosen(self) -> None:
        """Show what will be asked for, and whether it can be."""
        raise NotImplementedError


class ExperimentPage(WorkedPage):
    """Tries something on pairs that are made for it, and shows what its analysis makes of the scores.

    Attributes:
        start_button: Begins.
    """

    def __init__(self, links: Links, analysis: Analysis[Any, Any]) -> None:
        super().__init__(links, analysis)
        self._refused = False
        self.form.show_shown(False)

    def offer_start(self, verb: str) -> None:
        """Add the line that begins, and the one that shows how far it is, above the results."""
        self.start_button = button(verb, self._start)
        begin = widget_of(hbox(self.start_button, self.offer_stop(self.title), 1, margins=NO_MARGINS))
        at = self.flow.indexOf(self.form) + 1
        self.flow.insertWidget(at, begin)
        self.flow.insertWidget(at + 1, self.stage)
        self.form.changed.connect(self._take_change)
        self.form.refused.connect(self._refuse)

    @property
    def options(self) -> Any:
        """What is chosen."""
        return self.form.options()

    def show_outcome(self, outcome: Run[Any, Any]) -> None:
        """Show what came out; what was looked at stays in sight where it is there again."""
        self.form.offer(outcome.material)
        self.form.show_shown(True)
        self.take(outcome)

    def showEvent(self, event: object) -> None:
        """Show what is chosen elsewhere now."""
        super().showEvent(event)  # type: ignore[arg-type]
        self.show_chosen()

    def what(self) -> Any:
        """Return what is chosen, as `wanted` hands it out."""
        return self.options

    def _take_change(self, anew: bool) -> None:
        if anew and not self._refused:
            self.show_chosen()

    def _refuse(self, why: str) -> None:
        """Begin nothing while a box holds what it cannot take."""
        self._refused = bool(why)
        self.show_chosen()
        if why:
            self.start_button.setEnabled(False)
            self.stage.say(why)

    def _start(self) -> None:
        self.show_begun()
        self.wanted.emit(self.what())
