"""The actions on templates: the dialog that shows and changes them, and the judge that they are tried on."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from parapluie_gui.errors import one_line
from parapluie_gui.features.template_editor.dialog import TemplatesDialog
from parapluie_gui.pluie.templates import Template
from parapluie_gui.ui.state.selection import NO_PAIR
from parapluie_gui.ui.window.context import Context, Helper
from parapluie_gui.work.handle import Handle
from parapluie_gui.work.show_prompt import ShowPrompt

#: Tried while no pair is selected.
EXAMPLE = ("The dog bit the man.", "The man was bitten by the dog.")


class TemplateActions(Helper):
    """Opens the dialog of templates and tries them with the judge chosen in Setup."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.folder = context.templates
        self.dialog: TemplatesDialog | None = None
        self._trial: Handle | None = None

    def edit(self) -> None:
        """Show the templates in a dialog beside the window."""
        if self.dialog is None:
            self.dialog = TemplatesDialog(self.folder, self._try, self._window)
            self.dialog.folder_requested.connect(self.open_folder)
            self._workspace.selection.primary_changed.connect(self._show_where)
            self._setup.changed.connect(self._show_where)
        self._show_where()
        self.dialog.show()
        self.dialog.raise_()

    def open_folder(self) -> None:
        """Show the user's folder in the file manager, or say where it is."""
        folder = self.folder.path
        try:
            self.folder.make()
        except OSError as error:
            self.failed.emit(self.tr("{0} cannot be made ({1}).").format(one_line(folder), error.strerror))
            return
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self.message.emit(self.tr("Your templates folder is {0}.").format(one_line(folder)))

    def _tried_pair(self) -> tuple[str, str]:
        corpus, row = self._workspace.corpus, self._workspace.selection.primary
        return EXAMPLE if corpus is None or row == NO_PAIR else (corpus.source[row], corpus.hypothesis[row])

    def _tried_texts(self, columns: Sequence[str]) -> tuple[str, ...]:
        corpus, row = self._workspace.corpus, self._workspace.selection.primary
        if corpus is None or row == NO_PAIR:
            return ("",) * len(columns)
        return tuple("" if (texts := corpus.texts(name)) is None else texts[row] or "" for name in columns)

    def _show_where(self) -> None:
        if self.dialog is not None:
            self.dialog.kind = self._setup.judge.kind or self.dialog.kind
            self.dialog.trial.show_where(self._setup.judge.name or self.tr("No judge is chosen"), *self._tried_pair())

    def _try(self, template: Template) -> None:
        assert self.dialog is not None
        if self._trial is not None:
            self._trial.give_up()
        texts = self._tried_texts(template.columns)
        shown = ShowPrompt(*self._tried_pair(), self._setup.judge.judge_settings(), template, texts)
        self._trial = self._client.ask(shown, urgent=True)
        self.dialog.trial.follow(self._trial)
