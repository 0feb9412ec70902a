"""The effect of each edit of a pair on a score: bars around zero that switch the edit, with its kind as a chip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan

from PySide6.QtCore import QCoreApplication, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.features.explain.explanation import Explanation, ExplanationPlan
from parapluie_gui.features.explain.signed_bars import SignedBars
from parapluie_gui.metrics.changes.edits import Edit
from parapluie_gui.metrics.changes.types import ChangeType, change_types
from parapluie_gui.ui.pair.sentences import TintedSpan
from parapluie_gui.ui.widgets.text import isolate

translate = QCoreApplication.translate


@dataclass(frozen=True)
class EditEffect:
    """An edit with its effect on the score, as a row of `EffectBars`.

    Attributes:
        title: The edit in one line.
        value: Its Shapley value; None while unknown.
        margin: Half the width of the 95 % interval; 0 if exact.
        kind: Its kind of change.
        towards_yes: Whether the value points to a paraphrase; for distances a negative value does.
        undone: Whether the variant shown leaves it undone.
        corrected: Whether a person replaced the kind that the rules name.
    """

    title: str
    value: float | None
    margin: float
    kind: ChangeType
    towards_yes: bool
    undone: bool = False
    corrected: bool = False


def kind_name(kind: ChangeType) -> str:
    """Return the translated name of a kind of change."""
    return translate("ChangeTypes", kind.name)


def describe_kind(kind: ChangeType) -> str:
    """Return the name, the definition and an example of a kind of change in one line."""
    definition = translate("ChangeTypes", kind.definition)
    words = translate("Effects", "{0}: {1} Example: “{2}”, “{3}”.")
    return words.format(kind_name(kind), definition, *kind.example)


def describe_precision(kind: ChangeType) -> str:
    """Return a sentence on the precision of the rules that name a kind of change; "" if it was not measured."""
    if kind.precision is None:
        return ""
    sentence = translate("Effects", "Named by a rule that is right in {0} of 100 such edits ({1} edits of ETPC).")
    return sentence.format(round(100 * kind.precision), f"{kind.edits:,}")


class EffectBars(SignedBars[EditEffect]):
    """One bar for each edit. Choosing a row undoes or redoes its edit; Return describes its kind.

    Attributes:
        correctable: Whether the kinds can be corrected.

    Signals:
        switched: (edit) The user wants an edit undone, or done again.
        kind_requested: (edit, global position) The user wants to see or correct the kind of an edit.
    """

    switched = Signal(int)
    kind_requested = Signal(int, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.correctable = False
        self.setAccessibleName(self.tr("Effect of each edit on the score"))
        self.row_chosen.connect(self.switched)

    def set_effects(self, effects: Sequence[EditEffect], decimals: int) -> None:
        """Show these effects with the given number of decimals."""
        self.decimals = decimals
        self.set_rows(effects)

    def hollow(self, row: int) -> bool:
        return self.rows[row].undone

    def enter(self, row: int) -> None:
        self._request_kind(row)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place, left = event.position(), event.button() == Qt.MouseButton.LeftButton
        row = next((row for row in range(len(self.rows)) if self.chip_area(row).contains(place)), -1)
        if left and row >= 0:
            self.set_current(row)
            self._request_kind(row)
        else:
            super().mousePressEvent(event)

    def chip_area(self, row: int) -> QRectF:
        """Return the area of the chip with the kind of an edit."""
        area, padding = self.extra_area(row), self._gap()
        width = QFontMetricsF(self.font()).horizontalAdvance(self._chip_text(row)) + 2 * padding
        return QRectF(max(area.right() - width, area.left()), area.top(), min(width, area.width()), area.height())

    def paint_extra(self, painter: QPainter, row: int, area: QRectF) -> None:
        """Paint the chip with the edit's kind, and "undone" to its left if the edit is undone."""
        effect, chip, align = self.rows[row], self.chip_area(row), Qt.AlignmentFlag
        painter.setPen(QPen(QColor(self.theme.accent if effect.corrected else self.theme.border), 1))
        painter.setBrush(QColor(self.theme.base))
        painter.drawRoundedRect(chip, chip.height() / 2, chip.height() / 2)
        painter.setPen(QColor(self.theme.text))
        painter.drawText(chip, align.AlignCenter, self._cut(self._chip_text(row), chip.width() - self._gap()))
        if effect.undone:
            painter.setPen(QColor(self.theme.muted))
            left = QRectF(area.left(), area.top(), chip.left() - area.left() - self._gap(), area.height())
            painter.drawText(left, align.AlignRight | align.AlignVCenter, self.tr("undone"))

    def number(self, row: int) -> str:
        margin = self.rows[row].margin
        text = super().number(row)
        return f"{text} ± {margin:.{self.decimals}f}" if margin else text

    def extra(self, row: int) -> str:
        kind = kind_name(self.rows[row].kind)
        if self.rows[row].corrected:
            kind = self.tr("{0} (corrected)").format(kind)
        elif self.rows[row].kind.is_unsure:
            kind = self.tr("{0}, unsure").format(kind)
        return self.tr("{0}, undone").format(kind) if self.rows[row].undone else kind

    def tip(self, row: int) -> str:
        effect = self.rows[row]
        hints = [self.tr("Click to do the edit again.") if effect.undone else self.tr("Click to undo the edit.")]
        if self.correctable:
            hints.append(self.tr("Click its kind to correct it."))
        precision = "" if effect.corrected else describe_precision(effect.kind)
        return " ".join(filter(None, [describe_kind(effect.kind), precision, *hints]))

    def _chip_text(self, row: int) -> str:
        effect, name = self.rows[row], kind_name(self.rows[row].kind)
        if effect.corrected:
            return f"✎ {name}"
        return f"{name} ?" if effect.kind.is_unsure else name

    def _request_kind(self, row: int) -> None:
        self.kind_requested.emit(row, self.mapToGlobal(self.chip_area(row).bottomLeft().toPoint()))


