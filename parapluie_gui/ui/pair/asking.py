"""The common ground of the views that ask the worker for scores of variants of a pair."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.ui.widgets.wrapped import WrappedText


class AskingView(QWidget):
    """Knows no worker: the receiver of `asked` answers with `show_stage`, `show_scores` and `show_error`.

    Signals:
        asked: (request, Plan or Corpus, column) Variants of a pair are to be scored with this column's score.
        given_up: (request) The scores are not wanted any more.
    """

    asked = Signal(int, object, str)
    given_up = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hint = WrappedText(muted=True)
        self._hint.say("")
        self._scores: Scores = np.zeros(0)
        self._request, self._waiting = 0, False

    # For subclasses

    def undefined(self) -> str:
        """Return what is said when everything was scored and some variant has no score."""
        raise NotImplementedError

    def show_known(self) -> None:
        """Show what the scores say so far; NaN where there is none."""
        raise NotImplementedError

    def expect(self, count: int) -> None:
        """Wait for so many scores; the view emits `asked`."""
        self._scores = np.full(count, np.nan)
        self._waiting = True

    def give_up(self) -> None:
        """Want no scores any more; what still comes is not taken in."""
        if self._waiting:
            self.given_up.emit(self._request)
        self._waiting = False
        self._request += 1
        self._scores = np.zeros(0)
        self._hint.say("")

    # The worker's answers

    def show_stage(self, request: int, text: str) -> None:
        """Show what is being done before scores can come."""
        if request == self._request and self._waiting:
            self._hint.say(text)

    def show_scores(self, request: int, rows: Rows, values: Scores) -> None:
        """Take in scores of some of the variants, by their numbers (k,)."""
        if request != self._request or not len(self._scores):
            return
        self._scores[rows] = values
        if self._waiting and not np.isnan(self._scores).any():
            self._waiting = False
            self._hint.say("")
        self.show_known()

    def show_error(self, request: int, text: str) -> None:
        """Show in one sentence why there are no scores; also at the end (""), for variants without one."""
        if request == self._request and self._waiting:
            self._waiting = False
            self._hint.say(text or self.undefined())
