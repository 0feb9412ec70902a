"""The page of sweeps: beside what every page has, what is varied, and the run."""

from __future__ import annotations

from math import prod

import numpy as np

from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.arrays import Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.ui.analysis.experiment import ExperimentPage
from parapluie_gui.ui.analysis.links import Links
from parapluie_gui.ui.analysis.sweep_design import SweepDesign
from parapluie_gui.ui.state.sweeping import SweepWanted
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText


class SweepPage(ExperimentPage):
    """Pairs of the selection, judged in every combination of the levels.

    Attributes:
        design: What is varied.
        plan: How much is to be judged, or why it cannot be.
    """

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme, analysis("sweep"))
        self.design = SweepDesign()
        self.design.changed.connect(self.show_chosen)
        self.plan = WrappedText()
        self.flow.insertWidget(1, self.design)
        self.flow.insertWidget(2, self.plan)
        self.offer_start(self.tr("S&weep"), links.sweep_stopped)
        links.workspace.selection.set_changed.connect(self.show_chosen)
        self.show_end("")

    def show_chosen(self, *_: object) -> None:
        """Show how much will be judged, or why it cannot be."""
        if not self.isVisible():
            return
        judge, templates, chosen = self.links.wordings()
        self.design.offer(templates, chosen)
        self.plan.say("")
        try:
            forms, rows = prod(map(len, self.design.design().levels)), len(self._rows())
            missing = self._missing(judge, rows)
        except ParapluieError as error:
            missing = str(error)
        if missing:
            self.plan.say(missing)
        else:
            count = int(np.count_nonzero(self.links.workspace.selection.mask))
            words = self.tr("{0}: {1} forms × {2} of {3} selected pairs = {4} questions.")
            numbers = (f"{each:,}" for each in (forms, rows, count, forms * rows))
            self.plan.say(words.format(judge, *numbers))
        self.start_button.setEnabled(not missing and self.running.isHidden())

    def ask(self) -> None:
        corpus = self.links.workspace.corpus
        assert corpus is not None
        self.links.sweep_wanted.emit(SweepWanted(corpus, self._rows(), self.design.design()))

    def _rows(self) -> Rows:
        """Return the rows of the pairs to judge: those selected, or as many of them drawn at random."""
        rows = np.flatnonzero(self.links.workspace.selection.mask)
        return np.sort(np.random.default_rng(self.options.seed).permutation(rows)[: self.options.pairs])

    def _missing(self, judge: str, rows: int) -> str:
        if not judge:
            return self.tr("No judge is ready. Choose one in Setup.")
        return "" if rows else self.tr("No pair is selected. Open a corpus (Ctrl+O), or press Esc to show all pairs.")
