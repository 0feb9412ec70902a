"""Why a score is what it is: the edits of a pair, what each did, and the variants between the two sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isnan

from PySide6.QtCore import QCoreApplication, QPoint, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QMenu, QWidget, QWidgetAction

from parapluie_gui.analysis.names import shown_name
from parapluie_gui.analysis.score_column import Meaning, ScoreColumn
from parapluie_gui.features.explain.asking import AskingView
from parapluie_gui.features.explain.beside import BesideView
from parapluie_gui.features.explain.effects import (
    EditStates,
    EffectBars,
    edit_words,
    effects_of,
    kind_name,
    kind_words,
    tints_of,
)
from parapluie_gui.features.explain.explanation import Explanation, ExplanationPlan
from parapluie_gui.features.explain.replacing import ReplacingView
from parapluie_gui.metrics.changes.corrections import correction_text, read_corrections
from parapluie_gui.metrics.changes.types import change_types, types_of
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.pair.sentences import MarkedPair
from parapluie_gui.ui.state import score_names
from parapluie_gui.ui.state.throttle import Throttle
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, named, set_shown, vbox, widget_of
from parapluie_gui.ui.widgets.controls import fold_button
from parapluie_gui.ui.widgets.wrapped import WrappedText

translate = QCoreApplication.translate

#: Width of the definition, in letters.
_LETTERS = 46


def kind_menu(kind: str, by_rule: str, choose: Callable[[str], None] | None, parent: QWidget) -> QMenu:
    """Return a menu that tells what the kind of an edit is; `choose` takes the id of the right one.

    Args:
        kind: The id of the edit's kind.
        by_rule: The id of the kind that the rules find.
        choose: None where nothing can be corrected.
        parent: Owns the menu.
    """
    menu = QMenu(translate("KindMenu", "Kind of change"), parent)
    menu.setAccessibleName(menu.title())
    menu.setToolTipsVisible(True)
    types = change_types()
    menu.addAction(_words(kind_words(types[kind]), menu))
    if choose is not None:
        menu.addSection(translate("KindMenu", "The right kind"))
        for id, each in types.items():
            name = kind_name(each)
            action = QAction(translate("KindMenu", "{0} (by rule)").format(name) if id == by_rule else name, menu)
            action.setCheckable(True)
            action.setChecked(id == kind)
            action.setToolTip(kind_words(each))
            action.triggered.connect(partial(_choose, choose, id))
            menu.addAction(action)
    return menu


def _choose(choose: Callable[[str], None], id: str, checked: bool = True) -> None:
    choose(id)


def _words(text: str, menu: QMenu) -> QWidgetAction:
    """Return an entry that is a paragraph."""
    label = WrappedText()
    label.say(text)
    label.setFixedWidth(_LETTERS * label.fontMetrics().averageCharWidth())
    entry = QWidgetAction(menu)
    entry.setText(text)
    entry.setDefaultWidget(widget_of(vbox(label, margins=(12, 8, 12, 8))))
    return entry


#: Going through pairs stays fluid: nothing is scored until the pair has stayed for this long.
REST_MS = 80


class WhyView(AskingView):
    """A part of the Pair panel and of the Bench that is folded until it is wanted; asks for the variants of a plan.

    Signals:
        corrected: (corrections) The kind of an edit was corrected; `metrics.changes.corrections` writes them.
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
        self._asking = Throttle(self._ask, REST_MS, self, rest=True)

    def set_pair(self, source: str = "", hypothesis: str = "") -> None:
        """Explain another pair, if the part is unfolded; without one all of it is hidden, and stays unfolded."""
        pair = (source, hypothesis) if source and hypothesis else None
        set_shown(self, pair is not None)
        if self._pair != pair:
            self._pair = pair
            self._begin()

    def set_corrections(self, corrections: str | None) -> None:
        """Set which kinds of the pair's edits a person corrected; None where they cannot be corrected."""
        self.bars.correctable = corrections is not None
        if self._corrections != (corrections or ""):
            self._corrections = corrections or ""
            self.show_known()

    def set_columns(
        self,
        columns: Sequence[str],
        model: str = "",
        titles: Mapping[str, str] | None = None,
        computed: Mapping[str, Meaning] | None = None,
    ) -> None:
        """Set the scores that can be explained; the chosen one stays if it is among them, otherwise a judge's is taken.

        Args:
            columns: The scores.
            model: The judge that will be asked.
            titles: Titles for scores that differ by their judges.
            computed: Columns that are worked out from them, and how these read.
        """
        self._model, self._titles = model, titles or {}
        columns = [*columns, *(computed or {})]
        for view in (self, self.beside, self.replacing):
            view.set_meanings(computed or {})
        before = self.column()
        self._box.blockSignals(True)
        self._box.clear()
        for column in columns:
            self._box.addItem(self._title(column), column)
        wanted = before if before in columns else next((column for column in columns if identify(column).judged), "")
        self._box.setCurrentIndex(max(self._box.findData(wanted), 0 if columns else -1))
        self._box.blockSignals(False)
        # What kept a judge from answering may be gone: it was downloaded, or another one is chosen.
        if self.column() != before or self.refused:
            self._begin()

    def _title(self, column: str) -> str:
        return self._titles.get(column) or shown_name(identify(column).with_judge(self._model))

    def column(self) -> str:
        """Return the score that is explained, or ""."""
        return str(self._box.currentData() or "")

    @property
    def stops(self) -> tuple[QWidget, ...]:
        """What Tab goes through, in its order."""
        return (self.fold, self._box, self.bars, *self.beside.stops, *self.replacing.stops)

    def undefined(self) -> str:
        return self.tr("This score is not defined for every variant of the pair.")

    def _build(self) -> None:
        tip = self.tr("What each of the words that differ did to a score")
        self.fold = fold_button(self.tr("Which words decided"), tip)
        self.fold.toggled.connect(self._unfold)
        self._box = named(QComboBox(), self.tr("Score that is explained"), "")
        self._box.currentIndexChanged.connect(self._begin)
        self.bars = EffectBars()
        self.bars.switched.connect(self._switch)
        self.bars.kind_asked.connect(self._show_kind)
        self.bars.hide()
        self._variant = WrappedText()
        self._notes = WrappedText(muted=True)
        for part in (self._variant, self._notes):
            part.say("")
        self.beside = BesideView()
        self.beside.switched.connect(self._switch)
        self.beside.kind_asked.connect(self._show_kind)
        self.beside.hide()
        self.replacing = ReplacingView()
        self.replacing.hide()
        self._sentences.clicked.connect(self._replace)
        parts = (self._box, self._hint, self.bars, self._variant, self._notes, self.beside, self.replacing)
        self._inside = widget_of(vbox(*parts, margins=NO_MARGINS, spacing=6))
        self._inside.hide()
        vbox(self.fold, self._inside, within=self, margins=NO_MARGINS, spacing=4)

    def _unfold(self, unfolded: bool) -> None:
        self._inside.setVisible(unfolded)
        self._begin()

    def _begin(self) -> None:
        """Discard the explanation; ask again if the view is visible."""
        self.give_up()
        self._plan, self._undone = None, frozenset()
        self.bars.set_effects((), 2)
        for part in (self._variant, self._notes):
            part.say("")
        self._sentences.show_tints((), ())
        self.replacing.forget()
        self.replacing.hide()
        self.beside.forget()
        self.beside.hide()
        if self.fold.isChecked() and self._pair is not None:
            self._asking.ask()
        else:
            self._asking.stop()

    def _ask(self) -> None:
        if self._pair is None or not self.fold.isChecked():
            return
        plan = ExplanationPlan(*self._pair)
        if not plan.edits:
            self._hint.say(self.tr("The two texts are the same: there is nothing to explain."))
            return
        self._plan = plan
        self.expect(len(plan.subsets))
        self._by_rule = types_of(*self._pair, plan.edits)
        self.show_known()
        self.replacing.set_pair(*self._pair, self.column())
        if not self.column():
            self._hint.say(self.tr("Choose a metric or a template in Setup first."))
            return
        self._hint.say(self.tr("Scoring {0} variants …").format(len(plan.subsets)))
        self.asked.emit(plan, self.column())
        others = [self._box.itemData(at) for at in range(self._box.count()) if at != self._box.currentIndex()]
        self.beside.offer([(self._title(column), column) for column in others])
        self.beside.set_plan(*self._pair, plan, EditStates(self._kinds(plan), self._by_rule))
        self.beside.setVisible(bool(others))

    def _show_kind(self, edit: int, place: QPoint) -> None:
        """Tell what the kind of an edit is, and let it be corrected."""
        plan = self._plan
        if plan is None:
            return

        def choose(id: str) -> None:
            chosen = read_corrections(plan.edits, self._corrections) | {edit: id}
            if id == self._by_rule[edit]:
                del chosen[edit]
            self.corrected.emit(correction_text(plan.edits, chosen))

        kind = self._kinds(plan)[edit]
        self._menu = kind_menu(kind, self._by_rule[edit], choose if self.bars.correctable else None, self)
        self._menu.aboutToHide.connect(self._menu.deleteLater)
        self._menu.popup(place)

    def _kinds(self, plan: ExplanationPlan) -> list[str]:
        """Return the id of each edit's kind, as it was corrected, otherwise by rule."""
        right = read_corrections(plan.edits, self._corrections)
        return [right.get(number, id) for number, id in enumerate(self._by_rule)]

    def _replace(self, side: int, place: int) -> None:
        """Show what would stand in the place of a word that was clicked."""
        if self.replacing.isVisible():
            self.replacing.replace(side, place)

    def _switch(self, edit: int) -> None:
        self._undone = self._undone ^ {edit}
        self.show_known()

    def show_known(self) -> None:
        plan = self._plan
        if plan is None:
            return
        scores = self.scored(self.column())
        found = None
        if not self._waiting:
            found = plan.explain(self._scores.tolist(), scores.threshold, scores.higher_is_closer)
        states = EditStates(self._kinds(plan), self._by_rule, self._undone)
        effects = effects_of(plan, scores, found, states)
        self.bars.set_effects(effects, 2 if scores.judged else 3)
        self._sentences.show_tints(*tints_of(plan, effects))
        self.beside.show_states(states)
        self._write_variant(plan, scores)
        self._notes.say("" if found is None else self._in_words(found, scores))

    def _write_variant(self, plan: ExplanationPlan, scores: ScoreColumn) -> None:
        """Show the variant of the switches, with its score if it is one of those that were scored."""
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

    def _in_words(self, found: Explanation, scores: ScoreColumn) -> str:
        """Return the sum, the strongest interaction and the smallest change of verdict."""
        write = score_names.format_signed if scores.judged else score_names.format_plain
        lines = [
            self.tr("The source with itself: {0}. The pair: {1}.").format(write(found.same), write(found.score)),
        ]
        pair = found.interaction
        if pair is not None and abs(pair.index) > 0.05 * max(map(abs, found.values)):
            first, second = (edit_words(found.edits[edit]) for edit in (pair.first, pair.second))
            lines.append(
                self.tr("“{0}” and “{1}”: together {2}, alone {3} and {4}.").format(
                    first, second, write(pair.together), *map(write, pair.alone)
                )
            )
        if found.flip is not None:
            undone = self.tr("”, “").join(edit_words(found.edits[edit]) for edit in found.flip)
            lines.append(self.tr("The verdict changes without “{0}”.").format(undone))
            if not found.fewest:
                lines.append(self.tr("These are the fewest edits of those tried."))
        if not found.exact:
            lines.append(self.tr("From {0} variants, with 95 % intervals.").format(found.evaluations))
        return "\n".join(lines)
