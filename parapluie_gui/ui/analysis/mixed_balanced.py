"""The page of the mixed balanced dataset: as many pairs of each label from each corpus, drawn again and again."""

from __future__ import annotations

from PySide6.QtWidgets import QSpinBox

from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.protocols.mixed_balanced import DRAWS, PER_LABEL, MixedBalanced, mixed_balanced
from parapluie_gui.report.benchmarks import balanced_grid
from parapluie_gui.ui.analysis.page import Links, Page, Work
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText


class BalancedPage(Page[MixedBalanced]):
    """Column MBD of the ParaPLUIE paper's table 3."""

    called = QT_TRANSLATE_NOOP("Page", "Mixed balanced")
    needs_labels = True

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.per_label = self._number(1, 100_000, PER_LABEL)
        self.draws = self._number(1, 10_000, DRAWS)
        self.seed = self._number(0, 2**31 - 1, 0)
        self.bar(
            (self.tr("&Pairs per label and corpus"), self.per_label),
            (self.tr("&Draws"), self.draws),
            (self.tr("&Seed"), self.seed),
        )
        self.hint = WrappedText(muted=True)
        self.hint.say("")
        self.flow.addWidget(self.hint)
        self.grid_table = self.table()

    def settle(self, inputs: Material) -> None:
        alone = self.tr(
            "There is only one corpus. Add others to it (File, Add corpus to this one…) to draw from each, as the "
            "paper does."
        )
        self.hint.say(alone if len(inputs.parts) == 1 else "")

    def work(self, inputs: Material, studies: Studies) -> Work[MixedBalanced]:
        per_label, draws, seed = self.per_label.value(), self.draws.value(), self.seed.value()
        return lambda tick: mixed_balanced(
            inputs.score_columns, inputs.labels, inputs.parts, per_label=per_label, draws=draws, seed=seed, tick=tick
        )

    def show_result(self, inputs: Material, result: MixedBalanced) -> None:
        self.grid_table.show_grid(balanced_grid(result), inputs.signature_lines())

    def _number(self, least: int, most: int, value: int) -> QSpinBox:
        box = QSpinBox()
        box.setRange(least, most)
        box.setValue(value)
        box.setKeyboardTracking(False)
        box.valueChanged.connect(self.changed)
        return box
