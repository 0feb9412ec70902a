"""The judge part of the Setup panel: the language model, the device it runs on, and its download."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QMenu, QProgressBar, QPushButton, QWidget

from parapluie_gui.computer import format_bytes
from parapluie_gui.errors import one_line
from parapluie_gui.feature import collect_parts
from parapluie_gui.models.catalogue import can_name_model, find_kind
from parapluie_gui.models.device import ALL_GPUS, EACH_GPU, may_have_gpu
from parapluie_gui.models.gpus import Gpu
from parapluie_gui.models.hub_cache import hub_name
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.models.quantised import is_int8
from parapluie_gui.models.sources import find_declaration
from parapluie_gui.places import expand_user_path
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.ui.setup.model_box import ModelBox, ModelChoice
from parapluie_gui.ui.state.stored_values import StoredValues
from parapluie_gui.ui.widgets.arrange import (
    NO_MARGINS,
    button,
    flow,
    give_menu,
    hbox,
    name_control,
    title_button,
    vbox,
    widget_of,
)
from parapluie_gui.ui.widgets.controls import FoldingWidget, form, tick
from parapluie_gui.ui.widgets.file_dialog import ask_to_open
from parapluie_gui.ui.widgets.text import translate_feature
from parapluie_gui.ui.widgets.theme import CLOSE, NEAR
from parapluie_gui.ui.widgets.wrapped import NarrowBox, WrappedText


class JudgePicker(QWidget):
    """Controls to choose the judge and how it runs.

    Attributes:
        model: List of models; a folder, a file or a hub id can be typed.
        get_button: Downloads the chosen model; hidden unless it is missing.
        advanced: Folds device, precision and exactness.
        info_button: Shows the notes about the judge while it is checked.
        missing: The download controls, visible while the model is not on this computer.

    Signals:
        changed: The judge or how it runs changed.
        get_requested: (name) The user wants a model downloaded.
        hub_requested: The user wants a model of the Hugging Face hub.
        source_requested: (ModelSource) The user wants a model of a source that a feature adds.
        card_requested: (page) The user wants the judge's model card, a page of the manual.
    """

    changed = Signal()
    get_requested = Signal(str)
    hub_requested = Signal()
    source_requested = Signal(object)
    card_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "judges")
        self.setAccessibleName(self.tr("Judge"))
        tip = self.tr("Language model that judges. You can also type a folder, a GGUF file or a hub id")
        self.model = ModelBox(self.tr("Model"), tip, self)
        self.model.editTextChanged.connect(self._show_choice)
        if (line := self.model.lineEdit()) is not None:
            line.editingFinished.connect(self._check_typed)
        self._refusal = WrappedText(self, bad=True)
        self._refusal.setObjectName("refused judge")
        self._valid = ""
        self.choose_button = self._choose_menu()
        self._note = WrappedText(self, muted=True)
        self._checked = WrappedText(self, muted=True)
        self._checked.setObjectName("checked on")
        tip = self.tr("How the judge performed on the data on which it was checked")
        self.card_button = button(self.tr("Model card…"), self._ask_card, tip)
        self._size = WrappedText(self, muted=True)
        self._size.setObjectName("size")
        self.get_button = button(
            self.tr("Download"),
            self._get,
            self.tr("Download this model to this computer"),
            self.tr("Download this model"),
            "download",
        )
        self.bar = QProgressBar(self)
        self.bar.setAccessibleName(self.tr("Download"))
        self._download = WrappedText(self, muted=True)
        self.device = self._combo(
            self.tr("Device"),
            self.tr("Device that runs the model"),
            {"auto": self.tr("Automatic"), "cpu": "CPU", **_gpus()},
        )
        self.precision = self._combo(
            self.tr("Precision"),
            self.tr("Numeric precision. Lower precision is faster and uses less memory"),
            {"auto": self.tr("Automatic"), "float32": "float32", "bfloat16": "bfloat16", "float16": "float16"},
        )
        self.exact = tick(
            self.tr("Exact (one pair at a time)"),
            self.tr("Slower: without batches or a shared cache, so that scores can be reproduced"),
        )
        self.exact.toggled.connect(self.changed)
        fields = ((self.tr("Device"), self.device), (self.tr("Precision"), self.precision))
        choices = form(fields, wraps=QFormLayout.RowWrapPolicy.WrapLongRows)
        missing = (self.get_button, self.bar, self._download)
        self.missing = widget_of(vbox(*missing, margins=(22, 0, 4, 0), spacing=4))
        about = widget_of(
            vbox(self._note, self._checked, self._size, flow(self.card_button), margins=NO_MARGINS, spacing=5)
        )
        about.hide()
        self.info_button = title_button("", self.tr("About this judge"), lambda: None, "info")
        self.info_button.setCheckable(True)
        self.info_button.toggled.connect(about.setVisible)
        tip = self.tr("Device, numeric precision, exact scores")
        self.advanced = FoldingWidget(self.tr("Advanced"), tip)
        vbox(choices, self.exact, within=self.advanced.inside, margins=(NEAR, 0, 0, 0), spacing=CLOSE)
        head = hbox((self.model, 1), self.info_button, margins=NO_MARGINS, spacing=2)
        vbox(head, self._refusal, about, self.choose_button, self.advanced, within=self, margins=NO_MARGINS, spacing=5)
        for part in missing:
            part.hide()
        self._show_choice()

    def _choose_menu(self) -> QPushButton:
        choose = QPushButton(self.tr("Another model…"), self)
        tip = self.tr("Choose a model on this computer, one to download, or one run by another program")
        name_control(choose, choose.text(), tip)
        menu = QMenu(choose)
        menu.addAction(self.tr("Folder of a model…"), self._ask_folder)
        menu.addAction(self.tr("GGUF file…"), self._ask_file)
        menu.addAction(self.tr("Hugging Face hub…"), self.hub_requested.emit)
        for source in collect_parts("model_sources"):
            if source.dialog:
                menu.addAction(translate_feature(source.choose), partial(self.source_requested.emit, source))
        give_menu(choose, menu)
        return choose

    def set_models(self, choices: Sequence[ModelChoice]) -> None:
        """List the models, keeping the chosen one."""
        self.model.set_choices(choices)
        if choices and not self.name:
            self.set_model(next((choice for choice in choices if choice.ready), choices[0]).name)
        self._show_choice()

    def set_model(self, name: str) -> None:
        """Choose a model by its name, or any folder, file or hub id."""
        self._valid = name
        self.model.pick(name)
        self._valid = self.name

    def pick_other(self, taken: Sequence[str]) -> None:
        """Choose a judge that is not in `taken`, on this computer if possible."""
        others = [choice for choice in self.choices if choice.name not in taken]
        if others:
            self.set_model(next((choice for choice in others if choice.ready), others[0]).name)

    @property
    def choices(self) -> tuple[ModelChoice, ...]:
        """The listed models."""
        return self.model.choices

    @property
    def choice(self) -> ModelChoice | None:
        """The model chosen from the list, or None if a different name is typed."""
        name = self.name
        return next((choice for choice in self.choices if choice.name == name), None)

    @property
    def name(self) -> str:
        """The model's name for the scorer, "" if none is chosen; the previous name while the text cannot be one."""
        typed = self.model.name
        return typed if not typed or self.model.choice is not None or can_name_model(typed) else self._valid

    @property
    def kind(self) -> str:
        """CAUSAL or MASKED, or "" while unknown."""
        choice = self.choice
        return find_kind(self.name) if choice is None else choice.kind

    @property
    def ready(self) -> bool:
        """Whether the judge is on this computer, as far as its name shows."""
        return bool(self.name) and not self._is_hub_model and (self.choice is None or self.choice.ready)

    def needs_libraries(self, judge: JudgeSettings) -> bool:
        """Return True if a judge is a causal model on this computer, as far as the list and its name show."""
        if judge.model == self.name:
            return self.ready and self.kind == CAUSAL
        return any(choice.name == judge.model and choice.ready and choice.kind == CAUSAL for choice in self.choices)

    @property
    def _is_hub_model(self) -> bool:
        """Whether the name is a hub id outside the list, and so not on this computer."""
        return self.choice is None and hub_name(self.name) is not None and not Path(self.name).exists()

    @property
    def note(self) -> str:
        return self._note.full_text

    def judge_settings(self) -> JudgeSettings:
        return JudgeSettings(
            model=self.name,
            device=str(self.device.currentData()),
            precision=str(self.precision.currentData()),
            exact=self.exact.isChecked(),
        )

    def show_download(self, done: int, total: int, text: str) -> None:
        """Show the progress of a download, which ends when `done` reaches `total` (0 while unknown)."""
        under_way = total <= 0 or done < total
        self.bar.setVisible(under_way)
        # In thousandths: the bytes of a model can exceed the range of a progress bar.
        self.bar.setRange(0, 1000 if total > 0 else 0)
        self.bar.setValue(int(1000 * done / total) if total > 0 else 0)
        self._download.say(text)
        self.get_button.setEnabled(not under_way)

    def show_gpus(self, gpus: Sequence[Gpu]) -> None:
        """Offer several GPUs one by one, together and side by side; show the name of a single GPU."""
        if len(gpus) == 1 and (place := self.device.findData("cuda")) >= 0:
            self.device.setItemText(place, f"CUDA · {gpus[0].name}")
        names = {gpu.device: f"{gpu.device} · {gpu.name}" for gpu in gpus}
        if len(gpus) > 1:
            names[ALL_GPUS] = self.tr("All GPUs together")
            names[EACH_GPU] = self.tr("One copy of the model on each GPU")
            for device, name in names.items():
                place = self.device.findData(device)
                if place < 0:
                    self.device.addItem(name, device)
                else:  # added by a session, without the GPU's name
                    self.device.setItemText(place, name)

    def show_size(self, text: str) -> None:
        self._size.say(text)

    def choose(self, judge: JudgeSettings) -> None:
        """Set the judge and how it runs."""
        how = {"device": judge.device, "precision": judge.precision, "exact": judge.exact}
        self.restore({"model": judge.model, **how})

    def settings(self) -> dict[str, object]:
        judge = self.judge_settings()
        return {"model": judge.model, "device": judge.device, "precision": judge.precision, "exact": judge.exact}

    def restore(self, settings: Mapping[str, object]) -> None:
        stored = StoredValues.wrap(settings)
        if model := stored.text("model"):
            self.set_model(model)
        for combo, key in ((self.device, "device"), (self.precision, "precision")):
            value = stored.text(key)
            if not value:
                continue
            if combo.findData(value) < 0 and key == "device":
                combo.addItem(value, value)  # "cuda:1", typed on the command line or in a session file
            combo.setCurrentIndex(max(combo.findData(value), 0))
        self.exact.setChecked(stored.flag("exact"))
        if self.judge_settings() != JudgeSettings(model=self.name):
            self.advanced.heading.setChecked(True)  # show settings that differ from the defaults

    def _show_choice(self) -> None:
        choice = self.choice
        self._refusal.say("")
        if choice is not None:
            self._valid = choice.name
            note = choice.note
        elif self.kind == MASKED and is_int8(expand_user_path(self.name)):
            note = self.tr("Judge made by train-judge: trained on labelled pairs, not the paper's zero-shot LLM.")
        elif self.kind == MASKED:
            note = self.tr("Masked model: fills the gap in a cloze with yes or no. It is loaded when you press Run.")
        elif (source := find_declaration(self.name)) is not None:
            note = translate_feature(source.hint)
        elif self._is_hub_model:
            note = self.tr("A model from the Hugging Face hub. Download shows its licence and size first.")
        elif self.name:
            note = self.tr("A folder, a GGUF file or a hub id. It is loaded when you press Run.")
        else:
            note = self.tr("Without a judge, only the metrics are computed.")
        self._note.say(note)
        checked = choice.checked if choice is not None else ""
        unknown = self.tr("This judge has not been checked on any known data. Make a certificate to check it.")
        self._checked.say((self.tr("Checked on: {0}.").format(checked) if checked else unknown) if self.name else "")
        self.card_button.setVisible(choice is not None and bool(choice.card))
        self.get_button.setVisible(self._is_hub_model or (choice is not None and not choice.ready))
        size = "" if choice is None or not choice.download_mb else format_bytes(choice.download_mb * 1e6)
        self.get_button.setText(self.tr("Download ({0})").format(size) if size else self.tr("Download…"))
        self.changed.emit()

    def _check_typed(self) -> None:
        """Return to the previous judge if the typed name cannot be a judge."""
        typed = self.model.name
        if typed == self.name:
            self._valid = typed
            return
        self.model.pick(self._valid)
        refusal = self.tr("“{0}” is not a judge. Choose one from the list, or type a folder, a GGUF file or a hub id.")
        self._refusal.say(refusal.format(one_line(typed)[:80]))

    def _ask_card(self) -> None:
        if self.choice is not None:
            self.card_requested.emit(self.choice.card)

    def _get(self) -> None:
        if self.name:
            self.get_requested.emit(self.name)

    def _ask_folder(self) -> None:
        ask_to_open(self, self.tr("Folder of a model"), self.set_model, folder=True)

    def _ask_file(self) -> None:
        filters = [self.tr("GGUF models (*.gguf)"), self.tr("All files (*)")]
        ask_to_open(self, self.tr("GGUF file"), self.set_model, filters=filters)

    def _combo(self, name: str, tip: str, entries: Mapping[str, str]) -> QComboBox:
        combo = NarrowBox(8, self)
        for key, text in entries.items():
            combo.addItem(text, key)
        combo.currentIndexChanged.connect(self.changed)
        return name_control(combo, name, tip)


def _gpus() -> dict[str, str]:
    """Return the kinds of GPU that this computer may have, by PyTorch's name."""
    if not may_have_gpu():
        return {}
    return {"mps": "MPS (Apple)"} if sys.platform == "darwin" else {"cuda": "CUDA (NVIDIA)"}
