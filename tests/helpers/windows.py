"""All dialogs and other windows of the program: found in its code, and opened as a user does."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable

import numpy as np
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QWidget

import parapluie_gui
from parapluie_gui.pairs.corpus import SkippedRow
from parapluie_gui.pairs.reading.reader import open_corpus
from parapluie_gui.ui.setup.column_dialog import MapperDialog
from parapluie_gui.ui.setup.corpus_box import SkippedDialog
from parapluie_gui.ui.setup.hub_dialog import HubDialog
from parapluie_gui.ui.state.opening import OpeningQuestion

#: Packages with windows.
_PLACES = ("parapluie_gui.ui", "parapluie_gui.features")


def window_classes() -> dict[str, type[QWidget]]:
    """Return the classes of all windows but the main one, by name: dialogs, and widgets that are made windows."""
    classes: dict[str, type[QWidget]] = {}
    for module in pkgutil.walk_packages(parapluie_gui.__path__, "parapluie_gui."):
        if not module.name.startswith(_PLACES):
            continue
        for name, kind in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if kind.__module__ != module.name or not issubclass(kind, QWidget) or issubclass(kind, QMainWindow):
                continue
            if issubclass(kind, QDialog) or "Qt.WindowType.Window" in inspect.getsource(kind):
                classes[name] = kind
    return classes


#: The action that opens a window, by the window's class; a part of the window with the function, or None where
#: `DIRECT` creates it.
ACTIONS = {
    "AboutDialog": "show_about",
    "CheckDialog": "doctor.open",
    "CleaningDialog": "cleaning.ask",
    "CommandPalette": "finder.open",
    "ComputedDialog": "computed_columns.new",
    "FigureDialog": "exporter.ask_for_figure",
    "KeptThresholdsDialog": "thresholds.open",
    "ManualWindow": "manual.open_here",
    "MetricPicker": "setup.metrics.open",
    "RangeDialog": "scatter.ask_range",
    "RoundDialog": "people.begin_round",
    "SamplingDialog": "sampling.ask",
    "ShareDialog": "share.ask",
    "StageView": "talks.present",
    "TableColumnsDialog": "choose_columns",
    "TalkWindow": "talks.open",
    "TemplatesDialog": "template_editor.edit",
}


def _mapper(window, folder) -> QWidget:
    path = folder / "odd.csv"
    path.write_text("a,b,c\nThe cat sat.,A cat sat.,x\nThe dog ran.,A dog ran.,y\n", encoding="utf-8")
    return MapperDialog(OpeningQuestion(open_corpus(path), path.name), window)


def _skipped(window, folder) -> QWidget:
    return SkippedDialog("pairs.csv", [SkippedRow(3, "no hypothesis", "The cat sat.")], window)


def _hub(window, folder) -> QWidget:
    return HubDialog((), "", window)


def _server(window, folder) -> QWidget:
    from parapluie_gui.features.servers.dialog import ServerDialog

    return ServerDialog(window)


def _speaker(window, folder) -> QWidget:
    from parapluie_gui.features.talks.show import Slideshow
    from parapluie_gui.features.talks.speaker import SpeakerWindow

    return SpeakerWindow(Slideshow(), lambda item: None)


def _roles(window, folder) -> QWidget:
    window.parts.roles.ask()
    return next(part for part in window.findChildren(QDialog) if type(part).__name__ == "RolesDialog")


#: Functions that create a window which no action opens.
DIRECT: dict[str, Callable[..., QWidget]] = {
    "HubDialog": _hub,
    "MapperDialog": _mapper,
    "RolesDialog": _roles,
    "ServerDialog": _server,
    "SkippedDialog": _skipped,
    "SpeakerWindow": _speaker,
}


def fill(window) -> None:
    """Give the main window the demo's pairs, with scores."""
    rows = np.arange(window.workspace.table.rows)
    random = np.random.default_rng(0)
    names = "edit_distance", "bleu", "chrf", "wer", "ibleu", "bertscore", "parascore"  # a line with all is long
    values = {name: random.random(len(rows)) for name in names}
    window.workspace.put(rows, values | {"pluie.direct": random.normal(size=len(rows))})
    window.workspace.set_axes(x="edit_distance", y="pluie.direct")
    window.workspace.selection.set_primary(3)


def open_one(name: str, window, qtbot, folder) -> QWidget:
    """Open a window of a class as a user does, and return it; KeyError for a class that is not in the tables above."""
    if name in DIRECT:
        part = DIRECT[name](window, folder)
        part.show()
    else:
        window.actions_by_name[ACTIONS[name]].trigger()
        qtbot.waitUntil(lambda: _shown(name) is not None, timeout=30_000)
        part = _shown(name)
    qtbot.waitUntil(part.isVisible)
    qtbot.wait(50)
    return part


def _shown(name: str) -> QWidget | None:
    tops = QApplication.topLevelWidgets()
    return next((part for part in tops if type(part).__name__ == name and part.isVisible()), None)
