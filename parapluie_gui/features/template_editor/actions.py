"""Actions on templates: the dialog for editing them, and trying them with the judge."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from parapluie_gui.analysis.names import judge_with_weights
from parapluie_gui.errors import one_line
from parapluie_gui.features.template_editor.dialog import TemplatesDialog
from parapluie_gui.pluie.templates import Template
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.window.context import WindowContext, WindowController
from parapluie_gui.work.handle import RequestHandle
from parapluie_gui.work.show_prompt import ShowPrompt

#: The pair tried while no pair is selected.
EXAMPLE = ("The dog bit the man.", "The man was bitten by the dog.")


class TemplateActions(WindowController):
    """Opens the templates dialog and tries templates with the judge chosen in Setup."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.folder = context.templates
        self.dialog: TemplatesDialog | None = None
        self._trial: RequestHandle | None = None

    def edit(self) -> None:
        """Show the templates dialog."""
        if self.dialog is None:
            self.dialog = TemplatesDialog(self.folder, self._try, self._window)
            self.dialog.folder_requested.connect(self.open_folder)
            self._workspace.selection.primary_changed.connect(self._update_trial)
            for change in (self._setup.changed, self._tabs.turned, self._bench.pair_changed):
                change.connect(self._update_trial)
        self._update_trial()
        self.dialog.show()
        self.dialog.raise_()

    def open_folder(self) -> None:
        """Open the user's templates folder in the file manager, or show its path."""
        folder = self.folder.path
        try:
            self.folder.make()
        except OSError as error:
            self.failed.emit(self.tr("{0} cannot be created ({1}).").format(one_line(folder), error.strerror))
            return
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self.message.emit(self.tr("Your templates folder is {0}.").format(one_line(folder)))

    def _typed_pair(self) -> tuple[str, str] | None:
        """Return the pair in the Bench while the Bench is shown, or None."""
        return self._bench.texts() if self._tabs.currentWidget() is self._bench else None

    def _tried_pair(self) -> tuple[str, str]:
        if (typed := self._typed_pair()) is not None:
            return typed
        corpus, row = self._workspace.corpus, self._workspace.selection.primary
        return EXAMPLE if corpus is None or row == NO_PAIR else (corpus.source[row], corpus.hypothesis[row])

    def _tried_texts(self, columns: Sequence[str]) -> tuple[str, ...]:
        corpus, row = self._workspace.corpus, self._workspace.selection.primary
        if corpus is None or row == NO_PAIR or self._typed_pair() is not None:
            return ("",) * len(columns)
        return tuple("" if (texts := corpus.texts(name)) is None else texts[row] or "" for name in columns)

    def _update_trial(self, *_: object) -> None:
        if self.dialog is not None:
            self.dialog.kind = self._setup.judge.kind or self.dialog.kind
            judge = judge_with_weights(self._setup.judge.name) or self.tr("No judge is chosen")
            self.dialog.trial.show_subject(judge, *self._tried_pair())

    def _try(self, template: Template) -> None:
        assert self.dialog is not None
        if self._trial is not None:
            self._trial.give_up()
        texts = self._tried_texts(template.columns)
        request = ShowPrompt(*self._tried_pair(), self._setup.judge.judge_settings(), template, texts)
        self._trial = self._client.ask(request, urgent=True)
        self.dialog.trial.follow(self._trial)
