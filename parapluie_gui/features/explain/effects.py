"""What each edit of a pair did to a score, as bars around zero with switches, and its kind of change as a chip."""

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
from parapluie_gui.ui.pair.sentences import Tint
from parapluie_gui.ui.widgets.text import isolated

translate = QCoreApplication.translate


@dataclass(frozen=True)
class Effect:
    """An edit and what it did.

    Attributes:
        title: The edit in one line.
        value: Its Shapley value, or None while it is not known.
        error: Half the width of its 95 % interval; 0 where it is exact.
        kind: Its kind of change.
        towards_yes: Whether such a value speaks for a paraphrase; for distances that is a negative one.
        undone: Whether it is left undone in the variant shown.
        corrected: Whether a person says that it is of this kind, and the rules say otherwise.
    """

    title: str
    value: float | None
    margin: float
    kind: ChangeType
    towards_yes: bool
    undone: bool = False
    corrected: bool = False


def kind_name(kind: ChangeType) -> str:
    """Return a kind of change as a person reads it."""
    return translate("ChangeTypes", kind.name)


def kind_words(kind: ChangeType) -> str:
    """Return what a kind of change is, and its example, in a line."""
    definition = translate("ChangeTypes", kind.definition)
    words = translate("Effects", "{0}: {1} Example: “{2}”, “{3}”.")
    return words.format(kind_name(kind), definition, *kind.example)


def how_sure(kind: ChangeType) -> str:
    """Return how often the rules are right that name a kind of change, in a sentence; "" where that is not known."""
    if kind.precision is None:
        return ""
    sentence = translate("Effects", "Named by rule, right in {0} of 100 such edits ({1} edits of ETPC).")
    return sentence.format(round(100 * kind.precision), f"{kind.edits:,}")


class EffectBars(SignedBars[Effect]):
    """One bar an edit; the row that is chosen is switched, Return shows what its kind is.

    Attributes:
        correctable: Whether the kinds can be corrected.

    Signals:
        switched: (edit) An edit is to be undone, or done again.
        kind_asked: (edit, place on the screen) Its chip was clicked.
    """

    switched = Signal(int)
    kind_asked = Signal(int, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.correctable = False
        self.setAccessibleName(self.tr("What each edit did to the score"))
        self.row_chosen.connect(self.switched)

    def set_effects(self, effects: Sequence[Effect], decimals: int) -> None:
        """Show these effects, with this many decimals."""
        self.decimals = decimals
        self.set_rows(effects)

    def hollow(self, row: int) -> bool:
        return self.rows[row].undone

    def enter(self, row: int) -> None:
        self._ask_kind(row)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place, left = event.position(), event.button() == Qt.MouseButton.LeftButton
        row = next((row for row in range(len(self.rows)) if self.chip_area(row).contains(place)), -1)
        if left and row >= 0:
            self.set_current(row)
            self._ask_kind(row)
        else:
            super().mousePressEvent(event)

    def chip_area(self, row: int) -> QRectF:
        """Return where the kind of an edit stands."""
        area, padding = self.extra_area(row), self._gap()
        width = QFontMetricsF(self.font()).horizontalAdvance(self._chip(row)) + 2 * padding
        return QRectF(max(area.right() - width, area.left()), area.top(), min(width, area.width()), area.height())

    def paint_extra(self, painter: QPainter, row: int, area: QRectF) -> None:
        """Paint the chip with the edit's kind, and whether the edit is undone beside it."""
        effect, chip, align = self.rows[row], self.chip_area(row), Qt.AlignmentFlag
        painter.setPen(QPen(QColor(self.theme.accent if effect.corrected else self.theme.border), 1))
        painter.setBrush(QColor(self.theme.base))
        painter.drawRoundedRect(chip, chip.height() / 2, chip.height() / 2)
        painter.setPen(QColor(self.theme.text))
        painter.drawText(chip, align.AlignCenter, self._cut(self._chip(row), chip.width() - self._gap()))
        if effect.undone:
            painter.setPen(QColor(self.theme.muted))
            beside = QRectF(area.left(), area.top(), chip.left() - area.left() - self._gap(), area.height())
            painter.drawText(beside, align.AlignRight | align.AlignVCenter, self.tr("undone"))

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
        todo = [self.tr("Click to do the edit again.") if effect.undone else self.tr("Click to undo the edit.")]
        if self.correctable:
            todo.append(self.tr("Click its kind to correct it."))
        sure = "" if effect.corrected else how_sure(effect.kind)
        return " ".join(filter(None, [kind_words(effect.kind), sure, *todo]))

    def _chip(self, row: int) -> str:
        """Return what stands on the chip."""
        effect, name = self.rows[row], kind_name(self.rows[row].kind)
        if effect.corrected:
            return f"✎ {name}"
        return f"{name} ?" if effect.kind.is_unsure else name

    def _ask_kind(self, row: int) -> None:
        self.kind_asked.emit(row, self.mapToGlobal(self.chip_area(row).bottomLeft().toPoint()))


#: The stretches of source and hypothesis that have a colour.
Tints = tuple[tuple[Tint, ...], tuple[Tint, ...]]


@dataclass(frozen=True)
class EditStates:
    """What is known of a pair's edits apart from scores.

    Attributes:
        kinds: (k,) The ids of their kinds of change.
        by_rule: (k,) The same as the rules say; a person may have corrected them.
        undone: Which of them are left undone in the variant shown.
    """

    kinds: Sequence[str]
    by_rule: Sequence[str]
    undone: frozenset[int] = frozenset()


def edit_words(edit: Edit) -> str:
    """Return an edit in one line, its source before its hypothesis also where their letters run to the left."""
    return str(replace(edit, source=isolated(edit.source), hypothesis=isolated(edit.hypothesis)))


def effects_of(
    plan: ExplanationPlan, scores: ScoreColumn, found: Explanation | None, states: EditStates
) -> list[Effect]:
    """Return what each edit did to a score; until all variants have theirs (`found` is None), what it does alone."""
    values = _alone(plan, scores) if found is None else found.values
    margins = (0.0,) * len(values) if found is None else found.margins
    effects = []
    for edit, (value, margin) in enumerate(zip(values, margins, strict=True)):
        known = None if isnan(value) else value
        closer, corrected = (value > 0) == scores.higher_is_closer, states.kinds[edit] != states.by_rule[edit]
        kind, undone = change_types()[states.kinds[edit]], edit in states.undone
        effects.append(Effect(edit_words(plan.edits[edit]), known, margin, kind, closer, undone, corrected))
    return effects


def tints_of(plan: ExplanationPlan, effects: Sequence[Effect]) -> Tints:
    """Return the colours of the words by what their edits did."""
    largest = max((abs(effect.value) for effect in effects if effect.value), default=1.0)
    sides: tuple[list[Tint], list[Tint]] = ([], [])
    for edit, effect in zip(plan.edits, effects, strict=True):
        if effect.value is not None:
            share = abs(effect.value) / largest
            for side, (start, end) in zip(sides, (edit.source_at, edit.hypothesis_at), strict=True):
                if start < end:
                    side.append(Tint(start, end, share, effect.towards_yes))
    return tuple(sides[0]), tuple(sides[1])


def _alone(plan: ExplanationPlan, scores: ScoreColumn) -> tuple[float, ...]:
    """Return what each edit changes by itself, as long as not all variants have their scores."""
    at = {done: number for number, done in enumerate(plan.subsets)}
    values = scores.values
    return tuple(
        float(values[at[1 << edit]] - values[at[0]]) if 1 << edit in at else nan for edit in range(len(plan.edits))
    )
