"""The dialog for writing templates, which are checked while being typed and can be tried on a pair."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QRegularExpression, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QDialog, QListWidget, QListWidgetItem, QSplitter, QTextEdit, QWidget

from parapluie_gui.analysis.names import template_words
from parapluie_gui.errors import ParapluieError, TemplateError
from parapluie_gui.features.template_editor.texts import read_text, save_text
from parapluie_gui.models.kind import CAUSAL, MASKED
from parapluie_gui.own_files import BUILT_IN
from parapluie_gui.pluie.evidence import AnswerTokens
from parapluie_gui.pluie.templates import Template, parse_template
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.state.watched_templates import TemplateFolder
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, button, flow, hbox, name_control, vbox, widget_of
from parapluie_gui.ui.widgets.controls import text_box
from parapluie_gui.ui.widgets.text import heading, tooltip
from parapluie_gui.ui.widgets.theme import CLOSE, NEAR, current_theme, follow_theme
from parapluie_gui.ui.widgets.wrapped import WrappedText
from parapluie_gui.work.events import JobFailed, PromptShown
from parapluie_gui.work.handle import RequestHandle

#: Pause in typing after which the text is checked, in milliseconds.
TYPING_MS = 150

_PLACEHOLDERS = r"\{(?:source|hypothesis|examples|answer)\}|\[MASK\]|\[SEP\]"
_KEYS = r"^\s*(?:\[\[?\w+\]\]?|\w+(?=\s*=))"
_COMMENTS = r"^\s*#.*$"


class _TemplateHighlighter(QSyntaxHighlighter):
    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._rules: list[tuple[QRegularExpression, QTextCharFormat]] = []
        self.update_colours()

    def update_colours(self) -> None:
        """Use the colours of the current theme."""
        theme = current_theme()
        self._rules = []
        colours = ((_KEYS, theme.muted, False), (_PLACEHOLDERS, theme.accent, True), (_COMMENTS, theme.muted, False))
        for pattern, colour, bold in colours:
            form = QTextCharFormat()
            form.setForeground(QColor(colour))
            if bold:
                form.setFontWeight(QFont.Weight.Bold)
            self._rules.append((QRegularExpression(pattern), form))
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        for pattern, form in self._rules:
            matches = pattern.globalMatch(text)
            while matches.hasNext():
                match = matches.next()
                self.setFormat(match.capturedStart(), match.capturedLength(), form)


class TemplateEditor(QWidget):
    """Text field for a template, with messages about it.

    Attributes:
        text: The field.
        template: The parsed template, None while the text is not valid.

    Signals:
        checked: The text was checked after a change.
    """

    checked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.template: Template | None = None
        self._origin = ""
        self.text = text_box(self.tr("Text of the template"), as_code=True)
        self._highlighter = _TemplateHighlighter(self.text.document())
        follow_theme(self._highlighter.update_colours)
        self.error, self.summary = WrappedText(bad=True), WrappedText(muted=True)
        vbox((self.text, 1), self.error, self.summary, within=self, margins=NO_MARGINS, spacing=CLOSE)
        self._soon = CallThrottle(self.check, TYPING_MS, self, rest=True)
        self.text.textChanged.connect(self._soon.ask)

    def show_text(self, text: str, origin: str, *, own: bool) -> None:
        """Show the text of a file; only the user's `own` files can be edited."""
        self._origin = origin
        self.text.setPlainText(text)
        self.text.setReadOnly(not own)
        self.check()

    def check(self) -> None:
        """Parse the text, show a summary or the error, and mark the wrong line."""
        self._soon.stop()
        line = None
        try:
            self.template = parse_template(self.text.toPlainText(), self.tr("Template"), self._origin)
        except TemplateError as error:
            self.template, line = None, error.line
            self.error.say(str(error))
            self.summary.say("")
        else:
            self.error.say("")
            self.summary.say(self._describe(self.template))
        self._mark(line)
        self.checked.emit()

    def _describe(self, template: Template) -> str:
        if template.cloze:
            return self.tr("A cloze, for judges that fill gaps. Its score column is {0}.").format(template.column)
        turns = self.tr("A conversation of {0} turns, for judges that write. Its score column is {1}.")
        one = self.tr("A conversation of one turn, for judges that write. Its score column is {1}.")
        return (one if len(template.turns) == 1 else turns).format(len(template.turns), template.column)

    def _mark(self, line: int | None) -> None:
        marks = []
        if line is not None:
            mark = QTextEdit.ExtraSelection()
            mark.cursor = QTextCursor(self.text.document().findBlockByNumber(line - 1))
            colour = QColor(current_theme().bad)
            colour.setAlpha(50)
            mark.format.setBackground(colour)
            mark.format.setProperty(QTextCharFormat.Property.FullWidthSelection, True)
            marks.append(mark)
        self.text.setExtraSelections(marks)


