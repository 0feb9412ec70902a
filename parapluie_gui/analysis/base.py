"""What an analysis is: one class that says what it needs, what can be chosen, what it computes and what is shown of it.

The page of the Analysis tab, the command, the section of the report, the Python result and the manual's list of
options are drawn from it, each by one piece of code: `ui.analysis.page`, `commands.analysis`, `report.html`,
`parapluie_gui.analyse`. A new analysis is a file with such a class, its test, and a row in `analysis.catalogue`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

from parapluie_gui.analysis.figure import BarList, Chart, Figure, HeatMap
from parapluie_gui.analysis.material import Material
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.table import Table
from parapluie_gui.errors import ParapluieError
from parapluie_gui.options import checked, resolved

#: The options of an analysis, and its result.
OptionsT = TypeVar("OptionsT")
ResultT = TypeVar("ResultT")
ShownT = TypeVar("ShownT", bound=Table | Chart | HeatMap | BarList)


@dataclass(frozen=True)
class Need:
    """What an analysis cannot do without.

    Attributes:
        is_met: Has some material got it?
        sentence: What is missing and what to do, in the window.
        remedy: The window's action that brings it (`resources/actions.toml`).
        todo: What is missing and what to do on the command line and in Python; "" for `sentence`.
    """

    is_met: Callable[[Material], bool]
    sentence: str
    remedy: str
    todo: str = ""


PAIRS = Need(
    lambda material: any(mask.any() for mask in material.parts.values()),
    "No pair is left to analyse. Press Esc to show all pairs, or select a corpus at the left.",
    "show_all",
    "No pair is left to analyse. Choose another filter.",
)
SCORES = Need(
    lambda material: bool(material.score_columns),
    "No score has been computed or none is chosen. Press Run (F5), or select scores at the left.",
    "run",
    "There is no score. Score the pairs first, or choose columns of scores.",
)
LABELS = Need(
    lambda material: material.labelled,
    "These pairs have no labels, so nothing can be right or wrong. Open a corpus with a column of labels (1 "
    "paraphrase, 0 not).",
    "files.open",
    "These pairs have no labels, so nothing can be right or wrong. Name the column of labels (1 paraphrase, 0 not).",
)
HUMAN = Need(
    lambda material: material.judged,
    "These pairs have no human scores. Open a corpus with a column of them (STS-B, Twitter-Para, BQ-Para) or name the "
    "column when the file is opened.",
    "files.open",
    "These pairs have no human scores. Name the column that holds them.",
)
TWO_SCORES = Need(
    lambda material: len(material.score_columns) > 1,
    "Only one score is chosen. Choose a second one at the left, or score the pairs with another metric.",
    "setup.metrics.open",
    "There is only one score. Choose two, or score the pairs with another metric.",
)


@dataclass(frozen=True)
class Remark:
    """A sentence between tables and figures; one that is a result is said on the command line too."""

    text: str
    result: bool = False


_CLICK = re.compile(r"\bClick [^.]*\.\s*")

#: The groups of the list of analyses, in order.
GROUPS = ("Scores", "Errors", "People", "Judges", "Corpus")

Block = Table | Chart | HeatMap | BarList | Remark


@dataclass(frozen=True, eq=False)
class Run(Generic[OptionsT, ResultT]):
    """An analysis that was computed: of what, with which options, and what came out."""

    material: Material
    options: OptionsT
    result: ResultT


class Analysis(ABC, Generic[OptionsT, ResultT]):
    """One analysis; it holds no state, so that one object serves all threads and surfaces.

    Attributes:
        name: Its word on the command line, in Python and in files ("thresholds").
        title: What the list of pages calls it, in English; the window translates it.
        group: The group of the list it stands in, one of `GROUPS`.
        about: What it shows, in a sentence, for the command line, Python and the manual; it names the paper.
        manual: The manual's page that F1 opens.
        needs: What it cannot do without; the first that is missing is said.
        options: The dataclass of its options; see `analysis.options`.
        follows_threshold: Does its result depend on the decision line?
        follows_people: Does its result depend on what people answer?
        standalone: Is its material made for it, with or without a corpus?
        in_window: Has it a page?
        in_report: Is it a section of the report?
        in_analyse: Does `parapluie analyse` compute it where nothing is named?
        as_on_page: Is it copied as Python with the options of its page, and left out where these are of no use?
        printed: Does it print it then? The files of `--out` have it in any case.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    group: ClassVar[str]
    about: ClassVar[str]
    manual: ClassVar[str] = "analysis"
    needs: ClassVar[tuple[Need, ...]] = (SCORES, PAIRS)
    options: ClassVar[type[Any]]
    follows_threshold: ClassVar[bool] = False
    follows_people: ClassVar[bool] = False
    standalone: ClassVar[bool] = False
    in_window: ClassVar[bool] = True
    in_report: ClassVar[bool] = True
    in_analyse: ClassVar[bool] = True
    as_on_page: ClassVar[bool] = False
    printed: ClassVar[bool] = True

    @abstractmethod
    def compute(self, material: Material, options: OptionsT, tick: Tick) -> ResultT:
        """Compute; the options were resolved. It may take long and runs in a thread; `tick` stops it.

        Raises:
            ParapluieError: It cannot be done with these options.
        """

    @abstractmethod
    def blocks(self, run: Run[OptionsT, ResultT]) -> Sequence[Block]:
        """Return what is shown, from above: tables, figures and sentences. Empty tables are left out."""

    def finding(self, run: Run[OptionsT, ResultT]) -> str:
        """Return what came out, in a sentence, which the page begins with; "" where its blocks say so themselves."""
        return ""

    def details(self, run: Run[OptionsT, ResultT]) -> dict[str, object]:
        """Return what the JSON record has beside tables and figures, such as the ids of the pairs of a row."""
        return {}

    def missing(self, material: Material) -> Need | None:
        """Return the first need that is not met, None where all are."""
        return next((need for need in self.needs if not need.is_met(material)), None)

    def usual(self, material: Material) -> Sequence[OptionsT]:
        """Return the options where nobody chooses any: those of a report, and of `parapluie analyse`."""
        options: OptionsT = self.options()
        return (options,)

    def trial(self, options: OptionsT) -> OptionsT:
        """Return options that are of use where these are, and take less time."""
        return options

    def tables(self, run: Run[OptionsT, ResultT]) -> list[Table]:
        """Return the tables that have rows, for readers who have nothing to click."""
        return [without_click_note(each) for each in self.blocks(run) if isinstance(each, Table) and len(each)]

    def figures(self, run: Run[OptionsT, ResultT]) -> list[Figure]:
        """Return the figures, for readers who have nothing to click."""
        return [without_click_note(each) for each in self.blocks(run) if isinstance(each, (Chart, HeatMap, BarList))]


def without_click_note(shown: ShownT) -> ShownT:
    """Return a table or a figure whose note says nothing of clicks, for where there are none."""
    return shown if isinstance(shown, Chart) else replace(shown, note=_CLICK.sub("", shown.note).strip())


def analyse(
    analysis: Analysis[OptionsT, ResultT], material: Material, options: OptionsT, tick: Tick | None = None
) -> Run[OptionsT, ResultT]:
    """Compute an analysis. Where its material is made for it, numbers say how that was done and have no range here.

    Raises:
        ParapluieError: The material lacks what it needs, or an option is wrong.
    """
    if need := analysis.missing(material):
        raise ParapluieError(need.todo or need.sentence)
    options = (resolved if analysis.standalone else checked)(options, material)
    return Run(material, options, analysis.compute(material, options, tick or (lambda done, total: None)))
