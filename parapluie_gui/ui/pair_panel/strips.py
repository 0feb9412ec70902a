"""The strips of one pair of the corpus: its scores, why any is missing, and the shapes behind them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from parapluie_gui.analysis.cache import Cache
from parapluie_gui.metrics import catalogue, column_source
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.pair.distributions import Shape, Shapes
from parapluie_gui.ui.pair.gauges import meaning
from parapluie_gui.ui.pair.scores_panel import FIRST_BASELINES
from parapluie_gui.ui.pair.strip import Strip
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.state.workspace import Workspace

#: Shapes come one by one; the strips are drawn again at most this often.
GATHER_MS = 30


class PairStrips(QObject):
    """Makes the strips of a pair.

    Attributes:
        shapes: The corpus's scores, column by column.

    Signals:
        changed: A shape came or changed: the strips are worth making again.
    """

    changed = Signal()

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._made = Cache()
        self.shapes = Shapes(workspace, self)
        self._gathering = Throttle(self.changed, GATHER_MS, self)
        self.shapes.measured.connect(self._gathering.ask)

    def of(self, row: int) -> list[Strip]:
        """Return the strips of a pair: ParaPLUIE's templates first, then the other scores as they came."""
        table = self._workspace.table
        columns = [*(name for name in FIRST_BASELINES if name not in table), *table.scores]
        columns.sort(key=lambda name: not identify(name).judged)
        return [self._strip(column, row) for column in columns]

    def _strip(self, column: str, row: int) -> Strip:
        table, version = self._workspace.table, self._workspace.version(column)
        title, note = self._made.get(column, version, lambda: self._describe(column))
        if column not in table:
            return Strip(column, title, None, note=note)
        value = float(table[column][row])
        shape = self.shapes.of(column)
        natural = None if shape is None else shape.threshold
        line = self._workspace.threshold if column == self._workspace.y else natural
        if np.isnan(value):
            why = self._why(column, row, shape)
            return Strip(column, title, None, missing=why, note=note, shape=shape, threshold=line)
        text = score_names.written(column, value)
        corpus = self._workspace.corpus
        if not value and corpus is not None:
            note = f"{catalogue.why_zero(column, corpus.source[row], corpus.hypothesis[row])} {note}".strip()
        return Strip(column, title, value, text, note=note, shape=shape, threshold=line)

    def _describe(self, column: str) -> tuple[str, str]:
        """Return what does not change from pair to pair: the title, and what the number means."""
        info = catalogue.info(column, self._workspace.table.signatures.get(column))
        return self._workspace.title(column), "" if info is None else meaning(info)

    def _why(self, column: str, row: int, shape: Shape | None) -> str:
        """Return why a pair has no score, "" when the only reason known is that it was not scored yet."""
        corpus, signature = self._workspace.corpus, self._workspace.table.signatures.get(column)
        if corpus is None or shape is None or identify(column).judged:
            return ""
        reference = None if corpus.reference is None else corpus.reference[row]
        return column_source.why_missing(corpus, signature, row) or catalogue.why_missing(
            column, corpus.source[row], corpus.hypothesis[row], reference
        )
