"""Choosing what are the labels, the human scores and the annotators of a corpus."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parapluie_gui.arrays import Floats, Labels
from parapluie_gui.pairs.corpus import UNLABELLED
from parapluie_gui.ui.setup.roles_dialog import RolesDialog
from parapluie_gui.ui.window.context import Helper


class RoleActions(Helper):
    """Asks which columns of the corpus have a role, and gives values a role."""

    def ask(self) -> None:
        """Ask which columns of the corpus are its labels and human scores."""
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
        """Make values the labels or human scores of the corpus ("label", "human"), and say in words what they are."""
        self._state.corpora.set_role(role, values)
        missing = np.isnan(values) if role == "human" else values == UNLABELLED
        text = self.tr("{0}: {1} of {2} pairs have one now.")
        self.message.emit(text.format(words, f"{int((~missing).sum()):,}", f"{len(values):,}"))

    def _annotate(self, annotators: Mapping[str, float]) -> None:
        self._state.corpora.set_annotators(annotators)
        text = self.tr("{0} columns are annotators now. The page Agreement compares them.")
        self.message.emit(text.format(len(annotators)))
