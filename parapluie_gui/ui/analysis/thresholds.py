"""The page of thresholds: accuracy at the best, the natural and the dragged one, and the confusion matrix."""

from __future__ import annotations

import numpy as np

from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.score_column import selected
from parapluie_gui.analysis.statistics.decision import Decision
from parapluie_gui.analysis.study import CorpusStudy, ScoreStudy
from parapluie_gui.analysis.table import Table, number
from parapluie_gui.analysis.threshold import Outcome, outcome
from parapluie_gui.arrays import Mask
from parapluie_gui.report.evaluation import threshold_grid
from parapluie_gui.ui.analysis.page import Choice, Links, StudyPage, Work, slim
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme

#: The columns of the table that count an outcome.
_COUNTS = {
    "TP": Outcome.TRUE_POSITIVE,
    "FP": Outcome.FALSE_POSITIVE,
    "FN": Outcome.FALSE_NEGATIVE,
    "TN": Outcome.TRUE_NEGATIVE,
}
#: The confusion matrix: rows are what is true, columns what the score says.
_CELLS = {
    (0, 1): Outcome.TRUE_POSITIVE,
    (0, 2): Outcome.FALSE_NEGATIVE,
    (1, 1): Outcome.FALSE_POSITIVE,
    (1, 2): Outcome.TRUE_NEGATIVE,
}


class ThresholdsPage(StudyPage):
    """Table 3 of the ParaPLUIE paper; a count clicked selects its pairs, a row moves the decision line."""

    called = QT_TRANSLATE_NOOP("Page", "Thresholds")
    follows_threshold = True
    needs_labels = True

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.score, self.kind = Choice(), Choice()
        for choice in (self.score, self.kind, self.part):
            choice.chosen.connect(self.redraw)
        self.grid_table = self.table()
        self.grid_table.clicked.connect(self._row_clicked)
        self.bar((self.tr("&Confusion of"), self.score), (self.tr("a&t"), self.kind), (self.tr("o&n"), self.part))
        self.matrix = self.table()
        self.matrix.clicked.connect(self._cell_clicked)
        self._rows: list[tuple[str, str, Decision]] = []

    def settle(self, inputs: Material) -> None:
        self.score.offer(inputs.names, [self.links.full_title(name) for name in inputs.names], inputs.y)
        super().settle(inputs)

    def work(self, inputs: Material, studies: Studies) -> Work[tuple[CorpusStudy, ...]]:
        """Study each score, the one on y also at the decision line."""
        return lambda tick: studies.all(inputs, tick)

    def show_result(self, inputs: Material, result: tuple[CorpusStudy, ...]) -> None:
        grid = threshold_grid(result, self.links.full_title)
        words = {"given": self.tr("dragged")}
        rows = tuple((*row[:2], words.get(str(row[2]), row[2]), *row[3:]) for row in grid.rows)
        grid = slim(Table(grid.name, grid.title, grid.header, rows, grid.note))
        self.grid_table.show_grid(grid, inputs.signature_lines())
        self._rows = [
            (corpus.name, name, decision)
            for corpus in result
            for name, each in corpus.scores.items()
            for decision in _decisions(each).values()
            if decision.counts.counted
        ]
        self.draw()

    def draw(self) -> None:
        """Show the confusion matrix of what is chosen."""
        found = self._chosen()
        if found is None:
            return
        part, name, study = found
        kinds = _decisions(study)
        titles = {
            "best": self.tr("best accuracy"),
            "best_f1": self.tr("best F1"),
            "natural": self.tr("natural threshold"),
            "given": self.tr("dragged threshold"),
        }
        usual = "given" if "given" in kinds else "natural" if "natural" in kinds else "best"
        self.kind.offer(list(kinds), [titles[kind] for kind in kinds], usual)
        decision = kinds[self.kind.key()]
        counts = decision.counts
        grid = Table(
            "confusion",
            self.tr("{0} at {1} on {2}").format(self.links.full_title(name), number(decision.threshold), part),
            (self.tr("label"), self.tr("judged a paraphrase"), self.tr("judged not a paraphrase"), self.tr("right")),
            (
                (self.tr("paraphrase"), counts.tp, counts.fn, decision.recall),
                (self.tr("not a paraphrase"), counts.fp, counts.tn, counts.tn / max(counts.fp + counts.tn, 1)),
            ),
            self.tr("Click a count to select its pairs."),
        )
        self.matrix.show_grid(grid, self.inputs.signature_lines([name]))

    def _chosen(self) -> tuple[str, str, ScoreStudy] | None:
        corpus = self.study()
        study = corpus.scores.get(self.score.key())
        return None if study is None else (corpus.name, self.score.key(), study)

    def _cell_clicked(self, row: int, column: int) -> None:
        found = self._chosen()
        if found is not None and (row, column) in _CELLS:
            part, name, study = found
            self._select(part, name, _decisions(study)[self.kind.key()].threshold, _CELLS[row, column])

    def _row_clicked(self, row: int, column: int) -> None:
        part, name, decision = self._rows[row]
        heading = self.grid_table.grid.header[column]
        if heading in _COUNTS:
            self._select(part, name, decision.threshold, _COUNTS[heading])
        else:
            self.links.set_threshold(name, decision.threshold)

    def _select(self, part: str, name: str, threshold: float, which: Outcome) -> None:
        inputs = self.inputs
        words = {
            Outcome.TRUE_POSITIVE: self.tr("True positives"),
            Outcome.FALSE_POSITIVE: self.tr("False positives"),
            Outcome.FALSE_NEGATIVE: self.tr("False negatives"),
            Outcome.TRUE_NEGATIVE: self.tr("True negatives"),
        }
        score_column, where = inputs.score_column(name), inputs.parts[part]

        def mask() -> Mask:
            scores = selected(self.links.live(score_column), where)
            return np.asarray(outcome(scores, inputs.labels, threshold, score_column.higher_is_closer) == which)

        self.links.select(
            self.tr("{0} of {1} at {2}").format(words[which], self.links.full_title(name), number(threshold)), mask
        )


def _decisions(study: ScoreStudy) -> dict[str, Decision]:
    found = study.thresholds
    kinds = {"best": found.best, "best_f1": found.best_f1, "natural": found.natural, "given": found.given}
    return {kind: decision for kind, decision in kinds.items() if decision is not None}
