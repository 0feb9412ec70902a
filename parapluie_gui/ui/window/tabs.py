"""The middle of the window: scatter, Bench and Analysis, one at a time."""

from __future__ import annotations

from PySide6.QtWidgets import QTabWidget, QWidget

from parapluie_gui.ui.analysis.tab import AnalysisTab
from parapluie_gui.ui.bench.view import BenchView
from parapluie_gui.ui.scatter.view import ScatterView
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.widgets.theme import Theme


class CentreTabs(QTabWidget):
    """The views as tabs."""

    def __init__(self, workspace: Workspace, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self.setAccessibleName(self.tr("Views"))
        self.scatter = ScatterView(workspace, theme)
        self.bench = BenchView(theme)
        self.analysis = AnalysisTab(workspace, theme)
        self.addTab(self.scatter, self.tr("Scatter"))
        self.addTab(self.bench, self.tr("Bench"))
        self.addTab(self.analysis, self.tr("Analysis"))

    def show_scatter(self) -> None:
        self.setCurrentWidget(self.scatter)

    def show_bench(self) -> None:
        self.setCurrentWidget(self.bench)

    def show_analysis(self) -> None:
        self.setCurrentWidget(self.analysis)

    def show_certificate(self) -> None:
        """Show the Analysis tab's page of certificates."""
        self.show_analysis()
        self.analysis.show_page(self.analysis.certificate)

    def apply_theme(self, theme: Theme) -> None:
        for view in (self.scatter, self.bench, self.analysis):
            view.apply_theme(theme)
