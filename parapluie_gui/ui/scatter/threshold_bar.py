"""The threshold: the line in the scatter, and the bar below with its agreement with the labels."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QKeySequence, QValidator
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from parapluie_gui.analysis import threshold as analysis
from parapluie_gui.analysis.one_sided import describe_judges
from parapluie_gui.analysis.score_column import VERDICT_THRESHOLD, is_prediction
from parapluie_gui.arrays import Labels, Mask, Scores
from parapluie_gui.pairs.corpus import UNLABELLED
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.table import is_scored
from parapluie_gui.ui.scatter.axes import format_count
from parapluie_gui.ui.scatter.lasso import LassoBox
from parapluie_gui.ui.state.one_sided import one_sided_judges
from parapluie_gui.ui.state.selection import OUTCOME, SelectionRule
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, FlowLayout, button, hbox, name_control, vbox, widget_of
from parapluie_gui.ui.widgets.controls import caption, plain
from parapluie_gui.ui.widgets.decimal_box import DecimalBox
from parapluie_gui.ui.widgets.plot_style import default_font, scale_font
from parapluie_gui.ui.widgets.text import pairs_words
from parapluie_gui.ui.widgets.theme import current_theme, follow_theme, set_rules
from parapluie_gui.ui.widgets.wrapped import WrappedText


class _MinusFormat(str):
    """The label's format, which pyqtgraph fills in, with a minus instead of a hyphen."""

    def format(self, *args: object, **numbers: object) -> str:
        return super().format(*args, **numbers).replace("-", "−")


class ThresholdLine(pg.InfiniteLine):
    """Horizontal line that can be dragged, and reset by a double click.

    Signals:
        dragged: (value) The user moved the line.
        dropped: (start, value) The user dragged the line and let it go.
        sent_home: The user double-clicked the line.
    """

    dragged = Signal(float)
    dropped = Signal(float, float)
    sent_home = Signal()

    def __init__(self, box: LassoBox, text: str) -> None:
        super().__init__(
            angle=0,
            movable=True,
            label=_MinusFormat(text),
            labelOpts={"position": 0.995, "anchors": [(1.0, -0.05), (1.0, 1.05)], "movable": False},
        )
        self._box = box
        self._start = 0.0
        self.setZValue(20)
        self.setCursor(Qt.CursorShape.SizeVerCursor)
        self.sigDragged.connect(self._emit)
        self.apply_theme(self.label.textItem.font())

    def apply_theme(self, font: QFont, factor: float = 1.0) -> None:
        """Apply the colours of the theme and the font of the axes; `factor` enlarges the line."""
        theme = current_theme()
        self.setPen(pg.mkPen(theme.threshold, width=2 * factor))
        self.setHoverPen(pg.mkPen(theme.threshold, width=4 * factor))
        self.label.setColor(QColor(theme.threshold))
        behind = QColor(theme.plot)
        behind.setAlpha(215)
        self.label.fill = pg.mkBrush(behind)
        bold = QFont(font)
        bold.setBold(True)
        self.label.setFont(bold)
        self.label.updatePosition()

    def mouseDragEvent(self, ev: pg.GraphicsScene.mouseEvents.MouseDragEvent) -> None:
        """Move the line, unless the drag is a lasso that begins on it."""
        if self._box.drawing or (ev.isStart() and self._box.wants(ev)):
            # The scene sends a whole drag to the item where it began: pass it on.
            ev.currentItem = self._box
            self._box.mouseDragEvent(ev)
            return
        if ev.isStart():
            self._start = float(self.value())
        super().mouseDragEvent(ev)
        if ev.isFinish():
            self.dropped.emit(self._start, float(self.value()))

    def hoverEvent(self, ev: pg.GraphicsScene.mouseEvents.HoverEvent) -> None:
        """Claim the next drag, unless it would be a lasso."""
        if ev.isExit() or not self._box.lasso:
            super().hoverEvent(ev)

    def mouseClickEvent(self, ev: pg.GraphicsScene.mouseEvents.MouseClickEvent) -> None:
        """Emit `sent_home` on a double click."""
        if ev.double() and ev.button() == Qt.MouseButton.LeftButton:
            ev.accept()
            self.sent_home.emit()
            return
        super().mouseClickEvent(ev)

    def _emit(self) -> None:
        self.dragged.emit(float(self.value()))


_TURN_MS = 50

OUTCOMES = {
    "tp": analysis.Outcome.TRUE_POSITIVE,
    "fp": analysis.Outcome.FALSE_POSITIVE,
    "fn": analysis.Outcome.FALSE_NEGATIVE,
    "tn": analysis.Outcome.TRUE_NEGATIVE,
}


