"""The window's action that opens the corpus "Two meanings"."""

from __future__ import annotations

from parapluie_gui.ui.window.context import WindowController


class MeaningsActions(WindowController):
    """Opens the corpus "Two meanings"."""

    def open(self) -> None:
        """Open the corpus."""
        self._state.corpora.open_shipped("meanings")
