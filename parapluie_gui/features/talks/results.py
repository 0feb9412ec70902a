"""Painter of the result below the sentences on the stage: the question, the verdict, the scores or the edits."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from parapluie_gui.features.talks.outcome import StagePage
from parapluie_gui.features.talks.room import RoomGuess, room_name
from parapluie_gui.features.talks.shown import JUDGE_END, ScoreScale, StagePair
from parapluie_gui.report.palette import Theme
from parapluie_gui.ui.pair.sentences import readable_on
from parapluie_gui.ui.state import score_names

translate = QCoreApplication.translate

#: Type sizes as shares of the screen's height.
VERDICT, TEXT, SIGN = 0.065, 0.036, 0.17

#: Maximum type size as a share of the height of its row.
FILLS = 0.84

#: Height of a row of the last page, as a share of the screen's.
TALL = 0.1

#: Columns of the words that decided, as shares of the width: the edit, and its track around the zero line, which is in
#: the same place as for scores.
EDIT, TRACK_FROM, TRACK_TO = 0.36, 0.38, 0.68

#: Smallest type of scores and edits, and height of the result below which the judge's answer is left out because a
#: field has taken its room, as shares of the screen's height.
LEAST_TEXT, CROWDED = 0.8 * TEXT, 0.33

#: Maximum number of edits shown.
MOST_EDITS = 4

#: Type sizes of a title, the largest that fits is used; of the sentence about the verdict; and the smallest factor by
#: which a long line is reduced.
TITLES, SENTENCE, LEAST_LINE = (0.11, 0.095, 0.08, 0.07, 0.06, 0.05), 0.0414, 0.6

#: An edit, its effect, and whether it favours "paraphrase".
EditEffect = tuple[str, float, bool]

#: Maximum number of lines of an edit, and the factor of its type if there is only one line and it is too long.
_EDIT_LINES, _SMALLER = 3, 0.75

_ALIGN = Qt.AlignmentFlag
_LEFT, _RIGHT = _ALIGN.AlignLeft | _ALIGN.AlignVCenter, _ALIGN.AlignRight | _ALIGN.AlignVCenter
_WRAPPED = _LEFT | Qt.TextFlag.TextWordWrap


def describe_guess(room: RoomGuess) -> str:
    """Return the number of hands for "paraphrase" in words."""
    return translate("Stage", "{0} of {1} say yes").format(room.yes, room.total)


def describe_hands(room: RoomGuess) -> str:
    """Return the number of raised hands, shown while the audience is asked."""
    return translate("Stage", "{0} for, {1} against").format(room.yes, room.no)


def describe_answer(pair: StagePair) -> str:
    """Return the judge's name with its answer as odds, and a caution about it."""
    if pair.judge is None:
        return ""
    answer = ": ".join(filter(None, [pair.judge.title, pair.odds]))
    return " · ".join(filter(None, [answer, pair.caution]))


def nearer() -> str:
    """Return the meaning of the direction of the scales."""
    return translate("Stage", "nearer in meaning →")


def towards(yes: bool) -> str:
    """Return the meaning of a direction of the edits' bars."""
    return translate("Stage", "towards yes →") if yes else translate("Stage", "← towards no")


def describe_verdict(pair: StagePair) -> str:
    """Return the judge's verdict in words."""
    verdict = None if pair.judge is None else pair.judge.verdict
    if verdict is None:
        return translate("Stage", "no score yet")
    return score_names.label_words(int(verdict))


def describe_truth(pair: StagePair) -> tuple[str, bool | None]:
    """Return, in words, whether the judge's verdict equals the label or expected answer, and whether it is right.

    Without a verdict the truth alone is described; "" without a label and an expected answer.
    """
    truth, verdict = pair.truth, None if pair.judge is None else pair.judge.verdict
    if truth is None:
        return "", None
    labelled = pair.label is not None
    name = score_names.label_words(int(truth))
    if verdict is None:
        words = translate("Stage", "labelled: {0}") if labelled else translate("Stage", "expected: {0}")
        return words.format(name), None
    if verdict == truth:
        return translate("Stage", "✓ matches the label") if labelled else translate("Stage", "✓ as expected"), True
    words = translate("Stage", "✗ labelled: {0}") if labelled else translate("Stage", "✗ expected: {0}")
    return words.format(name), False


