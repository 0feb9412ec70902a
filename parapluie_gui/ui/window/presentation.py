"""Presentation mode: the pair in large type and nothing beside it, the score hidden until the speaker reveals it."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from parapluie_gui.ui.window.context import Context
from parapluie_gui.ui.window.quiet_line import QuietLine


class Presentation(QObject):
    """Shows the pair, the scatter and the Bench to an audience, and brings everything back.

    Attributes:
        on: True while presenting.

    Args:
        context: What is shown and hidden.
        quiet: Says what the bars and banners that are hidden would say.
    """

    def __init__(self, context: Context, quiet: QuietLine) -> None:
        super().__init__(context.window)
        self.on = False
        self._window, self._docks = context.window, context.docks
        self._arrangements, self._looks = context.arrangements, context.looks
        self._quiet, self._bars = quiet, (context.window.menuBar(), context.tools)
        self._pair, self._bench, self._scatter = context.pair, context.bench, context.scatter
        self._before = self._window.windowState()
        context.workspace.selection.primary_changed.connect(self._guess_again)
        self._bench.fields.typed.connect(self._guess_again)
        self._bench.score_requested.connect(self._leave_field)

    def set_on(self, on: bool) -> None:
        if on == self.on:
            return
        self.on = on
        if on:
            self._before = self._window.windowState()
        self._arrangements.set_presenting(on)
        # Without a title bar there is nothing but the pair to look at; None brings Qt's own back.
        self._docks.pair.setTitleBarWidget(QWidget() if on else None)  # type: ignore[arg-type]
        for bar in self._bars:
            bar.setVisible(not on)
        self._looks.set_presenting(on)
        self._quiet.set_on(on)
        self._reveal(not on)
        if on:
            self._window.showFullScreen()
        else:
            self._window.setWindowState(self._before)

    def toggle_score(self) -> None:
        """Reveal the score, or hide it; without an audience there is nothing to hide."""
        if self.on:
            self._reveal(not self._pair.revealed)

    def _reveal(self, revealed: bool) -> None:
        self._pair.set_revealed(revealed, self.on)
        self._bench.set_revealed(revealed, self.on)
        self._scatter.set_revealed(revealed)

    def _guess_again(self) -> None:
        """Hide the score of each new pair."""
        if self.on:
            self._reveal(False)

    def _leave_field(self) -> None:
        """Take the cursor out of the field once a pair is scored, so that R reveals instead of being typed."""
        if self.on:
            self._bench.fields.score_button.setFocus()
