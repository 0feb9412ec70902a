"""The dialog for choosing the oddities to remove from sentences."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QPushButton, QVBoxLayout, QWidget

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.oddities import ODDITIES, FoundOddity
from parapluie_gui.ui.widgets.controls import dialog_buttons, plain, tick
from parapluie_gui.ui.widgets.text import pairs_words, translate_feature

#: Number of characters shown before and after an oddity.
_AROUND = 25
#: Width of the dialog in pixels, so that an example fits into a line.
_WIDTH = 460


class CleaningDialog(QDialog):
    """The oddities of a corpus, with a tick box for each kind that can be removed and an example of the effect.

    Attributes:
        ticks: The tick boxes, by the kinds' names.
        button: Opens the cleaned copy.

    Signals:
        chosen: (tuple of str) The user accepted the dialog; the kinds to remove.
    """

    chosen = Signal(tuple)

    def __init__(self, corpus: Corpus, kinds: Sequence[FoundOddity], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "corpora")
        self.setWindowTitle(self.tr("Clean sentences"))
        self.ticks: dict[str, QCheckBox] = {}
        self.setMinimumWidth(_WIDTH)
        layout = QVBoxLayout(self)
        about = self.tr("A copy of {0} is opened without the chosen oddities. The corpus itself is not changed.")
        empty = self.tr("There are no markup, entities or other oddities inside the sentences of {0}.")
        layout.addWidget(plain((about if kinds else empty).format(corpus.name), wraps=True))
        for kind in kinds:
            name = translate_feature(kind.title)
            title = f"{name[:1].upper()}{name[1:]}: {pairs_words(len(kind.rows))}"
            if not kind.key:
                layout.addWidget(plain(title, wraps=True))
                continue
            self.ticks[kind.key] = box = tick(title)
            box.setChecked(True)
            box.toggled.connect(self._enable)
            layout.addWidget(box)
            layout.addWidget(plain(self._example(corpus, kind), wraps=True, muted=True))
        self.button = QPushButton(self.tr("Open cleaned copy"))
        layout.addWidget(dialog_buttons(self, ok=self.button))
        self.accepted.connect(lambda: self.chosen.emit(self.keys()))
        self.finished.connect(self.deleteLater)
        self._enable()

    def keys(self) -> tuple[str, ...]:
        """Return the ticked kinds."""
        return tuple(key for key, box in self.ticks.items() if box.isChecked())

    def _enable(self) -> None:
        self.button.setEnabled(bool(self.keys()))

    def _example(self, corpus: Corpus, kind: FoundOddity) -> str:
        """Return the text around the first oddity, before and after cleaning."""
        oddity = next(oddity for oddity in ODDITIES if oddity.key == kind.key)
        row = kind.rows[0]
        sides = corpus.source[row], corpus.hypothesis[row], *corpus.references(row)
        text = next(side for side in sides if oddity.is_in(side))
        match = oddity.pattern.search(text)
        assert match is not None
        near = text[max(0, match.start() - _AROUND) : match.end() + _AROUND]
        return f"{_escape(near)} → {_escape(oddity.repair(near).strip())}"


def _escape(text: str) -> str:
    """Write invisible characters as Python escapes."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
