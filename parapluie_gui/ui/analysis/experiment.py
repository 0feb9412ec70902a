"""What the pages have in common on which the worker tries something: begin, progress, stop, and how it ended."""

from __future__ import annotations

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QProgressBar, QSpinBox, QWidget

from parapluie_gui.ui.analysis.page import Links, Page, Result
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, hbox, widget_of
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText


class WorkedPage(Page[Result]):
    """A page that asks the worker for something; see `Links` for what.

    Attributes:
        progress, stage, stop_button: What is under way, and how it ended.
        running: Shown while it is.
    """

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.stage = WrappedText(muted=True)
        self.progress = QProgressBar()
        self.progress.setRange(0, 1000)
        self.progress.setMaximumWidth(200)

    def offer_stop(self, what: str, stop: SignalInstance) -> QWidget:
        """Return what is shown while something (`what`, in words) is under way: how far it is, and how to stop it."""
        self.progress.setAccessibleName(self.tr("Progress: {0}").format(what))
        self.stop_button = button(self.tr("&Stop"), stop.emit, name=self.tr("Stop: {0}").format(what))
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

    def show_chosen(self) -> None:
        """Show what will be asked for, and whether it can be."""
        raise NotImplementedError


class ExperimentPage(WorkedPage[Result]):
    """Tries something on pairs that are made for it.

    Attributes:
        pairs, seed: Of the pairs to try.
        start_button: Begins.
    """

    standalone = True

    def explain(self, text: str) -> None:
        """Say above everything what the page is for."""
        hint = WrappedText(muted=True)
        hint.say(text)
        self.flow.addWidget(hint)

    def offer_start(self, verb: str, pairs: int, stop: SignalInstance) -> None:
        """Add the line that begins, and the one that shows how far it is."""
        self.pairs, self.seed = _number(1, 20_000, pairs), _number(0, 2**31 - 1, 0)
        self.start_button = button(verb, self._start)
        self.bar((self.tr("&Pairs"), self.pairs), (self.tr("S&eed"), self.seed), ("", self.start_button))
        self.bar(("", self.offer_stop(self.title, stop)))
        self.flow.addWidget(self.stage)

    def showEvent(self, event: object) -> None:
        """Show what is chosen elsewhere now."""
        super().showEvent(event)  # type: ignore[arg-type]
        self.show_chosen()

    def ask(self) -> None:
        """Ask for what is chosen."""
        raise NotImplementedError

    def _start(self) -> None:
        self.show_begun()
        self.ask()


def _number(least: int, most: int, value: int) -> QSpinBox:
    box = QSpinBox()
    box.setRange(least, most)
    box.setValue(value)
    return box
