"""Presentation mode: the pair in large type and nothing beside it, the score hidden until the speaker reveals it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from parapluie_gui.ui.state.scoring import IDLE
from parapluie_gui.ui.widgets.wrapped import ElidedText
from parapluie_gui.ui.window.context import Context, Helper
from parapluie_gui.work.events import Progress


class QuietLine(ElidedText):
    """A line of the status bar, shown while presenting; the banners are hidden then."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        setup, scoring, banners = context.setup, context.scoring, (context.trouble, context.banner)
        self.setAccessibleName(self.tr("Judge, progress and messages"))
        self._setup, self._banners = setup, banners
        self._on = False
        self._progress = ""
        scoring.progressed.connect(self._take_progress)
        scoring.state_changed.connect(self._take_state)
        setup.changed.connect(self._show)
        for banner in banners:
            banner.changed.connect(self._show)
        self._show()

    def set_on(self, on: bool) -> None:
        """Show this line instead of the banners, or the banners again."""
        self._on = on
        for banner in self._banners:
            banner.set_quiet(on)
        self._show()

    def _take_progress(self, progress: Progress) -> None:
        share = progress.done / progress.total if progress.total else 1.0
        self._progress = self.tr("scoring: {0} %").format(int(100 * share))
        self._show()

    def _take_state(self, state: str) -> None:
        if state == IDLE:
            self._progress = ""
        self._show()

    def _show(self) -> None:
        choice = self._setup.judge.choice
        judge = choice.title if choice is not None else self._setup.judge.name
        news = (banner.text.replace("\n", " ") for banner in self._banners)
        self.say(" · ".join(filter(None, (judge, self._progress, *news))) if self._on else "")


class Presentation(Helper):
    """Shows the pair, the scatter and the Bench to an audience, and brings everything back.

    Attributes:
        on: True while presenting.

    Args:
        context: What is shown and hidden.
        quiet: Says what the bars and banners that are hidden would say.
    """

    def __init__(self, context: Context, quiet: QuietLine) -> None:
        super().__init__(context)
        self.on = False
        self._docks, self._arrangements, self._looks = context.docks, context.arrangements, context.looks
        self._quiet, self._bars = quiet, (context.window.menuBar(), context.tools)
        self._scatter = context.scatter
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