class TemplateTrial(QWidget):
    """Panel that shows the prompt and the score of a template on a pair.

    Signals:
        trial_asked: The user wants to try the template.
    """

    trial_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.where = WrappedText(muted=True)
        tip = self.tr("Load the judge and score the pair with this template; the score is not stored")
        self.button = button(self.tr("Try on this pair"), self.trial_asked.emit, tip)
        self.score, self.tokens = WrappedText(), WrappedText()
        self.trouble, self.stage = WrappedText(bad=True), WrappedText(muted=True)
        self.prompt = text_box(self.tr("Exact prompt"), reads=True, as_code=True)
        parts = (self.button, self.stage, self.trouble, self.score, self.tokens, (self.prompt, 1))
        title = heading(self.tr("Prompt as the judge reads it"))
        vbox(title, self.where, *parts, within=self, margins=(NEAR, 0, 0, 0), spacing=CLOSE)
        self.clear()

    def show_subject(self, judge: str, source: str, hypothesis: str) -> None:
        """Show the names of the judge and the pair to try."""
        self.where.say(self.tr("{0} · “{1}” / “{2}”").format(judge, source, hypothesis))

    def clear(self) -> None:
        """Clear the result of the last trial."""
        for part in (self.score, self.tokens, self.trouble, self.stage):
            part.say("")
        self.prompt.setPlainText("")
        self.prompt.setPlaceholderText(self.tr("The exact prompt appears here."))

    def follow(self, handle: RequestHandle) -> None:
        """Show the progress and the result of a trial."""
        handle.staged.connect(lambda event: self.stage.say(event.text))
        handle.shown.connect(self._show)
        handle.failed.connect(self._fail)
        handle.finished.connect(lambda event: self.stage.say(""))

    def _fail(self, event: JobFailed) -> None:
        self.clear()
        self.trouble.say(event.text)

    def _show(self, shown: PromptShown) -> None:
        evidence = shown.evidence
        yes, no = score_names.probability(evidence.p_yes), score_names.probability(evidence.p_no)
        text = self.tr("Score {0}: p(yes) {1}, p(no) {2}. The prompt has {3} tokens.")
        self.score.say(text.format(score_names.format_signed(shown.score), yes, no, f"{evidence.tokens:,}"))
        self.tokens.say(self._describe_tokens(shown.tokens))
        self.trouble.say("")
        self.prompt.setPlainText(shown.prompt)

    def _describe_tokens(self, sides: AnswerTokens) -> str:
        lines = []
        for title, side in zip((self.tr("Tokens of yes"), self.tr("Tokens of no")), sides, strict=True):
            words = (f"{text} = {' + '.join(f'“{token}”' for token in tokens)}" for text, tokens in side)
            lines.append(f"{title}: {', '.join(words)}")
        return "\n".join(lines)


#: Pause in typing after which a tried template is tried again, in milliseconds.
AGAIN_MS = 700

NEW = """name = "MY-TEMPLATE"
title = "The question in one line"
yes = "Yes"
no = "No"

[[turn]]
role = "user"
text = '''Do these two sentences mean the same thing? Answer with Yes or No.
A: "{source}"
B: "{hypothesis}"'''
"""

NEW_CLOZE = """name = "MY-TEMPLATE"
title = "The gap in one line"
yes = "yes"
no = "no"
cloze = "{source} [SEP] {hypothesis} [SEP] same meaning : [MASK]"
"""

_ORIGIN = Qt.ItemDataRole.UserRole
_NAME = re.compile(r"^\s*name\s*=\s*[\"'](.+?)[\"']", re.MULTILINE)


