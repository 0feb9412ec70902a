"""The window's action that belongs to the papers: pairs with a known answer behind those of a corpus."""

from __future__ import annotations

from functools import partial

from parapluie_gui.features.papers.pem_controls import with_controls
from parapluie_gui.ui.window.context import Helper


class PapersActions(Helper):
    """Adds PEM's controls."""

    def add_controls(self) -> None:
        """Open the shown corpus once more with PEM's controls behind its pairs; scores of its pairs are reused."""
        corpus = self._workspace.corpus
        if corpus is None:
            self.failed.emit(self.tr("There are no pairs yet. Open a corpus first (Ctrl+O)."))
            return
        self._state.corpora.open_generated(
            self.tr("{0} with controls").format(corpus.name), partial(with_controls, corpus)
        )
