"""The dialog for a model of the Hugging Face hub: judges that fit this computer, and a model's licence and size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QDialog,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from parapluie_gui.computer import format_bytes
from parapluie_gui.models.gpus import Gpu
from parapluie_gui.models.hub_cache import hub_name
from parapluie_gui.pluie import needs
from parapluie_gui.pluie.needs import JudgePlacement
from parapluie_gui.ui.setup.model_download import ModelDownload
from parapluie_gui.ui.widgets.arrange import button, hbox, name_control, vbox, within_screen
from parapluie_gui.ui.widgets.controls import dialog_buttons, line
from parapluie_gui.ui.widgets.text import plain_tip
from parapluie_gui.ui.widgets.wrapped import WrappedText


class HubDialog(QDialog):
    """A dialog that asks for a model of the hub, and describes it before it is downloaded.

    Attributes:
        model: The model's name, owner/name or owner/name:FILE.gguf.
        judges: Widely used judges, with the memory that each needs here.
        look_button, fetch_button: Look the model up; download it.

    Signals:
        wanted: (name, revision) The user wants the model downloaded.

    Args:
        name: The model, which is looked up at once; "" if the user has not named one yet.
    """

    wanted = Signal(str, str)

    def __init__(self, gpus: Sequence[Gpu], name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "judges")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Model from the Hugging Face hub"))
        self._ways = needs.list_placements(gpus)
        self._model: Mapping[str, Any] = {}
        self.model = line(
            self.tr("Model"),
            "owner/name, owner/name:FILE.gguf",
            self.tr("The model's name on the hub, and optionally one of its GGUF files"),
            text=name,
        )
        tip = self.tr("Ask the hub for the licence and size, without downloading")
        self.look_button = button(self.tr("Look up"), self.look, tip)
        self._list_title = WrappedText(self, muted=True)
        self._list_title.say(self.tr("Widely used judges, and the memory that they need on this computer:"))
        self.judges = self._judges()
        self._facts = WrappedText(self)
        self._facts.setObjectName("description")
        self._problem = WrappedText(self, bad=True)
        self._problem.setObjectName("problem")
        fetch = QPushButton(self.tr("Download"))
        self.fetch_button = name_control(fetch, self.tr("Download"), self.tr("Download the model to this computer"))
        buttons = dialog_buttons(self, ok=self.fetch_button, accept=self._fetch)
        parts = (self._facts, self._problem, self._list_title, (self.judges, 1), buttons)
        vbox(hbox((self.model, 1), self.look_button), *parts, within=self)
        self.resize(within_screen(QSize(760, 440), self.screen()))
        self._process = ModelDownload(self)
        self._process.answered.connect(self._show)
        self._process.ended.connect(self._end)
        self.model.textChanged.connect(self._forget)
        self.model.returnPressed.connect(self.look)
        self._forget()
        if name:
            for part in (self._list_title, self.judges):
                part.hide()
            self.resize(520, 180)
            self.look()

    def look(self) -> None:
        """Look the model up on the hub."""
        name = self.model.text().strip()
        if self._process.running or hub_name(name) is None:
            return
        self._forget()
        self._facts.say(self.tr("Asking the hub …"))
        self._process.run(["get", "--json", "--look", name])

    def done(self, result: int) -> None:
        self._process.stop(wait=True)
        super().done(result)

    def _judges(self) -> QTreeWidget:
        tree = name_control(QTreeWidget(self), self.tr("Widely used judges"), self.tr("Choose a judge to look it up"))
        tree.setRootIsDecorated(False)
        tree.setUniformRowHeights(True)
        tree.setHeaderLabels([self.tr("Judge"), self.tr("Licence"), *map(str, self._ways)])
        muted = self.palette().brush(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
        for size in needs.list_known_judges():
            fits = [way.fits(size.estimate_memory(way)) for way in self._ways]
            needed = [self._fits(size.estimate_memory(way), way) for way in self._ways]
            row = QTreeWidgetItem(tree, [size.name, size.licence, *needed])
            row.setToolTip(0, plain_tip(size.note))
            for column, fitting in enumerate(fits, 2):
                if not fitting:
                    row.setForeground(column, muted)
        tree.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        tree.header().setStretchLastSection(False)
        tree.currentItemChanged.connect(lambda item, before: self._choose(item))
        tree.itemActivated.connect(lambda item, column: self.look())
        return tree

    def _fits(self, need: float, way: JudgePlacement) -> str:
        """Return the memory that a judge needs in one way of running, and whether it is available."""
        text = self.tr("{0}, fits") if way.fits(need) else self.tr("{0}, too large")
        return text.format(format_bytes(need))

    def _choose(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            self.model.setText(item.text(0))

    def _forget(self) -> None:
        self._model = {}
        self._facts.say("")
        self._problem.say("")
        self.fetch_button.setEnabled(False)
        self.fetch_button.setText(self.tr("Download"))
        self.look_button.setEnabled(hub_name(self.model.text().strip()) is not None and not self._process.running)

    def _show(self, answer: Mapping[str, Any]) -> None:
        """Show the hub's answer."""
        if answer["name"] != self.model.text().strip():  # the user has typed a different name
            return
        self._model = answer
        count = len(answer["files"])
        files = self.tr("1 file") if count == 1 else self.tr("{0} files").format(count)
        licence = answer["licence"] or self.tr("not stated")
        lines = [
            self.tr("{0} on {1}. Licence: {2}.").format(answer["name"], answer["host"], licence),
            self.tr("{0} in {1}, revision {2}.").format(format_bytes(answer["size"]), files, answer["commit"][:12]),
        ]
        left = answer["size"] - answer["here"]
        if answer["here"]:
            lines.append(self.tr("{0} of this model is already on this computer.").format(format_bytes(answer["here"])))
        needed = needs.estimate_hub_memory(answer["name"], answer["size"], answer["parameters"], self._ways)
        if ways := [f"{way}: {self._fits(need, way)}" for way, need in needed]:
            lines.append(self.tr("Memory: {0}.").format("; ".join(ways)))
        self._facts.say("\n".join(lines))
        self.fetch_button.setText(self.tr("Download ({0})").format(format_bytes(left)) if left else self.tr("Use it"))
        self.fetch_button.setEnabled(True)

    def _end(self, error: str) -> None:
        if error:
            self._facts.say("")
        self._problem.say(error)
        self.look_button.setEnabled(hub_name(self.model.text().strip()) is not None)

    def _fetch(self) -> None:
        if self._model:
            self.wanted.emit(self._model["name"], self._model["commit"])
            self.accept()
