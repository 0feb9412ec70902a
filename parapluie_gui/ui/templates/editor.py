"""The text of a template: placeholders in colour, the line that is wrong marked, checked while it is typed."""

from __future__ import annotations

from PySide6.QtCore import QRegularExpression, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QSyntaxHighlighter, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from parapluie_gui.errors import TemplateError
from parapluie_gui.pluie.templates import Template, parse_template
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, vbox
from parapluie_gui.ui.widgets.theme import CLOSE, Theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

#: Typing is checked after this pause.
TYPING_MS = 150

_PLACEHOLDERS = r"\{(?:source|hypothesis|examples|answer)\}|\[MASK\]|\[SEP\]"
_KEYS = r"^\s*(?:\[\[?\w+\]\]?|\w+(?=\s*=))"
_COMMENTS = r"^\s*#.*$"


class _Colours(QSyntaxHighlighter):
    """Colours placeholders, keys and comments."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._rules: list[tuple[QRegularExpression, QTextCharFormat]] = []
        self.apply_theme(theme)

    def apply_theme(self, theme: Theme) -> None:
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
            found = pattern.globalMatch(text)
            while found.hasNext():
                match = found.next()
                self.setFormat(match.capturedStart(), match.capturedLength(), form)


class TemplateEditor(QWidget):
    """A field with the text of one template and what is to be said of it.

    Attributes:
        text: The field.
        template: What the text is, None while it is no template.

    Signals:
        checked: The text was checked after a change.
    """

    checked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.template: Template | None = None
        self._origin = ""
        self._theme = theme
        self.text = QPlainTextEdit()
        self.text.setAccessibleName(self.tr("Text of the template"))
        self.text.setTabChangesFocus(True)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self.font().pointSizeF())
        self.text.setFont(font)
        self._colours = _Colours(self.text.document(), theme)
        self.wrong, self.right = WrappedText(bad=True), WrappedText(muted=True)
        vbox((self.text, 1), self.wrong, self.right, within=self, margins=NO_MARGINS, spacing=CLOSE)
        self._soon = Throttle(self.check, TYPING_MS, self, rest=True)
        self.text.textChanged.connect(self._soon.ask)

    def show_text(self, text: str, origin: str, *, own: bool) -> None:
        """Show the text of a file; `own` may be changed."""
        self._origin = origin
        self.text.setPlainText(text)
        self.text.setReadOnly(not own)
        self.check()

    def check(self) -> None:
        """Say whether the text is a template, and mark the line that is wrong."""
        self._soon.stop()
        line = None
        try:
            self.template = parse_template(self.text.toPlainText(), self.tr("Template"), self._origin)
        except TemplateError as error:
            self.template, line = None, error.line
            self.wrong.say(str(error))
            self.right.say("")
        else:
            self.wrong.say("")
            self.right.say(self._facts(self.template))
        self._mark(line)
        self.checked.emit()

    def apply_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._colours.apply_theme(theme)

    def _facts(self, template: Template) -> str:
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
            colour = QColor(self._theme.bad)
            colour.setAlpha(50)
            mark.format.setBackground(colour)
            mark.format.setProperty(QTextCharFormat.Property.FullWidthSelection, True)
            marks.append(mark)
        self.text.setExtraSelections(marks)
