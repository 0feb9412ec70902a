"""PEM's evidence in the Pair dock: there where the pair has a PEM score whose model is at hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtWidgets import QWidget

from parapluie_gui.metrics.pem.evidence import PemEvidence
from parapluie_gui.metrics.pem.metric import Pem, default_model
from parapluie_gui.metrics.spec import Spec
from parapluie_gui.ui.pair.pem_view import PemView
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, vbox
from parapluie_gui.ui.widgets.theme import Theme


class PairPem(QWidget):
    """The view of PEM's evidence, shown for pairs with a PEM score.

    Attributes:
        view: The evidence.
    """

    def __init__(
        self, workspace: Workspace, theme: Theme, find_spec: Callable[[str], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._file = ""
        self._revealed = True
        self._find_spec = find_spec
        self.view = PemView(theme, self._explain)
        vbox(self.view, within=self, margins=NO_MARGINS)
        self.hide()

    def show_row(self, row: int | None) -> None:
        """Show what is behind the PEM score of a pair, nothing where it has none."""
        corpus, file = self._workspace.corpus, None if row is None else self._model(row)
        if corpus is None or row is None or file is None or not self._revealed:
            self.view.clear()
            self.hide()
            return
        if file != self._file:
            self._file = file
            self.view.clear()
        self.show()
        self.view.show_pair(corpus.source[row], corpus.hypothesis[row])

    def set_revealed(self, revealed: bool) -> None:
        """Show or hide what gives the score away."""
        self._revealed = revealed
        if not revealed:
            self.view.clear()
            self.hide()

    def stop(self) -> None:
        self.view.stop()

    def apply_theme(self, theme: Theme) -> None:
        self.view.apply_theme(theme)

    def _model(self, row: int) -> str | None:
        """Return the file of the model that scored the pair, "" for the one that ships, None for no score."""
        table = self._workspace.table
        for column in table.scores:
            if column.partition(".")[0] != Pem.info.id or np.isnan(table[column][row]):
                continue
            if spec := self._find_spec(column):
                return Spec.parse(spec).argument
            signature = table.signatures.get(column)
            if signature is None or dict(signature.fields).get("model") == default_model().name:
                return ""
        return None

    def _explain(self, source: str, hypothesis: str) -> PemEvidence:
        return Pem(self._file).explain(source, hypothesis)
