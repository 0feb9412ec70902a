"""Finding pairs and errors like the one in sight, in the window."""

from __future__ import annotations

from functools import partial

from parapluie_gui.features.alike.alike import Alike
from parapluie_gui.features.alike.columns import LIKENESS
from parapluie_gui.ui.window.context import Context, Helper


class AlikeActions(Helper):
    """Shows what is compared in the status line, and the most similar pairs first in the table."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._alike = alike = Alike(context.workspace, context.client, self)
        alike.working.connect(partial(context.status.show_work, cancel=alike.cancel))
        alike.failed.connect(self.failed)
        alike.found.connect(partial(context.table.show_highest, LIKENESS))

    def find_pairs(self) -> None:
        """Select the pairs most like the one in sight."""
        self._alike.find_pairs()

    def find_errors(self) -> None:
        """Select the errors most like the pair in sight."""
        self._alike.find_errors()
