"""A whole analysis by keys alone: the keys that the manual's page *Without a mouse* lists."""

from __future__ import annotations

import fake_workers
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog

from parapluie_gui import manual
from parapluie_gui.ui.scatter.canvas import ScatterCanvas
from parapluie_gui.ui.state.selection import LASSO

NO_JUDGE = {"judge": {"model": ""}, "templates": {}}
KEY, CONTROL = Qt.Key, Qt.KeyboardModifier.ControlModifier

PAIRS = (
    ("The cat sat on the mat.", "The cat was sitting on the mat.", 1),
    ("He bought a car.", "He sold a car.", 0),
    ("It rained all day.", "Rain fell the whole day.", 1),
    ("She likes tea.", "She hates tea.", 0),
    ("They left at noon.", "They went away at midday.", 1),
    ("The shop is open.", "The shop is closed.", 0),
)


@pytest.fixture
def window(open_window, qtbot):
    window = open_window(fake_workers.light, setup=NO_JUDGE, size=(1440, 900))
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


class Keyboard:
    """Sends keys to whatever has the focus, as a keyboard does."""

    def __init__(self, qtbot) -> None:
        self._qtbot = qtbot

    def press(self, *keys: Qt.Key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
        for key in keys:
            self._qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
            QTest.keyClick(QApplication.focusWidget(), key, modifier)
            QApplication.processEvents()

    def type(self, text: str) -> None:
        for letter in text:
            self._qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
            QTest.keyClicks(QApplication.focusWidget(), letter)
            QApplication.processEvents()

    def tab_to(self, wanted) -> None:
        """Press Tab until a control has the focus; `wanted` says whether it is the one."""
        names = []
        for _ in range(120):
            if wanted(control := QApplication.focusWidget()):
                return
            names.append(f"{type(control).__name__} {control.accessibleName()}")
            self.press(KEY.Key_Tab)
        raise AssertionError(f"Tab does not reach it, but {names}")

    def return_to(self, window) -> None:
        """Activate a window after its dialog, as a window manager does."""
        self._qtbot.waitUntil(lambda: QApplication.activeModalWidget() is None)
        window.activateWindow()
        self._qtbot.waitUntil(window.isActiveWindow)

    def wait_for_dialog(self, kind: type[QDialog]) -> QDialog:
        def dialog():
            tops = QApplication.topLevelWidgets()
            return next((part for part in tops if isinstance(part, kind) and part.isVisible()), None)

        self._qtbot.waitUntil(lambda: dialog() is not None and dialog().isActiveWindow())
        return dialog()


@pytest.fixture
def keyboard(qtbot):
    return Keyboard(qtbot)


def test_the_manual_lists_these_keys():
    text = next(page.text for page in manual.pages() if page.name == "keyboard")
    for keys in ("Ctrl+O", "Ctrl+M", "F5", "Ctrl+1", "Ctrl+L", "Ctrl+F", "J and K", "1 to 5", "Ctrl+K", "Ctrl+3"):
        assert keys in text, keys
    assert "Ctrl+E" in text and "Ctrl+G" in text


def test_a_whole_analysis_is_done_by_keys_alone(window, keyboard, qtbot, tmp_path):
    path = tmp_path / "pairs.csv"
    rows = [f'"{source}","{hypothesis}",{label}\n' for source, hypothesis, label in PAIRS]
    path.write_text("source,hypothesis,label\n" + "".join(rows), encoding="utf-8")
    workspace = window.workspace

    # Open a file.
    keyboard.press(KEY.Key_O, modifier=CONTROL)
    keyboard.wait_for_dialog(QFileDialog)
    keyboard.type(str(path))
    keyboard.press(KEY.Key_Return)
    qtbot.waitUntil(lambda: workspace.corpus is not None and len(workspace.corpus) == len(PAIRS), timeout=20_000)
    keyboard.return_to(window)

    # Choose a metric.
    keyboard.press(KEY.Key_M, modifier=CONTROL)
    picker = keyboard.wait_for_dialog(QDialog)
    keyboard.type("chrF")
    keyboard.press(KEY.Key_Down)
    assert QApplication.focusWidget().accessibleName().startswith("chrF")
    keyboard.press(KEY.Key_Return, KEY.Key_Escape)
    qtbot.waitUntil(lambda: not picker.isVisible())
    keyboard.return_to(window)

    # Score.
    keyboard.press(KEY.Key_F5)
    for column in ("chrf", "edit_distance"):
        qtbot.waitUntil(lambda column=column: workspace.table.count_scores(column) == len(PAIRS), timeout=60_000)
    qtbot.waitUntil(lambda: len(window.scatter.cloud) == len(PAIRS))

    # Walk through the scatter.
    keyboard.press(KEY.Key_1, modifier=CONTROL)
    keyboard.tab_to(lambda control: isinstance(control, ScatterCanvas))
    before = workspace.selection.primary
    for key in (KEY.Key_Right, KEY.Key_Left, KEY.Key_Up, KEY.Key_Down):
        keyboard.press(key)
        if window.scatter.canvas.walk.row not in (before, -1):
            break
    keyboard.press(KEY.Key_Return)
    assert workspace.selection.primary not in (before, -1)

    # Select a range, and all pairs again.
    keyboard.press(KEY.Key_L, modifier=CONTROL)
    dialog = keyboard.wait_for_dialog(QDialog)
    keyboard.press(KEY.Key_Return)
    qtbot.waitUntil(lambda: not dialog.isVisible())
    keyboard.return_to(window)
    assert workspace.selection.rule_of(LASSO) is not None
    keyboard.press(KEY.Key_Escape)
    assert workspace.selection.rule is None

    # Filter.
    keyboard.press(KEY.Key_F, modifier=CONTROL)
    keyboard.type("label == 0")
    keyboard.press(KEY.Key_Return)
    qtbot.waitUntil(lambda: int(workspace.selection.mask.sum()) == 3)

    # Go to the next pair, and judge it.
    keyboard.tab_to(lambda control: control is window.table)
    keyboard.press(KEY.Key_J)
    keyboard.type("4")
    assert window.pair.verdict.verdict == "same_meaning"

    # Sort the table.
    keyboard.press(KEY.Key_K, modifier=CONTROL)
    keyboard.wait_for_dialog(QDialog)
    keyboard.type("sort by edit distance, desc")
    keyboard.press(KEY.Key_Return)
    qtbot.waitUntil(lambda: window.table.pairs.sorted_by == ("edit_distance", True))

    # Export table and figure.
    keyboard.return_to(window)
    table, figure = tmp_path / "table.csv", tmp_path / "figure.svg"
    keyboard.press(KEY.Key_E, modifier=CONTROL)
    keyboard.wait_for_dialog(QFileDialog)
    keyboard.press(KEY.Key_A, modifier=CONTROL)
    keyboard.type(str(table))
    keyboard.press(KEY.Key_Return)
    qtbot.waitUntil(table.exists, timeout=20_000)
    keyboard.return_to(window)
    keyboard.press(KEY.Key_G, modifier=CONTROL)
    keyboard.wait_for_dialog(QDialog)
    keyboard.press(KEY.Key_Return)
    keyboard.wait_for_dialog(QFileDialog)
    keyboard.press(KEY.Key_A, modifier=CONTROL)
    keyboard.type(str(figure))
    keyboard.press(KEY.Key_Return)
    qtbot.waitUntil(figure.exists, timeout=20_000)
    keyboard.return_to(window)

    # An analysis.
    keyboard.press(KEY.Key_3, modifier=CONTROL)
    qtbot.waitUntil(lambda: window.tabs.currentWidget() is window.analysis and not window.analysis.busy, timeout=30_000)
    first = window.analysis.page.title
    keyboard.tab_to(lambda control: control.accessibleName() == "Analyses")
    keyboard.press(KEY.Key_Down)
    qtbot.waitUntil(lambda: window.analysis.page.title != first, timeout=30_000)
