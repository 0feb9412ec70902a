"""The strips of one pair of the corpus: its scores, why any is missing, and the shapes they stand in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from parapluie_gui.analysis.cache import Cache
from parapluie_gui.metrics import catalogue, column_source
from parapluie_gui.scores.column_kind import is_judge_score
from parapluie_gui.ui.pair.distributions import Shape, Shapes
from parapluie_gui.ui.pair.scores_panel import FIRST_BASELINES
from parapluie_gui.ui.pair.strip import Strip
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.state.workspace import Workspace

#: Shapes come one by one; the strips are shown anew at most this often.
GATHER_MS = 30


@dataclass(frozen=True)
class _About:
    """What does not change from pair to pair."""

    title: str
    note: str
    template: bool


class PairStrips(QObject):
    """Makes the strips of a pair.

    Attributes:
        shapes: The corpus's scores, column by column.

    Signals:
        changed: A shape is there, or another one; the strips are worth making again.
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
        columns.sort(key=lambda name: not is_judge_score(name))
        return [self._strip(column, row) for column in columns]

    def _strip(self, column: str, row: int) -> Strip:
        table, version = self._workspace.table, self._workspace.version(column)
        about = self._made.get(column, version, lambda: self._describe(column))
        if column not in table:
            return Strip(column, about.title, None, note=about.note)
        value = float(table[column][row])
        shape = self.shapes.of(column)
        if np.isnan(value):
            return Strip(column, about.title, None, missing=self._why(column, row, shape), note=about.note, shape=shape)
        text = score_names.signed(value) if about.template else score_names.plain(value)
        return Strip(column, about.title, value, text, note=about.note, shape=shape)

    def _describe(self, column: str) -> _About:
        info = catalogue.info(column, self._workspace.table.signatures.get(column))
        template = is_judge_score(column)
        note = ""
        if info is not None:
            sense = self.tr("Higher is better.") if info.higher_is_closer else self.tr("Lower is better.")
            note = self.tr("{0} {1}").format(info.summary, sense).strip()
        return _About(score_names.title(column), note, template)

    def _why(self, column: str, row: int, shape: Shape | None) -> str:
        """Return why a pair has no score, "" when nothing is known of a reason but that it was not scored yet."""
        corpus, signature = self._workspace.corpus, self._workspace.table.signatures.get(column)
        if corpus is None or shape is None or is_judge_score(column):
            return ""
        reference = None if corpus.reference is None else corpus.reference[row]
        return column_source.why_missing(corpus, signature, row) or catalogue.why_missing(
            column, corpus.source[row], corpus.hypothesis[row], reference
        )
