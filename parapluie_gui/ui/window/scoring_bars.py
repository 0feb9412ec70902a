"""The tool bar with the judge and the scoring buttons, and the status line."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QToolBar, QToolButton, QWidget

from parapluie_gui.analysis.names import judge_with_weights
from parapluie_gui.ui.setup.judge_list import judging_title
from parapluie_gui.ui.setup.setup import SetupView
from parapluie_gui.ui.widgets import icons
from parapluie_gui.ui.widgets.arrange import button, hbox, name_control
from parapluie_gui.ui.widgets.controls import bar
from parapluie_gui.ui.widgets.text import announce
from parapluie_gui.ui.widgets.wrapped import ElidedText


class StatusLine(QWidget):
    """Status line with a message and, during work, a busy bar and a Cancel button."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cancel: Callable[[], object] | None = None
        self._label = ElidedText(muted=False)
        self._bar = bar(self.tr("Working"), width=140)
        self.cancel_button = button(self.tr("Cancel"), self._press, name=self.tr("Cancel this work"))
        hbox(self._label, self._bar, self.cancel_button, within=self, margins=(4, 0, 4, 0))
        self.say("")

    @property
    def text(self) -> str:
        return self._label.text()

    def sizeHint(self) -> QSize:
        """Return a height with space for the button, so that the views above do not move when work begins."""
        return super().sizeHint().expandedTo(QSize(0, self.cancel_button.sizeHint().height()))

    def say(self, text: str) -> None:
        """Show a message, and no work."""
        self.show_work("", None)
        self._label.say(text)
        announce(self, text)

    def show_work(self, text: str, cancel: Callable[[], object] | None) -> None:
        """Show the current work, with a Cancel button if `cancel` is given; "" at its end."""
        self._label.say(text)
        self._cancel = cancel if text else None
        self._bar.setVisible(bool(text))
        self.cancel_button.setVisible(self._cancel is not None)

    def _press(self) -> None:
        if self._cancel is not None:
            self._cancel()


#: Largest number of characters shown of the judge's name.
_MOST_LETTERS = 30


class ScoringBar(QToolBar):
    """Tool bar with the scoring buttons and the judge's name.

    Args:
        setup: Provides the buttons (`run`) and the judge.
        choose_judge: Called when the judge's name is pressed.
    """

    def __init__(self, setup: SetupView, choose_judge: Callable[[], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scoring")
        self.setWindowTitle(self.tr("Scoring"))
        self.setProperty("manual_page", "scoring")
        self.setMovable(False)
        # The bar must not be hidden by accident.
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.toggleViewAction().setVisible(False)
        self._setup = setup
        setup.run.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(setup.run)
        self.judge_button = QToolButton(self)
        self.judge_button.setAutoRaise(True)
        self.judge_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        icons.put(self.judge_button, "scale")
        self.judge_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.judge_button.clicked.connect(choose_judge)
        self.addWidget(self.judge_button)
        setup.changed.connect(self._name_judge)
        self._name_judge()

    def _name_judge(self) -> None:
        tip = self.tr("Choose a different judge in the Setup panel")
        judgings = self._setup.plan.judgings
        if len(judgings) > 1:
            words = self.tr("{0} judges").format(len(judgings))
            full = self.tr("Judges: {0}").format("; ".join(map(judging_title, judgings)))
        else:
            choice, name = self._setup.judge.choice, judge_with_weights(self._setup.judge.name)
            title = name if choice is None else choice.title
            short = name if len(name) <= _MOST_LETTERS else "…" + name[1 - _MOST_LETTERS :]
            words = self.tr("Judge: {0}").format(short) if name else self.tr("No judge")
            full = self.tr("Judge: {0}").format(name) if name else words
            tip = tip if title == name else f"{title}. {tip}"
        self.judge_button.setText(words.replace("&", "&&"))
        name_control(self.judge_button, full, tip)
