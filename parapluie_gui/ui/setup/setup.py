"""What stands in the setup dock: corpus, judge, templates, metrics, and the buttons that run them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QGroupBox, QPushButton, QScrollArea, QVBoxLayout, QWidget

from parapluie_gui.metrics import catalogue
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import USUAL_TEMPLATES, Template
from parapluie_gui.ui.setup.corpus_box import CorpusBox
from parapluie_gui.ui.setup.judge_picker import JudgePicker, ModelChoice
from parapluie_gui.ui.setup.metric_box import MetricBox
from parapluie_gui.ui.setup.metric_choice import for_one_pair
from parapluie_gui.ui.setup.run_box import RunBox
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.widgets.checklist import Checklist, Item
from parapluie_gui.ui.widgets.theme import Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

__all__ = ["ModelChoice", "Setup"]

#: Ticked until the user says otherwise.
FIRST_TEMPLATES = tuple(names[0] for names in USUAL_TEMPLATES.values())


class Setup(QWidget):
    """Says what is scored, by whom and with what.

    Attributes:
        corpus, judge, run: The parts for the corpus, the judge, and scoring.
        area: What scrolls above the part for scoring.
        templates: The list to tick.
        folder_button: The user wants to see the folder of their own templates.
        metrics: The chosen metrics.

    Signals:
        changed: Another judge, template or metric is chosen.
    """

    changed = Signal()

    def __init__(self, workspace: Workspace, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "scoring")
        self._workspace = workspace
        self._templates: dict[str, Template] = {}
        self._broken: tuple[tuple[str, str], ...] = ()
        self._kind = CAUSAL
        self.setAccessibleName(self.tr("Setup"))
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QScrollArea.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.corpus = CorpusBox(workspace)
        self.judge = JudgePicker()
        self.templates = Checklist(self.tr("Templates"))
        self.metrics = MetricBox(workspace)
        self.run = RunBox()
        self.folder_button = QPushButton(self.tr("Open my templates folder"))
        self.folder_button.setToolTip(self.tr("Folder of your own templates. Restart to list new ones"))
        self.folder_button.setAccessibleName(self.folder_button.text())
        self._no_templates = WrappedText(self, muted=True)
        self._no_templates.say(self.tr("There are no templates."))
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(8, 4, 8, 8)
        column.setSpacing(6)
        template_group = _group(self.tr("Templates"), self._no_templates, self.templates, self.folder_button)
        template_group.setProperty("manual_page", "templates")
        # Metrics need no judge; the templates are what it is asked.
        self._choices = (self.metrics, self.judge, template_group)
        for part in (self.corpus, *self._choices):
            column.addWidget(part)
        column.addStretch(1)
        self.area.setWidget(inside)
        self._inside = inside
        # Run is always in sight, however many templates there are above it.
        foot = QVBoxLayout()
        foot.setContentsMargins(8, 6, 8, 8)
        foot.addWidget(self.run)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.area, 1)
        whole.addLayout(foot)
        self.judge.changed.connect(self._take_change)
        self.templates.changed.connect(self._take_change)
        self.metrics.changed.connect(self._take_change)
        workspace.corpus_changed.connect(self._take_change)
        self._take_change()

    # What is chosen

    def judge_settings(self) -> JudgeSettings:
        """Return the judge as the job wants it."""
        return self.judge.judge_settings()

    def chosen_templates(self) -> list[Template]:
        """Return the ticked templates, in their order."""
        return [self._templates[name] for name in self.templates.chosen()]

    def chosen_metrics(self) -> list[str]:
        """Return the specs of the metrics to compute; edit distance is always among them."""
        return self.metrics.choice.computed()

    def metrics_for_one_pair(self) -> list[str]:
        """Return those of them that can be computed of a typed pair."""
        return for_one_pair(self.chosen_metrics())

    def pair_columns(self) -> list[str]:
        """Return the score columns that a typed pair gets: metrics, then templates."""
        metrics = [catalogue.column(spec) for spec in self.metrics_for_one_pair()]
        return [*metrics, *(template.column for template in self.chosen_templates())]

    def settings(self) -> dict[str, object]:
        """Return what to remember, fit for JSON."""
        return {
            "version": 2,
            "judge": self.judge.settings(),
            "templates": self.templates.ticks(),
            "metrics": self.metrics.choice.computed(),
        }

    def restore(self, settings: Mapping[str, object]) -> None:
        """Take back what `settings` returned; anything that makes no sense is left out."""
        judge = settings.get("judge")
        if isinstance(judge, dict):
            self.judge.restore(judge)
        ticks = settings.get("templates")
        if isinstance(ticks, dict):
            self.templates.choose({str(name): bool(ticked) for name, ticked in ticks.items()})
        self.metrics.choice.restore(settings.get("metrics"))
        self._take_change()

    # What the window tells

    def set_models(self, choices: Sequence[ModelChoice]) -> None:
        """List the models one can pick."""
        self.judge.set_models(choices)
        # What is new on this computer may be what a metric waits for.
        self.metrics.look()

    def set_templates(self, templates: Sequence[Template], broken: Sequence[tuple[str, str]] = ()) -> None:
        """List the templates, and the files that should be templates but are not.

        Args:
            templates: Those that can be used, names unique.
            broken: Name and error of each of the others.
        """
        self._templates = {template.name: template for template in templates}
        self._broken = tuple(broken)
        self._list_templates()
        self._take_change()

    def _list_templates(self) -> None:
        """List the templates that are for the judge's kind."""
        items = [
            Item(
                key=template.name,
                text=template.name,
                tip="\n".join(text for text in (template.title, template.provenance) if text),
                note="" if template.origin == "built-in" else self.tr("yours"),
            )
            for template in self._templates.values()
            if template.kind == self._kind
        ]
        items += [Item(key=name, text=name, tip=error, broken=True) for name, error in self._broken]
        self._no_templates.setVisible(not items)
        self.templates.set_items(items, FIRST_TEMPLATES)

    def set_state(self, state: str) -> None:
        """Show another state of the work: "idle", "loading", "running", "paused" or "stopping"."""
        self.run.set_state(state)
        for part in self._choices:
            part.setEnabled(state == "idle")

    def show_judge(self, description: str, notices: Sequence[str] = ()) -> None:
        """Show what was loaded, and what the user should know of it."""
        # What the judge is stands under its name already.
        self.run.show_judge(description, [notice for notice in notices if notice != self.judge.note])

    # Own business

    def minimumSizeHint(self) -> QSize:
        """Return a width at which nothing is cut."""
        width = self._inside.minimumSizeHint().width() + self.area.verticalScrollBar().sizeHint().width()
        return QSize(max(width, super().minimumSizeHint().width()), super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        """Return the width of a dock."""
        return QSize(max(300, self.minimumSizeHint().width()), super().sizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Ask for more width when the content needs it (larger text, longer names)."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)

    def _take_change(self) -> None:
        # A name that is half typed is no judge yet; what was listed stays listed.
        if (kind := self.judge.kind) and kind != self._kind:
            self._kind = kind
            self._list_templates()
        corpus = self._workspace.corpus
        judge = self.judge.choice
        lacks = ""
        if corpus is None or not len(corpus):
            lacks = self.tr("Open a corpus to score it.")
        elif self.templates.chosen() and not self.judge.name:
            lacks = self.tr("Choose a judge, or untick the templates.")
        elif self.templates.chosen() and judge is not None and not judge.ready:
            lacks = self.tr("This judge is not on this computer yet. Download it, or choose another one.")
        self.run.set_lacks(lacks)
        self.changed.emit()


def _group(title: str, *widgets: QWidget) -> QGroupBox:
    group = QGroupBox(title)
    column = QVBoxLayout(group)
    column.setContentsMargins(4, 2, 4, 4)
    column.setSpacing(5)
    for widget in widgets:
        column.addWidget(widget)
    return group
