"""The help sheet: every action with its keys and what it does, made from the table of actions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from parapluie_gui.ui.window.actions import ACTIONS, MENUS, Action, translated


class HelpSheet(QDialog):
    """A window that can stay open beside the work."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keys and actions"))
        sheet = QWidget()
        grid = QGridLayout(sheet)
        grid.setColumnStretch(2, 1)
        grid.setHorizontalSpacing(18)
        row = 0
        for menu in MENUS:
            heading = self._label(translated(menu).replace("&", ""))
            font = heading.font()
            font.setBold(True)
            heading.setFont(font)
            grid.addWidget(heading, row, 0, 1, 3)
            row += 1
            for action in ACTIONS:
                if action.menu == menu and action.tip:
                    for place, text in enumerate(self._words(action)):
                        grid.addWidget(self._label(text), row, place)
                    row += 1
        grid.addWidget(self._label(self.tr("Your verdict on a pair")), row, 0)
        grid.addWidget(self._label("1 – 5"), row, 1)
        grid.addWidget(self._label(self.tr("In the Pair dock: very different … same meaning, don't know")), row, 2)
        area = QScrollArea()
        area.setWidget(sheet)
        area.setWidgetResizable(True)
        area.setAccessibleName(self.tr("Keys and actions"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(area)
        column.addWidget(buttons)
        self.resize(sheet.sizeHint().width() + 60, 640)

    def _words(self, action: Action) -> tuple[str, str, str]:
        keys = ", ".join(QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in action.keys)
        return translated(action.text).replace("&", "").rstrip("…"), keys, translated(action.tip)

    def _label(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setTextFormat(Qt.TextFormat.PlainText)
        return label
