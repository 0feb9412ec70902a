"""The two sentences of a pair, one above the other, with their differences marked by colour and underline."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QLabel, QWidget
from shiboken6 import isValid

from parapluie_gui.pairs.difference.unseen import CASE, FORM, INVISIBLE, SPACING, UNSEEN, differ_only_in, find_unseen
from parapluie_gui.pairs.difference.worddiff import SentenceSegment, diff_words
from parapluie_gui.ui.pair.language_hint import LanguageHint
from parapluie_gui.ui.state.task import BackgroundTask
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, name_control, vbox
from parapluie_gui.ui.widgets.growing_text import LONGEST_SHOWN, GrowingText, displayable
from parapluie_gui.ui.widgets.text import enlarge, usual_points
from parapluie_gui.ui.widgets.theme import Theme, current_theme, follow_theme

#: Maximum number of words of a sentence that is compared; moving through the pairs must stay fast.
LONGEST = 4_000
#: Number of words of both sentences that are compared at once; more are compared in a thread.
AT_ONCE = 600

#: First character of the scripts without spaces (Han, kana and others), where each character counts as a word.
_UNSPACED = "⺀"


#: The last comparison of long sentences, which several views use.
_LATEST: dict[tuple[str, str], SentenceMarks] = {}


@dataclass(frozen=True)
class SentenceMark:
    """One marked span of a sentence.

    Attributes:
        start, end: Character offsets.
        kind: "changed", "moved" or "only-here".
        letters: Spans of changed letters inside, as offsets into the sentence; empty if all letters changed.
        number: Number of the moved phrase, from 1, the same on both sides; 0 for none.
    """

    start: int
    end: int
    kind: str
    letters: tuple[tuple[int, int], ...] = ()
    number: int = 0


@dataclass(frozen=True)
class SentenceMarks:
    """The marks of both sentences, in order; empty if the pair was too long to compare, or is still being compared."""

    source: tuple[SentenceMark, ...] = ()
    hypothesis: tuple[SentenceMark, ...] = ()
    too_long: bool = False
    pending: bool = False


def differences(source: str, hypothesis: str) -> SentenceMarks:
    """Return the differences to mark in the two sentences."""
    if max(_words(source), _words(hypothesis)) > LONGEST or max(len(source), len(hypothesis)) > LONGEST_SHOWN:
        return SentenceMarks(too_long=source != hypothesis)
    result = diff_words(source, hypothesis)
    blocks = dict.fromkeys(part.block for part in result.source if part.kind == "moved")
    numbers = {block: at for at, block in enumerate(blocks, start=1)}
    return SentenceMarks(_marks(result.source, numbers), _marks(result.hypothesis, numbers))


def _words(text: str) -> int:
    """Return an estimate of the number of words, fast."""
    return text.count(" ") + (0 if text.isascii() else sum(char >= _UNSPACED for char in text))


def _marks(segments: tuple[SentenceSegment, ...], numbers: dict[int | None, int]) -> tuple[SentenceMark, ...]:
    marks = []
    for part in segments:
        if part.kind == "same":
            continue
        all_letters = part.letters == ((part.start, part.end),)
        number = numbers[part.block] if part.kind == "moved" else 0
        marks.append(SentenceMark(part.start, part.end, part.kind, () if all_letters else part.letters, number))
    return tuple(marks)


CHANGED, ONLY_HERE, MOVED = "changed", "only-here", "moved"

#: Size of the sentences, relative to the rest of the window.
ENLARGED = 1.15
#: Line height in per cent of the type size, and the greater height of lines with numbers above moved phrases.
LINE_SPACING, NUMBERED_SPACING = 125.0, 165.0


def utf16_places(text: str) -> Sequence[int]:
    """Return the UTF-16 offset, which Qt uses, of each character offset, including the end."""
    if text.isascii():
        return range(len(text) + 1)
    places = [0]
    for char in text:
        places.append(places[-1] + (2 if ord(char) > 0xFFFF else 1))
    return places


def readable_on(background: str, *colours: str) -> str:
    """Return the colour with the greatest contrast on a background."""

    def light(colour: str) -> float:
        parts = (QColor(colour).redF(), QColor(colour).greenF(), QColor(colour).blueF())
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(colour: str) -> float:
        pair = sorted((light(colour), light(background)))
        return (pair[1] + 0.05) / (pair[0] + 0.05)

    return max(colours, key=contrast)


def mark_format(kind: str, theme: Theme) -> QTextCharFormat:
    """Return the format of a kind of difference: a background, and an underline that shows it without colour."""
    style = QTextCharFormat.UnderlineStyle
    background = theme.moved if kind == MOVED else theme.mark
    form = QTextCharFormat()
    form.setForeground(QColor(readable_on(background, theme.mark_text, theme.text)))
    form.setUnderlineColor(QColor(theme.text))
    form.setBackground(QColor(background))
    form.setUnderlineStyle({CHANGED: style.SingleUnderline, ONLY_HERE: style.DashUnderline, MOVED: style.DotLine}[kind])
    return form


def letter_format(theme: Theme) -> QTextCharFormat:
    """Return the format of the changed letters in a changed word, on top of the word's own format."""
    form = QTextCharFormat()
    form.setBackground(QColor(theme.letter))
    form.setForeground(QColor(readable_on(theme.letter, theme.text, theme.base)))
    return form


