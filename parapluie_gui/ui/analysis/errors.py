"""The page of errors: what they have in common, what is special about any pairs, and labels that may be wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parapluie_gui.analysis.errors.labels import Suspects, suspects
from parapluie_gui.analysis.errors.special import Group, Special, groups, special
from parapluie_gui.analysis.errors.traits import without_own
from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.threshold import Outcome, outcome
from parapluie_gui.arrays import Mask
from parapluie_gui.judgements.scheme import REVIEWED
from parapluie_gui.pairs.column import TextColumn
from parapluie_gui.report.errors import groups_grid, special_grid, suspects_grid
from parapluie_gui.report.explained import blame_grid
from parapluie_gui.ui.analysis.experiment import WorkedPage
from parapluie_gui.ui.analysis.page import Links, Work
from parapluie_gui.ui.state.error_blame import ErrorsExplained, ErrorsWanted
from parapluie_gui.ui.widgets.arrange import button
from parapluie_gui.ui.widgets.choice import Choice
from parapluie_gui.ui.widgets.empty import EmptyState
from parapluie_gui.ui.widgets.text import QT_TRANSLATE_NOOP
from parapluie_gui.ui.widgets.theme import Theme

#: Rows of a table that are shown.
MOST = 50
#: Letters of a sentence that are shown; the pair itself is one click away.
_LETTERS = 60

_SELECTED = "selected"
#: The errors, and the right answers of the same label that they are compared with.
_ERRORS = {
    "fp": (Outcome.FALSE_POSITIVE, Outcome.TRUE_NEGATIVE),
    "fn": (Outcome.FALSE_NEGATIVE, Outcome.TRUE_POSITIVE),
}


@dataclass(frozen=True, eq=False)
class _Found:
    """What the thread found out about the pairs in `chosen`, (n,); they were compared with `compared` others.

    Attributes:
        threshold: The one at which the score was judged.
    """

    threshold: float
    chosen: Mask
    compared: int
    groups: list[Group]
    special: list[Special]
    suspects: Suspects


class ErrorsPage(WorkedPage[_Found]):
    """Errors of one score, or the selection; a row clicked selects its pairs.

    The score on the scatter is judged at the decision line, every other one at its natural threshold or at its best.
    """

    called = QT_TRANSLATE_NOOP("Page", "Errors")
    follows_threshold = True
    follows_people = True

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__(links, theme)
        self.setProperty("manual_page", "errors")
        self.score, self.set = Choice(), Choice()
        for choice in (self.score, self.set, self.part):
            choice.chosen.connect(self.changed)
        self.bar((self.tr("&Score"), self.score), (self.tr("Pai&rs"), self.set), (self.tr("o&n"), self.part))
        self.none = EmptyState()
        self.flow.addWidget(self.none)
        self.groups, self.special = self.table(), self.table()
        self.groups.clicked.connect(self._group_clicked)
        self.special.clicked.connect(self._special_clicked)
        self.select_all = button(
            self.tr("Select them all"), self._select_suspects, name=self.tr("Select all pairs whose label may be wrong")
        )
        self.explain_button = button(
            self.tr("Explain them all"),
            self._explain,
            self.tr("Which kinds of change decided these pairs: every variant of each of them is scored"),
        )
        explaining = self.offer_stop(self.tr("explaining"), links.blame_stopped)
        self.bar(("", self.explain_button), ("", explaining))
        self.stage.say("")
        self.flow.addWidget(self.stage)
        self.blame = self.table()
        self.blame.hide()
        self._blamed: list[ErrorsExplained] = []
        tip = self.tr("Go through them by keys, the most likely first: label is right, wrong, unsure")
        self.review = button(self.tr("Review them…"), self._review, tip, self.tr("Review labels that may be wrong"))
        self.labels = self.table()
        self.labels.clicked.connect(self._suspect_clicked)
        self.bar(("", self.review), ("", self.select_all))
        for each in (self.explain_button, self.review, self.select_all):
            each.hide()  # until there is something that they are about
        links.workspace.selection.set_changed.connect(self._follow_selection)

    def settle(self, inputs: Material) -> None:
        names = inputs.names
        self.score.offer(names, [self.links.full_title(name) for name in names], inputs.y)
        titles = {"fp": self.tr("False positives"), "fn": self.tr("False negatives")} if inputs.labelled else {}
        titles[_SELECTED] = self.tr("Selected pairs")
        self.set.offer(list(titles), list(titles.values()))
        super().settle(inputs)

    def work(self, inputs: Material, studies: Studies) -> Work[_Found]:
        wanted, score = self.set.key(), inputs.score_column(self.score.key())
        _, where = self.chosen_part(inputs)
        selected = self.links.workspace.selection.mask.copy()

        def threshold(each: ScoreColumn) -> float:
            return inputs.threshold(each, where)

        def work(tick: Tick) -> _Found:
            known = studies.traits(inputs, tick)
            if wanted == _SELECTED:
                chosen, others = selected & where, ~selected & where
            else:
                known = without_own(known, score.name)
                codes = outcome(score.values, inputs.labels, threshold(score), score.higher_is_closer)
                chosen, others = ((codes == code) & where for code in _ERRORS[wanted])
            thresholds = list(map(threshold, inputs.score_columns))
            doubtful = suspects(inputs.score_columns, inputs.labels, where, thresholds)
            found = groups(known, chosen, others), special(known, chosen, others)
            return _Found(threshold(score), chosen, int(others.sum()), *found, doubtful)

        return work

    def show_result(self, inputs: Material, result: _Found) -> None:
        lines = inputs.signature_lines()
        count = f"{int(result.chosen.sum()):,}"
        title = self.tr("Groups among {0} pairs: {1}").format(count, self._what())
        self.groups.show_grid(groups_grid(result.groups, title), lines)
        self.groups.setVisible(bool(result.chosen.any() and result.compared))
        self.explain_button.setVisible(bool(result.chosen.any()))
        self.none.say(self._why_none(result), "search" if self.set.key() == _SELECTED else "tabs.show_scatter")
        self.special.setVisible(bool(result.special))
        title = self.tr("What is special about them")
        self.special.show_grid(special_grid(result.special, title, most=MOST), lines)
        said = inputs.people.columns.get(REVIEWED)
        answers = said if isinstance(said, TextColumn) else None
        doubtful = suspects_grid(result.suspects, inputs.corpus, inputs.labels, MOST, _LETTERS, answers)
        self.labels.setVisible(inputs.labelled)
        self.labels.show_grid(doubtful, lines)
        for either in (self.select_all, self.review):
            either.setVisible(bool(len(result.suspects.rows)))

        self._show_blame()

    def _what(self) -> str:
        """Return what the pairs are: "False positives of BLEU"."""
        if self.set.key() == _SELECTED:
            return self.set.currentText()
        return self.tr("{0} of {1}").format(self.set.currentText(), self.score.currentText())

    def _why_none(self, result: _Found) -> str:
        """Return why no group can be looked for, "" where it can."""
        selected = self.set.key() == _SELECTED
        if not result.chosen.any():
            none = self.tr("{0}: there are none.").format(self._what())
            return self.tr("No pair is selected. Type a filter, or draw a lasso.") if selected else none
        if result.compared:
            return ""
        if selected:
            return self.tr("All pairs are selected: none is left to compare them with. Type a filter, or draw a lasso.")
        return self.tr("{0}: no pair with this label is right, so there is none to compare them with.").format(
            self._what()
        )

    # What decided them

    def show_chosen(self) -> None:
        """Show whether the pairs can be explained."""
        self.explain_button.setEnabled(self._wanted() is not None and self.running.isHidden())

    def show_explained(self, found: ErrorsExplained) -> None:
        """Show which kinds of change decided the pairs."""
        self._blamed = [found, *(old for old in self._blamed if old.wanted.of_same_corpus(found.wanted))]
        self._show_blame()

    def _wanted(self) -> ErrorsWanted | None:
        if self._shown is None or (corpus := self.links.workspace.judged) is None:
            return None
        rows = np.flatnonzero(self.result.chosen)
        if not len(rows):
            return None
        return ErrorsWanted(corpus, rows, self.score.key(), self.result.threshold)

    def _explain(self) -> None:
        wanted = self._wanted()
        if wanted is None:
            self.stage.say(self.tr("There is nothing to explain."))
            return
        self.show_begun()
        self.links.blame_wanted.emit(wanted)

    def _show_blame(self) -> None:
        """Show what decided the pairs, if these are the pairs that were explained."""
        wanted = self._wanted()
        found = next((each for each in self._blamed if wanted is not None and each.wanted.same_as(wanted)), None)
        self.show_chosen()
        self.blame.setVisible(found is not None)
        if found is not None:
            title = self.tr("Which kinds of change decided: {0}").format(self._what())
            grid = blame_grid(found.blame, title, len(found.wanted.rows))
            self.blame.show_grid(grid, self.inputs.signature_lines())

    def _follow_selection(self) -> None:
        rule = self.links.workspace.selection.rule
        if self.set.key() == _SELECTED and (rule is None or rule is not self.links.own):
            self.changed.emit()

    def _group_clicked(self, row: int, column: int) -> None:
        group = self.result.groups[row]
        self.links.select_rows(group.special.trait.name, group.rows)

    def _special_clicked(self, row: int, column: int) -> None:
        trait = self.result.special[row].trait
        self.links.select_rows(trait.name, trait.rows[self.result.chosen[trait.rows]])

    def _suspect_clicked(self, row: int, column: int) -> None:
        self._select_suspects()
        self.links.workspace.selection.set_primary(int(self.result.suspects.rows[row]))

    def _review(self) -> None:
        self.links.review_wanted.emit(self.result.suspects.rows)

    def _select_suspects(self) -> None:
        self.links.select_rows(self.tr("Labels that may be wrong"), self.result.suspects.rows)
