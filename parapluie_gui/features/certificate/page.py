"""The Certificate page: the scores to certify, the run, and the tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.ui.analysis.experiment import ExperimentPage
from parapluie_gui.ui.analysis.links import AnalysisLinks
from parapluie_gui.ui.widgets.wrapped import WrappedText


@dataclass(frozen=True)
class ChosenScores:
    """The scores chosen in Setup.

    Attributes:
        titles: The titles of the scores that can be certified.
        left_out: The titles of the scores that cannot be certified.
    """

    titles: Sequence[str] = ()
    left_out: Sequence[str] = ()


class CertificatePage(ExperimentPage):
    """The page of certificates, which works without a corpus.

    Attributes:
        chosen: The text that names the scores to certify.
        scores: The function that returns the scores chosen in Setup.
    """

    def __init__(self, links: AnalysisLinks) -> None:
        super().__init__(links, analysis("certificate"))
        self.scores: Callable[[], ChosenScores] = ChosenScores
        self.chosen = WrappedText()
        self.chosen.say("")
        self.flow.insertWidget(1, self.chosen)
        self.offer_start(self.tr("C&ertify"))
        self.show_end("")

    def show_chosen(self) -> None:
        """Show the scores that will be certified, and the scores chosen in Setup that cannot be."""
        scores = self.scores()
        if scores.titles:
            text = self.tr("Scores: {0}. To change them, use Setup.").format(", ".join(scores.titles))
        else:
            text = self.tr("No score is chosen. Choose metrics or templates in Setup.")
        if scores.left_out:
            left_out = self.tr("Left out (columns, and metrics that need a reference or are not ready): {0}.")
            text += " " + left_out.format(", ".join(scores.left_out))
        self.chosen.say(text)
        self.start_button.setEnabled(bool(scores.titles) and self.running.isHidden())
