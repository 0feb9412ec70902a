"""The page of sweeps: one question in many forms, what the forms change, and the pairs that hinge on them."""

from __future__ import annotations

from math import prod

import numpy as np

from parapluie_gui.arrays import Rows
from parapluie_gui.errors import ParapluieError
from parapluie_gui.report.sweep import (
    SweepMeasure,
    form_at,
    forms_grid,
    hinges_grid,
    sweep_map,
    variance_grid,
)
from parapluie_gui.scores.signature import lines_of
from parapluie_gui.ui.analysis.experiment import ExperimentPage
from parapluie_gui.ui.analysis.heat_map_card import HeatMapCard
from parapluie_gui.ui.analysis.page import Links
from parapluie_gui.ui.analysis.sweep_design import SweepDesign
from parapluie_gui.ui.state.sweeping import SweepWanted, Swept
from parapluie_gui.ui.widgets.arrange import narrow
from parapluie_gui.ui.widgets.choice import Choice
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Pairs at first: enough to tell forms apart that differ by some points, and soon done.
PAIRS = 200


class SweepPage(ExperimentPage[Swept]):
    """Pairs of the selection, judged in every combination of the levels.

    Attributes:
        design: What is varied.
        plan: How much is to be judged, or why it cannot be.
        measure: What the heat map shows.
        heat, forms, variance, hinges: The results.
    """

    called = QT_TRANSLATE_NOOP("Page", "Sweep")

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self._found: Swept | None = None
        self.setProperty("manual_page", "sweep")
        self.explain(
            self.tr(
                "The selected pairs are judged in every combination of wordings, answer words, orders and numbers of "
                "examples. The result says how much of the score is the pair, and how much is how the judge is asked."
            )
        )
        self.design = SweepDesign()
        self.design.changed.connect(self.show_chosen)
        self.flow.addWidget(self.design)
        self.plan = WrappedText()
        self.flow.addWidget(self.plan)
        self.offer_start(self.tr("S&weep"), PAIRS, links.sweep_stopped)
        for changed in (self.pairs.valueChanged, links.workspace.selection.set_changed):
            changed.connect(self.show_chosen)
        self._make_results()
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

    def show_swept(self, found: Swept) -> None:
        self._found = found
        lines = lines_of(found.signatures)
        self.forms.show_grid(forms_grid(found.sweep), lines)
        self.variance.show_grid(variance_grid(found.sweep), lines)
        self.hinges.show_grid(hinges_grid(found.sweep), lines)
        self.heat.signatures = tuple(lines)
        titles = {
            "accuracy": self.tr("accuracy"),
            "flips": self.tr("share of flips"),
            "mean": self.tr("mean score"),
        }
        keys = [key for key in titles if key != "accuracy" or found.sweep.labelled]
        self.measure.offer(keys, [titles[key] for key in keys])
        self._show_map()

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        self.heat.apply_theme(theme)

    def _make_results(self) -> None:
        self.measure = Choice()
        self.measure.chosen.connect(self._show_map)
        narrow(self.measure, 14)
        self.choices = self.bar((self.tr("&Heat map of"), self.measure))
        self.heat = HeatMapCard(self.tr("Forms of one question"), self.theme)
        self.heat.picked.connect(self._pick_cell)
        for signal, link in ((self.heat.said, self.links.said), (self.heat.failed, self.links.failed)):
            signal.connect(link)
        self.flow.addWidget(self.heat)
        self.variance, self.hinges, self.forms = self.table(), self.table(), self.table()
        self.hinges.clicked.connect(self._pick_hinge)
        self.forms.clicked.connect(self._pick_form)
        self.choices.hide()
        self.heat.hide()

    def _rows(self) -> Rows:
        """Return the rows of the pairs to judge: those selected, or as many of them drawn at random."""
        rows = np.flatnonzero(self.links.workspace.selection.mask)
        return np.sort(np.random.default_rng(self.seed.value()).permutation(rows)[: self.pairs.value()])

    def _missing(self, judge: str, rows: int) -> str:
        if not judge:
            return self.tr("No judge is ready. Choose one in Setup.")
        return "" if rows else self.tr("No pair is selected. Open a corpus (Ctrl+O), or press Esc to show all pairs.")

    def _show_map(self) -> None:
        found = self._found
        assert found is not None
        key = self.measure.key()
        measure: SweepMeasure = "accuracy" if key == "accuracy" else "mean" if key == "mean" else "flips"
        self.heat.show_figure(sweep_map(found.sweep, measure, found.wanted.corpus.name))
        self.choices.show()
        self.heat.show()

    def _pick_cell(self, column: str, line: str) -> None:
        assert self._found is not None
        self._pick_form(form_at(self._found.sweep, column, line))

    def _pick_form(self, form: int, column: int = 0) -> None:
        """Select the pairs whose verdict in this form is not that of most forms."""
        if (found := self._here()) is not None:
            levels = ", ".join(found.sweep.forms[form].levels)
            self.links.select_rows(self.tr("Flips of {0}").format(levels), found.flips[form])

    def _pick_hinge(self, row: int, column: int) -> None:
        if (found := self._here()) is not None:
            self.links.select_rows(self.tr("Pairs that hinge on the form"), found.hinges)
            self.links.workspace.selection.set_primary(int(found.hinges[row]))

    def _here(self) -> Swept | None:
        """Return the sweep if its pairs are those of the corpus shown; otherwise say that they are not."""
        found, corpus = self._found, self.links.workspace.corpus
        assert found is not None
        swept = found.wanted.corpus
        if corpus is swept or (corpus is not None and corpus.source is swept.source):
            return found
        self.links.failed.emit(self.tr("These pairs belong to “{0}”. Show it to select them.").format(swept.name))
        return None
