"""The templates in a dialog: new ones, copies, changes; each is checked while it is typed and tried on a pair."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QListWidget, QListWidgetItem, QSplitter, QWidget

from parapluie_gui.analysis.names import template_words
from parapluie_gui.errors import ParapluieError
from parapluie_gui.own_files import BUILT_IN
from parapluie_gui.pluie.templates import Template
from parapluie_gui.ui.state.template_folder import TemplateFolder
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.templates.editor import TemplateEditor
from parapluie_gui.ui.templates.trial import TemplateTrial
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, hbox, vbox, widget_of
from parapluie_gui.ui.widgets.flow import flow
from parapluie_gui.ui.widgets.text import tooltip
from parapluie_gui.ui.widgets.theme import NEAR, Theme

#: A text that is tried is tried again after this pause in the typing.
AGAIN_MS = 700

NEW = """name = "MY-TEMPLATE"
title = "What is asked, in one line"
yes = "Yes"
no = "No"

[[turn]]
role = "user"
text = '''Do these two sentences mean the same thing? Answer with Yes or No.
A: "{source}"
B: "{hypothesis}"'''
"""

_ORIGIN = Qt.ItemDataRole.UserRole


class TemplatesDialog(QDialog):
    """A list of templates, the text of one, and what the judge reads.

    Args:
        folder: Where the user's templates are.
        ask: Shows a template and the pair at hand to the judge; the trial hears of it.

    Attributes:
        files: The list; broken files stand in it with what is wrong and where.
        editor, trial: The text, and what the judge reads.

    Signals:
        sweep_requested: The user wants to see what the form of the question changes.
    """

    sweep_requested = Signal()

    def __init__(
        self, folder: TemplateFolder, ask: Callable[[Template], object], theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "templates")
        self.setWindowTitle(self.tr("Templates"))
        self._folder, self._ask = folder, ask
        self._path: Path | None = None
        self._tried = False
        self.files = QListWidget()
        self.files.setAccessibleName(self.tr("Templates"))
        self.files.setWordWrap(True)
        self.files.currentItemChanged.connect(self._open)
        self.editor, self.trial = TemplateEditor(theme), TemplateTrial()
        self._again = Throttle(self._try, AGAIN_MS, self, rest=True)
        self.editor.checked.connect(self._take_check)
        self.trial.asked.connect(self._try)
        self.new_button = button(self.tr("New"), self._begin, self.tr("Begin a template of your own"), icon="plus")
        tip = self.tr("Begin one of your own with this text")
        self.duplicate_button = button(self.tr("Duplicate"), self._duplicate, tip, icon="copy")
        tip = self.tr("Write the text into your folder of templates; it is listed in Setup at once")
        self.save_button = button(self.tr("Save"), self._save, tip)
        self.save_button.setProperty("primary", True)
        tip = self.tr("Ask the judge in many forms of one question, and see what the forms change")
        self.sweep_button = button(self.tr("Sweep…"), self.sweep_requested.emit, tip)
        buttons = flow(self.new_button, self.duplicate_button, self.sweep_button)
        left = vbox((self.files, 1), buttons, margins=NO_MARGINS, spacing=NEAR)
        middle = vbox((self.editor, 1), hbox(1, self.save_button), margins=NO_MARGINS, spacing=NEAR)
        split = QSplitter()
        for part, share in ((widget_of(left), 2), (widget_of(middle), 4), (self.trial, 3)):
            split.addWidget(part)
            split.setStretchFactor(split.count() - 1, share)
        split.setChildrenCollapsible(False)
        vbox(split, within=self)
        folder.changed.connect(self._list)
        self._list()
        self.files.setCurrentRow(0)
        self.resize(self.sizeHint())  # Qt by itself takes at most two thirds of the screen

    def sizeHint(self) -> QSize:
        letter = self.fontMetrics().averageCharWidth()
        wanted = QSize(150 * letter, 36 * self.fontMetrics().height())
        return wanted.boundedTo(self.screen().availableSize() * 0.9).expandedTo(self.minimumSizeHint())

    def _list(self) -> None:
        """List the templates; the text that is being written stays."""
        current = self.files.currentItem()
        kept = current.data(_ORIGIN) if current is not None else None
        with QSignalBlocker(self.files):
            self.files.clear()
            for template in self._folder.templates:
                own = template.origin != BUILT_IN
                text = template_words(template.name)
                text = self.tr("{0}  · yours").format(text) if own else text
                self._add(text, template.origin if own else template.name, template.title)
            for file in self._folder.broken:
                self._add(f"⚠ {file.error}", str(self._folder.path / file.file), file.error)
            for row in range(self.files.count()):
                if self.files.item(row).data(_ORIGIN) == (str(self._path) if self._path else kept):
                    self.files.setCurrentRow(row)

    def _add(self, text: str, origin: str, tip: str) -> None:
        item = QListWidgetItem(text, self.files)
        item.setData(_ORIGIN, origin)
        item.setToolTip(tooltip(tip))

    def _open(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        origin = str(item.data(_ORIGIN))
        path = Path(origin)
        try:
            text = self._folder.text(origin)
        except ParapluieError as error:
            self.editor.wrong.say(str(error))
            return
        self._show(text, path if path.is_absolute() else None, own=path.is_absolute())

    def _begin(self) -> None:
        self._show(NEW, None, own=True)
        self.editor.text.setFocus()

    def _duplicate(self) -> None:
        template = self.editor.template
        text = self.editor.text.toPlainText()
        if template is not None:
            text = text.replace(f'"{template.name}"', f'"{template.name}-2"', 1)
        self._show(text, None, own=True)
        self.editor.text.setFocus()

    def _show(self, text: str, path: Path | None, *, own: bool) -> None:
        self._path = path
        if own and path is None:
            with QSignalBlocker(self.files):
                self.files.setCurrentRow(-1)
        self.save_button.setVisible(own)
        self.editor.show_text(text, str(path or self._folder.path / "new.toml"), own=own)

    def _save(self) -> None:
        try:
            self._path = self._folder.save(self.editor.text.toPlainText(), self._path)
        except ParapluieError as error:
            self.editor.wrong.say(str(error))
            return
        self._list()
        self.editor.right.say(self.tr("Saved as {0}. It is listed in Setup.").format(self._path.name))

    def _take_check(self) -> None:
        good = self.editor.template is not None
        self.save_button.setEnabled(good)
        self.trial.button.setEnabled(good)
        if not good or not self._tried:
            self.trial.clear()
        else:
            self._again.ask()

    def _try(self) -> None:
        if self.editor.template is not None:
            self._tried = True
            self._ask(self.editor.template)
