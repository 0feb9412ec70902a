"""Connects an analysis page that runs an experiment with the worker."""

from __future__ import annotations

from typing import Any

from parapluie_gui.ui.analysis.experiment import WorkedPage
from parapluie_gui.ui.analysis.page import AnalysisPage
from parapluie_gui.ui.state.experiment import ExperimentRunner
from parapluie_gui.ui.window.context import WindowContext, WindowController


class ExperimentController(WindowController):
    """Base class that runs the experiments of a feature's page in the worker.

    Attributes:
        experiment: The current experiment.
    """

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.experiment = ExperimentRunner(self._client, self)

    def begin(self, wanted: Any) -> None:
        """Start the experiment that the page asked for; see `WorkedPage.wanted`."""
        raise NotImplementedError

    def take_page(self, page: AnalysisPage) -> None:
        if not isinstance(page, WorkedPage):
            return
        page.wanted.connect(self.begin)
        page.stopped.connect(self.experiment.stop)
        self.experiment.staged.connect(page.show_stage)
        self.experiment.progressed.connect(page.progress.setValue)
        self.experiment.done.connect(page.show_outcome)
        self.experiment.ended.connect(page.show_end)
        self._setup.changed.connect(page.show_chosen)

    def close(self) -> None:
        self.experiment.close()


#: The earlier name, which other packages may import.
Experimenter = ExperimentController