def wrap_text(text: str, metrics: QFontMetricsF, width: float, most: int) -> tuple[str, float]:
    """Wrap a text to a width and shorten it to `most` lines.

    Returns:
        The text, elided if it is too long, and its height without the last line, in pixels.
    """

    def box(text: str) -> QRectF:
        return metrics.boundingRect(QRectF(0, 0, width, 1e6), _WRAPPED, text)

    if most < 2 or box(text).width() > width + 1:  # a single word is longer than the line
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width), 0.0
    room = metrics.height() + (most - 1) * metrics.lineSpacing() + 1
    elided, left = text, most * width
    while box(elided).height() > room and left > 0:
        elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, left)
        left -= width / 20
    return elided, max(box(elided).height() - metrics.height(), 0.0)


def bar_length(value: float, favours_yes: bool, largest: float) -> float:
    """Return the length of an edit's bar, −1 to 1: to the right if it favours "paraphrase"."""
    length = min(abs(value) / largest, 1.0)
    return length if favours_yes else -length


class ResultPainter:
    """Painter of one pair's result into an area.

    Args:
        painter: Active on the page.
        theme: The colours.
        font: The font; its size is ignored.
        height: Height of the screen in pixels, from which type sizes are computed.
    """

    def __init__(self, painter: QPainter, theme: Theme, font: QFont, height: int) -> None:
        self._painter, self._theme, self._font, self._height = painter, theme, QFont(font), height

    @staticmethod
    def describe(pair: StagePair, step: str, room: RoomGuess | None) -> list[str]:
        """Return the painted result as phrases, for screen readers and the speaker."""
        parts = []
        if step == "guess":
            parts.append(translate("Stage", "Paraphrase, or not?"))
        if step in ("judge", "baselines", "words"):
            parts += [describe_verdict(pair), *filter(None, [describe_truth(pair)[0], describe_answer(pair)])]
            scales = [pair.judge, *(pair.baselines if step != "judge" else ())]
            parts += [f"{scale.title}: {scale.text}" for scale in scales if scale is not None]
        if step == "words" and pair.words is not None:
            parts += filter(None, [pair.words.sentence.rstrip(".")])
            for edit, value, yes in pair.words.edits[:MOST_EDITS]:
                parts.append(f"{edit}: {score_names.format_signed(value)} {towards(yes)}")
        if step == "baselines" and pair.baselines:
            parts.append(nearer())
        if room is not None:
            hands = describe_hands(room) if step == "guess" else describe_guess(room)
            parts.append(f"{room_name()}: {hands}")
        return parts

    def paint(self, area: QRectF, pair: StagePair, step: str, room: RoomGuess | None) -> None:
        """Paint the result of a step."""
        if step == "guess":
            self._paint_question(area, room)
        elif step in ("judge", "baselines", "words"):
            below = self._paint_verdict(area, pair, with_answer=area.height() > CROWDED * self._height)
            if step == "words" and pair.words is not None and pair.words.edits:
                self._paint_edits(below, pair)
            else:
                scales = [] if pair.judge is None else [pair.judge]
                scales += pair.baselines if step != "judge" else ()
                least = self._direction_height() + (1 + (room is not None)) * self._least_row()
                if step != "judge" and pair.baselines and below.height() >= least:
                    below = self._paint_direction(below, "", nearer())
                self._paint_scales(below, scales, room)

    def paint_page(self, area: QRectF, page: StagePage) -> None:
        """Paint a page without a pair: its title, or the title with bars below it."""
        bars = bool(page.scales)
        head = QRectF(area.left(), area.top(), area.width(), area.height() * (0.25 if bars else 0.8))
        self._write_large(head, page.title)
        line = QRectF(area.left(), head.bottom(), area.width(), area.height() * 0.1)
        self._type(TEXT)
        self._write(line, page.about, _ALIGN.AlignCenter, self._theme.muted)
        below = QRectF(area.left(), line.bottom(), area.width(), area.bottom() - line.bottom())
        for row, scale in zip(self._rows(below, len(page.scales), TALL), page.scales, strict=False):
            self._paint_scale(row, scale, self._theme.paraphrase)

    def _type(self, share: float, bold: bool = False) -> QFontMetricsF:
        self._font.setPixelSize(max(round(share * self._height), 1))
        self._font.setBold(bold)
        self._painter.setFont(self._font)
        return QFontMetricsF(self._font)

    def _write(self, area: QRectF, text: str, align: Qt.AlignmentFlag = _LEFT, colour: str = "") -> None:
        metrics = QFontMetricsF(self._painter.font())
        self._painter.setPen(QColor(colour or self._theme.text))
        self._painter.drawText(area, align, metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width()))

    def _write_large(self, area: QRectF, text: str) -> None:
        """Write a text in the largest bold type in which it fits, on several lines if necessary."""
        align = _ALIGN.AlignCenter | Qt.TextFlag.TextWordWrap
        for share in TITLES:
            metrics = self._type(share, bold=True)
            box = metrics.boundingRect(QRectF(0, 0, area.width(), 1e6), align, text)
            if box.height() <= area.height() and box.width() <= area.width() + 1:
                break
        self._painter.setPen(QColor(self._theme.text))
        self._painter.drawText(area, align, text)

    def _write_line(self, area: QRectF, text: str, share: float, align: Qt.AlignmentFlag = _LEFT) -> None:
        """Write a line, in smaller type if it is too long."""
        least = LEAST_LINE * share
        while self._type(share).horizontalAdvance(text) > area.width() and share > least:
            share -= 1 / self._height
        self._write(area, text, align)

    def _paint_question(self, area: QRectF, room: RoomGuess | None) -> None:
        upper = QRectF(area.left(), area.top(), area.width(), area.height() * 0.55)
        self._type(SIGN, bold=True)
        self._write(upper, "?", _ALIGN.AlignCenter, self._theme.muted)
        middle = QRectF(area.left(), upper.bottom(), area.width(), area.height() * 0.2)
        self._type(0.045)
        self._write(middle, translate("Stage", "Paraphrase, or not?"), _ALIGN.AlignCenter)
        if room is not None:
            self._type(TEXT)
            lower = QRectF(area.left(), middle.bottom(), area.width(), area.bottom() - middle.bottom())
            self._write(lower, describe_hands(room), _ALIGN.AlignCenter, self._theme.muted)

    def _paint_verdict(self, area: QRectF, pair: StagePair, *, with_answer: bool) -> QRectF:
        """Paint the verdict and, below it, the judge's name and answer; return the remaining area."""
        verdict = None if pair.judge is None else pair.judge.verdict
        colour = self._colour(verdict)
        words, (truth, right) = describe_verdict(pair), describe_truth(pair)
        needs = self._type(VERDICT, bold=True).horizontalAdvance(words) + 1.5 * VERDICT * self._height
        needs += self._type(TEXT).horizontalAdvance(truth) + 0.5 * VERDICT * self._height
        fits = min(max(area.width() / needs, LEAST_LINE), 1.0)
        metrics = self._type(VERDICT * fits, bold=True)
        line = QRectF(area.left(), area.top(), area.width(), metrics.height() * 1.15)
        width = metrics.horizontalAdvance(words) + metrics.height() * 0.9
        box = QRectF(line.left(), line.top(), min(width, line.width()), line.height())
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(colour))
        self._painter.drawRoundedRect(box, box.height() * 0.18, box.height() * 0.18)
        on = readable_on(colour, self._theme.text, self._theme.base)
        self._write(box, words, _ALIGN.AlignCenter, on)
        beside = QRectF(box.right() + metrics.height() * 0.5, line.top(), line.right() - box.right(), line.height())
        beside.setRight(line.right())
        self._type(TEXT * fits)
        if truth:
            colour = self._theme.muted if right is None else self._theme.good if right else self._theme.bad
            self._write(beside, truth, _LEFT, colour)
        metrics = self._type(TEXT)
        lower = QRectF(area.left(), line.bottom(), area.width(), metrics.height() * (1.3 if with_answer else 0.3))
        if with_answer:
            self._write_line(lower, describe_answer(pair), TEXT)
        return QRectF(area.left(), lower.bottom(), area.width(), area.bottom() - lower.bottom())

    def _colour(self, verdict: bool | None) -> str:
        theme = self._theme
        return theme.unlabelled if verdict is None else theme.paraphrase if verdict else theme.other

    def _least_row(self) -> float:
        """Return the least height of a row that can be read."""
        return LEAST_TEXT / FILLS * self._height

    def _rows(self, area: QRectF, count: int, tallest: float = 0.062) -> list[QRectF]:
        high = min(area.height() / max(count, 1), tallest * self._height)
        return [QRectF(area.left(), area.top() + at * high, area.width(), high) for at in range(count)]

    def _paint_scales(self, area: QRectF, scales: list[ScoreScale], room: RoomGuess | None) -> None:
        most = max(int(area.height() / self._least_row()) - (room is not None), 1)
        scales = scales[:most]
        rows = self._rows(area, len(scales) + (room is not None))
        for row, scale in zip(rows, scales, strict=False):
            self._paint_scale(row, scale, self._colour(scale.verdict))
        if room is not None:
            share = ScoreScale(room_name(), room.share, "", (0.0, 1.0), 0.5, 0.5)
            self._paint_scale(rows[-1], share, self._theme.muted, describe_guess(room))

    def _paint_scale(self, row: QRectF, scale: ScoreScale, colour: str, number: str = "") -> None:
        painter, theme = self._painter, self._theme
        size = min(TEXT, FILLS * row.height() / self._height)
        name, track = self._columns(row)
        self._write_line(name, scale.title, size)
        gap = row.width() * 0.015
        right = QRectF(track.right() + gap, row.top(), row.right() - track.right() - gap, row.height())
        self._write_line(right, number or scale.text, size, _RIGHT)
        track = track.adjusted(0, row.height() * 0.24, 0, -row.height() * 0.24)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.raised))
        painter.drawRect(track)
        if scale.value is not None:
            begin, end = (track.left() + scale.place(at) * track.width() for at in (scale.zero, scale.value))
            painter.setBrush(QColor(colour))
            painter.drawRect(QRectF(min(begin, end), track.top(), max(abs(end - begin), 2.0), track.height()))
            beyond = scale.value < min(scale.ends) or scale.value > max(scale.ends)
            if beyond:  # the bar continues past the scale
                self._paint_arrow(track, end, scale.place(scale.value) > 0.5, colour)
        if scale.threshold is not None:
            x = track.left() + scale.place(scale.threshold) * track.width()
            painter.setPen(QPen(QColor(theme.text), max(self._height * 0.003, 1.5)))
            painter.drawLine(QLineF(x, track.top() - 3, x, track.bottom() + 3))

    def _direction_height(self) -> float:
        return self._type(LEAST_TEXT).height() * 1.2

    def _paint_direction(self, area: QRectF, left: str, right: str) -> QRectF:
        """Write the meanings of bars to the left and to the right of the zero line; return the area below."""
        line = QRectF(area.left(), area.top(), area.width(), self._direction_height())
        metrics = self._type(LEAST_TEXT)
        zero = area.left() + area.width() * (TRACK_FROM + TRACK_TO) / 2
        gap = metrics.height() * 0.4
        self._write(
            QRectF(line.left(), line.top(), zero - gap - line.left(), line.height()), left, _RIGHT, self._theme.muted
        )
        rest = QRectF(zero + gap, line.top(), line.right() - zero - gap, line.height())
        self._write(rest, right, _LEFT, self._theme.muted)
        return QRectF(area.left(), line.bottom(), area.width(), area.bottom() - line.bottom())

    def _paint_arrow(self, track: QRectF, x: float, rightwards: bool, colour: str) -> None:
        tip = track.height() * 0.6 * (1 if rightwards else -1)
        points = [QPointF(x, track.top()), QPointF(x + tip, track.center().y()), QPointF(x, track.bottom())]
        self._painter.setBrush(QColor(colour))
        self._painter.drawPolygon(QPolygonF(points))

    def _columns(self, row: QRectF) -> tuple[QRectF, QRectF]:
        """Return the rectangles of the name and the track in a row; the number fills the rest."""
        name = QRectF(row.left(), row.top(), row.width() * 0.26, row.height())
        return name, QRectF(name.right() + row.width() * 0.02, row.top(), row.width() * 0.5, row.height())

    def _paint_sentence(self, area: QRectF, sentence: str) -> QRectF:
        """Write the sentence about the verdict in bold type, on two lines if necessary; return the area below."""
        metrics = self._type(SENTENCE, bold=True)
        text, more = wrap_text(sentence, metrics, area.width(), 2)
        line = QRectF(area.left(), area.top(), area.width(), metrics.height() * 1.3 + more)
        self._painter.setPen(QColor(self._theme.text))
        self._painter.drawText(line, _WRAPPED, text)
        return QRectF(area.left(), line.bottom(), area.width(), area.bottom() - line.bottom())

    def _fitting(self, edits: Sequence[EditEffect], area: QRectF) -> Sequence[EditEffect]:
        """Return the first edits that fit below each other in readable type, long ones on two lines."""
        metrics = self._type(TEXT)
        width, high = area.width() * EDIT, 0.0
        for count, (edit, _, _) in enumerate(edits):
            high += TEXT / FILLS * self._height + wrap_text(edit, metrics, width, 2)[1]
            if high > area.height() and count:
                return edits[:count]
        return edits

    def _paint_edits(self, area: QRectF, pair: StagePair) -> None:
        assert pair.words is not None
        # One scale for all pairs of a judge, so that their bars can be compared.
        largest = JUDGE_END if pair.judge is not None else max(abs(value) for _, value, _ in pair.words.edits) or 1.0
        painter, theme = self._painter, self._theme
        if pair.words.sentence:
            area = self._paint_sentence(area, pair.words.sentence)
        if area.height() < self._direction_height() + self._least_row():
            return
        area = self._paint_direction(area, towards(False), towards(True))
        edits = self._fitting(pair.words.edits[:MOST_EDITS], area)
        metrics = self._type(TEXT)
        wraps = [metrics.horizontalAdvance(edit) > area.width() * EDIT for edit, _, _ in edits]
        rows = self._rows(area, len(edits), *([TEXT / FILLS] if any(wraps) else []))
        spare, below = area.bottom() - rows[-1].bottom(), 0.0
        for at, (row, (edit, value, yes)) in enumerate(zip(rows, edits, strict=True)):
            size = min(TEXT * 1.1, FILLS * row.height() / self._height)
            metrics = self._type(size)
            column = QRectF(row.left(), row.top() + below, row.width() * EDIT, row.height() + spare)
            more_lines = int(spare / metrics.lineSpacing()) - sum(wraps[at + 1 :])  # leaves a line to each later edit
            text, more = wrap_text(edit, metrics, column.width(), min(1 + max(more_lines, 0), _EDIT_LINES))
            if text != edit and not more:
                metrics = self._type(size * _SMALLER)
                text = metrics.elidedText(edit, Qt.TextElideMode.ElideRight, column.width())
            column.setHeight(row.height() + more)
            spare, below = spare - more, below + more
            painter.setPen(QColor(theme.text))
            painter.drawText(column, _WRAPPED, text)
            row = QRectF(row.left(), column.center().y() - row.height() / 2, row.width(), row.height())
            left, wide = row.left() + row.width() * TRACK_FROM, row.width() * (TRACK_TO - TRACK_FROM)
            track = QRectF(left, row.top(), wide, row.height())
            track = track.adjusted(0, row.height() * 0.24, 0, -row.height() * 0.24)
            zero, end = track.center().x(), track.center().x() + bar_length(value, yes, largest) * track.width() / 2
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(theme.paraphrase if yes else theme.other))
            painter.drawRect(QRectF(min(zero, end), track.top(), max(abs(end - zero), 2.0), track.height()))
            if abs(value) > largest:  # the bar continues past the scale
                self._paint_arrow(track, end, yes, theme.paraphrase if yes else theme.other)
            painter.setPen(QPen(QColor(theme.muted), 1.5))
            painter.drawLine(QLineF(zero, track.top() - 2, zero, track.bottom() + 2))
            right = QRectF(track.right(), row.top(), row.right() - track.right(), row.height())
            self._type(size)
            self._write(right, score_names.format_signed(value), _RIGHT)
