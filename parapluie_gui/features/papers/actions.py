"""The window's action of this feature: add pairs with a known answer to a corpus."""

from __future__ import annotations

from functools import partial

from parapluie_gui.features.papers.pem_controls import add_controls
from parapluie_gui.ui.window.context import WindowController


class PapersActions(WindowController):
    """Adds PEM's controls."""

    def add_controls(self) -> None:
        """Open a copy of the corpus with PEM's controls after its pairs; scores of its pairs are reused."""
        if (corpus := self._require_corpus()) is None:
            return
        self._state.corpora.open_generated(
            self.tr("{0} with controls").format(corpus.name), partial(add_controls, corpus)
        )
