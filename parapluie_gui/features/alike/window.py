"""The actions that select similar pairs and errors."""

from __future__ import annotations

from functools import partial

from parapluie_gui.features.alike.alike import SimilarPairs
from parapluie_gui.features.alike.columns import LIKENESS
from parapluie_gui.ui.window.context import WindowContext, WindowController


class AlikeActions(WindowController):
    """Actions that select similar pairs and sort the table by similarity."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._alike = alike = SimilarPairs(context.workspace, context.client, self)
        alike.working.connect(partial(context.status.show_work, cancel=alike.cancel))
        alike.failed.connect(self.failed)
        alike.selected.connect(partial(context.table.show_highest, LIKENESS))

    def find_pairs(self) -> None:
        """Select the pairs most similar to the current pair."""
        self._alike.find_pairs()

    def find_errors(self) -> None:
        """Select the errors most similar to the current pair."""
        self._alike.find_errors()
