"""The page of agreement: people among themselves, and people, labels and scores as raters of the same pairs."""

from __future__ import annotations

from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.protocols.raters import KAPPA, MEASURES, PEARSON, SHARE, RaterStudy
from parapluie_gui.report.agreement import counts_grid, matrix_grid, pairs_grid, people_grid, rater_pairs
from parapluie_gui.report.recipe import study_of
from parapluie_gui.ui.analysis.page import Links, Page, Work
from parapluie_gui.ui.widgets.choice import Choice
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText


class AgreementPage(Page[RaterStudy]):
    """Figure 3 of PARAPHRASUS and table 1 of PEM: each score at its threshold is one more rater.

    A score is at the decision line if it is on the scatter, otherwise at its natural threshold or, without one, the
    best for the labels (for what most annotators say, where there are none).
    """

    called = QT_TRANSLATE_NOOP("Page", "Agreement")
    follows_threshold = True
    follows_people = True
    needs_scores = False

    helps = "people.begin_round"

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.question, self.measure = Choice(), Choice()
        titles = {
            KAPPA: self.tr("Cohen's κ"),
            SHARE: self.tr("share of equal answers"),
            PEARSON: self.tr("Pearson's r"),
        }
        self.measure.offer(MEASURES, [titles[measure] for measure in MEASURES])
        self.question.chosen.connect(self.changed)
        self.part.chosen.connect(self.changed)
        self.measure.chosen.connect(self._show_matrix)
        self.bar(
            (self.tr("&Question"), self.question), (self.tr("&Measure"), self.measure), (self.tr("o&n"), self.part)
        )
        self.hint = WrappedText(muted=True)
        self.flow.addWidget(self.hint)
        self.people, self.matrix, self.pairs, self.counts = (self.table() for _ in range(4))
        self.matrix.clicked.connect(self._matrix_clicked)
        self.pairs.clicked.connect(self._pair_clicked)

    def missing(self, inputs: Material) -> str:
        if inputs.people.asked:
            return ""
        return self.tr(
            "Nobody has judged these pairs yet. Press 1 to 5 on a pair, or begin a blind round (Ctrl+J), alone or with "
            "others; merge copies of the session with Pairs, Merge judgements from…"
        )

    def settle(self, inputs: Material) -> None:
        names = [each.question.id for each in inputs.people.asked]
        largest = max(inputs.people.asked, key=lambda each: sum(map(len, each.given.values())))
        self.question.offer(names, names, largest.question.id)
        super().settle(inputs)

    def work(self, inputs: Material, studies: Studies) -> Work[RaterStudy]:
        question = next(each for each in inputs.people.asked if each.question.id == self.question.key())
        _, where = self.chosen_part(inputs)
        return lambda tick: study_of(inputs, question, where, tick)

    def show_result(self, inputs: Material, result: RaterStudy) -> None:
        lines = inputs.signature_lines()
        alone = sum(rater.person for rater in result.raters) < 2
        self.hint.say(
            self.tr("Only one annotator has judged. Several are needed for agreement among people.") if alone else ""
        )
        self.people.show_grid(people_grid(result), lines)
        self.pairs.show_grid(pairs_grid(result), lines)
        self.counts.show_grid(counts_grid(result), lines)
        self._show_matrix()

    def draw(self) -> None:
        """Colour the matrix anew."""
        self._show_matrix()

    def _show_matrix(self) -> None:
        if self._shown is None:
            return
        inputs, result = self._shown
        measure = self.measure.key()
        grid = matrix_grid(result, measure)
        self.matrix.show_grid(grid, inputs.signature_lines())
        self.matrix.shade(self.theme.paraphrase, self.theme.other)

    def _matrix_clicked(self, row: int, column: int) -> None:
        if column > 0 and row != column - 1:
            self._select(row, column - 1)

    def _pair_clicked(self, row: int, column: int) -> None:
        self._select(*rater_pairs(self.result)[row])

    def _select(self, one: int, two: int) -> None:
        """Make the pairs on which two raters disagree the selection."""
        first, second = (self.result.raters[at].name for at in (one, two))
        mask = self.result.disagreement_mask(one, two)
        self.links.select(self.tr("{0} and {1} disagree").format(first, second), lambda: mask)
