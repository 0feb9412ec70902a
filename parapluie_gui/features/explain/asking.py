"""The common ground of the views that ask the worker for scores of variants of a pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.score_column import Meaning, ScoreColumn, score_column
from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.ui.widgets.wrapped import WrappedText


class AskingView(QWidget):
    """Knows no worker: the receiver of `asked` answers with `show_stage`, `show_scores` and `show_error`.

    Attributes:
        refused: What was asked for last could not be scored.

    Signals:
        asked: (Plan or Corpus, column) Variants of a pair are to be scored with this column's score.
        given_up: Scores that were asked for are not wanted any more, and are not to be shown.
    """

    asked = Signal(object, str)
    given_up = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hint = WrappedText(muted=True)
        self._hint.say("")
        self._scores: Scores = np.zeros(0)
        self._meanings: Mapping[str, Meaning] = {}
        self._waiting = False
        self.refused = False

    # For subclasses

    def undefined(self) -> str:
        """Return the message for variants that have no score although everything was scored."""
        raise NotImplementedError

    def show_known(self) -> None:
        """Show what the scores say so far; NaN where there is none."""
        raise NotImplementedError

    def set_meanings(self, meanings: Mapping[str, Meaning]) -> None:
        """Set how to read the numbers of columns that are worked out from others."""
        self._meanings = meanings

    def scored(self, column: str) -> ScoreColumn:
        """Return the scores of the variants, as those of this column are to be read."""
        found, read = score_column(column, self._scores), self._meanings.get(column)
        if read is None:
            return found
        return replace(found, higher_is_closer=read.higher_is_closer, threshold=read.threshold)

    def expect(self, count: int) -> None:
        """Wait for a number of scores; the view emits `asked`."""
        self._scores = np.full(count, np.nan)
        self._waiting, self.refused = True, False

    def give_up(self) -> None:
        """Want no scores any more."""
        self.given_up.emit()
        self._waiting = self.refused = False
        self._scores = np.zeros(0)
        self._hint.say("")

    # The worker's answers

    def show_stage(self, text: str) -> None:
        """Show what is being done before scores can come."""
        if self._waiting:
            self._hint.say(text)

    def show_scores(self, rows: Rows, values: Scores) -> None:
        """Take in scores of some of the variants, by their numbers (k,)."""
        if not len(self._scores):
            return
        self._scores[rows] = values
        if self._waiting and not np.isnan(self._scores).any():
            self._waiting = False
            self._hint.say("")
        self.show_known()

    def show_error(self, text: str) -> None:
        """Show in one sentence why there are no scores; also at the end (""), for variants without one."""
        if self._waiting:
            self._waiting, self.refused = False, bool(text)
            self._hint.say(text or self.undefined())
