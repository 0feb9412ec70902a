"""The page of certificates: pairs made by rule are scored, and what the scores do with them is shown."""

from __future__ import annotations

from collections.abc import Sequence

from parapluie_gui.analysis.certificate.certificate import Certificate
from parapluie_gui.report.certificate import Measure, certificate_grid, certificate_map, side_by_side, worst_grid
from parapluie_gui.scores.signature import lines_of
from parapluie_gui.ui.analysis.experiment import ExperimentPage
from parapluie_gui.ui.analysis.heat_map_card import HeatMapCard
from parapluie_gui.ui.analysis.page import Links
from parapluie_gui.ui.state.certifying import Certified
from parapluie_gui.ui.widgets.arrange import narrow
from parapluie_gui.ui.widgets.choice import Choice
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Pairs where nothing else is chosen: enough for an interval of ten points, and soon done.
PAIRS = 1000


class CertificatePage(ExperimentPage[Certified]):
    """Pairs made by rule, without a corpus.

    Attributes:
        measure, score: What the heat map shows, and whose rows are listed.
        rows, worst, heat: The tables and the heat map.
    """

    called = QT_TRANSLATE_NOOP("Page", "Certificate")

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self._found: Certified | None = None
        self.setProperty("manual_page", "certificate")
        self._behaviour = ""
        self.explain(
            self.tr(
                "What scores do with pairs whose answer is known, made by rule from sentences that no training uses: a "
                "sentence beside itself, negated, with another name, in capitals, in other words. No corpus is needed."
            )
        )
        self.chosen = WrappedText()
        self.chosen.say("")
        self.flow.addWidget(self.chosen)
        self.offer_start(self.tr("C&ertify"), PAIRS, links.certificate_stopped)
        self.pairs.setMinimum(100)
        self._make_results()
        self.show_end("")

    def show_chosen(self) -> None:
        """Show which scores will be certified, and which of those chosen in Setup cannot be."""
        titles, left_out = self.links.chosen_scores()
        if titles:
            text = self.tr("Scores: {0}. Choose others in Setup.").format(", ".join(titles))
        else:
            text = self.tr("No score is chosen. Choose metrics or templates in Setup.")
        if left_out:
            more = self.tr("Left out (columns, metrics that need a reference or are not ready): {0}.")
            text += " " + more.format(", ".join(left_out))
        self.chosen.say(text)
        self.start_button.setEnabled(bool(titles) and self.running.isHidden())

    def ask(self) -> None:
        self.links.certificate_wanted.emit(self.pairs.value(), self.seed.value())

    def show_certified(self, found: Certified) -> None:
        """Show certificates; the score and behaviour looked at stay where they are among them."""
        self._found = found
        names = [each.name for each in found.certificates]
        self.score.offer(names, [each.title for each in found.certificates])
        self._show_map()
        self._show_rows()

    def apply_theme(self, theme: Theme) -> None:
        super().apply_theme(theme)
        self.heat.apply_theme(theme)

    def _make_results(self) -> None:
        self.measure, self.score = Choice(), Choice()
        titles = {
            "ranked": self.tr("ranked wrong (no threshold needed)"),
            "failed": self.tr("failures at the threshold"),
        }
        self.measure.offer(list(titles), list(titles.values()))
        self.measure.chosen.connect(self._show_map)
        self.score.chosen.connect(self._show_rows)
        narrow(self.measure, 14)
        narrow(self.score, 14)
        self.choices = self.bar((self.tr("&Heat map of"), self.measure), (self.tr("&Rows of"), self.score))
        self.heat = HeatMapCard(self.tr("Certificates side by side"), self.theme)
        self.heat.picked.connect(self._pick)
        for signal, link in ((self.heat.said, self.links.said), (self.heat.failed, self.links.failed)):
            signal.connect(link)
        self.flow.addWidget(self.heat)
        self.rows, self.worst, self.beside = self.table(), self.table(), self.table()
        self.rows.clicked.connect(lambda row: self._show_worst(self._certificate().rows[row].behaviour))
        self.worst.clicked.connect(self._edit)
        self.choices.hide()
        self.heat.hide()

    def _certificate(self) -> Certificate:
        assert self._found is not None
        name = self.score.key()
        return next(each for each in self._found.certificates if each.name == name)

    def _signatures(self) -> Sequence[str]:
        assert self._found is not None
        return lines_of(self._found.signatures)

    def _show_map(self) -> None:
        found = self._found
        some = found is not None and bool(found.certificates)
        self.choices.setVisible(some)
        self.heat.setVisible(some)
        if found is None or not some:
            return
        measure: Measure = "failed" if self.measure.key() == "failed" else "ranked"
        self.heat.signatures = tuple(self._signatures())
        self.heat.show_figure(certificate_map(found.certificates, measure, str(found.suite)))
        self.beside.show_grid(side_by_side(found.certificates, measure, str(found.suite)), self._signatures())

    def _show_rows(self) -> None:
        found = self._found
        if found is None or not found.certificates:
            return
        self.rows.show_grid(certificate_grid(self._certificate(), str(found.suite)), self._signatures())
        self._show_worst(self._behaviour or self._certificate().rows[0].behaviour)

    def _show_worst(self, behaviour: str) -> None:
        row = self._certificate().row(behaviour)
        if row is not None:
            self._behaviour = behaviour
            self.worst.show_grid(worst_grid(self._certificate(), row), self._signatures())

    def _pick(self, score: str, behaviour: str) -> None:
        self._behaviour = behaviour
        self.score.choose(score)
        self._show_rows()
        self.ensureWidgetVisible(self.worst)

    def _edit(self, row: int) -> None:
        each = self.worst.grid.rows[row]
        self.links.edit_wanted.emit(str(each[-2]), str(each[-1]))
