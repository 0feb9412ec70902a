"""What an audience looks at in a presentation: "?" until the score is revealed, then the score, as large."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, vbox
from parapluie_gui.ui.widgets.text import enlarge

#: Size of the "?" and of the score, beside running text.
LARGE = 5.0


class GuessView(QWidget):
    """One large sign, and a line below it.

    Attributes:
        revealed: False while the audience guesses.
        presenting: True while there is an audience: the score is large then.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.revealed, self.presenting = True, False
        self._score: tuple[float | None, str] = (None, "")
        self._sign, self._words = QLabel(), QLabel()
        for label in (self._sign, self._words):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._sign.setObjectName("large sign")
        self._words.setProperty("muted", True)
        self._words.setWordWrap(True)
        enlarge(self._sign, LARGE)
        vbox(self._sign, self._words, within=self, margins=NO_MARGINS)
        self._show()

    def set_revealed(self, revealed: bool, presenting: bool) -> None:
        self.revealed, self.presenting = revealed, presenting
        self._show()

    def show_score(self, value: float | None, title: str) -> None:
        """Take the score to be revealed, None where there is none, and whose it is."""
        self._score = (value, title)
        self._show()

    def _show(self) -> None:
        value, title = self._score
        shown = self.presenting and value is not None
        if not self.revealed:
            self._sign.setText("?")
            self._words.setText(self.tr("Press R to reveal"))
            self.setAccessibleName(self.tr("The scores are hidden. Press R to reveal them"))
        elif shown and value is not None:
            self._sign.setText(score_names.signed(value))
            self._words.setText(title)
            self.setAccessibleName(f"{title}: {score_names.signed(value)}")
        self.setVisible(shown or not self.revealed)
