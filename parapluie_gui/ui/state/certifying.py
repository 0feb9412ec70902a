"""A certificate as an experiment: pairs made by rule, judged by what their answers are known to be."""

from __future__ import annotations

from typing import Any

from parapluie_gui.analysis.base import Run, analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.certificate.cases import suite
from parapluie_gui.analysis.certificate.certificate import certified_column
from parapluie_gui.analysis.evaluations.certificate import SuiteMaterial
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.experiment import ExperimentPlan
from parapluie_gui.work.scoring_plan import ScoringPlan


def certificate_plan(
    pairs: int, seed: int, metrics: tuple[str, ...], judge: JudgeSettings, templates: tuple[Template, ...]
) -> ExperimentPlan[Run[Any, Any]]:
    """Make the pairs, and return what is scored and how it is judged."""
    made = suite(pairs, seed)

    def look(table: ScoreTable, broken: bool) -> Run[Any, Any]:
        columns = [
            certified_column(name, table[name], table.signatures.get(name))
            for name in table.scores
            if table.scored(name) > (table.rows - 1 if broken else 0)  # one that broke off is no certificate
        ]
        certificate = analysis("certificate")
        material = SuiteMaterial.of(made, columns, dict(table.signatures))
        return analyse(certificate, material, certificate.options(max(pairs, 100), seed))

    return ExperimentPlan(made.corpus, ScoringPlan(metrics, judge, templates), look)
