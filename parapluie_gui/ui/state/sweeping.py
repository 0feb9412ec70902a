"""A sweep as an experiment: pairs of the corpus, asked of the judge in every form of one question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parapluie_gui.analysis.sweep import Sweep, flipped, sweep
from parapluie_gui.arrays import Rows
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.sweep import FACTORS, Design
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.experiment import Plan


@dataclass(frozen=True, eq=False)
class SweepWanted:
    """Pairs of a corpus, by their rows in it, and the forms in which they are to be judged."""

    corpus: Corpus
    rows: Rows
    design: Design


@dataclass(frozen=True, eq=False)
class Swept:
    """What came of it.

    Attributes:
        flips: The rows in the corpus whose verdict in each form is not that of most forms.
        hinges: The rows in the corpus of `sweep.hinges`.
    """

    wanted: SweepWanted
    sweep: Sweep
    flips: tuple[Rows, ...]
    hinges: Rows
    signatures: Mapping[str, Signature]


def sweep_plan(wanted: SweepWanted, judge: JudgeSettings) -> Plan[Swept]:
    """Make the forms, and return what is scored and what is made of the scores.

    Raises:
        TemplateError: A wording takes no examples, or the file of examples cannot be read.
    """
    pairs, templates = wanted.corpus.take(wanted.rows), wanted.design.templates()

    def look(table: ScoreTable, broken: bool) -> Swept | None:
        if broken:
            return None
        scores = [table[template.column] for template in templates]
        found = sweep(pairs, FACTORS, wanted.design.levels, scores)
        rows, flips = flipped(scores)
        return Swept(
            wanted,
            found,
            tuple(wanted.rows[rows[of_form]] for of_form in flips.T),
            wanted.rows[[hinge.row for hinge in found.hinges]],
            {template.column: table.signatures[template.column] for template in templates},
        )

    return Plan(pairs, (), judge, templates, look)