@dataclass(frozen=True)
class TintedSpan:
    """A span of a sentence and its effect on a score.

    Attributes:
        start, end: Character offsets.
        share: Size of the effect, 0 to 1, relative to the largest.
        towards_yes: Whether the effect is towards a paraphrase.
    """

    start: int
    end: int
    share: float
    towards_yes: bool


def tint_format(tint: TintedSpan, theme: Theme) -> QTextCharFormat:
    """Return the format of a span: the larger its effect, the stronger the colour of its side; grey without one."""
    base, full = QColor(theme.base), QColor(theme.paraphrase if tint.towards_yes else theme.other)
    part = 0.12 + 0.88 * min(max(tint.share, 0.0), 1.0)
    mixed = QColor.fromRgbF(*(a + part * (b - a) for a, b in zip(_parts(base), _parts(full), strict=True)))
    if not tint.share:
        mixed = QColor(theme.raised)
    form = QTextCharFormat()
    form.setBackground(mixed)
    form.setForeground(QColor(readable_on(mixed.name(), theme.text, theme.base)))
    return form


def _parts(colour: QColor) -> tuple[float, float, float]:
    return colour.redF(), colour.greenF(), colour.blueF()


class SentenceText(GrowingText):
    """One sentence with its marks; moved phrases have a small number above their first letter.

    The numbers are painted over the text, so that copied text is the sentence alone.

    Signals:
        clicked: (offset) A character was clicked.
    """

    clicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(most_lines=12, parent=parent)
        self.badges: list[tuple[int, int]] = []

    def show_sentence(self, text: str, marks: Sequence[SentenceMark], tints: Sequence[TintedSpan] = ()) -> None:
        """Show a sentence with its differences and their effect on a score; offsets count characters."""
        self.badges = []
        self.setUpdatesEnabled(False)
        self.show_text(text)
        places = utf16_places(text)
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        cursor.select(QTextCursor.SelectionType.Document)
        spacing = cursor.blockFormat()
        numbered = any(mark.number for mark in marks)
        proportional = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
        spacing.setLineHeight(NUMBERED_SPACING if numbered else LINE_SPACING, proportional)
        cursor.setBlockFormat(spacing)
        frame = self.document().rootFrame().frameFormat()
        # Qt adds the space below each line, and gives the first block no margin: the frame adds the space above it.
        frame.setTopMargin(self.fontMetrics().height() * 0.6 if numbered else 4)
        frame.setBottomMargin(0)
        self.document().rootFrame().setFrameFormat(frame)
        kinds = {kind: mark_format(kind, current_theme()) for kind in (CHANGED, ONLY_HERE, MOVED)}
        letters = letter_format(current_theme())
        for mark in marks:
            _merge(cursor, places[mark.start], places[mark.end], kinds[mark.kind])
            for start, end in mark.letters:
                _merge(cursor, places[start], places[end], letters)
            if mark.number:
                self.badges.append((places[mark.start], mark.number))
        for tint in tints:
            _merge(cursor, places[tint.start], places[tint.end], tint_format(tint, current_theme()))
        cursor.endEditBlock()
        self.setUpdatesEnabled(True)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            place = self.cursorForPosition(event.position().toPoint()).position()
            self.clicked.emit(bisect_right(utf16_places(self.toPlainText()), place) - 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, then the numbers of moved phrases in the space above their line."""
        super().paintEvent(event)
        if not self.badges:
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = self.font()
        font.setPointSizeF(max(font.pointSizeF() * 0.62, 5.0))
        font.setBold(True)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        cursor = QTextCursor(self.document())
        for place, number in self.badges:
            cursor.setPosition(place)
            line = self.cursorRect(cursor)
            if line.bottom() < 0 or line.top() > self.viewport().height():
                continue
            cursor.setPosition(place + 1)
            leftwards = self.cursorRect(cursor).left() < line.left() and self.cursorRect(cursor).top() == line.top()
            width = max(metrics.horizontalAdvance(str(number)) + 5, metrics.height() * 0.9)
            height = metrics.height() * 0.9
            area = QRectF(line.left() - (width if leftwards else 0), line.top() + 1 - height, width, height)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(current_theme().good))
            painter.drawRoundedRect(area, area.height() / 2, area.height() / 2)
            painter.setPen(QColor(readable_on(current_theme().good, current_theme().base, current_theme().text)))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, str(number))
        painter.end()


class MarkedPair(QWidget):
    """The differences of two sentences, marked by a subclass in the widgets that show them, with a legend.

    Attributes:
        languages: The hint about the pair's language.

    Signals:
        clicked: (side, offset) A character of the source (0) or the hypothesis (1) was clicked.
    """

    clicked = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts: tuple[str, str, str] = ("", "", "")
        self._references = 0
        self._differences: SentenceMarks | None = None
        self._marked = True
        self._tints: tuple[Sequence[TintedSpan], Sequence[TintedSpan]] = ((), ())
        self._legend = name_control(GrowingText(most_lines=0, boxed=False), self.tr("Meaning of the marks"), "")
        self._legend.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.languages = LanguageHint()

    def show_pair(self, source: str, hypothesis: str, references: Sequence[str] = ()) -> None:
        if (source, hypothesis) != self._texts[:2]:
            self._tints = ((), ())
        self._references = len(references)
        self._texts = (source, hypothesis, "\n".join(references))
        marked = self._marked and bool(source or hypothesis)
        self._differences = self._compare(source, hypothesis) if marked else None
        self.languages.set_pair(source, hypothesis)
        self._show()

    def _compare(self, source: str, hypothesis: str) -> SentenceMarks:
        """Return the differences of two sentences; those of long ones follow from a thread."""
        if _words(source) + _words(hypothesis) <= AT_ONCE or max(_words(source), _words(hypothesis)) > LONGEST:
            return differences(source, hypothesis)
        known = _LATEST.get((source, hypothesis))
        if known is not None:
            return known
        task = BackgroundTask(lambda tell: differences(source, hypothesis), self)
        task.begin(partial(self._take, source, hypothesis), lambda error: None, lambda: None)
        return SentenceMarks(pending=True)

    def _take(self, source: str, hypothesis: str, result: SentenceMarks) -> None:
        """Show and cache the differences of long sentences, unless another pair is shown."""
        if not isValid(self) or self._texts[:2] != (source, hypothesis) or self._differences is None:
            return
        _LATEST.clear()
        _LATEST[source, hypothesis] = result
        self._differences = result
        self._show()

    def set_marked(self, marked: bool) -> None:
        """Turn the marks on or off, from the next pair on."""
        self._marked = marked

    def show_tints(self, source: Sequence[TintedSpan], hypothesis: Sequence[TintedSpan]) -> None:
        """Colour the differences by their effect on a score, or as usual if there are no tints."""
        if (source, hypothesis) != self._tints:
            self._tints = (source, hypothesis)
            self._show()

    def clear(self) -> None:
        self.show_pair("", "")

    def _show(self) -> None:
        current = self._differences
        sides = ((), ()) if current is None else (current.source, current.hypothesis)
        for side, (text, marks, tints) in enumerate(zip(self._texts, (*sides, ()), (*self._tints, ()), strict=True)):
            self._show_side(side, text, marks, tints)
        self._write_legend(current)

    def _show_side(self, side: int, text: str, marks: Sequence[SentenceMark], tints: Sequence[TintedSpan]) -> None:
        """Mark the source (0), the hypothesis (1) or the reference (2)."""
        raise NotImplementedError

    def _sameness(self) -> str:
        """Return a statement that the sentences are equal or differ only in form, "" if more differs."""
        names = {
            CASE: self.tr("letter case"),
            SPACING: self.tr("spacing"),
            FORM: self.tr("character encoding (Unicode normalisation form)"),
            UNSEEN: self.tr("characters that are invisible or look alike"),
        }
        ways = differ_only_in(self._texts[0], self._texts[1])
        if ways is None:
            current = self._differences
            words_alike = current is not None and not current.source and not current.hypothesis
            return self.tr("The words are the same.") if words_alike else ""
        if not ways:
            return self.tr("Source and hypothesis are the same text.")
        return self.tr("The sentences differ only in {0}.").format(self.tr(" and ").join(names[way] for way in ways))

    def _kind_names(self) -> dict[str, str]:
        return {CHANGED: self.tr("changed"), ONLY_HERE: self.tr("only here"), MOVED: self.tr("moved")}

    def _describe_marks(self, text: str, marks: Sequence[SentenceMark]) -> str:
        """Return the first differences for a screen reader."""
        names = self._kind_names()
        return "; ".join(f"{names[mark.kind]}: {text[mark.start : mark.end]}" for mark in marks[:12])

    def _write_legend(self, shown: SentenceMarks | None) -> None:
        self._legend.clear()
        self._legend.setVisible(shown is not None)
        if shown is None:
            return
        cursor = self._legend.textCursor()
        quiet = QTextCharFormat()
        quiet.setForeground(QColor(current_theme().muted))
        if shown.pending:
            cursor.insertText(self.tr("Comparing the sentences …"), quiet)
            return
        if shown.too_long:
            cursor.insertText(
                self.tr("These sentences are too long to compare word by word, so differences are not marked."), quiet
            )
            return
        differ = bool(shown.source or shown.hypothesis)
        if same := self._sameness():
            cursor.insertText(same + "   " * differ, quiet)
        if differ and any(self._tints):
            for towards_yes, words in ((True, self.tr("towards yes")), (False, self.tr("towards no"))):
                cursor.insertText(f" {words} ", tint_format(TintedSpan(0, 0, 0.8, towards_yes), current_theme()))
                cursor.insertText("   ", quiet)
            cursor.insertText(self.tr("stronger: larger effect"), quiet)
        elif differ:
            marks = (*shown.source, *shown.hypothesis)
            for kind, words in self._kind_names().items():
                if any(mark.kind == kind for mark in marks):
                    cursor.insertText(_join_words(words), mark_format(kind, current_theme()))
                    cursor.insertText("   ", quiet)
            if any(mark.letters for mark in marks):
                form = mark_format(CHANGED, current_theme())
                form.merge(letter_format(current_theme()))
                cursor.insertText(_join_words(self.tr("changed letters")), form)
        for sentence in unseen_sentences(*self._texts[:2]):
            cursor.insertText(f"\n{sentence}" if self._legend.toPlainText() else sentence, quiet)


def _join_words(words: str) -> str:
    """Return words of the legend without line breaks: the background of the next line would cover half of them."""
    return f" {words} ".replace(" ", "\N{NO-BREAK SPACE}")


class SentencesView(MarkedPair):
    """Source, hypothesis and reference, if any, with the differences of the first two marked."""

    def __init__(self, first: str | None = None, second: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._point_size = usual_points()
        self._captions = [
            QLabel(words)
            for words in (first or self.tr("Source"), second or self.tr("Hypothesis"), self.tr("Reference"))
        ]
        self._fields = [SentenceText() for _ in self._captions]
        for side, sentence in enumerate(self._fields[:2]):
            sentence.clicked.connect(partial(self.clicked.emit, side))
        layout = vbox(within=self, margins=NO_MARGINS, spacing=2)
        for caption, field in zip(self._captions, self._fields, strict=True):
            caption.setProperty("muted", True)
            field.setAccessibleName(caption.text())
            enlarge(field, ENLARGED, bold=False)
            layout.addWidget(caption)
            layout.addWidget(field)
        layout.addWidget(self._legend)
        layout.addWidget(self.languages)
        self._show()
        follow_theme(self._show)

    def set_scale(self, factor: float) -> None:
        font = self.font()
        font.setPointSizeF(self._point_size * factor * ENLARGED)
        for field in self._fields:
            field.setFont(font)
        self._show()  # the space above the lines follows the type size

    def _show_side(self, side: int, text: str, marks: Sequence[SentenceMark], tints: Sequence[TintedSpan]) -> None:
        field = self._fields[side]
        field.show_sentence(text, marks, tints)
        field.setAccessibleDescription(self._describe_marks(displayable(text), marks))
        if side == 2:
            if self._references:
                self._captions[2].setText(self.tr("References") if self._references > 1 else self.tr("Reference"))
            for part in (self._captions[2], field):
                part.setVisible(bool(self._references))


def _merge(cursor: QTextCursor, start: int, end: int, form: QTextCharFormat) -> None:
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    cursor.mergeCharFormat(form)


translate = QCoreApplication.translate

_CONTEXT = "Unseen"


def unseen_sentences(source: str, hypothesis: str) -> list[str]:
    """Return a sentence for each invisible difference; see `pairs.difference.unseen`."""
    sides = translate(_CONTEXT, "source"), translate(_CONTEXT, "hypothesis")
    words = {
        FORM: translate(_CONTEXT, "“{text}” is written as {count} characters in the {side}, as {other} in the {far}."),
        INVISIBLE: translate(_CONTEXT, "Not visible: {text}, {count} in the {side}, {other} in the {far}."),
    }
    look_alike = translate(_CONTEXT, "“{text}” in the {side} is written with a different letter: {letter}.")
    return [
        words.get(difference.kind, look_alike).format(
            text=difference.text,
            letter=difference.letter,
            count=difference.count,
            other=difference.other,
            side=sides[difference.side],
            far=sides[1 - difference.side],
        )
        for difference in find_unseen(source, hypothesis)
    ]
