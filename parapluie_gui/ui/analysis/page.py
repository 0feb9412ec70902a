"""The base of the Analysis tab's pages: their inputs, their choices, and their effects on the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Generic, TypeVar

import numpy as np
from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QWidget

from parapluie_gui.analysis.link import Decide, Edit, Link, Pairs, Plot
from parapluie_gui.analysis.material import Material, Studies
from parapluie_gui.analysis.score_column import ScoreColumn, Tick
from parapluie_gui.analysis.study import CorpusStudy
from parapluie_gui.arrays import Mask, Rows, Scores
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pluie.templates import Template
from parapluie_gui.ui.analysis.figure_card import FigureCard
from parapluie_gui.ui.analysis.plot import PlotCard
from parapluie_gui.ui.state.selection import Rule
from parapluie_gui.ui.state.workspace import Workspace
from parapluie_gui.ui.widgets.arrange import NO_MARGINS, hbox, vbox
from parapluie_gui.ui.widgets.choice import Choice
from parapluie_gui.ui.widgets.empty import EmptyState
from parapluie_gui.ui.widgets.flow import FlowLayout
from parapluie_gui.ui.widgets.grid_table import GridTable
from parapluie_gui.ui.widgets.theme import Theme

Result = TypeVar("Result")
Work = Callable[[Tick], Result]


class Links(QObject):
    """The effects of clicks in a page on the rest of the window.

    Attributes:
        material: Returns what the analyses compute from, as it is now; None before it is known.
        own: The rule made last by a click here; the analysis does not follow it, or every click would narrow it.
        chosen_scores: Returns the titles of the scores chosen in Setup that can be certified, and of those that cannot.
        wordings: Returns the judge's title ("" for none that is ready), the templates for it and the names of those
            chosen in Setup.

    Signals:
        said: (str) Something was done ("LaTeX copied").
        failed: (str) Why something was not.
        certificate_wanted: (pairs, seed) The chosen scores are to be certified.
        certificate_stopped: That is to end.
        sweep_wanted: (SweepWanted) Pairs are to be judged in many forms of one question.
        sweep_stopped: That is to end.
        blame_wanted: (ErrorsWanted) It is to be found out what decided these errors.
        blame_stopped: That is to end.
        edit_wanted: (source, hypothesis) A pair is to be opened in the Bench.
        review_wanted: (rows) The labels of these pairs, int64 (k,), are to be reviewed in this order.
    """

    said = Signal(str)
    failed = Signal(str)
    certificate_wanted = Signal(int, int)
    certificate_stopped = Signal()
    sweep_wanted = Signal(object)
    sweep_stopped = Signal()
    blame_wanted = Signal(object)
    blame_stopped = Signal()
    edit_wanted = Signal(str, str)
    review_wanted = Signal(object)

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.workspace = workspace
        self.own: Rule | None = None
        self.material: Callable[[], Material | None] = lambda: None
        self.chosen_scores: Callable[[], tuple[list[str], list[str]]] = lambda: ([], [])
        self.wordings: Callable[[], tuple[str, Sequence[Template], Sequence[str]]] = lambda: ("", (), ())

    def follow(self, link: Link) -> None:
        """Do what a click on something asks for."""
        if isinstance(link, Pairs):
            try:
                self.select(link.title, partial(self._mask, link))
            except ParapluieError as error:
                self.failed.emit(str(error))
                return
            if link.primary is not None:
                self.workspace.selection.set_primary(link.primary)
        elif isinstance(link, Decide):
            self.set_threshold(link.score, link.threshold)
        elif isinstance(link, Plot):
            there = link.x if link.x is not None and link.x in self.workspace.table else None
            self.workspace.set_axes(x=there, y=link.y)
        elif isinstance(link, Edit):
            self.edit_wanted.emit(link.source, link.hypothesis)

    def _mask(self, pairs: Pairs) -> Mask:
        """Return which pairs are meant, by the scores there are now: more may have arrived."""
        material = self.material()
        if material is None:
            return np.zeros(len(self.workspace.selection.mask), dtype=bool)
        return np.asarray(pairs.mask(material), dtype=bool)

    def select(self, name: str, mask: Callable[[], Mask]) -> None:
        """Select pairs everywhere, and say how many there are."""
        self.own = Rule(name, mask)
        self.workspace.selection.set_rule(self.own)
        pairs = int(np.count_nonzero(self.workspace.selection.mask))
        count = QCoreApplication.translate("Analysis", "{0}: {1} pairs selected. Esc shows all pairs again.")
        self.said.emit(count.format(name, f"{pairs:,}"))

    def select_rows(self, name: str, rows: Rows) -> None:
        """Select pairs by their numbers, (k,)."""
        mask = np.zeros(len(self.workspace.selection.mask), dtype=bool)
        mask[rows] = True
        self.select(name, lambda: mask)

    def full_title(self, column: str) -> str:
        """Return a column's name with the judge, where that is known; one that lacks pairs says how many it has."""
        workspace, name = self.workspace, self.workspace.title(column)
        if column not in workspace.table:
            return name
        if bounds := sum(workspace.once(f"bounds {column}", partial(workspace.table.bound_counts, column), column)):
            name = QCoreApplication.translate("Analysis", "{0} ({1} bounds)").format(name, f"{bounds:,}")
        scored = workspace.once(f"scored {column}", partial(workspace.table.scored, column), column)
        if not 0 < scored < workspace.table.rows:
            return name
        words = QCoreApplication.translate("Analysis", "{0} (only {1} of {2} pairs)")
        return words.format(name, f"{scored:,}", f"{workspace.table.rows:,}")

    def live(self, score_column: ScoreColumn) -> Scores:
        """Return the present scores of a score column: more may have arrived since it was copied."""
        values = self.workspace.values(score_column.name)
        return score_column.values if values is None else values

    def set_threshold(self, column: str, value: float) -> None:
        """Put a score on the y axis and its decision line somewhere."""
        if np.isfinite(value):
            self.workspace.set_axes(y=column)
            self.workspace.set_threshold(value)
            text = QCoreApplication.translate("Analysis", "The threshold of {0} is now {1}.")
            self.said.emit(text.format(self.full_title(column), f"{value:.4g}".replace("-", "−")))


