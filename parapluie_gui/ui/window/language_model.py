"""Ask a language model: chooses one in Setup, where it can be downloaded."""

from __future__ import annotations

from parapluie_gui.models import catalogue
from parapluie_gui.ui.window.context import WindowContext, WindowController

#: The language model that is offered: the smallest that is a usable judge (`models.toml`).
OFFERED = "qwen-1.5b"


class LanguageModelOffer(WindowController):
    """Chooses a language model as the judge when the user asks for one below the pocket judge's number."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        for caution in (context.tabs.start.trial.caution, context.bench.scores.caution, context.pair.scores.caution):
            caution.model_wanted.connect(self.choose)

    def choose(self) -> None:
        """Choose the language model in Setup and show its download, or where to run it."""
        docks, setup = self._context.docks, self._setup
        docks.setup.show()
        docks.setup.raise_()
        setup.judge.set_model(OFFERED)
        setup.sections["judge"].heading.setChecked(True)
        item = catalogue.entry(OFFERED)
        if item is not None and catalogue.is_ready(item):
            self.message.emit(self.tr("{0} is now the judge. Press Run (F5), or score a pair.").format(item.title))
            setup.judge.model.setFocus()
        else:
            setup.judge.get_button.setFocus()
