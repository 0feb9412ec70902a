"""The base class of the views that request scores of variants of a pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.score_column import ColumnMeaning, ScoreColumn, score_column
from parapluie_gui.arrays import Rows, Scores
from parapluie_gui.ui.widgets.wrapped import WrappedText


class VariantView(QWidget):
    """A view of the scores of variants of a pair.

    It does not know the worker: the receiver of `requested` answers with `show_stage`, `show_scores`, `show_error`.

    Attributes:
        refused: Whether the variants requested last could not be scored.

    Signals:
        requested: (ExplanationPlan or Corpus, column) The view needs the scores of these variants in a column.
        cancelled: The view no longer needs the scores that it requested.
    """

    requested = Signal(object, str)
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hint = WrappedText(muted=True)
        self._hint.say("")
        self._scores: Scores = np.zeros(0)
        self._meanings: Mapping[str, ColumnMeaning] = {}
        self._waiting = False
        self.refused = False

    # For subclasses

    def undefined_message(self) -> str:
        """Return the message shown if the score is undefined for some variants."""
        raise NotImplementedError

    def show_known(self) -> None:
        """Show the scores that have arrived; the missing ones are NaN."""
        raise NotImplementedError

    def set_meanings(self, meanings: Mapping[str, ColumnMeaning]) -> None:
        """Set direction and threshold of computed columns."""
        self._meanings = meanings

    def score_column(self, column: str) -> ScoreColumn:
        """Return the scores of the variants with the direction and threshold of a column."""
        scores = score_column(column, self._scores)
        meaning = self._meanings.get(column)
        if meaning is None:
            return scores
        return replace(scores, higher_is_closer=meaning.higher_is_closer, threshold=meaning.threshold)

    def expect(self, count: int) -> None:
        """Prepare for a number of scores; call before `requested` is emitted."""
        self._scores = np.full(count, np.nan)
        self._waiting, self.refused = True, False

    def cancel(self) -> None:
        """Cancel the request and drop its scores."""
        self.cancelled.emit()
        self._waiting = self.refused = False
        self._scores = np.zeros(0)
        self._hint.say("")

    # The worker's answers

    def show_stage(self, text: str) -> None:
        """Show the current stage of the work before the first scores, such as loading the model."""
        if self._waiting:
            self._hint.say(text)

    def show_scores(self, rows: Rows, values: Scores) -> None:
        """Show the scores (k,) of some variants, by their indices (k,)."""
        if not len(self._scores):
            return
        self._scores[rows] = values
        if self._waiting and not np.isnan(self._scores).any():
            self._waiting = False
            self._hint.say("")
        self.show_known()

    def show_error(self, text: str) -> None:
        """Show the error that prevented scoring, in one sentence; "" ends a request without an error."""
        if self._waiting:
            self._waiting, self.refused = False, bool(text)
            self._hint.say(text or self.undefined_message())