class Page(QScrollArea, Generic[Result]):
    """Tables and plots one under the other; the page defines how they are computed, not when.

    Attributes:
        called: Its name, to be translated.
        title: Its name in the list of pages.
        part: The choice of one of the pooled corpora, for a bar of the pages that show one at a time.
        follows_threshold: Do its results depend on the decision line?
        needs_labels: Is there nothing to show without labels?
        needs_scores: Is there nothing to show without scores?
        follows_people: Do its results depend on what people say?
        helps: The action that brings what it misses.
        standalone: Does it show what it asks for itself, with or without a corpus?

    Signals:
        changed: The user chose something on this page that has to be computed.
    """

    changed = Signal()
    called = ""
    follows_threshold = False
    needs_labels = False
    needs_scores = True
    follows_people = False
    standalone = False
    helps = "files.open"

    def __init__(self, links: Links, theme: Theme) -> None:
        super().__init__()
        self.links = links
        self.theme = theme
        self.title = self.name()
        self.setAccessibleName(self.title)
        self.part = Choice()
        self._shown: tuple[Material, Result] | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside = QWidget()
        self.column = vbox(within=inside, margins=(10, 8, 10, 12), spacing=10)
        self.empty = EmptyState()
        self.reason = self.empty.label
        self.column.addWidget(self.empty)
        self.body = QWidget()
        self.flow = vbox(within=self.body, margins=NO_MARGINS, spacing=12)
        self.column.addWidget(self.body)
        self.column.addStretch(1)
        self.setWidget(inside)

    @classmethod
    def name(cls) -> str:
        """Return the title, which is known before a page is made."""
        return QCoreApplication.translate("Page", cls.called)

    # What each page defines

    def why_empty(self, inputs: Material) -> str:
        """Return why there is nothing to show of these inputs, "" where there is."""
        if self.needs_scores and not inputs.score_columns:
            return self.tr(
                "No score has been computed or none is chosen. Press Run (F5), or select scores at the left."
            )
        if not any(mask.any() for mask in inputs.parts.values()):
            return self.tr("No pair is left to analyse. Press Esc to show all pairs, or select a corpus at the left.")
        return self.missing(inputs)

    def remedy(self, inputs: Material) -> str:
        """Return the action that helps where there is nothing to show."""
        if self.needs_scores and not inputs.score_columns:
            return "run"
        return self.helps if any(mask.any() for mask in inputs.parts.values()) else "show_all"

    def missing(self, inputs: Material) -> str:
        """Return in one sentence why there is nothing to show and what to do, or ""."""
        if not self.needs_labels or inputs.labelled:
            return ""
        return QCoreApplication.translate(
            "Page",
            "These pairs have no labels, so nothing can be right or wrong. Open a corpus with a column of labels (1 "
            "paraphrase, 0 not).",
        )

    def settle(self, inputs: Material) -> None:
        """Offer the scores, columns and corpora that there are, before anything is computed."""
        names = list(inputs.parts)
        self.part.offer(names, names, names[-1])
        if (group := self.part.parentWidget()) is not None:
            group.setVisible(len(names) > 1)

    def work(self, inputs: Material, studies: Studies) -> Work[Result]:
        """Return the work for a thread; it holds a copy of the user's choices."""
        raise NotImplementedError

    def show_result(self, inputs: Material, result: Result) -> None:
        """Show what the work returned."""
        raise NotImplementedError

    def draw(self) -> None:
        """Draw the plots of the result shown, in the colours and with the choices there are now."""

    # What all have in common

    def take(self, inputs: Material, result: Result) -> None:
        """Keep the result of the work, and show it."""
        self._shown = inputs, result
        self.show_result(inputs, result)

    @property
    def inputs(self) -> Material:
        """The inputs of the result shown; there must be one."""
        assert self._shown is not None
        return self._shown[0]

    @property
    def result(self) -> Result:
        """The result shown; there must be one."""
        assert self._shown is not None
        return self._shown[1]

    def redraw(self) -> None:
        """Draw the plots again, if a result is shown."""
        if self._shown is not None:
            self.draw()

    def chosen_part(self, inputs: Material) -> tuple[str, Mask]:
        """Return the name and mask of the chosen corpus, the last one (all of them) where it is gone."""
        name = self.part.key() if self.part.key() in inputs.parts else list(inputs.parts)[-1]
        return name, inputs.parts[name]

    def say(self, reason: str, action: str = "") -> None:
        """Show why there is nothing instead of tables, and an action that helps; "" for the tables."""
        self.empty.say(reason, action)
        self.body.setVisible(not reason)

    def apply_theme(self, theme: Theme) -> None:
        self.theme = theme
        for card in self.findChildren(FigureCard):
            card.apply_theme(theme)
        self.redraw()

    def table(self) -> GridTable:
        table = GridTable()
        table.said.connect(self.links.said)
        table.failed.connect(self.links.failed)
        self.flow.addWidget(table)
        return table

    def plot(self, title: str, height: int = 230) -> PlotCard:
        """Make a plot of that height in pixels; the page puts it where it belongs."""
        card = PlotCard(title, self.theme, height)
        card.said.connect(self.links.said)
        card.failed.connect(self.links.failed)
        return card

    def bar(self, *named: tuple[str, QWidget]) -> QWidget:
        """Add a line of controls, each behind its name."""
        bar = QWidget()
        line = FlowLayout(bar, gap=10)
        for text, control in named:
            group = QWidget()
            row = hbox(within=group, margins=NO_MARGINS, spacing=5)
            if text:
                label = QLabel(text)
                label.setBuddy(control)
                control.setAccessibleName(text.replace("&", ""))
                row.addWidget(label)
            row.addWidget(control)
            line.addWidget(group)
        self.flow.addWidget(bar)
        return bar


class StudyPage(Page[tuple[CorpusStudy, ...]]):
    """A page on studies of single scores."""

    def study(self) -> CorpusStudy:
        """Return the study of the chosen corpus."""
        part, _ = self.chosen_part(self.inputs)
        return next(each for each in self.result if each.name == part)
