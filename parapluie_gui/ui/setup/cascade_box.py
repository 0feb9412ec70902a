"""The part of the Setup panel that sends some pairs on to a second judge; folded until it is wanted."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.ui.setup.model_box import ModelBox, ModelChoice
from parapluie_gui.ui.state.kept_values import KeptValues
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, named, vbox, widget_of
from parapluie_gui.ui.widgets.controls import form, number, tick
from parapluie_gui.ui.widgets.wrapped import NarrowBox, WrappedText
from parapluie_gui.work.cascade import Cascade

_SHARE, _BAND = "share", "band"

#: Where the scores of judges are, at most.
_FAR = 1000.0
#: Letters of the tick box that are left of it in a narrow panel.
_LETTERS = 16


class CascadeBox(QWidget):
    """Picks a second judge, its template, and what is sent on to it.

    Attributes:
        on: Ticked to ask a second judge; the rest is hidden otherwise.
        model, template: The second judge. A folder, a file or a hub id can be typed.
        what: Whether a share of the pairs is sent on or the scores of a band.
        share: The share in per cent.
        low, high: The band.

    Signals:
        changed: Another choice.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "cluster")
        self._templates: dict[str, Template] = {}
        self._wanted = ""
        tip = self.tr("Sends the pairs that the judge is not sure of on to a second, dearer one")
        self.on = tick(self.tr("Ask another judge when in doubt"), tip, letters=_LETTERS)
        self.model = ModelBox(self.tr("Second judge"), self.tr("Model that decides the doubtful pairs"))
        self.template = named(NarrowBox(8), self.tr("Template of the second judge"), self.tr("What it is asked"))
        self.what = named(NarrowBox(8), self.tr("What is sent on"))
        self.what.addItem(self.tr("Share of the pairs"), _SHARE)
        self.what.addItem(self.tr("Scores in a band"), _BAND)
        self.share = number(self.tr("Share sent on"), (0.1, 100.0), 20.0, self.tr("Share sent on"), decimals=1)
        self.share.setSuffix(self.tr(" %"))
        self.low = number(self.tr("Lowest score sent on"), (-_FAR, _FAR), -2.0, self.tr("Lowest score sent on"))
        self.high = number(self.tr("Highest score sent on"), (-_FAR, _FAR), 2.0, self.tr("Highest score sent on"))
        self._note = WrappedText(self, muted=True)
        fields = (
            (self.tr("Judge"), self.model),
            (self.tr("Template"), self.template),
            (self.tr("Send on"), self.what),
            (self.tr("Share"), self.share),
            (self.tr("From score"), self.low),
            (self.tr("To score"), self.high),
        )
        self._form = form(fields, wraps=QFormLayout.RowWrapPolicy.WrapLongRows)
        self._details = widget_of(vbox(self._form, self._note, margins=NO_MARGINS, spacing=5))
        vbox(self.on, self._details, within=self, margins=NO_MARGINS, spacing=5)
        self.on.toggled.connect(self._show)
        self.what.currentIndexChanged.connect(self._show)
        self.model.editTextChanged.connect(self._list_templates)
        self.template.currentIndexChanged.connect(self.changed)
        for box in (self.share, self.low, self.high):
            box.valueChanged.connect(self.changed)
        self._show()

    @property
    def name(self) -> str:
        """The name of the second judge for the scorer; "" when none is picked."""
        return self.model.name

    def cascade(self, judge: JudgeSettings) -> Cascade | None:
        """Return the second judge after this one, computed where and as that is; None if none is wanted."""
        template = self._templates.get(str(self.template.currentData()))
        if not self.on.isChecked() or not self.name or template is None:
            return None
        second = JudgeSettings(self.name, judge.device, judge.precision, judge.exact)
        if self.what.currentData() == _SHARE:
            return Cascade(second, template, share=self.share.value() / 100)
        return Cascade(second, template, band=(self.low.value(), self.high.value()))

    def lacks(self, chosen: Sequence[Template]) -> str:
        """Return what is missing before a second judge can follow these templates; "" when nothing is."""
        if not self.on.isChecked():
            return ""
        choice = self.model.choice
        if len(chosen) != 1:
            return self.tr(
                "A second judge follows one template in one direction. Tick one, or untick the second judge."
            )
        if not self.name or self.template.currentData() is None:
            return self.tr("Choose the second judge and its template.")
        if choice is not None and not choice.ready:
            return self.tr("The second judge is not on this computer yet. Pick it as the judge to download it.")
        if self.what.currentData() == _BAND and self.low.value() > self.high.value():
            return self.tr("The band of the second judge holds no score: its lowest is above its highest.")
        return ""

    def set_models(self, choices: Sequence[ModelChoice]) -> None:
        """List the models; the choice stays."""
        self.model.set_choices(choices)
        self.set_model(self.name or next((each.name for each in choices if each.ready and not each.built_in), ""))

    def set_model(self, name: str) -> None:
        """Pick a model by its name, or any folder, file or hub id."""
        self.model.pick(name)
        self._list_templates()

    def set_templates(self, templates: Sequence[Template]) -> None:
        """List the templates, of which those for the judge's kind are offered."""
        self._templates = {template.name: template for template in templates}
        self._list_templates()

    def settings(self) -> dict[str, object]:
        return {
            "on": self.on.isChecked(),
            "model": self.name,
            "template": self.template.currentData() or self._wanted,
            "what": self.what.currentData(),
            "share": self.share.value(),
            "low": self.low.value(),
            "high": self.high.value(),
        }

    def restore(self, kept: KeptValues) -> None:
        """Take back what `settings` returned."""
        self._wanted = kept.text("template")
        if model := kept.text("model"):
            self.set_model(model)
        self.what.setCurrentIndex(max(self.what.findData(kept.text("what")), 0))
        for key, box in (("share", self.share), ("low", self.low), ("high", self.high)):
            if (value := kept.number(key)) is not None:
                box.setValue(value)
        self.on.setChecked(kept.flag("on"))

    def _list_templates(self) -> None:
        kept = self.template.currentData() or self._wanted
        kind = self.model.kind
        with QSignalBlocker(self.template):
            self.template.clear()
            for template in self._templates.values():
                if template.kind == kind or not kind:
                    self.template.addItem(template.name, template.name)
            self.template.setCurrentIndex(max(self.template.findData(kept), 0 if self.template.count() else -1))
        self.changed.emit()

    def _show(self) -> None:
        self._details.setVisible(self.on.isChecked())
        share = self.what.currentData() == _SHARE
        nearest = self.tr("Those nearest to the threshold 0 are sent on. ") if share else ""
        self._note.say(nearest + self.tr("Analysis → Thresholds and curves shows the accuracy against the share."))
        for field, shown in ((self.share, share), (self.low, not share), (self.high, not share)):
            field.setVisible(shown)
            if (label := self._form.labelForField(field)) is not None:
                label.setVisible(shown)
        self.changed.emit()
