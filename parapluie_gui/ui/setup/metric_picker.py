"""The list of all metrics by family, to choose metrics, download missing models and add one's own metrics."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QProgressBar,
    QScrollArea,
    QWidget,
)

from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import FAMILIES
from parapluie_gui.ui.setup import metric_words
from parapluie_gui.ui.setup.corpus_columns import MetricColumns
from parapluie_gui.ui.setup.metric_choice import MetricChoice
from parapluie_gui.ui.setup.metric_row import MetricRow
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, hbox, scroll_area, vbox, widget_of, within_screen
from parapluie_gui.ui.widgets.controls import FoldingWidget, dialog_buttons, line, plain
from parapluie_gui.ui.widgets.wrapped import WrappedText


class MetricFamily(FoldingWidget):
    """A family of metrics: its heading and its rows."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(metric_words.family(name), parent=parent)
        self.rows = vbox(within=self.inside, margins=(22, 0, 0, 6), spacing=8)
        self.heading.setChecked(True)


class MetricPicker(QDialog):
    """A non-modal dialog with all metrics of the catalogue and the corpus's numeric columns.

    Attributes:
        search: Filters the metrics.
        rows: The metrics by id.
        cancel_button: Cancels the download.

    Signals:
        get_requested: (name) The user wants a missing model downloaded.
    """

    get_requested = Signal(str)

    def __init__(self, workspace: CorpusWorkspace, choice: MetricChoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "metrics")
        self._workspace = workspace
        self._choice = choice
        self.setWindowTitle(self.tr("Metrics"))
        self.setModal(False)
        self.search = line(
            self.tr("Find a metric"), self.tr("Find a metric: name, family, what it measures or needs"), clears=True
        )
        self.search.textChanged.connect(self._find)
        self.search.installEventFilter(self)
        self._count = plain(muted=True)
        self._none = plain(self.tr("No metric matches."), muted=True)
        self.bar = QProgressBar()
        self.bar.setAccessibleName(self.tr("Download"))
        self.cancel_button = button(self.tr("Cancel"), self._focus_wanted, name=self.tr("Cancel the download"))
        self._wanted: MetricRow | None = None
        self._download = widget_of(hbox((self.bar, 1), self.cancel_button, margins=NO_MARGINS))
        self._download.hide()
        self._fetching = WrappedText(self, muted=True)
        self._fetching.say("")
        self.rows: dict[str, MetricRow] = {}
        self.columns = MetricColumns(choice)
        self._families: dict[str, MetricFamily] = {}
        head = hbox((self.search, 1), self._count)
        vbox(head, (self._list(), 1), self._download, self._fetching, dialog_buttons(self), within=self)
        self.resize(within_screen(QSize(860, 720), self.screen()))
        choice.changed.connect(self._show_choice)
        workspace.corpus_changed.connect(self._show_corpus)
        self._show_corpus()
        self._show_choice()

    def look(self) -> None:
        for row in self.rows.values():
            row.look()
        # A metric whose model was downloaded is chosen too.
        if self._wanted is not None and self._wanted.choose():
            self._wanted = None

    def show_download(self, done: int, total: int, text: str) -> None:
        """Show the progress of a download, which ends when `done` reaches `total`."""
        under_way = done < total
        self._download.setVisible(under_way)
        self.bar.setRange(0, max(total, 1))
        self.bar.setValue(done)
        self._fetching.say(text)
        if under_way and self._wanted is not None and self._wanted.get_button.hasFocus():
            self.cancel_button.setFocus()
        self.set_fetching(under_way)

    def set_fetching(self, fetching: bool) -> None:
        """Disable the download buttons during a download."""
        for row in self.rows.values():
            row.set_fetching(fetching)

    def showEvent(self, event: QShowEvent) -> None:
        """Update the states of the metrics, and focus the search."""
        super().showEvent(event)
        self.look()
        self.search.clear()
        # Nothing is elided at the right, whatever the type size.
        bar = self._area.verticalScrollBar().sizeHint().width()
        self._area.setMinimumWidth(self._inside.minimumSizeHint().width() + bar)
        self.search.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go through the search and the visible metrics with Up and Down; Enter ticks a metric."""
        keys = Qt.Key
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            stops = [self.search, *(row.tick for row in self.rows.values() if row.tick.isVisible())]
            at = next((place for place, stop in enumerate(stops) if stop is watched), 0)
            enters = event.key() in (keys.Key_Return, keys.Key_Enter)
            if enters and isinstance(stop := stops[at], QCheckBox):
                stop.click()
                return True
            if enters or event.key() in (keys.Key_Up, keys.Key_Down):
                step = -1 if event.key() == keys.Key_Up else 1
                stop = stops[min(max(at + step, 0), len(stops) - 1)]
                stop.setFocus(Qt.FocusReason.TabFocusReason)
                self._area.ensureWidgetVisible(stop)
                return True
        return super().eventFilter(watched, event)

    def _list(self) -> QScrollArea:
        inside = QWidget()
        column = vbox(self._none, within=inside, margins=(4, 4, 8, 4), spacing=4)
        infos = catalogue.metrics()
        for name in FAMILIES:
            family = self._families[name] = MetricFamily(name)
            column.addWidget(family)
            for info in infos:
                if info.family == name and info.family != "external":
                    row = self.rows[info.id] = MetricRow(info, self._choice)
                    row.get_requested.connect(partial(self._get, row))
                    row.tick.installEventFilter(self)
                    family.rows.addWidget(row)
            if name == "external":
                family.rows.addWidget(self.columns)
        column.addStretch(1)
        area = scroll_area(inside)
        area.setAccessibleName(self.tr("Metrics by family"))
        self._inside, self._area = inside, area
        return area

    def _get(self, row: MetricRow, name: str) -> None:
        self._wanted = row
        self.get_requested.emit(name)

    def _focus_wanted(self) -> None:
        """Return the focus to the button that started the download."""
        if (row := self._wanted) is not None:
            self._wanted = None
            row.set_fetching(False)
            row.get_button.setFocus()

    def _find(self) -> None:
        words = self.search.text()
        matching = dict.fromkeys(self._families, False)
        for row in self.rows.values():
            row.setVisible(row.matches(words))
            matching[row.info.family] = matching[row.info.family] or row.matches(words)
        matching["external"] = all(word in "external columns of this corpus" for word in words.casefold().split())
        for name, family in self._families.items():
            family.setVisible(matching[name])
            if words and matching[name]:
                family.heading.setChecked(True)
        self._none.setVisible(not any(matching.values()))

    def _show_choice(self) -> None:
        self._count.setText(self.tr("{0} chosen").format(len(self._choice.specs)))
        for row in self.rows.values():
            row.show_choice()
        self.columns.show_choice()

    def _show_corpus(self) -> None:
        corpus = self._workspace.corpus
        references = corpus is not None and corpus.reference is not None
        for row in self.rows.values():
            row.set_references(references)
        self.columns.show_corpus(self._workspace)
        self._find()
