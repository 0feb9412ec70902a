"""A sweep as an experiment: pairs of the corpus, asked of the judge in every form of one question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from parapluie_gui.analysis.base import Run, analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.evaluations.wordings import FormsMaterial
from parapluie_gui.arrays import Rows
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.sweep import FACTORS, Design
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.experiment import ExperimentPlan
from parapluie_gui.work.scoring_plan import ScoringPlan


@dataclass(frozen=True, eq=False)
class SweepWanted:
    """Pairs of a corpus, by their rows in it, and the forms in which they are to be judged."""

    corpus: Corpus
    rows: Rows
    design: Design


def sweep_plan(wanted: SweepWanted, judge: JudgeSettings) -> ExperimentPlan[Run[Any, Any]]:
    """Make the forms, and return what is scored and what is made of the scores.

    Raises:
        TemplateError: A wording takes no examples, or the file of examples cannot be read.
    """
    pairs, templates = wanted.corpus.take(wanted.rows), wanted.design.templates()

    def look(table: ScoreTable, broken: bool) -> Run[Any, Any] | None:
        if broken:
            return None
        scores = {template.column: table[template.column] for template in templates}
        signatures = {column: table.signatures[column] for column in scores}
        levels = wanted.design.levels
        material = FormsMaterial.of(wanted.corpus, wanted.rows, FACTORS, levels, scores, signatures)
        return analyse(analysis("sweep"), material, analysis("sweep").options())

    return ExperimentPlan(pairs, ScoringPlan((), judge, templates), look)