class TemplatesDialog(QDialog):
    """Dialog with the list of templates, the text of one, and a trial of it.

    Args:
        folder: The user's templates.
        ask: Starts a trial of a template on the current pair.

    Attributes:
        files: The list; it shows broken files with their error.
        editor, trial: The text, and its trial.
        kind: Kind of the chosen judge, for which new templates are written.

    Signals:
        folder_requested: The user wants to see the folder of their own templates.
    """

    folder_requested = Signal()

    def __init__(
        self, folder: TemplateFolder, ask: Callable[[Template], object], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "templates")
        self.setWindowTitle(self.tr("Templates"))
        self._folder, self._ask = folder, ask
        self._path: Path | None = None
        self._shown, self._saved, self._begun = "", "", 0
        self._drafts: dict[str, str] = {}
        self._tried = False
        self.kind = CAUSAL
        self.files = name_control(QListWidget(), self.tr("Templates"), "")
        self.files.setWordWrap(True)
        self.files.currentItemChanged.connect(self._open)
        self.editor, self.trial = TemplateEditor(), TemplateTrial()
        self._again = CallThrottle(self._try, AGAIN_MS, self, rest=True)
        self.editor.checked.connect(self._take_check)
        self.trial.trial_asked.connect(self._try)
        self.new_button = button(self.tr("New"), self._begin, self.tr("Write a new template"), icon="plus")
        tip = self.tr("Write a new template, starting from this text")
        self.duplicate_button = button(self.tr("Duplicate"), self._duplicate, tip, icon="copy")
        tip = self.tr("Save the template to your templates folder; Setup then lists it")
        self.save_button = button(self.tr("Save"), self._save, tip)
        self.save_button.setProperty("primary", True)
        tip = self.tr("Open your templates folder; Setup lists the files in it")
        self.folder_button = button(self.tr("Open folder"), self.folder_requested.emit, tip)
        buttons = flow(self.new_button, self.duplicate_button, self.folder_button)
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
        self.resize(self.sizeHint())  # by default Qt uses at most two thirds of the screen

    def sizeHint(self) -> QSize:
        letter = self.fontMetrics().averageCharWidth()
        wanted = QSize(150 * letter, 36 * self.fontMetrics().height())
        return wanted.boundedTo(self.screen().availableSize() * 0.9).expandedTo(self.minimumSizeHint())

    def _list(self) -> None:
        """List the templates; keep the text being edited."""
        current = self.files.currentItem()
        selected = current.data(_ORIGIN) if current is not None else None
        with QSignalBlocker(self.files):
            self.files.clear()
            for template in self._folder.templates:
                own = template.origin != BUILT_IN
                text = template_words(template.name)
                text = self.tr("{0}  · yours").format(text) if own else text
                self._add(text, template.origin if own else template.name, template.title)
            for file in self._folder.broken:
                self._add(f"⚠ {file.error}", str(self._folder.path / file.file), file.error)
            self._list_drafts()
            for row in range(self.files.count()):
                if self.files.item(row).data(_ORIGIN) == (str(self._path) if self._path else selected):
                    self.files.setCurrentRow(row)

    def _add(self, text: str, origin: str, tip: str) -> QListWidgetItem:
        item = QListWidgetItem(text, self.files)
        item.setData(_ORIGIN, origin)
        item.setToolTip(tooltip(tip))
        return item

    def _keep_draft(self) -> None:
        """Store and list unsaved text before a different text is shown."""
        text = self.editor.text.toPlainText()
        if self._shown and text != self._saved:
            self._drafts[self._shown] = text
            self._list_drafts()

    def _list_drafts(self) -> None:
        items = {item.data(_ORIGIN): item for item in map(self.files.item, range(self.files.count()))}
        for origin, text in self._drafts.items():
            name = _NAME.search(text)
            item = items.get(origin) or self._add("", origin, self.tr("Save stores it in your templates folder"))
            item.setText(self.tr("{0}  · not saved").format(name[1] if name else self.tr("New")))

    def _open(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        origin = str(item.data(_ORIGIN))
        path = Path(origin)
        if origin in self._drafts:
            self._show(self._drafts[origin], path if path.is_absolute() else None, own=True, origin=origin)
            return
        try:
            text = read_text(origin)
        except ParapluieError as error:
            self.editor.error.say(str(error))
            return
        self._show(text, path if path.is_absolute() else None, own=path.is_absolute())

    def _begin(self) -> None:
        self._show(NEW_CLOZE if self.kind == MASKED else NEW, None, own=True)
        self.editor.text.setFocus()

    def _duplicate(self) -> None:
        template = self.editor.template
        text = self.editor.text.toPlainText()
        if template is not None:
            text = text.replace(f'"{template.name}"', f'"{template.name}-2"', 1)
        self._show(text, None, own=True)
        self.editor.text.setFocus()

    def _show(self, text: str, path: Path | None, *, own: bool, origin: str = "") -> None:
        self._keep_draft()
        self._path = path
        self._begun += 1
        self._shown = origin or str(path or f"new {self._begun}")
        self._saved = "" if origin else text
        if own and path is None and not origin:
            with QSignalBlocker(self.files):
                self.files.setCurrentRow(-1)
        self.save_button.setVisible(own)
        self.editor.show_text(text, str(path or self._folder.path / "new.toml"), own=own)

    def _save(self) -> None:
        try:
            self._path = save_text(self._folder, self.editor.text.toPlainText(), self._path)
        except ParapluieError as error:
            self.editor.error.say(str(error))
            return
        self._drafts.pop(self._shown, None)
        self._shown, self._saved = str(self._path), self.editor.text.toPlainText()
        self._list()
        template = self.editor.template
        if template is None or template.kind == self.kind:
            words = self.tr("Saved as {0}. It is listed in Setup.")
        elif template.kind == MASKED:
            words = self.tr(
                "Saved as {0}. It is for judges that fill a gap. To use it, choose such a judge in Setup and tick it."
            )
        else:
            words = self.tr(
                "Saved as {0}. It is for judges that write. To use it, choose such a judge in Setup and tick it."
            )
        self.editor.summary.say(words.format(self._path.name))

    def _take_check(self) -> None:
        valid = self.editor.template is not None
        self.save_button.setEnabled(valid)
        self.trial.button.setEnabled(valid)
        if not valid or not self._tried:
            self.trial.clear()
        else:
            self._again.ask()

    def _try(self) -> None:
        if self.editor.template is not None:
            self._tried = True
            self._ask(self.editor.template)
