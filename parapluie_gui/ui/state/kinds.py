"""The kinds of change of the pairs shown: computed once a view asks for them, corrected by people."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QObject, Signal

from parapluie_gui.arrays import Numbers, Rows, Scores
from parapluie_gui.judgements.columns import CorpusJudgements
from parapluie_gui.metrics.changes.corrections import COLUMN, corrected_kinds
from parapluie_gui.metrics.changes.kinds import kind_texts, kinds_number
from parapluie_gui.pairs.column import TextColumn
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.state.throttle import CallThrottle

#: Minimum time between two updates of the views while kinds arrive, in milliseconds.
TELL_MS = 500


class PairKinds(QObject):
    """The kinds of change of each pair known so far; for the GUI thread only.

    Attributes:
        numbers: The kinds as coded by `metrics.changes.kinds`, (n,); NaN for a pair that is not done yet.
        asked: Whether a view wants them.
        corrected: The kinds that a person corrected, by row; `numbers` contains them too.

    Signals:
        wanted: A view asked for the first time, so the search should start.
        changed: More kinds are known.
    """

    wanted = Signal()
    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.asked = False
        self.numbers: Scores = np.zeros(0)
        self.corrected: Mapping[int, float] = {}
        self._texts_corrected: dict[int, str] = {}
        self._texts: Numbers | None = None
        self._taken: tuple[object, object] = (None, None)
        self._telling = CallThrottle(self._emit_changed, TELL_MS, self)

    def reset(self, rows: int) -> None:
        """Start with a new corpus of n = `rows` pairs."""
        self._telling.stop()
        self.asked, self._texts = False, None
        self.corrected, self._texts_corrected = {}, {}
        self._taken = (None, None)
        self.numbers = np.full(rows, np.nan)

    def texts(self) -> Numbers:
        """Return the kinds known so far in words, objects (n,); the first call starts the search."""
        if not self.asked:
            self.asked = True
            self.wanted.emit()
        if self._texts is None:
            self._texts = kind_texts(self.numbers)
        return self._texts

    def put(self, rows: Rows, numbers: Scores) -> None:
        """Add the kinds of some pairs; `changed` follows."""
        self.numbers[rows] = numbers
        self._set_numbers(self.corrected)
        self._telling.ask()

    def correct(self, corpus: Corpus, judgements: CorpusJudgements) -> None:
        """Apply people's corrections; a pair whose correction was removed gets its kinds by rule again."""
        column = judgements.columns.get(COLUMN)
        if self._taken[0] is column and self._taken[1] is corpus:
            return
        self._taken = column, corpus
        texts = {row: text for row, text in enumerate(column) if text} if isinstance(column, TextColumn) else {}
        if texts == self._texts_corrected:
            return
        changed = texts.items() ^ self._texts_corrected.items()
        self._texts_corrected = texts
        numbers = {row: _number(corpus, row, texts.get(row)) for row, _ in changed}
        self.corrected = {row: numbers.get(row, self.numbers[row]) for row in texts}
        self._set_numbers(numbers)
        self._emit_changed()

    def _set_numbers(self, numbers: Mapping[int, float]) -> None:
        for row, number in numbers.items():
            self.numbers[row] = number

    def _emit_changed(self) -> None:
        self._texts = None
        self.changed.emit()


def _number(corpus: Corpus, row: int, text: str | None) -> float:
    return kinds_number(corrected_kinds(corpus.source[row], corpus.hypothesis[row], text))
