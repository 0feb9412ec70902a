"""The page of certificates: beside what every page has, which scores are certified, and the run."""

from __future__ import annotations

from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.ui.analysis.experiment import ExperimentPage
from parapluie_gui.ui.analysis.links import Links
from parapluie_gui.ui.widgets.wrapped import WrappedText


class CertificatePage(ExperimentPage):
    """Pairs made by rule, without a corpus.

    Attributes:
        chosen: Which scores will be certified.
    """

    def __init__(self, links: Links) -> None:
        super().__init__(links, analysis("certificate"))
        self.chosen = WrappedText()
        self.chosen.say("")
        self.flow.insertWidget(1, self.chosen)
        self.offer_start(self.tr("C&ertify"), links.certificate_stopped)
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
        self.links.certificate_wanted.emit(self.options.pairs, self.options.seed)
