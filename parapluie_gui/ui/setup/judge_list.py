"""The judges that are asked beside the one in the picker, each with its templates; a part of the Setup panel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.names import judge_with_weights, template_words
from parapluie_gui.errors import TemplateError
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template, find_templates
from parapluie_gui.ui.state.kept_values import KeptValues
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, clear, hbox, vbox, widget_of
from parapluie_gui.ui.widgets.wrapped import WrappedText
from parapluie_gui.work.scoring_plan import Judging


@dataclass(frozen=True)
class ChosenJudge:
    """A judge with the names of its templates ("DIRECT", "P1,reverse")."""

    settings: JudgeSettings
    templates: tuple[str, ...]

    @property
    def title(self) -> str:
        """Return what it is called: "SmolLM2, bfloat16: DIRECT, P1"."""
        precision = self.settings.precision
        judge = judge_with_weights(self.settings.model) + ("" if precision == "auto" else f", {precision}")
        return f"{judge}: {', '.join(map(template_words, self.templates))}"

    @property
    def who(self) -> tuple[str, str]:
        """Two judges that are equal in this are one."""
        return self.settings.model, self.settings.precision


class JudgeList(QWidget):
    """Judges under one another, each of which can be changed or taken away; a button adds the one in the picker.

    Attributes:
        judges: The judges.
        add_button: Keeps the judge of the picker, so that another one can be picked.
        cost: Returns what asking a judge takes, in words.

    Signals:
        changed: Another judge is in the list, or one less.
        add_requested: The judge in the picker is to be kept.
        edit_requested: (ChosenJudge) One is to be in the picker again.
    """

    changed = Signal()
    add_requested = Signal()
    edit_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "scoring")
        self.setAccessibleName(self.tr("Further judges"))
        self.judges: tuple[ChosenJudge, ...] = ()
        self.cost: Callable[[ChosenJudge], str] = lambda judge: ""
        self._shown: list[tuple[ChosenJudge, str]] = []
        tip = self.tr("Keep this judge with its templates, and choose another one: Run asks one after the other")
        self.add_button = button(self.tr("Ask another judge too"), self.add_requested.emit, tip)
        self._rows = vbox(spacing=4)
        vbox(self._rows, hbox(self.add_button, 1), within=self, margins=NO_MARGINS, spacing=5)

    def add(self, judge: ChosenJudge) -> None:
        """Put a judge at the end; one that is there already takes its new templates."""
        self.set_judges([*(each for each in self.judges if each.who != judge.who), judge])

    def remove(self, judge: ChosenJudge) -> None:
        """Take a judge away."""
        self.set_judges([each for each in self.judges if each != judge])

    def set_judges(self, judges: Iterable[ChosenJudge]) -> None:
        """Ask these judges."""
        judges = tuple(judges)
        if judges != self.judges:
            self.judges = judges
            self.show_judges()
            self.changed.emit()

    def judgings(self, templates: Mapping[str, Template], current: ChosenJudge | None) -> list[Judging]:
        """Return all judges with their templates, that of the picker last; templates that are gone are left out."""
        chosen = [each for each in self.judges if current is None or each.who != current.who]
        found = []
        for each in [*chosen, *([current] if current is not None else [])]:
            known = [name for name in each.templates if name.partition(",")[0] in templates]
            try:
                asked = find_templates(known, templates.values())
            except TemplateError:
                continue
            if asked:
                found.append(Judging(each.settings, asked))
        return found

    def settings(self) -> list[dict[str, object]]:
        """Return the judges, fit for JSON."""
        return [{**asdict(each.settings), "templates": list(each.templates)} for each in self.judges]

    def restore(self, kept: Sequence[object]) -> None:
        """Take back what `settings` returned; what makes no sense is left out."""
        found = []
        for each in kept:
            values = KeptValues.of(each if isinstance(each, dict) else {})
            model, templates = values.text("model"), tuple(values.texts("templates"))
            if model and templates:
                device, precision = (values.text(name) or "auto" for name in ("device", "precision"))
                found.append(ChosenJudge(JudgeSettings(model, device, precision, values.flag("exact")), templates))
        self.set_judges(found)

    def show_judges(self) -> None:
        """Show the judges, and what asking them takes by now."""
        costs = [(judge, self.cost(judge)) for judge in self.judges]
        if costs == self._shown:
            return
        self._shown = costs
        clear(self._rows)
        for judge, words in costs:
            text, cost = WrappedText(), WrappedText(muted=True)
            text.say(judge.title)
            cost.say(words)
            change = button(
                self.tr("Change"), partial(self.edit_requested.emit, judge), self.tr("Choose this judge above again")
            )
            remove = button(self.tr("Remove"), partial(self.remove, judge), self.tr("Ask this judge no longer"))
            for each, verb in ((change, self.tr("Change {0}")), (remove, self.tr("Remove {0}"))):
                each.setAccessibleName(verb.format(judge.title))
            parts = vbox(text, cost, hbox(change, remove, 1), margins=NO_MARGINS, spacing=2)
            self._rows.addWidget(widget_of(parts))
