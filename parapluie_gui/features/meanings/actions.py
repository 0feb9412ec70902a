"""The window's action that opens the corpus "Two meanings"."""

from __future__ import annotations

from parapluie_gui.ui.window.context import Helper


class MeaningsActions(Helper):
    """Opens the corpus."""

    def open(self) -> None:
        """Open the corpus on which word overlap is no help."""
        self._state.corpora.open_shipped("meanings")
