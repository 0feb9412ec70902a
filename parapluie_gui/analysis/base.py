"""The base class of an analysis, which declares its needs, options, computation, tables and figures.

One module each builds its page in the Analysis tab, its command, its section of the report, its Python result and its
list of options in the manual: `ui.analysis.page`, `commands.analysis`, `report.html`, `parapluie_gui.analyse`. A new
analysis is a file with such a class, its test, and a row in `analysis.catalogue`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

from parapluie_gui.analysis.figure import BarList, Chart, Figure, HeatMap
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.table import Table
from parapluie_gui.errors import ParapluieError
from parapluie_gui.options import check_options, resolve_options

#: Type variables for the options of an analysis and for its result.
OptionsT = TypeVar("OptionsT")
ResultT = TypeVar("ResultT")
ShownT = TypeVar("ShownT", bound=Table | Chart | HeatMap | BarList)


@dataclass(frozen=True)
class AnalysisRequirement:
    """A requirement of an analysis.

    Attributes:
        is_met: Does the material meet it?
        sentence: The message that names the missing item and the remedy, for the window.
        remedy: The window's action that fulfils it (`resources/actions.toml`).
        todo: The message for the command line and Python; "" to use `sentence`.
    """

    is_met: Callable[[AnalysisMaterial], bool]
    sentence: str
    remedy: str
    todo: str = ""


PAIRS = AnalysisRequirement(
    lambda material: any(mask.any() for mask in material.parts.values()),
    "There are no pairs to analyse. Press Esc to show all pairs, or select a corpus on the left.",
    "show_all",
    "There are no pairs to analyse. Choose a different filter.",
)
SCORES = AnalysisRequirement(
    lambda material: bool(material.score_columns),
    "No score has been computed or chosen. Press Run (F5), or select scores on the left.",
    "run",
    "There are no scores. Score the pairs first, or choose columns of scores.",
)
LABELS = AnalysisRequirement(
    lambda material: material.has_labels,
    "These pairs have no labels, so nothing can be right or wrong. Open a corpus with a column of labels (1 "
    "paraphrase, 0 not).",
    "files.open",
    "These pairs have no labels, so nothing can be right or wrong. Name the column of labels (1 paraphrase, 0 not).",
)
HUMAN = AnalysisRequirement(
    lambda material: material.has_human_scores,
    "These pairs have no human scores. Open a corpus that has them (STS-B, Twitter-Para, BQ-Para) or name the "
    "column when the file is opened.",
    "files.open",
    "These pairs have no human scores. Name the column that contains them.",
)
TWO_SCORES = AnalysisRequirement(
    lambda material: len(material.score_columns) > 1,
    "Only one score is chosen. Choose a second score on the left, or score the pairs with another metric.",
    "setup.metrics.open",
    "There is only one score. Choose two, or score the pairs with another metric.",
)


@dataclass(frozen=True)
class AnalysisRemark:
    """A sentence between tables and figures; with `result`, it is printed on the command line too."""

    text: str
    result: bool = False


_CLICK = re.compile(r"\bClick [^.]*\.\s*")

#: The groups of the list of analyses, in order.
GROUPS = ("Scores", "Errors", "People", "Judges", "Corpus")

Block = Table | Chart | HeatMap | BarList | AnalysisRemark


@dataclass(frozen=True, eq=False)
class Run(Generic[OptionsT, ResultT]):
    """One computation of an analysis: its material, options and result."""

    material: AnalysisMaterial
    options: OptionsT
    result: ResultT


class Analysis(ABC, Generic[OptionsT, ResultT]):
    """An analysis without state, so that one object serves all threads and surfaces.

    Attributes:
        name: The name on the command line, in Python and in files ("thresholds").
        title: The title in the list of pages, in English; the window translates it.
        group: Its group in that list, one of `GROUPS`.
        about: A sentence that describes the analysis and names its paper, for the command line, Python and the manual.
        manual: The manual's page that F1 opens.
        needs: Its requirements; the first one that is not met is reported.
        options: The dataclass of its options; see `analysis.options`.
        follows_threshold: Does its result depend on the decision line?
        follows_people: Does its result depend on people's answers?
        descriptive: Does its opening sentence only count or describe pairs, without comparing scores?
        standalone: Does it make its own material, with or without a corpus?
        in_window: Does it have a page?
        in_report: Is it a section of the report?
        in_analyse: Does `parapluie analyse` compute it if no analysis is named?
        as_on_page: Does *Copy as Python* use the options of its page, and leave the analysis out if they do not apply?
        printed: Does `parapluie analyse` print it? The files of `--out` contain it in any case.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    group: ClassVar[str]
    about: ClassVar[str]
    manual: ClassVar[str] = "analysis"
    needs: ClassVar[tuple[AnalysisRequirement, ...]] = (SCORES, PAIRS)
    options: ClassVar[type[Any]]
    follows_threshold: ClassVar[bool] = False
    follows_people: ClassVar[bool] = False
    descriptive: ClassVar[bool] = False
    standalone: ClassVar[bool] = False
    in_window: ClassVar[bool] = True
    in_report: ClassVar[bool] = True
    in_analyse: ClassVar[bool] = True
    as_on_page: ClassVar[bool] = False
    printed: ClassVar[bool] = True

    @abstractmethod
    def compute(self, material: AnalysisMaterial, options: OptionsT, tick: Tick) -> ResultT:
        """Compute the result with resolved options. It runs in a thread and may take long; `tick` may stop it.

        Raises:
            ParapluieError: The result cannot be computed with these options.
        """

    @abstractmethod
    def blocks(self, run: Run[OptionsT, ResultT]) -> Sequence[Block]:
        """Return the tables, figures and sentences to show, from top to bottom. Empty tables are not shown."""

    def finding(self, run: Run[OptionsT, ResultT]) -> str:
        """Return the main finding in a sentence, shown at the top of the page; "" for none."""
        return ""

    def details(self, run: Run[OptionsT, ResultT]) -> dict[str, object]:
        """Return further data for the JSON record, such as the ids of the pairs in a row."""
        return {}

    def missing(self, material: AnalysisMaterial) -> AnalysisRequirement | None:
        """Return the first need that is not met, or None."""
        return next((need for need in self.needs if not need.is_met(material)), None)

    def usual(self, material: AnalysisMaterial) -> Sequence[OptionsT]:
        """Return the default options, for reports and for `parapluie analyse`."""
        options: OptionsT = self.options()
        return (options,)

    def trial(self, options: OptionsT) -> OptionsT:
        """Return similar options for which the computation takes less time."""
        return options

    def tables(self, run: Run[OptionsT, ResultT]) -> list[Table]:
        """Return the tables that have rows, for output without links."""
        return [without_click_note(block) for block in self.blocks(run) if isinstance(block, Table) and len(block)]

    def figures(self, run: Run[OptionsT, ResultT]) -> list[Figure]:
        """Return the figures, for output without links."""
        return [without_click_note(block) for block in self.blocks(run) if isinstance(block, (Chart, HeatMap, BarList))]


def without_click_note(block: ShownT) -> ShownT:
    """Return a table or a figure without the sentences on clicking in its note, for output without links."""
    return block if isinstance(block, Chart) else replace(block, note=_CLICK.sub("", block.note).strip())


def analyse(
    analysis: Analysis[OptionsT, ResultT], material: AnalysisMaterial, options: OptionsT, tick: Tick | None = None
) -> Run[OptionsT, ResultT]:
    """Compute an analysis. Options of a standalone analysis are not checked, since they only describe its material.

    Raises:
        ParapluieError: A requirement is not met, or an option is wrong.
    """
    if need := analysis.missing(material):
        raise ParapluieError(need.todo or need.sentence)
    options = (resolve_options if analysis.standalone else check_options)(options, material)
    return Run(material, options, analysis.compute(material, options, tick or (lambda done, total: None)))


#: The earlier name, which other packages may import.
Remark = AnalysisRemark
