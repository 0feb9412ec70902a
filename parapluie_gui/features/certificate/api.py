"""Pairs made by rule, and what scores do with them: `parapluie_gui.certify`, and what `parapluie certify` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

import numpy as np

from parapluie_gui.analysis.base import Run, analyse
from parapluie_gui.api.judges import choose_metrics, names_of
from parapluie_gui.api.scoring import Judge, local_scorer, plan_of, try_compute
from parapluie_gui.api.shown import ResultFigure, ResultTable
from parapluie_gui.errors import MetricError, ParapluieError
from parapluie_gui.features.certificate.analysis import (
    Certifying,
    Measure,
    Options,
    SuiteMaterial,
    certificate_map,
    certificate_table,
    side_by_side,
    suite_words,
    worst_table,
)
from parapluie_gui.features.certificate.cases import suite
from parapluie_gui.features.certificate.certificate import Certificate, certified_columns
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.column_source import ColumnSource
from parapluie_gui.metrics.spec import Spec
from parapluie_gui.pairs import Corpus
from parapluie_gui.report.record import record_analyses
from parapluie_gui.scores.identity import without_judge
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.scoring_plan import ScoringPlan


def refuse(spec: str) -> None:
    """Refuse a metric that has no numbers for pairs that are made.

    Raises:
        MetricError: It is a column of a corpus, or it needs references; or there is no such metric.
    """
    found = catalogue.find(spec)
    if isinstance(found, ColumnSource):
        raise MetricError(
            f'The column "{found.column}" has numbers for its corpus alone and none for the pairs of a certificate. '
            "Choose a metric or a judge that computes them."
        )
    if Spec.parse(spec).reference or found.info.needs_reference:
        raise MetricError(
            f"{spec} compares with a reference, and the pairs of a certificate have none. Choose a metric that "
            "compares with the source."
        )


@dataclass(frozen=True, eq=False, repr=False)
class Certificates:
    """What each score did with pairs whose answer is known beyond doubt; a notebook draws the tables.

    Attributes:
        run: The analysis behind it; for the program's own functions, and no public name.
    """

    run: Run[Options, tuple[Certificate, ...]]

    @property
    def certificates(self) -> dict[str, Certificate]:
        """Each score's certificate, by its name."""
        return {each.name: each for each in self.run.result}

    @property
    def tables(self) -> dict[str, ResultTable]:
        """A table for each score, by its name."""
        lines, about = self.run.material.signature_lines, suite_words(self.run)
        return {each.name: ResultTable(certificate_table(each, about), lines([each.name])) for each in self.run.result}

    def compared(self, measure: Measure = "ranked") -> ResultTable:
        """Return the scores side by side: the share "ranked" wrong, or "failed" at the threshold."""
        found = side_by_side(self.run.result, measure, suite_words(self.run))
        return ResultTable(found, self.run.material.signature_lines())

    def figure(self, measure: Measure = "ranked") -> ResultFigure:
        """Return the scores side by side as a heat map; as `compared`."""
        found = certificate_map(self.run.result, measure, suite_words(self.run))
        return ResultFigure(found, self.run.material.signature_lines())

    def worst(self, name: str) -> dict[str, ResultTable]:
        """Return the worst pairs of a score, a table for each behaviour."""
        found = self.certificates[name]
        return {row.behaviour: ResultTable(worst_table(found, row)) for row in found.rows if row.worst}

    def record(self) -> dict[str, object]:
        """Return them as `parapluie certify --json` does: dicts, lists, numbers and None (where one is not defined)."""
        return record_analyses([(Certifying(), self.run)])

    def __repr__(self) -> str:
        return "\n".join(map(str, self.tables.values()))

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self.tables.values())


def certify(
    metrics: str | Iterable[str] = (),
    *,
    judge: str | PathLike[str] | Judge | Sequence[str | PathLike[str] | Judge] = (),
    templates: str | Iterable[str] = (),
    corpora: Iterable[Corpus] = (),
    pairs: int = Options.pairs,
    seed: int = Options.seed,
    thresholds: Mapping[str, float] | None = None,
    device: str = "auto",
    precision: str = "auto",
    exact: bool = False,
    progress: bool | None = None,
) -> Certificates:
    """Try scores on pairs whose answer is known: a sentence beside itself, negated, reworded and more.

    Args:
        metrics: The metrics to be tried.
        judge: The judge to be tried, or several.
        templates: As in `score`, for all judges.
        corpora: Corpora of whose sentences half the pairs are made, as long as these last.
        pairs: How many to make at most, from 100.
        seed: Of their random numbers.
        thresholds: Where paraphrases begin, by score, instead of the natural thresholds.
        device: As in `score`.
        precision: As in `score`.
        exact: As in `score`.
        progress: As in `score`.

    Raises:
        ParapluieError: Nothing is named, something is not there, or a score cannot be computed.
    """
    specs = certifiable(names_of(metrics))
    judges = list(judge) if isinstance(judge, Sequence) and not isinstance(judge, str) else [judge]
    if not specs and not judges:
        raise ParapluieError('There is nothing to certify. Name a metric ("bleu"), or a judge.')
    if pairs < 100:
        raise ParapluieError(f"{pairs} pairs are too few for a certificate. Ask for 100 or more.")
    asked = plan_of(judges, templates, specs, device, precision, exact)
    own = [each.scorer if isinstance(each, Judge) and progress is None else None for each in judges] or [None]
    plans = [(plan, one or local_scorer(progress)) for plan, one in zip(asked.apart(), own, strict=True)]
    found, errors = certify_plans(list(corpora), plans, thresholds or {}, Options(pairs, seed))
    if errors:
        raise errors[0]
    if unknown := [name for name in thresholds or {} if name not in found.material.names]:
        names = ", ".join(found.material.names)
        raise ParapluieError(f'"{unknown[0]}" is not one of the scores. Choose among {names}.')
    return Certificates(found)


def certifiable(specs: Iterable[str]) -> tuple[str, ...]:
    """Return the metrics named, each once.

    Raises:
        ParapluieError: There is no such metric, or it cannot be computed for pairs that are made.
    """
    chosen = choose_metrics(specs)
    for spec in chosen:
        refuse(spec)
    return chosen


def certify_plans(
    corpora: Sequence[Corpus],
    plans: Sequence[tuple[ScoringPlan, LocalScorer | None]],
    thresholds: Mapping[str, float],
    options: Options,
) -> tuple[Run[Options, tuple[Certificate, ...]], list[ParapluieError]]:
    """Make pairs, score them by one plan after the other, and return what came out with the errors on the way.

    Raises:
        ParapluieError: No score could be computed.
    """
    made = suite(options.pairs, options.seed, corpora)
    errors: list[ParapluieError] = []
    together = ScoreTable(len(made.corpus))
    for plan, scorer in plans:
        scores, failed = try_compute(made.corpus, plan, scorer)
        errors += failed
        for name in scores.table.scores:
            if scores.table.scored(name) > (len(made.corpus) - 1 if failed else 0):
                column = together.declare(without_judge(name), scores.table.signatures.get(name))
                together.put(np.arange(len(made.corpus)), {column: scores.table[name]})
    columns, signatures = certified_columns(together, broken=False)
    if not columns:
        raise errors[0] if errors else MetricError("No score could be computed. Name a metric or a judge.")
    material = SuiteMaterial.of(made, columns, signatures, thresholds)
    return analyse(Certifying(), material, options), errors
