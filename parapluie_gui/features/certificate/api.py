"""Certificates in Python: `parapluie_gui.certify` and its results, which `parapluie certify` prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

import numpy as np

from parapluie_gui.analysis.base import Run, analyse
from parapluie_gui.api.judges import as_names, choose_metrics
from parapluie_gui.api.material import check_thresholds
from parapluie_gui.api.scoring import Judge, local_scorer, plan_scoring, try_compute
from parapluie_gui.api.shown import ResultFigure, ResultTable
from parapluie_gui.errors import MetricError, ParapluieError
from parapluie_gui.features.certificate.analysis import (
    CertificateAnalysis,
    CertificateOptions,
    Measure,
    SuiteMaterial,
    certificate_map,
    certificate_table,
    describe_suite,
    side_by_side,
    worst_table,
)
from parapluie_gui.features.certificate.cases import make_suite
from parapluie_gui.features.certificate.certificate import Certificate, certified_columns
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.column_source import ColumnSource
from parapluie_gui.metrics.spec import MetricSpec
from parapluie_gui.pairs import Corpus
from parapluie_gui.report.record import record_analyses
from parapluie_gui.scores.identity import without_judge
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.scoring_plan import ScoringPlan


def check_certifiable(spec: str) -> None:
    """Check that a metric can be computed for the pairs of a certificate.

    Raises:
        MetricError: It is a column of a corpus, it needs references, or there is no such metric.
    """
    metric = catalogue.find(spec)
    if isinstance(metric, ColumnSource):
        raise MetricError(
            f'The column "{metric.column}" has numbers only for its corpus, not for the pairs of a certificate. '
            "Choose a metric or a judge that computes them."
        )
    if MetricSpec.parse(spec).reference or metric.info.needs_reference:
        raise MetricError(
            f"{spec} compares with a reference, but the pairs of a certificate have none. Choose a metric that "
            "compares with the source."
        )


@dataclass(frozen=True, eq=False, repr=False)
class Certificates:
    """The certificates of scores. A notebook shows them as tables.

    Attributes:
        run: The run of the analysis; internal, not part of the public interface.
    """

    run: Run[CertificateOptions, tuple[Certificate, ...]]

    @property
    def certificates(self) -> dict[str, Certificate]:
        """The certificate of each score, by name."""
        return {certificate.name: certificate for certificate in self.run.result}

    @property
    def tables(self) -> dict[str, ResultTable]:
        """The table of each score, by name."""
        lines, about = self.run.material.signature_lines, describe_suite(self.run)
        return {
            certificate.name: ResultTable(certificate_table(certificate, about), lines([certificate.name]))
            for certificate in self.run.result
        }

    def comparison_table(self, measure: Measure = "ranked") -> ResultTable:
        """Return a table of the scores side by side: the share "ranked" wrong, or "failed" at the threshold."""
        table = side_by_side(self.run.result, measure, describe_suite(self.run))
        return ResultTable(table, self.run.material.signature_lines())

    #: The earlier name.
    compared = comparison_table

    def figure(self, measure: Measure = "ranked") -> ResultFigure:
        """Return a heat map of the same shares as `comparison_table`."""
        heat_map = certificate_map(self.run.result, measure, describe_suite(self.run))
        return ResultFigure(heat_map, self.run.material.signature_lines())

    def worst(self, name: str) -> dict[str, ResultTable]:
        """Return the worst pairs of a score: a table for each behaviour, by key."""
        certificate = self.certificates[name]
        return {row.behaviour: ResultTable(worst_table(certificate, row)) for row in certificate.rows if row.worst}

    def record(self) -> dict[str, object]:
        """Return the content of `parapluie certify --json`: dicts, lists, numbers, and None for undefined numbers."""
        return record_analyses([(CertificateAnalysis(), self.run)])

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
    pairs: int = CertificateOptions.pairs,
    seed: int = CertificateOptions.seed,
    thresholds: Mapping[str, float] | None = None,
    device: str = "auto",
    precision: str = "auto",
    exact: bool = False,
    progress: bool | None = None,
) -> Certificates:
    """Test scores on pairs whose answer is known: a sentence with itself, negated, reworded and more.

    Args:
        metrics: The metrics to test.
        judge: The judge or judges to test.
        templates: As in `score`, for all judges.
        corpora: Corpora that supply half of the sentences until they are used up.
        pairs: The maximum number of pairs to generate, at least 100.
        seed: The seed of the random choices.
        thresholds: Thresholds by score, used instead of the natural ones.
        device: As in `score`.
        precision: As in `score`.
        exact: As in `score`.
        progress: As in `score`.

    Raises:
        ParapluieError: No metric and no judge is named, one of them is missing, or a score cannot be computed.
    """
    specs = choose_certifiable(as_names(metrics))
    judges = list(judge) if isinstance(judge, Sequence) and not isinstance(judge, str) else [judge]
    if not specs and not judges:
        raise ParapluieError('There is nothing to certify. Name a metric ("bleu"), or a judge.')
    if pairs < 100:
        raise ParapluieError(f"{pairs} pairs are too few for a certificate. Choose 100 or more.")
    single_plans = plan_scoring(judges, templates, specs, device, precision, exact).split_by_judge()
    scorers = [one.scorer if isinstance(one, Judge) and progress is None else None for one in judges] or [None]
    plans = [(plan, scorer or local_scorer(progress)) for plan, scorer in zip(single_plans, scorers, strict=True)]
    run, errors = certify_plans(list(corpora), plans, check_thresholds(thresholds), CertificateOptions(pairs, seed))
    if errors:
        raise errors[0]
    if unknown := [name for name in thresholds or {} if name not in run.material.names]:
        names = ", ".join(run.material.names)
        raise ParapluieError(f'"{unknown[0]}" is not one of the scores. Choose among {names}.')
    return Certificates(run)


def choose_certifiable(specs: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct metrics named, after checking that they can be certified.

    Raises:
        ParapluieError: There is no such metric, or it cannot be computed for the pairs of a certificate.
    """
    metrics = choose_metrics(specs)
    for spec in metrics:
        check_certifiable(spec)
    return metrics


def certify_plans(
    corpora: Sequence[Corpus],
    plans: Sequence[tuple[ScoringPlan, LocalScorer | None]],
    thresholds: Mapping[str, float],
    options: CertificateOptions,
) -> tuple[Run[CertificateOptions, tuple[Certificate, ...]], list[ParapluieError]]:
    """Generate pairs, score them by each plan in turn, and return the certificates and the errors of failed scores.

    Raises:
        ParapluieError: No score could be computed.
    """
    suite = make_suite(options.pairs, options.seed, corpora)
    errors: list[ParapluieError] = []
    table = ScoreTable(len(suite.corpus))
    for plan, scorer in plans:
        scores, failed = try_compute(suite.corpus, plan, scorer)
        errors += failed
        for name in scores.table.scores:
            if scores.table.count_scores(name) > (len(suite.corpus) - 1 if failed else 0):
                column = table.declare(without_judge(name), scores.table.signatures.get(name))
                table.put(np.arange(len(suite.corpus)), {column: scores.table[name]})
    columns, signatures = certified_columns(table, broken=False)
    if not columns:
        raise errors[0] if errors else MetricError("No score could be computed. Name a metric or a judge.")
    material = SuiteMaterial.from_suite(suite, columns, signatures, thresholds)
    return analyse(CertificateAnalysis(), material, options), errors
