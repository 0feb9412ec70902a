"""The tabs in the centre: Scatter (or Start, without a corpus), Bench, Analysis, and those of features."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QTabWidget, QWidget

from parapluie_gui.ui.analysis.tab import AnalysisTab
from parapluie_gui.ui.bench.view import BenchView
from parapluie_gui.ui.scatter.view import ScatterView
from parapluie_gui.ui.start.page import StartPage
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.tab_view import LazyTab, TabView
from parapluie_gui.ui.widgets.wheel import scroll_past


class CentreTabs(QTabWidget):
    """The tabs with the views.

    Attributes:
        start: The start page, shown in the first tab without a corpus.
        first: The first tab, with the scatter or the start page.
        scatter, bench, analysis: The views.
        more: The tabs of features, by name.

    Signals:
        turned: The visible view changed.
    """

    turned = Signal()

    def __init__(self, workspace: CorpusWorkspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self.setAccessibleName(self.tr("Views"))
        scroll_past(self.tabBar())
        self.tabBarClicked.connect(self._click)
        self.scatter = ScatterView(workspace)
        self.bench = BenchView()
        self.analysis = AnalysisTab(workspace)
        self.more: dict[str, LazyTab] = {}
        self.start = StartPage()
        self.first = QStackedWidget()
        self.first.addWidget(self.start)
        self.first.addWidget(self.scatter)
        self.addTab(self.first, self.tr("Scatter"))
        self.addTab(self.bench, self.tr("Bench"))
        self.addTab(self.analysis, self.tr("Analysis"))
        self.currentChanged.connect(self.turned)
        self.set_empty(True)

    def set_empty(self, empty: bool) -> None:
        """Show the start page (`empty`) or the scatter in the first tab."""
        self.first.setCurrentWidget(self.start if empty else self.scatter)
        self.first.setProperty("manual_page", "start" if empty else "scatter")
        self.setTabText(0, self.tr("Start") if empty else self.tr("Scatter"))
        self.turned.emit()

    def close_work(self) -> None:
        """Stop the work of the views and wait for its end."""
        self.bench.sentences.languages.stop()
        self.bench.scores.zeros.stop()
        self.scatter.whole.close()
        self.analysis.close_work()
        for tab in self.more.values():
            tab.close_work()

    def _click(self, index: int) -> None:
        """Move the cursor into the Bench's field when its tab is clicked, as its key does."""
        if index == self.indexOf(self.bench):
            self.show_bench()

    def show_scatter(self) -> None:
        self.setCurrentWidget(self.first)

    def show_bench(self) -> None:
        """Show the Bench with the source text selected, ready for typing."""
        self.setCurrentWidget(self.bench)
        self.bench.fields.select_source()

    def show_analysis(self) -> None:
        self.setCurrentWidget(self.analysis)

    def add_tab(self, name: str, title: str, make: Callable[[], TabView]) -> None:
        """Add the tab of a feature; its view is created when it is first shown."""
        self.more[name] = LazyTab(make)
        self.addTab(self.more[name], title)

    def show_tab(self, name: str) -> None:
        """Show the tab of a feature."""
        self.setCurrentWidget(self.more[name])

    def show_named(self, name: str) -> None:
        """Show the page of an analysis by its name."""
        self.show_analysis()
        self.analysis.show_named(name)
