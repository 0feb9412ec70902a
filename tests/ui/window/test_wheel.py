"""The wheel scrolls, and changes no value and moves no focus in any panel or dialog."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFileDialog,
    QSpinBox,
    QTabBar,
)

from parapluie_gui.feature import collect_parts, installed_features
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.analysis.pages import pages
from parapluie_gui.ui.widgets.wheel import BOXES

PAIRS = Corpus("six", list("abcdef"), ["A cat."] * 6, ["One cat."] * 6, label=np.array([1, 0] * 3, dtype=np.int8))

#: The visible boxes with an unscored corpus: of the tabs, of Setup unfolded and of the dialogs.
SEEN = {
    "Scatter": ["Colours", "Horizontal axis", "QTabBar", "Threshold", "Vertical axis"],
    "Bench": ["QTabBar"],
    "Setup": ["Device", "Model", "Precision"],
}
#: The same for the features' tabs and dialogs.
SEEN_OF_FEATURES = {
    "concordance": {"Concordance": ["Lines sorted by", "QTabBar", "Which sentences must contain a hit"]},
    "people": {"Blind round": ["Drawn from", "Judges", "Number of pairs", "Questions", "Seed"]},
    "servers": {"Connect to a server": ["Price per million tokens read", "Price per million tokens written"]},
}


def value(box):
    if isinstance(box, QComboBox):
        return box.currentIndex(), box.currentText()
    return box.text() if isinstance(box, QAbstractSpinBox) else box.currentIndex()


def turn(widget):
    """Turn the wheel a notch each way over a widget; return whether a surrounding panel can scroll."""
    passed = True
    for notch in (-120, 120, 120):
        place = QPointF(widget.rect().center())
        at = QPointF(widget.mapToGlobal(place))
        event = QWheelEvent(
            place,
            at,
            QPoint(),
            QPoint(0, notch),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(widget, event)
        passed = passed and not event.isAccepted()
    return passed


def dialogs(window):
    """Open every dialog that has a box."""
    window.setup.metrics.open()
    for name in {"template_editor.edit", "people.begin_round"} & window.actions_by_name.keys():
        window.actions_by_name[name].trigger()
    window.finder.open()
    window.setup.judge.hub_requested.emit()
    for source in collect_parts("model_sources"):
        window.setup.judge.source_requested.emit(source)
    window.setup.corpus.roles_requested.emit()
    window.exporter.ask_for_figure()
    window.exporter.ask_for_all()
    return [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QDialog) and widget.isVisible()]


def in_sight(*parents):
    """Return the names of the visible boxes."""
    result = (box for parent in parents for kind in BOXES for box in parent.findChildren(kind))
    return sorted(box.accessibleName() or type(box).__name__ for box in result if box.isVisible())


def test_the_wheel_changes_no_box_of_any_panel_or_dialog(open_window):
    window = open_window(size=(1440, 900))
    window.workspace.show(PAIRS)
    window.workspace.selection.set_primary(0)
    seen = {}
    for at in range(window.tabs.count()):
        window.tabs.setCurrentIndex(at)
        QApplication.processEvents()
        seen[window.tabs.tabText(at)] = in_sight(window.tabs)
    for number in range(len(pages())):
        window.analysis.list.show_page(number)
    for section in window.setup.sections.values():
        section.heading.setChecked(True)
    window.setup.judge.advanced.heading.setChecked(True)
    window.tabs.show_scatter()
    window.docks.setup.show()
    QApplication.processEvents()
    seen["Setup"] = in_sight(window.setup)
    window.tabifyDockWidget(window.docks.setup, window.docks.pair)
    QApplication.processEvents()
    assert [bar for bar in window.findChildren(QTabBar) if bar.parent() is window], "panels that share a tab bar"
    opened = dialogs(window)
    assert any(isinstance(each, QFileDialog) for each in opened)
    seen |= {each.windowTitle(): in_sight(each) for each in opened}
    boxes = {box for parent in (window, *opened) for kind in BOXES for box in parent.findChildren(kind)}
    assert {QComboBox, QSpinBox, QDoubleSpinBox, QTabBar} <= {kind for box in boxes for kind in type(box).__mro__}
    for box in boxes:
        if isinstance(box, QComboBox) and box.count() < 3:
            box.addItems(["one", "two", "three"])
            box.setCurrentIndex(1)
    changed, swallowed = [], []
    for box in boxes:
        line = box.lineEdit() if isinstance(box, QComboBox) else None
        for part in filter(None, (box, line)):
            before = value(box)
            if not turn(part) and part is box:
                swallowed.append(box)
            if value(box) != before:
                changed.append(box)
    assert not changed and not swallowed
    assert not [box for box in boxes if box.isVisible() and box.focusPolicy() == Qt.FocusPolicy.WheelFocus]
    expected = dict(SEEN)
    for feature in installed_features():
        expected |= SEEN_OF_FEATURES.get(feature.name, {})
    assert {place: seen[place] for place in expected} == expected
    for each in opened:
        each.close()


def test_the_wheel_does_not_switch_the_tabs_of_stacked_panels(open_window, qtbot):
    """Qt deletes a tab bar and creates a new one whenever panels are moved, shown or restored."""
    window = open_window(size=(1440, 900))
    window.workspace.show(PAIRS)

    def bars():
        return [bar for bar in window.findChildren(QTabBar) if bar.parent() is window and bar.isVisible()]

    for _ in range(2):
        window.tabifyDockWidget(window.docks.setup, window.docks.pair)
        qtbot.waitUntil(lambda: bool(bars()))
        QApplication.processEvents()
        left = window.saveState()
        assert all(turn(bar) for bar in bars())
        window.arrangements.reset()
        qtbot.waitUntil(lambda: not bars())
    window.restoreState(left)
    qtbot.waitUntil(lambda: bool(bars()))
    QApplication.processEvents()
    assert all(turn(bar) for bar in bars())
