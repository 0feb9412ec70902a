"""The effect of each edit of a pair on a score: bars around zero that switch the edit, with its kind as a chip."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan, sqrt

from PySide6.QtCore import QCoreApplication, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.features.explain.explanation import Explanation, ExplanationPlan
from parapluie_gui.features.explain.signed_bars import SignedBars
from parapluie_gui.metrics.changes.edits import Edit
from parapluie_gui.metrics.changes.types import ChangeType, change_types
from parapluie_gui.ui.pair.bars import axis_limit
from parapluie_gui.ui.pair.sentences import TintedSpan
from parapluie_gui.ui.widgets.text import isolate

translate = QCoreApplication.translate

#: The value at the end of a judge's bars, in log-odds, and the least value that matters as a share of a scale's limit.
_JUDGES_LIMIT, _LEAST = 10.0, 0.03


@dataclass(frozen=True)
class EditEffect:
    """An edit, or a change that spans several edits, with its effect on the score, as a row of `EffectBars`.

    Attributes:
        title: The edit in one line.
        value: Its Shapley value; None while unknown.
        margin: Half the width of the 95 % interval; 0 if exact.
        kind: Its kind of change.
        towards_yes: Whether the value points to a paraphrase; for distances a negative value does.
        edits: The indices of its edits: one, or those of a change that spans several.
        matters: Whether its value is large enough to matter; see `EffectScale`.
        inside: Whether it is a part of the change in a row above.
        undone: Whether the variant shown leaves it undone.
        corrected: Whether a person replaced the kind that the rules name.
    """

    title: str
    value: float | None
    margin: float
    kind: ChangeType
    towards_yes: bool
    edits: tuple[int, ...] = ()
    matters: bool = True
    inside: bool = False
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
        switched: (tuple of edits) The user wants edits undone, or done again.
        kind_requested: (edit, global position) The user wants to see or correct the kind of an edit.
    """

    switched = Signal(tuple)
    kind_requested = Signal(int, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.correctable = False
        self.setAccessibleName(self.tr("Effect of each edit on the score"))
        self.row_chosen.connect(lambda row: self.switched.emit(self.rows[row].edits))

    def set_effects(self, effects: Sequence[EditEffect], decimals: int, limit: float = 1.0) -> None:
        """Show these effects with the given number of decimals, on a scale from −`limit` to `limit`."""
        self.decimals = decimals
        self.set_limit(limit)
        self.set_rows(effects)

    def grey(self, row: int) -> bool:
        return not self.rows[row].matters

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
        if len(effect.edits) > 1:
            done = self.tr("Click to do these {0} edits again."), self.tr("Click to undo these {0} edits.")
            hints = [done[not effect.undone].format(len(effect.edits))]
        if self.correctable and len(effect.edits) == 1:
            hints.append(self.tr("Click its kind to correct it."))
        precision = "" if effect.corrected else describe_precision(effect.kind)
        return " ".join(filter(None, [describe_kind(effect.kind), precision, *hints]))

    def _chip_text(self, row: int) -> str:
        effect, name = self.rows[row], kind_name(self.rows[row].kind)
        if effect.corrected:
            return f"✎ {name}"
        return f"{name} ?" if effect.kind.is_unsure else name

    def _request_kind(self, row: int) -> None:
        self.kind_requested.emit(self.rows[row].edits[0], self.mapToGlobal(self.chip_area(row).bottomLeft().toPoint()))


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
        matters = known is None or abs(known) >= EffectScale.of(scores).least
        row = EditEffect(format_edit(plan.edits[edit]), known, margin, kind, closer, (edit,), matters)
        effects.append(replace(row, undone=undone, corrected=corrected))
    return effects


@dataclass(frozen=True)
class EffectScale:
    """The scale of the effects on a score, the same for every pair.

    Attributes:
        limit: The value at the end of a bar, and of the strongest colour.
        least: The least value that matters: smaller ones are within the noise of the score.
    """

    limit: float
    least: float

    @classmethod
    def of(cls, scores: ScoreColumn, values: Sequence[float | None] = ()) -> EffectScale:
        """Return the scale of a score: 10 for judges, 1 for metrics, more if a value is larger."""
        limit = _JUDGES_LIMIT if scores.is_from_judge else 1.0
        largest = max((abs(value) for value in values if value is not None), default=0.0)
        return cls(max(limit, axis_limit([largest])), _LEAST * limit)


_WORD = re.compile(r"\w+")
#: The sign before a phrase that moved.
_MOVED = "⇄ "

#: Kinds of change that span several edits: active or passive, and phrases that change places.
_PASSIVE, _ORDER = "diathesis", "order"
#: Kinds that the parts of a passive may have, and the words that mark one.
_PARTS_OF_PASSIVE = {_PASSIVE, _ORDER, "rewording", "deletion", "addition", "function_word", "inflection", "spelling"}
_MARKS_OF_PASSIVE = frozenset(["by", "is", "are", "was", "were", "be", "been", "being"])
#: Number of letters by which two forms of a verb are recognised ("bit", "bitten").
_STEM = 3


def _passive_parts(effects: Sequence[EditEffect]) -> list[EditEffect]:
    """Return the edits of a change between active and passive; [] without one.

    These are the edits that the rules call so, those that move phrases, and those with the verb's forms, "by" or a
    form of "to be".
    """
    if not any(effect.kind.id == _PASSIVE for effect in effects):
        return []
    words = {effect: set(_WORD.findall(effect.title.casefold())) for effect in effects}
    parts = [effect for effect in effects if effect.kind.id in (_PASSIVE, _ORDER)]
    for effect in effects:
        if effect not in parts and effect.kind.id in _PARTS_OF_PASSIVE and words[effect] & _MARKS_OF_PASSIVE:
            parts.append(effect)
    stems = {word[:_STEM] for part in parts for word in words[part] if len(word) >= _STEM}
    for effect in effects:
        if effect not in parts and effect.kind.id in _PARTS_OF_PASSIVE:
            parts += [effect] if {word[:_STEM] for word in words[effect]} & stems else []
    return parts


def _moved_parts(effects: Sequence[EditEffect]) -> list[EditEffect]:
    """Return the edits of phrases that change places."""
    return [effect for effect in effects if effect.kind.id == _ORDER]


def arrange_effects(effects: Sequence[EditEffect], decimals: int) -> tuple[list[EditEffect], list[EditEffect]]:
    """Return the rows for effects, strongest first, and those without effect, which are folded away.

    A change that spans several edits (active or passive, phrases that change places) is one row with the sum of their
    values, above its parts. Until all values are known, the edits keep their order.

    Args:
        effects: The effects of single edits.
        decimals: The number of decimals: a value that rounds to zero has no effect.
    """
    if any(effect.value is None for effect in effects):
        return list(effects), []
    rows, single = list[list[EditEffect]](), list(effects)
    for spanning in (_passive_parts, _moved_parts):
        parts = spanning(single)
        if len(parts) > 1:
            single = [effect for effect in single if effect not in parts]
            rows.append([_span(parts), *map(_inside, _by_strength(parts))])
    rows += [[effect] for effect in single]
    rows.sort(key=lambda row: -abs(row[0].value or 0.0))
    folded = [row for row in rows if len(row) == 1 and not round(abs(row[0].value or 0.0), decimals)]
    shown = [row for row in rows if row not in folded or row[0].undone]
    return [effect for row in shown for effect in row], [row[0] for row in folded if not row[0].undone]


def _span(parts: Sequence[EditEffect]) -> EditEffect:
    """Return the row of a change that spans several edits; its value is the sum of theirs."""
    value = sum(part.value or 0.0 for part in parts)
    first = next((part for part in parts if part.kind.id == _PASSIVE), parts[0])
    towards_yes = first.towards_yes if (value > 0) == ((first.value or 0.0) > 0) else not first.towards_yes
    name, titles = kind_name(first.kind), [part.title for part in parts]
    if first.kind.id == _ORDER and all(title.startswith(_MOVED) for title in titles):  # phrases that change places
        words = f" {_MOVED.strip()} ".join(title.removeprefix(_MOVED) for title in titles)
    else:
        words = translate("Effects", "{0} edits").format(len(parts))
    title = translate("Effects", "{0}: {1}").format(name, words)
    margin = sqrt(sum(part.margin**2 for part in parts))
    edits = tuple(edit for part in parts for edit in part.edits)
    undone = all(part.undone for part in parts)
    matters = any(part.matters for part in parts)
    return EditEffect(title, value, margin, first.kind, towards_yes, edits, matters, undone=undone)


def _inside(part: EditEffect) -> EditEffect:
    return replace(part, title=f"↳ {part.title}", inside=True)


def _by_strength(effects: Sequence[EditEffect]) -> list[EditEffect]:
    return sorted(effects, key=lambda effect: -abs(effect.value or 0.0))


def tints_of(plan: ExplanationPlan, effects: Sequence[EditEffect], limit: float) -> Tints:
    """Return the coloured words of both sentences; the stronger the effect of an edit, the stronger its colour.

    The strongest colour stands for `limit`; an edit that does not matter is grey. If none matters, nothing is coloured.
    """
    sides: tuple[list[TintedSpan], list[TintedSpan]] = ([], [])
    if not any(effect.value is not None and effect.matters for effect in effects):
        return (), ()
    for edit, effect in zip(plan.edits, effects, strict=True):
        if effect.value is not None:
            share = min(abs(effect.value) / limit, 1.0) if effect.matters else 0.0
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
