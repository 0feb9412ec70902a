"""Actions that choose the labels, human scores and annotators of a corpus."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parapluie_gui.arrays import Floats, Labels
from parapluie_gui.pairs.corpus import UNLABELLED
from parapluie_gui.ui.setup.roles_dialog import RolesDialog
from parapluie_gui.ui.window.context import WindowController


class RoleActions(WindowController):
    """Asks for the roles of the corpus's columns, and sets labels and human scores."""

    def ask(self) -> None:
        """Ask which columns are labels, human scores or annotators."""
        corpus = self._workspace.corpus
        if corpus is None or not corpus.extra:
            self.failed.emit(self.tr("There is no other column that could be a label, a human score or an annotator."))
            return
        dialog = RolesDialog(corpus, self._window)
        words = {"label": self.tr("Labels"), "human": self.tr("Human scores")}
        dialog.chosen.connect(lambda role, values: self.use(words[role], role, values))
        dialog.annotated.connect(self._annotate)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def use(self, words: str, role: str, values: Labels | Floats) -> None:
        """Use values as labels ("label") or human scores ("human") of the corpus; `words` name them in the message."""
        self._state.corpora.set_role(role, values)
        missing = np.isnan(values) if role == "human" else values == UNLABELLED
        text = self.tr("{0}: {1} of {2} pairs now have one.")
        self.message.emit(text.format(words, f"{int((~missing).sum()):,}", f"{len(values):,}"))

    def _annotate(self, annotators: Mapping[str, float]) -> None:
        self._state.corpora.set_annotators(annotators)
        text = self.tr("{0} columns are now annotators. The Agreement page compares them.")
        self.message.emit(text.format(len(annotators)))
