"""Ask a language model: chooses one in Setup, where it can be downloaded, and asks it as soon as it is ready."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from parapluie_gui.computer import format_bytes
from parapluie_gui.models import catalogue
from parapluie_gui.ui.pair.caution import JudgeCaution
from parapluie_gui.ui.window.context import WindowContext, WindowController

#: The language model that is offered: the smallest that is a usable judge (`models.toml`).
OFFERED = "qwen-1.5b"


class LanguageModelOffer(WindowController):
    """Chooses a language model as the judge when the user asks for one below the pocket judge's number.

    A typed pair is scored again once the model is on this computer, unless the user has moved on.
    """

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._caution: JudgeCaution | None = None
        self._ask: Callable[[], None] | None = None
        trial, bench = context.tabs.start.trial, context.bench
        for caution, ask in ((trial.caution, trial.ask), (bench.scores.caution, bench.score)):
            caution.model_wanted.connect(partial(self.choose, caution, ask))
        context.pair.scores.caution.model_wanted.connect(self.choose)
        self._cautions = (trial.caution, bench.scores.caution, context.pair.scores.caution)
        self._setup.changed.connect(self._ask_if_ready)
        self._setup.changed.connect(self._name_links)
        self._name_links()

    def choose(self, caution: JudgeCaution | None = None, ask: Callable[[], None] | None = None) -> None:
        """Choose the language model in Setup and show its download, or where to run it.

        Args:
            caution: The caution below the score of a typed pair, in which the user asked for the model.
            ask: The function that scores this pair again.
        """
        docks, setup = self._context.docks, self._setup
        docks.setup.show()
        docks.setup.raise_()
        setup.judge.set_model(OFFERED)
        setup.sections["judge"].heading.setChecked(True)
        self._caution, self._ask = caution, ask
        if not setup.judge.ready:
            setup.judge.get_button.setFocus()
            return
        if ask is None:
            item = catalogue.entry(OFFERED)
            title = OFFERED if item is None else item.title
            self.message.emit(self.tr("{0} is now the judge. Press Run (F5), or score a pair.").format(title))
        setup.judge.model.setFocus()
        self._ask_if_ready()

    def _name_links(self) -> None:
        """Show the size of the download in the links, unless the model is on this computer."""
        offered = next((choice for choice in self._setup.judge.choices if choice.name == OFFERED), None)
        text = self.tr("Ask a language model")
        if offered is not None and not offered.ready:
            text = self.tr("Ask a language model ({0})…").format(format_bytes(offered.download_mb * 1e6))
        for caution in self._cautions:
            caution.link.setText(text)

    def _ask_if_ready(self) -> None:
        judge, caution, ask = self._setup.judge, self._caution, self._ask
        if caution is None or ask is None or (judge.name == OFFERED and not judge.ready):
            return
        self._caution = self._ask = None
        if judge.name == OFFERED and caution.isVisible():
            ask()