class _ThresholdSpin(DecimalBox):
    """Spin box sized for usual thresholds instead of its unbounded range; shows a minus instead of a hyphen."""

    def textFromValue(self, value: float) -> str:
        """Return the number with a minus."""
        return super().textFromValue(value).replace("-", "−")

    def valueFromText(self, text: str) -> float:
        """Return the number that was typed with a minus or a hyphen."""
        return super().valueFromText(text.replace("−", "-"))

    def validate(self, text: str, at: int) -> tuple[QValidator.State, str, int]:
        """Accept a minus as a hyphen, which Qt expects."""
        state, changed, place = super().validate(text.replace("−", "-"), at)
        return state, changed.replace("-", "−"), place

    def event(self, event: QEvent) -> bool:
        """Leave Undo and Redo to the window, whose steps contain the threshold."""
        if (
            event.type() != QEvent.Type.ShortcutOverride
            or not isinstance(event, QKeyEvent)
            or not any(map(event.matches, (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)))
        ):
            return super().event(event)
        event.ignore()
        return True

    def sizeHint(self) -> QSize:
        """Return the size for "-100.000" and the arrows."""
        size = super().sizeHint()
        return QSize(self.fontMetrics().horizontalAdvance("-100.000") + size.height() + 14, size.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


def _together(*widgets: QWidget) -> QWidget:
    """Return a widget that keeps others side by side when the bar wraps."""
    return widget_of(hbox(*widgets, margins=(0, 0, 4, 0), spacing=9))


_RULES = """
QToolButton { color: $sign; border: 1px solid $edge; border-radius: 4px; padding: 3px 7px; background: $base; }
QToolButton:hover { border-color: $sign; }
QToolButton:focus { border: 2px solid $accent; padding: 2px 6px; }
QToolButton:checked { background: $sign; color: $base; }
"""


class ThresholdBar(QWidget):
    """Threshold, accuracy, F1, precision, recall and the four counts; a click on a count selects its pairs.

    Attributes:
        spin: The threshold as a number; arrow keys move it.
        counts: One button for each of "tp", "fp", "fn", "tn".
        quality: One label for each of "accuracy", "f1", "precision", "recall".
        extent: The number of pairs in counts and quality, shown if they belong to a selection.
        sentence: Shown instead of counts and quality without labels.
        one_sided: Shown if the judge on y gives nearly all pairs the same answer.

    Signals:
        refreshed: Its numbers may have changed.
    """

    refreshed = Signal()

    def __init__(self, workspace: CorpusWorkspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._outcomes: dict[str, str] = {}
        self._among: tuple[SelectionRule, ...] = ()
        #: Where the number was before it was typed, and what was typed last.
        self._typed: tuple[float, float] | None = None
        self._base = default_font()

        tip = self.tr("Pairs at or beyond this value count as paraphrases. Arrow keys move it.")
        self.spin = name_control(_ThresholdSpin(), self.tr("Threshold"), tip)
        self.spin.setDecimals(3)
        self.spin.setRange(-1e9, 1e9)
        title = caption(self.tr("&Threshold"), self.spin)
        tip = self.tr("Back to the score's natural threshold (or double-click the line)")
        self.reset_button = button(self.tr("Reset"), self.reset, tip)
        tip = self.tr("Move the threshold to where accuracy on these labels is highest")
        self.best_button = button(self.tr("Best"), self.best, tip)
        self.quality = {name: QLabel() for name in ("accuracy", "f1", "precision", "recall")}
        self.counts = {name: self._count_button(name) for name in OUTCOMES}
        self.sentence, self.extent = plain(muted=True), plain(muted=True)
        self.one_sided = WrappedText(self)
        self.one_sided.setAccessibleName(self.tr("Answers of the judge"))

        row = FlowLayout()
        row.setContentsMargins(6, 4, 6, 4)
        row.addWidget(_together(title, self.spin))
        row.addWidget(_together(self.reset_button, self.best_button))
        for pair in (("accuracy", "f1"), ("precision", "recall")):
            row.addWidget(_together(*(self.quality[name] for name in pair)))
        row.addWidget(_together(*self.counts.values()))
        row.addWidget(self.extent)
        row.addWidget(self.sentence)
        vbox(row, self.one_sided, within=self, margins=NO_MARGINS, spacing=0)

        # This must run after the scatter is updated.
        self._refreshing = CallThrottle(self.refresh, _TURN_MS, self)
        self.spin.valueChanged.connect(self._type)
        self.spin.editingFinished.connect(self._end_typing)
        workspace.threshold_changed.connect(self._follow_threshold)
        workspace.scores_changed.connect(self._refresh_scores)
        workspace.axes_changed.connect(self._axes)
        workspace.corpus_changed.connect(self._refresh_soon)
        workspace.columns_changed.connect(self._refresh_soon)
        workspace.selection.set_changed.connect(self._check)
        self._dress()
        follow_theme(self._dress)
        self.refresh()

    @property
    def words(self) -> str:
        """The numbers shown, as words; "" if there are none."""
        if self.best_button.isHidden():
            return self.sentence.text()
        extent = [] if self.extent.isHidden() else [self.extent.text()]
        quality = [label.text() for label in self.quality.values()]
        return ", ".join([*quality, *(count.accessibleName() for count in self.counts.values()), *extent])

    def reset(self) -> None:
        self._workspace.move_threshold(self._workspace.natural_threshold(self._workspace.y))

    def best(self) -> None:
        scores, labels = self._labelled_scores()
        if len(scores):
            higher = self._workspace.higher_is_closer(self._workspace.y)
            value, _ = analysis.best_threshold(scores, labels, higher_is_closer=higher)
            if is_prediction(scores):
                value = VERDICT_THRESHOLD
            self._workspace.move_threshold(value)

    def _type(self, value: float) -> None:
        """Move the threshold; all signs of a number, and all presses of an arrow key, are one movement."""
        typed, threshold = self._typed, self._workspace.threshold
        start = threshold if typed is None or typed[1] != threshold else typed[0]
        self._typed = start, value
        self._workspace.move_threshold(value, start)

    def _end_typing(self) -> None:
        self._typed = None

    def choose(self, outcome: str) -> None:
        """Select the pairs of an outcome ("tp", "fp", "fn", "tn"); the selection follows threshold and scores."""
        name = self._outcomes[outcome]
        mask = partial(outcome_mask, self._workspace, outcome)
        self._workspace.selection.add_rule(SelectionRule(name, mask, part=OUTCOME))

    def refresh(self) -> None:
        """Show the threshold and the numbers at it."""
        self._refreshing.stop()
        self._refresh()
        self.refreshed.emit()

    def _refresh(self) -> None:
        workspace = self._workspace
        with QSignalBlocker(self.spin):
            # Set only values that differ, because setting one rewrites a number that is being typed.
            if self.spin.singleStep() != (step := 0.1 if identify(workspace.y).is_from_judge else 0.01):
                self.spin.setSingleStep(step)
            if self.spin.value() != workspace.threshold:
                self.spin.setValue(workspace.threshold)
        self.one_sided.say(describe_judges(list(one_sided_judges(workspace, [workspace.y]).values())))
        scores, labels = self._labelled_scores()
        labelled = bool(len(scores))
        self.extent.setVisible(labelled and bool(self._among))
        self.extent.setText(self.tr("of {0} selected").format(pairs_words(len(scores))))
        for widget in (*self.quality.values(), *self.counts.values(), self.best_button):
            widget.setVisible(labelled)
        self.sentence.setVisible(not labelled)
        if not labelled:
            self.sentence.setText(self._describe_unlabelled())
            return
        higher = workspace.higher_is_closer(workspace.y)
        outcome_counts = analysis.counts(scores, labels, workspace.threshold, higher_is_closer=higher)
        texts = {
            "accuracy": self.tr("accuracy {value}"),
            "f1": self.tr("F1 {value}"),
            "precision": self.tr("precision {value}"),
            "recall": self.tr("recall {value}"),
        }
        for name, label in self.quality.items():
            value = float(getattr(outcome_counts, name))
            label.setText(texts[name].format(value="–" if math.isnan(value) else f"{value:.3f}"))
        positive, negative = outcome_counts.tp + outcome_counts.fn, outcome_counts.fp + outcome_counts.tn
        for name, count in self.counts.items():
            count.setText(f"{name.upper()} {format_count(int(getattr(outcome_counts, name)))}")
            count.setAccessibleName(f"{count.text()}, {self._outcomes[name]}")
            # As wide as the largest count, so that no button moves while the line is dragged.
            most = f"{name.upper()} {format_count(int(positive if name in ('tp', 'fn') else negative))}"
            wanted, shown = (count.fontMetrics().size(0, text).width() for text in (most, count.text()))
            count.setMinimumWidth(count.sizeHint().width() + max(wanted - shown, 0))

    def _dress(self) -> None:
        """Apply the theme: correct counts in green, wrong ones in red."""
        for name, count in self.counts.items():
            set_rules(count, _RULES.replace("$sign", "$good" if name in ("tp", "tn") else "$bad"))

    def set_scale(self, factor: float) -> None:
        font = scale_font(self._base, factor)
        for widget in self.findChildren(QWidget):
            widget.setFont(font)

    def _count_button(self, outcome: str) -> QToolButton:
        tips = {
            "tp": self.tr("True positives: paraphrases on the paraphrase side of the line. Click to select them."),
            "fp": self.tr(
                "False positives: pairs that are not paraphrases, on the paraphrase side. Click to select them."
            ),
            "fn": self.tr("False negatives: paraphrases on the other side. Click to select them."),
            "tn": self.tr("True negatives: pairs that are not paraphrases, on the other side. Click to select them."),
        }
        self._outcomes[outcome] = tips[outcome].split(":")[0]
        count = name_control(QToolButton(), self._outcomes[outcome], tips[outcome])
        count.setCheckable(True)
        count.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        count.clicked.connect(partial(self._choose_outcome, outcome))
        return count

    def _choose_outcome(self, outcome: str) -> None:
        if self.counts[outcome].isChecked():
            self.choose(outcome)
        elif (rule := self._workspace.selection.rule_of(OUTCOME)) is not None:
            self._workspace.selection.drop_rule(rule)

    def _labelled_scores(self) -> tuple[Scores, Labels]:
        """Return the scores on y of the selected pairs that have one and a label, and their labels.

        A selection of one outcome does not count, because all four are shown.
        """
        scores = self._workspace.values(self._workspace.y)
        if scores is None or not self._workspace.predicts(self._workspace.y):
            return np.zeros(0), np.zeros(0, dtype=np.int8)
        labels = self._workspace.labels()
        both = is_scored(scores) & (labels != UNLABELLED)
        if (among := self._workspace.selection.mask_without(OUTCOME)) is not None:
            both &= among
        return scores[both], labels[both]

    def _describe_unlabelled(self) -> str:
        workspace = self._workspace
        if workspace.selection.mask_without(OUTCOME) is not None and self._has_labels():
            return self.tr("None of the selected pairs has a label.")
        scores = workspace.values(workspace.y)
        scored = scores[is_scored(scores)] if scores is not None else np.zeros(0)
        if not len(scored):
            return ""
        if not workspace.predicts(workspace.y):
            text = self.tr("{column} is not a score, so it cannot be right or wrong.")
            return text.format(column=workspace.title(workspace.y))
        above = int(np.count_nonzero(scored >= workspace.threshold))
        text = self.tr("No labels: {above} on or above the line, {below} below it.")
        return text.format(above=pairs_words(above), below=format_count(len(scored) - above))

    def _has_labels(self) -> bool:
        return bool((self._workspace.labels() != UNLABELLED).any())

    def _refresh_scores(self, columns: frozenset[str]) -> None:
        if self._workspace.y in columns:
            self._refresh_soon()

    def _refresh_soon(self) -> None:
        self._refreshing.ask_if(self._workspace.is_large)

    def _follow_threshold(self) -> None:
        """Refresh the numbers, unless the axis has just changed too and they are about to be refreshed."""
        if not self._workspace.is_large or not self._refreshing.isActive():
            self.refresh()

    def _axes(self) -> None:
        self.spin.setAccessibleDescription(self._workspace.title(self._workspace.y))
        self._refresh_soon()

    def _check(self) -> None:
        selection = self._workspace.selection
        rule, among = selection.rule_of(OUTCOME), tuple(rule for rule in selection.rules if rule.part != OUTCOME)
        if among or self._among:
            self._refreshing.ask()
        self._among = among
        mask = None if rule is None else rule.mask
        chosen = mask.args[1] if isinstance(mask, partial) and mask.func is outcome_mask else None
        for name, count in self.counts.items():
            count.setChecked(name == chosen)


def outcome_mask(workspace: CorpusWorkspace, outcome: str) -> Mask:
    """Return the pairs with an outcome at the current threshold on the y axis, bool (n,)."""
    scores, labels = workspace.values(workspace.y), workspace.labels()
    if scores is None:
        return np.zeros(workspace.table.rows, dtype=bool)
    higher = workspace.higher_is_closer(workspace.y)
    return np.asarray(analysis.outcome(scores, labels, workspace.threshold, higher) == OUTCOMES[outcome])
