"""The list of several judges with their templates, a part of the Setup panel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.names import judge_with_weights, template_words
from parapluie_gui.errors import TemplateError
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template, current_template_name, find_templates
from parapluie_gui.ui.state.stored_values import StoredValues
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, clear, hbox, vbox, widget_of
from parapluie_gui.ui.widgets.wrapped import WrappedText
from parapluie_gui.work.scoring_plan import JudgeTemplates


def judging_title(judging: JudgeTemplates) -> str:
    """Return the names of a judge and its templates: "SmolLM2, bfloat16: DIRECT, P1"."""
    judge, names = judging.judge, (template_words(template.name) for template in judging.templates)
    precision = "" if judge.precision == "auto" else f", {judge.precision}"
    return f"{judge_with_weights(judge.model)}{precision}: {', '.join(names)}"


def _judge_key(judging: JudgeTemplates) -> tuple[str, str]:
    """Return a key that is equal for judgings with the same judge."""
    return judging.judge.model, judging.judge.precision


class JudgeList(QWidget):
    """A list of judges that can be changed or removed; a button adds the one in the picker.

    The judge in the picker is the last one, and listed only if there are others.

    Attributes:
        judges: The judges except the one in the picker.
        add_button: Adds the judge in the picker, so that a different one can be chosen there.
        cost: Returns the memory and time that a judge needs, in words.

    Signals:
        changed: A judge was added, changed or removed.
        add_requested: The user wants to keep the judge in the picker.
        edit_requested: (Judging) The user wants to change a judge in the picker.
        drop_requested: The user wants to remove the judge in the picker.
    """

    changed = Signal()
    add_requested = Signal()
    edit_requested = Signal(object)
    drop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "scoring")
        self.setAccessibleName(self.tr("Judges"))
        self.judges: tuple[JudgeTemplates, ...] = ()
        self.cost: Callable[[JudgeTemplates], str] = lambda judging: ""
        self._shown: list[tuple[JudgeTemplates, bool, str]] = []
        tip = self.tr(
            "Keep this judge with its templates, and choose an additional judge. Run asks them one after the other"
        )
        self.add_button = button(self.tr("Ask another judge too"), self.add_requested.emit, tip)
        self._rows = vbox(spacing=4)
        vbox(self._rows, hbox(self.add_button, 1), within=self, margins=NO_MARGINS, spacing=5)

    def add(self, judging: JudgeTemplates) -> None:
        """Add a judge at the end, or replace its templates if it is already there."""
        self.set_judges([*(other for other in self.judges if _judge_key(other) != _judge_key(judging)), judging])

    def remove(self, judging: JudgeTemplates) -> None:
        """Remove a judge with its templates."""
        self.set_judges([other for other in self.judges if other != judging])

    def set_judges(self, judges: Iterable[JudgeTemplates]) -> None:
        """Set the judges in addition to the one in the picker."""
        judges = tuple(judges)
        if judges != self.judges:
            self.judges = judges
            self.changed.emit()

    def with_current(
        self, current: JudgeTemplates | None, templates: Mapping[str, Template]
    ) -> tuple[JudgeTemplates, ...]:
        """Return all judges with their current templates, the one in the picker last, omitting judges without any."""
        before = [listed for listed in self.judges if current is None or _judge_key(listed) != _judge_key(current)]
        current_judgings = (
            _with_current_templates(listed.judge, [one.name for one in listed.templates], templates)
            for listed in before
        )
        return (*(listed for listed in current_judgings if listed.templates), *(() if current is None else (current,)))

    def settings(self) -> list[dict[str, object]]:
        """Return the judges, fit for JSON."""
        return [
            {
                "model": judging.judge.model,
                "device": judging.judge.device,
                "precision": judging.judge.precision,
                "exact": judging.judge.exact,
                "templates": [template.name for template in judging.templates],
            }
            for judging in self.judges
        ]

    def restore(self, stored: Sequence[object], templates: Mapping[str, Template]) -> None:
        """Restore what `settings` returned; invalid values are ignored."""
        judgings = []
        for item in stored:
            values = StoredValues.wrap(item if isinstance(item, dict) else {})
            device, precision = (values.text(name) or "auto" for name in ("device", "precision"))
            judge = JudgeSettings(values.text("model"), device, precision, values.flag("exact"))
            names = [current_template_name(name, templates) for name in values.texts("templates")]
            judgings.append(_with_current_templates(judge, names, templates))
        self.set_judges(judging for judging in judgings if judging.judge.model and judging.templates)

    def show_judges(self, judgings: Sequence[JudgeTemplates], current: JudgeTemplates | None) -> None:
        """Show the judges if there are several, with their current costs."""
        several = len(judgings) > 1 or (current is None and bool(judgings))
        rows = [
            (judging, judging is judgings[-1] and current is not None, self.cost(judging))
            for judging in judgings
            if several
        ]
        if rows == self._shown:
            return
        self._shown = rows
        clear(self._rows)
        for judging, picked, words in rows:
            title = judging_title(judging)
            text, cost = WrappedText(), WrappedText(muted=True)
            text.say(self.tr("{0} (chosen above)").format(title) if picked else title)
            cost.say(words)
            act = self.drop_requested.emit if picked else partial(self.remove, judging)
            buttons = [(button(self.tr("Remove"), act, self.tr("Remove this judge")), self.tr("Remove {0}"))]
            if not picked:
                act, tip = partial(self.edit_requested.emit, judging), self.tr("Change this judge above")
                buttons.insert(0, (button(self.tr("Change"), act, tip), self.tr("Change {0}")))
            for control, verb in buttons:
                control.setAccessibleName(verb.format(title))
            line = hbox(*(control for control, _ in buttons), 1)
            self._rows.addWidget(widget_of(vbox(text, cost, line, margins=NO_MARGINS, spacing=2)))


def _with_current_templates(
    judge: JudgeSettings, names: Sequence[str], templates: Mapping[str, Template]
) -> JudgeTemplates:
    """Return a judge with its current templates of these names; with none if they are incompatible."""
    try:
        known = [name for name in names if name.partition(",")[0] in templates]
        return JudgeTemplates(judge, find_templates(known, templates.values()))
    except TemplateError:
        return JudgeTemplates(judge, ())
