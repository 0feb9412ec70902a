"""The Setup panel: corpus, metrics, judge and templates, with the buttons that run them for the tool bar."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from parapluie_gui.analysis.names import judge_with_weights, shown_name, template_words
from parapluie_gui.models.kind import CAUSAL
from parapluie_gui.pluie.cost import TokenUsage
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import REVERSE, USUAL_TEMPLATES, Template, current_template_name
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.setup.corpus_box import CorpusBox
from parapluie_gui.ui.setup.judge_list import JudgeList, judging_title
from parapluie_gui.ui.setup.judge_picker import JudgePicker
from parapluie_gui.ui.setup.metric_box import MetricBox
from parapluie_gui.ui.setup.model_box import ModelChoice
from parapluie_gui.ui.setup.run_box import RunBox, RunNotes
from parapluie_gui.ui.state.measured import MeasuredSpeeds
from parapluie_gui.ui.state.stored_values import StoredValues
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, flow, name_control, scroll_area, vbox, widget_of
from parapluie_gui.ui.widgets.checklist import CheckItem, Checklist
from parapluie_gui.ui.widgets.controls import FoldingSection, FoldingWidget, plain, tick
from parapluie_gui.ui.widgets.text import duration
from parapluie_gui.ui.widgets.wrapped import WrappedText
from parapluie_gui.work.events import JobProgress
from parapluie_gui.work.scoring_plan import JudgeTemplates, ScoringPlan

#: Letters of a template's title shown in the list; the tooltip shows it in full.
TITLE_LETTERS = 22

#: Templates that are ticked at first.
FIRST_TEMPLATES = tuple(names[0] for names in USUAL_TEMPLATES.values())


class SetupView(QWidget):
    """The choice of a corpus, judges, templates and metrics.

    Attributes:
        corpus, metrics, judge, templates, notes: The parts, top to bottom.
        sections: The foldable sections; each shows a summary until it is unfolded.
        judges: The list of all judges, shown if the one in the picker is not the only one.
        speeds: The measured speeds of judges on this computer.
        size_of: Returns the memory or disk space that a judge needs, in words.
        run: Starts, pauses and stops scoring; shown in the window's tool bar.
        both: Tick box: ask every template a second time, with the hypothesis first.
        templates_button: Opens the template editor, if there is one; see `offer_writing`.
        area: Scrolls all of them but `notes`.

    Signals:
        changed: The choice of judges, templates or metrics, and so `plan`, changed.
    """

    changed = Signal()

    def __init__(self, workspace: CorpusWorkspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "scoring")
        self._workspace = workspace
        self._templates: dict[str, Template] = {}
        self._broken: tuple[tuple[str, str], ...] = ()
        self._kind = CAUSAL
        self._described = ""
        self.setAccessibleName(self.tr("Setup"))
        self.corpus = CorpusBox(workspace)
        self.judge = JudgePicker()
        self.templates = Checklist(self.tr("Templates"))
        self.judges = JudgeList()
        self.judges.cost = self.cost
        self.speeds = MeasuredSpeeds(self)
        self.size_of: Callable[[JudgeSettings], str] = lambda settings: ""
        self.metrics = MetricBox(workspace)
        self.run = RunBox()
        self.notes = RunNotes()
        tip = self.tr(
            "Ask the judge again with the hypothesis first. The difference between the two scores becomes a column"
        )
        self.both = tick(self.tr("Also with the sentences swapped"), tip, letters=TITLE_LETTERS)
        self.templates_button = QPushButton(self.tr("New or edit…"))
        self.templates_button.setAccessibleName(self.tr("New template, or edit one"))
        self.templates_button.hide()
        self._no_templates = WrappedText(self, muted=True)
        self._no_templates.say(self.tr("There are no templates."))
        asked = plain(self.tr("Templates"), muted=True)
        listed = (asked, self._no_templates, self.templates, self.both, flow(self.templates_button))
        template_group = widget_of(vbox(*listed, margins=NO_MARGINS, spacing=5))
        template_group.setProperty("manual_page", "templates")
        inside = widget_of(vbox(self.judge, template_group, self.judges, margins=(22, 0, 4, 4), spacing=8))
        tip = self.tr("The language model that judges, and the templates used to ask it")
        judging = FoldingSection(self.tr("Judge and templates"), inside, self.judge.missing, tip=tip)
        self.sections = {"corpus": self.corpus.section, "metrics": self.metrics.section, "judge": judging}
        self._choices = (self.metrics, inside, self.judge.missing)
        self._inside = widget_of(vbox(self.corpus, self.metrics, judging, 1, margins=(8, 4, 8, 8), spacing=6))
        self.area = scroll_area(self._inside)
        self.area.verticalScrollBar().rangeChanged.connect(self._leave_room)
        self._leave_room(0, 0)
        # Missing parts and errors are always visible, however many templates there are above.
        vbox((self.area, 1), self.notes, within=self, margins=NO_MARGINS, spacing=0)
        parts = (
            self.judge.changed,
            self.templates.changed,
            self.both.toggled,
            self.metrics.changed,
            self.judges.changed,
        )
        self.judges.add_requested.connect(self._keep_judge)
        self.judges.edit_requested.connect(self._take_judge)
        self.judges.drop_requested.connect(self._drop_current)
        for changed in (*parts, workspace.corpus_changed):
            changed.connect(self._take_change)
        workspace.corpus_changed.connect(self.run.forget)
        workspace.scores_changed.connect(self._show_known)
        self._take_change()

    def offer_writing(self, action: QAction) -> None:
        """Connect the button under the templates to the action that opens the template editor."""
        name_control(self.templates_button, self.tr("New template, or edit one"), action.statusTip())
        self.templates_button.clicked.connect(action.trigger)
        self.templates_button.show()

    # Choices

    @property
    def plan(self) -> ScoringPlan:
        """The chosen metrics and all judges with their templates, with the judge in the picker last."""
        judge, metrics = self.judge.judge_settings(), tuple(self.metrics.choice.computed_specs())
        judgings = self.judges.with_current(self._current(), self._templates)
        return ScoringPlan(metrics, judgings, judge.device)

    def templates_for_judge(self) -> list[Template]:
        """Return the listed templates: those for the kind of the judge in the picker."""
        return [template for template in self._templates.values() if template.kind == self._kind]

    def cost(self, judging: JudgeTemplates) -> str:
        """Return the memory that a judge needs, and the time for the pairs that it has not scored yet."""
        return " · ".join(filter(None, (self.size_of(judging.judge), self._time(judging))))

    def _time(self, judging: JudgeTemplates) -> str:
        """Return the time that a judge needs for the corpus shown, from speeds measured on this computer."""
        table, seconds, pairs = self._workspace.table, 0.0, 0
        for column, alone in ScoringPlan((), (judging,)).judge_scores(table).items():
            missing, rate = table.rows - table.count_scores(column), self.speeds.rate(judging.judge, alone.templates[0])
            if missing and not rate:
                return self.tr("Time: measured in the first run")
            pairs, seconds = pairs + missing, seconds + (missing / rate if missing else 0.0)
        if not pairs:
            return ""
        return self.tr("Time: about {0}, as last measured here").format(duration(seconds))

    def _current(self) -> JudgeTemplates | None:
        """Return the judge in the picker with its chosen templates, or None if either is missing."""
        chosen = [self._templates[name] for name in self.templates.checked_keys()]
        if self.both.isChecked():
            chosen = [variant for template in chosen for variant in (template, template.swap_sentences())]
        return JudgeTemplates(self.judge.judge_settings(), tuple(chosen)) if chosen and self.judge.name else None

    def _keep_judge(self) -> None:
        """Add the judge in the picker to the list, and choose a different one in the picker."""
        current = self._current()
        if current is not None:
            self.judges.add(current)
            self.judge.pick_other([judging.judge.model for judging in self.judges.judges])

    def set_judgings(self, judgings: Sequence[JudgeTemplates]) -> None:
        """Replace the judges by one or more others; the last is shown in the picker."""
        *others, last = judgings
        self.judge.choose(last.judge)
        self._take_change()
        asked = {template.name.removesuffix(REVERSE) for template in last.templates}
        self.templates.choose({template.name: template.name in asked for template in self.templates_for_judge()})
        self.both.setChecked(any(template.name.endswith(REVERSE) for template in last.templates))
        self.judges.set_judges(others)

    def _take_judge(self, judging: JudgeTemplates) -> None:
        """Show a judge of the list in the picker; the one in the picker moves to the list."""
        others = [other for other in self.plan.judgings if other.judge != judging.judge]
        self.set_judgings([*others, judging])

    def _drop_current(self) -> None:
        """Remove the judge in the picker; the last judge of the list takes its place."""
        if others := self.plan.judgings[:-1]:
            self.set_judgings(others)

    def settings(self) -> dict[str, object]:
        """Return the choices, fit for JSON."""
        return {
            "version": 2,
            "judge": self.judge.settings(),
            "templates": self.templates.ticks(),
            "both_directions": self.both.isChecked(),
            "judges": self.judges.settings(),
            "metrics": self.metrics.choice.own(),
            "unfolded": {name: section.heading.isChecked() for name, section in self.sections.items()},
        }

    def restore(self, settings: Mapping[str, object]) -> None:
        """Restore what `settings` returned; invalid values are ignored."""
        stored = StoredValues.wrap(settings)
        if "judge" in stored:
            self.judge.restore(stored.part("judge"))
            self.judges.set_judges(())
        ticked = stored.flags("templates")
        self.templates.choose({current_template_name(name, self._templates): on for name, on in ticked.items()})
        if "both_directions" in stored:
            self.both.setChecked(stored.flag("both_directions"))
        if "judges" in stored:
            self.judges.restore(settings["judges"] if isinstance(settings["judges"], list) else [], self._templates)
        self.metrics.choice.restore(stored)
        for name, on in stored.flags("unfolded").items():
            if name in self.sections:
                self.sections[name].heading.setChecked(on)
        self._take_change()

    # Updates from the window

    def set_models(self, choices: Sequence[ModelChoice]) -> None:
        """List the models to choose from."""
        self.judge.set_models(choices)
        # A metric may need a model that is now on this computer.
        self.metrics.look()

    def set_templates(self, templates: Sequence[Template], broken: Sequence[tuple[str, str]] = ()) -> None:
        """List the templates, and the template files that cannot be used.

        Args:
            templates: The usable templates, names unique.
            broken: Name and error of each unusable file.
        """
        self._templates = {template.name: template for template in templates}
        self._broken = tuple(broken)
        self._list_templates()
        self._take_change()

    def _list_templates(self) -> None:
        """List the templates for the judge's kind."""
        items = [
            CheckItem(
                key=template.name,
                text=_title_first(template),
                tip="\n".join(text for text in (template.title, template.name, template.provenance) if text),
                note="" if template.origin == "built-in" else self.tr("yours"),
            )
            for template in self.templates_for_judge()
        ]
        items += [CheckItem(key=name, text=name, tip=error, broken=True) for name, error in self._broken]
        self._no_templates.setVisible(not items)
        self.templates.set_items(items, FIRST_TEMPLATES)

    def set_state(self, state: str) -> None:
        """Show the state of scoring: "idle", "loading", "running", "paused" or "stopping"."""
        self.run.set_state(state)
        self.notes.set_idle(state == "idle")
        self._show_known()
        self.show_costs()
        for part in self._choices:
            part.setEnabled(state == "idle")

    def show_progress(self, progress: JobProgress) -> None:
        """Show the progress of the current score."""
        if progress.column in self._workspace.table:
            self.speeds.note(self._workspace.table.identity(progress.column), progress.rate)
        title = self._workspace.title(progress.column) if progress.column in self._workspace.table else ""
        if progress.column and not title:
            title = shown_name(identify(progress.column).with_judge(self.judge.name))
        spent = "" if progress.spending is None else self._describe_spending(progress.spending)
        self.run.show_progress(progress, title, spent)
        self.notes.end_states()
        self.notes.show_spent(spent)

    def show_judge(self, description: str, notices: Sequence[str] = ()) -> None:
        """Show the corpus's judge ("" for a single pair's judge) and notices about it.

        A notice that is already in the judge's note is left out.
        """
        if description:
            self._described = self.judge.name
            self.notes.show_judge(description)
        for notice in notices:
            if notice not in self.judge.note:
                self.notes.show_notice(notice)

    def _describe_spending(self, spending: TokenUsage) -> str:
        tokens = self.tr("{0} tokens read, {1} written").format(f"{spending.read:,}", f"{spending.written:,}")
        return tokens if spending.cost is None else self.tr("{0}, cost {1}").format(tokens, f"{spending.cost:,.4f}")

    def reveal(self, control: QWidget) -> None:
        """Unfold the section of a control, and scroll to it."""
        folds: tuple[FoldingSection | FoldingWidget, ...] = (*self.sections.values(), self.judge.advanced)
        for fold in folds:
            if fold.inside.isAncestorOf(control):
                fold.heading.setChecked(True)
        self.area.ensureWidgetVisible(control)

    def show_judge_choice(self) -> None:
        """Focus the list of models."""
        self.reveal(self.judge.model)
        self.judge.model.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def minimumSizeHint(self) -> QSize:
        """Return a width at which nothing is elided."""
        width = self._inside.minimumSizeHint().width() + self.area.verticalScrollBar().sizeHint().width() - self._room
        return QSize(max(width, super().minimumSizeHint().width()), super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        """Return the width of a side panel."""
        return QSize(max(300, self.minimumSizeHint().width()), super().sizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Ask for more width when the content needs it (larger text, longer names)."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)

    def _leave_room(self, low: int, high: int) -> None:
        """Reserve space for the scroll bar while it is hidden, so that nothing moves when it appears."""
        self._room = 0 if high > low else self.area.verticalScrollBar().sizeHint().width()
        if (layout := self._inside.layout()) is not None:
            layout.setContentsMargins(8, 4, 8 + self._room, 8)

    def _sum_up(self) -> None:
        """Show the judge and its templates in one line."""
        name = judge_with_weights(self.judge.name)
        asked = ", ".join(map(template_words, self.templates.checked_keys()))
        if asked and self.both.isChecked():
            asked = self.tr("{0}, in both directions").format(asked)
        none = self.tr("No judge: only the metrics are computed")
        beside = map(judging_title, self.judges.judges)
        current = [" · ".join((name, asked))] if name and asked else []
        self.sections["judge"].sum_up("; ".join([*beside, *current]) or none)

    def _take_change(self) -> None:
        # The templates stay listed while a name is half typed.
        if (kind := self.judge.kind) and kind != self._kind:
            self._kind = kind
            self._list_templates()
        if self._described not in ("", self.judge.name):
            self._described = ""
            self.notes.show_judge("")
        corpus = self._workspace.corpus
        lacks = ""
        if corpus is None or not len(corpus):
            lacks = self.tr("Open a corpus to score it.")
        elif self.templates.checked_keys() and not self.judge.name:
            lacks = self.tr("Choose a judge, or untick the templates.")
        elif self.templates.checked_keys() and not self.judge.ready:
            lacks = self.tr("This judge is not on this computer yet. Download it, or choose a different one.")
        self.judges.add_button.setEnabled(self._current() is not None)
        self.run.set_ready(not lacks)
        self.notes.set_lacks(lacks)
        self._show_known()
        self._sum_up()
        self.show_costs()
        self.changed.emit()

    def show_costs(self) -> None:
        """Show all judges with their current costs."""
        self.judges.show_judges(self.plan.judgings, self._current())

    def _show_known(self) -> None:
        """Show, before Run is pressed, which scores exist: all, so that no model is loaded, or some."""
        table = self._workspace.table
        if self.run.state != "idle" or not table.rows:
            self.notes.set_known("")
            return
        missing = self.plan.missing_in(table)
        if not missing:
            self.notes.set_known(self.tr("All pairs have these scores. There is nothing left to compute."))
            return
        parts = [(name, table.count_scores(name)) for name in missing]
        lines = [
            self.tr("{0} partly scored: {1} of {2}").format(self._workspace.title(name), f"{done:,}", f"{table.rows:,}")
            for name, done in parts
            if 0 < done < table.rows
        ]
        self.notes.set_known("\n".join(lines))


def _title_first(template: Template) -> str:
    """Return a template's entry in the list: its title, then its name, as in columns and files."""
    title, name = template.title, template_words(template.name)
    if len(title) > TITLE_LETTERS:
        title = f"{title[: TITLE_LETTERS - 1].rstrip()}…"
    return f"{title} · {name}" if title and title != name else name
