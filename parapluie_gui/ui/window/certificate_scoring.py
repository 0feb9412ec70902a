"""Between the certificate page and the worker: what is chosen in Setup is tried, and the page shows the result."""

from __future__ import annotations

from PySide6.QtCore import QObject

from parapluie_gui.ui.analysis.tab import AnalysisTab
from parapluie_gui.ui.setup.metric_choice import spec_title
from parapluie_gui.ui.setup.setup import Setup
from parapluie_gui.ui.state.certifying import Certified, Certifying, Wanted
from parapluie_gui.ui.state.score_names import full_title
from parapluie_gui.ui.state.scoring import Scoring


class CertificateScoring(QObject):
    """Certifies the metrics and templates that are chosen in Setup, with its judge."""

    def __init__(self, analysis: AnalysisTab, scoring: Scoring, setup: Setup, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._analysis, self._setup = analysis, setup
        self.certifying = Certifying(scoring, self)
        links = analysis.links
        links.chosen_scores = self._chosen
        links.certificate_wanted.connect(self._start)
        links.certificate_stopped.connect(self.certifying.stop)
        setup.changed.connect(self._show_chosen)
        self.certifying.staged.connect(lambda text: analysis.certificate.show_stage(text))
        self.certifying.progressed.connect(lambda part: analysis.certificate.progress.setValue(part))
        self.certifying.done.connect(self._show)
        self.certifying.ended.connect(lambda sentence: analysis.certificate.show_end(sentence))

    def close(self) -> None:
        self.certifying.close()

    def _chosen(self) -> tuple[list[str], list[str]]:
        """Return the titles of the scores to be tried, and of the chosen metrics that cannot be."""
        setup = self._setup
        fitting = setup.metrics_for_one_pair()
        templates = [full_title(template.column) for template in setup.chosen_templates()]
        left_out = [spec_title(spec) for spec in setup.chosen_metrics() if spec not in fitting]
        left_out += [source.column for source in setup.metrics.choice.columns_of_corpus()]
        return [*map(spec_title, fitting), *templates], list(dict.fromkeys(left_out))

    def _show_chosen(self) -> None:
        if self._analysis.pages:
            self._analysis.certificate.show_chosen()

    def _start(self, pairs: int, seed: int) -> None:
        setup = self._setup
        self.certifying.start(
            Wanted(
                pairs,
                seed,
                tuple(setup.metrics_for_one_pair()),
                setup.judge_settings(),
                tuple(setup.chosen_templates()),
            )
        )

    def _show(self, found: Certified) -> None:
        self._analysis.certificate.show_certified(found)