#: The coloured spans of the source and of the hypothesis.
Tints = tuple[tuple[TintedSpan, ...], tuple[TintedSpan, ...]]


@dataclass(frozen=True)
class EditStates:
    """The state of a pair's edits apart from scores.

    Attributes:
        kinds: (k,) The ids of their kinds of change, with corrections.
        by_rule: (k,) The ids of the kinds that the rules name.
        undone: The indices of the edits that the variant shown leaves undone.
    """

    kinds: Sequence[str]
    by_rule: Sequence[str]
    undone: frozenset[int] = frozenset()


def format_edit(edit: Edit) -> str:
    """Return an edit in one line, the source before the hypothesis even in right-to-left scripts."""
    return str(replace(edit, source=isolate(edit.source), hypothesis=isolate(edit.hypothesis)))


def effects_of(
    plan: ExplanationPlan, scores: ScoreColumn, explanation: Explanation | None, states: EditStates
) -> list[EditEffect]:
    """Return the effect of each edit on a score; until all variants are scored (None), of the edit by itself."""
    values = _effects_alone(plan, scores) if explanation is None else explanation.values
    margins = (0.0,) * len(values) if explanation is None else explanation.margins
    effects = []
    for edit, (value, margin) in enumerate(zip(values, margins, strict=True)):
        known = None if isnan(value) else value
        closer, corrected = (value > 0) == scores.higher_is_closer, states.kinds[edit] != states.by_rule[edit]
        kind, undone = change_types()[states.kinds[edit]], edit in states.undone
        effects.append(EditEffect(format_edit(plan.edits[edit]), known, margin, kind, closer, undone, corrected))
    return effects


def tints_of(plan: ExplanationPlan, effects: Sequence[EditEffect]) -> Tints:
    """Return the coloured words of both sentences; the stronger the effect of an edit, the stronger its colour."""
    largest = max((abs(effect.value) for effect in effects if effect.value), default=1.0)
    sides: tuple[list[TintedSpan], list[TintedSpan]] = ([], [])
    for edit, effect in zip(plan.edits, effects, strict=True):
        if effect.value is not None:
            share = abs(effect.value) / largest
            for side, (start, end) in zip(sides, (edit.source_at, edit.hypothesis_at), strict=True):
                if start < end:
                    side.append(TintedSpan(start, end, share, effect.towards_yes))
    return tuple(sides[0]), tuple(sides[1])


def _effects_alone(plan: ExplanationPlan, scores: ScoreColumn) -> tuple[float, ...]:
    at = {done: number for number, done in enumerate(plan.subsets)}
    values = scores.values
    return tuple(
        float(values[at[1 << edit]] - values[at[0]]) if 1 << edit in at else nan for edit in range(len(plan.edits))
    )
