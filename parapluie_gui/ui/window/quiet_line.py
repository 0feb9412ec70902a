"""What an audience may read besides the pair, in one quiet line: the judge, how far scoring is, what was said."""

from __future__ import annotations

from parapluie_gui.ui.state.scoring import IDLE
from parapluie_gui.ui.widgets.elided import ElidedText
from parapluie_gui.ui.window.context import Context
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
