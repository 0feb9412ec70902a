"""The section "Which words decided": the effect of each edit on a score, and variants with some edits undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isnan

from PySide6.QtCore import QCoreApplication, QPoint, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QMenu, QWidget, QWidgetAction

from parapluie_gui.analysis.names import shown_name
from parapluie_gui.analysis.score_column import ColumnMeaning, ScoreColumn
from parapluie_gui.features.explain.effects import (
    EditStates,
    EffectBars,
    EffectScale,
    arrange_effects,
    describe_kind,
    effects_of,
    format_edit,
    kind_name,
    tints_of,
)
from parapluie_gui.features.explain.explanation import Explanation, ExplanationPlan
from parapluie_gui.features.explain.replacements_view import ReplacementsView
from parapluie_gui.features.explain.second_score import SecondScoreView
from parapluie_gui.features.explain.sentence import flip_sentence
from parapluie_gui.features.explain.variant_view import VariantView
from parapluie_gui.metrics.changes.corrections import correction_text, read_corrections
from parapluie_gui.metrics.changes.types import change_types, types_of
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.pair.sentences import MarkedPair
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.throttle import CallThrottle
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, name_control, set_shown, vbox, widget_of
from parapluie_gui.ui.widgets.controls import fold_button
from parapluie_gui.ui.widgets.wrapped import WrappedText

translate = QCoreApplication.translate

#: Width of the definition of a kind, in average characters.
_DEFINITION_WIDTH = 46


def kind_menu(kind: str, by_rule: str, choose: Callable[[str], None] | None, parent: QWidget) -> QMenu:
    """Return a menu that defines the kind of an edit and offers to correct it.

    Args:
        kind: The id of the edit's kind.
        by_rule: The id of the kind that the rules name.
        choose: Called with the id of the correct kind; None if the kind cannot be corrected.
        parent: The parent of the menu.
    """
    menu = QMenu(translate("KindMenu", "Kind of change"), parent)
    menu.setAccessibleName(menu.title())
    menu.setToolTipsVisible(True)
    types = change_types()
    menu.addAction(_text_entry(describe_kind(types[kind]), menu))
    if choose is not None:
        menu.addSection(translate("KindMenu", "The right kind"))
        for id, type in types.items():
            name = kind_name(type)
            action = QAction(translate("KindMenu", "{0} (by rule)").format(name) if id == by_rule else name, menu)
            action.setCheckable(True)
            action.setChecked(id == kind)
            action.setToolTip(describe_kind(type))
            action.triggered.connect(partial(_choose, choose, id))
            menu.addAction(action)
    return menu


def _choose(choose: Callable[[str], None], id: str, checked: bool = True) -> None:
    choose(id)


def _text_entry(text: str, menu: QMenu) -> QWidgetAction:
    """Return a menu entry with wrapped text."""
    label = WrappedText()
    label.say(text)
    label.setFixedWidth(_DEFINITION_WIDTH * label.fontMetrics().averageCharWidth())
    entry = QWidgetAction(menu)
    entry.setText(text)
    entry.setDefaultWidget(widget_of(vbox(label, margins=(12, 8, 12, 8))))
    return entry


#: Delay before a new pair is scored, so that moving quickly through pairs stays smooth.
DELAY_MS = 80


class ExplanationView(VariantView):
    """A section of the Pair panel and of the Bench, folded at first. Requests the scores of an `ExplanationPlan`.

    Signals:
        corrected: (corrections) The user corrected the kind of an edit; the format is in `metrics.changes.corrections`.
    """

    corrected = Signal(str)

    def __init__(self, sentences: MarkedPair, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("manual_page", "explain")
        self._sentences = sentences
        self._pair: tuple[str, str] | None = None
        self._plan: ExplanationPlan | None = None
        self._by_rule: tuple[str, ...] = ()
        self._corrections = ""
        self._undone: frozenset[int] = frozenset()
        self._model = ""
        self._titles: Mapping[str, str] = {}
        self._build()
        self._delay = CallThrottle(self._request, DELAY_MS, self, rest=True)

    def set_pair(self, source: str = "", hypothesis: str = "") -> None:
        """Explain a pair if the section is unfolded. Without a pair the section is hidden but stays unfolded."""
        pair = (source, hypothesis) if source and hypothesis else None
        set_shown(self, pair is not None)
        if self._pair != pair:
            self._pair = pair
            self._begin()

    def set_corrections(self, corrections: str | None) -> None:
        """Set the corrected kinds of the pair's edits; None if they cannot be corrected."""
        self.bars.correctable = corrections is not None
        if self._corrections != (corrections or ""):
            self._corrections = corrections or ""
            self.show_known()

    def set_columns(
        self,
        columns: Sequence[str],
        model: str = "",
        titles: Mapping[str, str] | None = None,
        computed: Mapping[str, ColumnMeaning] | None = None,
    ) -> None:
        """Set the scores that can be explained.

        The chosen score is kept if possible; otherwise a judge's score is chosen.

        Args:
            columns: The scores.
            model: The judge that computes them.
            titles: Titles of scores that several judges give.
            computed: The computed columns, with direction and threshold.
        """
        self._model, self._titles = model, titles or {}
        columns = [*columns, *(computed or {})]
        for view in (self, self.second_score, self.replacements):
            view.set_meanings(computed or {})
        before = self.column()
        self._box.blockSignals(True)
        self._box.clear()
        for column in columns:
            self._box.addItem(self._title(column), column)
        current = (
            before if before in columns else next((column for column in columns if identify(column).is_from_judge), "")
        )
        self._box.setCurrentIndex(max(self._box.findData(current), 0 if columns else -1))
        self._box.blockSignals(False)
        # Try again after an error: the judge may have been downloaded or replaced.
        if self.column() != before or self.refused:
            self._begin()

    def _title(self, column: str) -> str:
        return self._titles.get(column) or shown_name(identify(column).with_judge(self._model))

    def column(self) -> str:
        """Return the name of the explained score, or ""."""
        return str(self._box.currentData() or "")

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """The widgets that take the focus, in tab order."""
        return (self.fold, self._box, self.bars, self._more, *self.second_score.stops, *self.replacements.stops)

    def undefined_message(self) -> str:
        return self.tr("This score is not defined for every variant of the pair.")

    def _build(self) -> None:
        tip = self.tr("The effect of each difference between the sentences on a score")
        self.fold = fold_button(self.tr("Which words decided"), tip)
        self.fold.toggled.connect(self._unfold)
        self._box = name_control(QComboBox(), self.tr("Score to explain"), "")
        self._box.currentIndexChanged.connect(self._begin)
        self.bars = EffectBars()
        self.bars.switched.connect(self._switch)
        self.bars.kind_requested.connect(self._show_kind)
        self.bars.hide()
        self._more = fold_button(self.tr("Edits whose value rounds to zero"))
        self._more.hide()
        self._more.toggled.connect(self.show_known)
        self._variant = WrappedText()
        self._notes = WrappedText(muted=True)
        for part in (self._variant, self._notes):
            part.say("")
        self.second_score = SecondScoreView()
        self.second_score.switched.connect(self._switch)
        self.second_score.kind_requested.connect(self._show_kind)
        self.second_score.hide()
        self.replacements = ReplacementsView()
        self.replacements.hide()
        self._sentences.clicked.connect(self._replace)
        parts = (
            self._box,
            self._hint,
            self.bars,
            self._more,
            self._variant,
            self._notes,
            self.second_score,
            self.replacements,
        )
        self._inside = widget_of(vbox(*parts, margins=NO_MARGINS, spacing=6))
        self._inside.hide()
        vbox(self.fold, self._inside, within=self, margins=NO_MARGINS, spacing=4)

    def _unfold(self, unfolded: bool) -> None:
        self._inside.setVisible(unfolded)
        self._begin()

    def _begin(self) -> None:
        """Discard the explanation; request a new one if the section is unfolded."""
        self.cancel()
        self._plan, self._undone = None, frozenset()
        self.bars.set_effects((), 2)
        self._more.hide()
        for part in (self._variant, self._notes):
            part.say("")
        self._sentences.show_tints((), ())
        self.replacements.forget()
        self.replacements.hide()
        self.second_score.forget()
        self.second_score.hide()
        if self.fold.isChecked() and self._pair is not None:
            self._delay.ask()
        else:
            self._delay.stop()

    def _request(self) -> None:
        if self._pair is None or not self.fold.isChecked():
            return
        plan = ExplanationPlan(*self._pair)
        if not plan.edits:
            self._hint.say(self.tr("The two sentences are the same: there is nothing to explain."))
            return
        self._plan = plan
        self.expect(len(plan.subsets))
        self._by_rule = types_of(*self._pair, plan.edits)
        self.show_known()
        self.replacements.set_pair(*self._pair, self.column())
        if not self.column():
            self._hint.say(self.tr("Choose a metric or a template in Setup first."))
            return
        self._hint.say(self.tr("Scoring {0} variants …").format(len(plan.subsets)))
        self.requested.emit(plan, self.column())
        others = [self._box.itemData(at) for at in range(self._box.count()) if at != self._box.currentIndex()]
        self.second_score.offer([(self._title(column), column) for column in others])
        self.second_score.set_plan(*self._pair, plan, EditStates(self._kinds(plan), self._by_rule))
        self.second_score.setVisible(bool(others))

    def _show_kind(self, edit: int, place: QPoint) -> None:
        """Show a menu with the definition of an edit's kind and the kinds to correct it to."""
        plan = self._plan
        if plan is None:
            return

        def choose(id: str) -> None:
            corrections = read_corrections(plan.edits, self._corrections) | {edit: id}
            if id == self._by_rule[edit]:
                del corrections[edit]
            self.corrected.emit(correction_text(plan.edits, corrections))

        kind = self._kinds(plan)[edit]
        self._menu = kind_menu(kind, self._by_rule[edit], choose if self.bars.correctable else None, self)
        self._menu.aboutToHide.connect(self._menu.deleteLater)
        self._menu.popup(place)

    def _kinds(self, plan: ExplanationPlan) -> list[str]:
        corrections = read_corrections(plan.edits, self._corrections)
        return [corrections.get(number, id) for number, id in enumerate(self._by_rule)]

    def _replace(self, side: int, place: int) -> None:
        if self.replacements.isVisible():
            self.replacements.replace(side, place)

    def _switch(self, edits: tuple[int, ...]) -> None:
        """Undo edits, or do them again if all of them are undone."""
        switched = frozenset(edits)
        self._undone = self._undone - switched if switched <= self._undone else self._undone | switched
        self.show_known()

    def show_known(self) -> None:
        plan = self._plan
        if plan is None:
            return
        scores = self.score_column(self.column())
        explanation = None
        if not self._waiting:
            explanation = plan.explain(self._scores.tolist(), scores.threshold, scores.higher_is_closer)
        states = EditStates(self._kinds(plan), self._by_rule, self._undone)
        effects = effects_of(plan, scores, explanation, states)
        decimals, scale = 2 if scores.is_from_judge else 3, EffectScale.of(scores, [effect.value for effect in effects])
        shown, folded = arrange_effects(effects, decimals)
        words = self.tr("{0} more without effect").format(len(folded))
        self._more.setText(words)
        self._more.setAccessibleName(words)
        self._more.setVisible(bool(folded))
        self.bars.set_effects([*shown, *(folded if self._more.isChecked() else ())], decimals, scale.limit)
        self._sentences.show_tints(*tints_of(plan, effects, scale.limit))
        self.second_score.show_states(states)
        self._show_variant(plan, scores)
        nothing = explanation is not None and bool(effects) and not any(effect.matters for effect in effects)
        self._notes.say("" if explanation is None else self._summary(explanation, scores, scale, nothing))

    def _show_variant(self, plan: ExplanationPlan, scores: ScoreColumn) -> None:
        """Show the variant without the undone edits, with its score if it was scored."""
        if not self._undone:
            self._variant.say("")
            return
        text, score = plan.variant_without(self._undone, self._scores.tolist())
        if self._waiting:
            self._variant.say(text)
            return
        if score is None or isnan(score):
            self._variant.say(self.tr("{0}\nThis variant was not scored; undo one edit, or all but one.").format(text))
            return
        self._variant.say(f"{text}\n{self._title(scores.name)}: {score_names.format_with_verdict(score, scores)}")

    def _summary(self, explanation: Explanation, scores: ScoreColumn, scale: EffectScale, nothing: bool) -> str:
        """Return sentences on the smallest change of verdict, the total and the strongest interaction.

        With `nothing`, no edit matters.
        """
        write = score_names.format_signed if scores.is_from_judge else score_names.format_plain
        lines = list[str]()
        sentence = flip_sentence(explanation, scores.is_from_judge)
        if nothing:
            matters = self.tr("No word matters here: no edit changes the score by {0} or more.")
            near = self.tr("No edit changes the score by {0} or more, but the score is near its threshold:")
            lines.append((near if sentence else matters).format(f"{scale.least:g}"))
        if sentence:
            lines.append(sentence)
            if not explanation.fewest:
                lines.append(self.tr("Fewer edits may be enough: not all variants were scored."))
        lines.append(
            self.tr("The source with itself: {0}. The pair: {1}.").format(
                write(explanation.same), write(explanation.score)
            )
        )
        if scores.is_from_judge and scores.threshold is not None and explanation.same < scores.threshold:
            lines.append(self.tr("The judge says no even to the source with itself."))
        pair = explanation.interaction
        if pair is not None and abs(pair.index) > 0.05 * max(map(abs, explanation.values)):
            first, second = (format_edit(explanation.edits[edit]) for edit in (pair.first, pair.second))
            words = self.tr(
                "“{0}” and “{1}” depend on each other: together they change the score by {2}, alone by {3} and {4}."
            )
            lines.append(words.format(first, second, write(pair.together), *map(write, pair.alone)))
        if not explanation.exact:
            lines.append(self.tr("From {0} variants, with 95 % intervals.").format(explanation.evaluations))
        return "\n".join(lines)
