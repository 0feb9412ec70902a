"""A certificate as an experiment: pairs made by rule, judged by what their answers are known to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parapluie_gui.analysis.certificate.cases import Suite, suite
from parapluie_gui.analysis.certificate.certificate import Certificate, certified_column, certify
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.experiment import Plan


@dataclass(frozen=True, eq=False)
class Certified:
    """The certificates of some scores over the same pairs, and what the scores were computed with."""

    suite: Suite
    certificates: tuple[Certificate, ...]
    signatures: Mapping[str, Signature]


def certificate_plan(
    pairs: int, seed: int, metrics: tuple[str, ...], judge: JudgeSettings, templates: tuple[Template, ...]
) -> Plan[Certified]:
    """Make the pairs, and return what is scored and how it is judged."""
    made = suite(pairs, seed)

    def look(table: ScoreTable, broken: bool) -> Certified:
        columns = [
            certified_column(name, table[name], table.signatures.get(name))
            for name in table.scores
            if table.scored(name) > (table.rows - 1 if broken else 0)  # one that broke off is no certificate
        ]
        return Certified(made, tuple(certify(made, each) for each in columns), dict(table.signatures))

    return Plan(made.corpus, metrics, judge, templates, look)
