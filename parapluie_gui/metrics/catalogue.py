"""The catalogue of metrics, and the metric that a spec names."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Any

from parapluie_gui.errors import MetricError, ParapluieError
from parapluie_gui.feature import collect_parts
from parapluie_gui.metrics import column_source, consent, user
from parapluie_gui.metrics.base import FOREIGN, READY, Metric, MetricInfo, MetricReadiness, info_from_signature
from parapluie_gui.metrics.column_source import ColumnSource
from parapluie_gui.metrics.lexical import bleu, chrf, deviation, edit_distance, meteor, rouge
from parapluie_gui.metrics.neural import bartscore, bertscore, classifier, parascore, sbert
from parapluie_gui.metrics.spec import AS, REFERENCE, MetricSpec
from parapluie_gui.metrics.variants import MetricVariant, variant_info
from parapluie_gui.scores.signature import Signature

#: The core's metrics in the order in which they are listed. The class of each takes its options as keywords, and the
#: text after the spec's colon as `argument`.
_CORE: tuple[type[Metric], ...] = (
    edit_distance.EditDistance,
    edit_distance.WordErrorRate,
    bleu.Bleu,
    bleu.SacreBleu,
    chrf.ChrF,
    rouge.Rouge1,
    rouge.Rouge2,
    rouge.RougeL,
    meteor.Meteor,
    meteor.MeteorStem,
    bleu.IBleu,
    deviation.WordPositionDeviation,
    deviation.LexicalDeviation,
    sbert.Sbert,
    bertscore.BertScore,
    parascore.ParaScore,
    parascore.ParaScoreFree,
    parascore.BertIbleu,
    sbert.SimCse,
    bartscore.BartScore,
    classifier.Classifier,
    classifier.Nli,
)
#: A metric's description and the factory that makes its instances.
Entry = tuple[MetricInfo, Callable[..., Any]]


@cache
def shipped_metrics() -> tuple[Entry, ...]:
    """Return the metrics that ship with the program: the core's and those of features."""
    classes: list[type[Metric]] = [*_CORE, *(part.load() for part in collect_parts("metrics"))]
    return (
        *((metric_class.info, metric_class) for metric_class in classes),
        (column_source.INFO, ColumnSource),  # is offered like a metric, but read instead of computed
        (user.UserMetric.info, user.UserMetric),
    )


def entries() -> tuple[Entry, ...]:
    """Return all metrics: those of `shipped_metrics`, then those of installed packages."""
    shipped_ids = {info.id for info, _ in shipped_metrics()}
    return (*shipped_metrics(), *(entry for entry in user.packages() if entry[0].id not in shipped_ids))


def metrics() -> list[MetricInfo]:
    """Return the description of every metric, in the order of the catalogue, without loading anything heavy."""
    return [info for info, _ in entries()]


def defaults() -> tuple[str, ...]:
    """Return the ids of the metrics that are computed when the user names none."""
    return tuple(info.id for info in metrics() if info.default)


def info_of_spec(spec: str) -> MetricInfo | None:
    """Return the description of the metric that a spec names, without its options; None for an unknown id.

    Raises:
        MetricError: The spec is malformed.
    """
    id = MetricSpec.parse(spec).id
    return next((info for info in metrics() if info.id == id), None)


def info(column: str, signature: Signature | None = None) -> MetricInfo | None:
    """Return the description of the metric behind a score column ("bleu", "bleu.ref", "external.gpt4"), or None.

    For columns of the corpus and for the user's own metrics, it is read from the signature.
    """
    name, dot, _ = column.partition(".")
    listed = next((entry for entry in metrics() if entry.id == name), None)
    if listed is not None and listed.family in FOREIGN and signature is not None:
        return info_from_signature(signature, listed)
    if listed is None or not dot:
        return listed
    return variant_info(listed, column)


def metric(spec: str) -> Metric:
    """Return the metric that a spec names ("bleu", "bleu.ref", "bertscore,layer=9:FOLDER"); see also `find`.

    Raises:
        MetricError: No metric has this id, or the spec names a column of the corpus.
    """
    result = find(spec)
    if isinstance(result, ColumnSource):
        raise MetricError(f"The column {result.column} is read from the corpus, not computed from its sentences.")
    return result


def metric_of_column(column: str) -> Metric | None:
    """Return the metric that a score column is named after, or None if there is none or it may not run.

    Names of columns come from files and sessions, which may come from anyone. This is the only way to resolve them: a
    metric file that the user has not allowed is not even read.
    """
    try:
        return metric(column) if consent.is_allowed(column) else None
    except MetricError:
        return None


def find(spec: str) -> Metric | ColumnSource:
    """Return the metric, or the column of the corpus, that a spec names.

    Raises:
        MetricError: No metric has this id, or it does not take these options; the message lists the alternatives.
    """
    parsed = MetricSpec.parse(spec)
    for info, make in chain(entries(), _unlisted_entries()):
        if info.id == parsed.id:
            _check_takes(info, parsed)
            if info is column_source.INFO:
                return ColumnSource.from_spec(parsed)
            argument = {"argument": parsed.argument} if parsed.argument else {}
            metric: Metric = make(**parsed.values(info.title, info.options), **argument)
            return metric if parsed == MetricSpec(parsed.id) else MetricVariant(metric, parsed)
    names = [info.id for info in metrics()]
    near = difflib.get_close_matches(parsed.id.lower(), names, n=1)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    raise MetricError(f'There is no metric "{parsed.id}"; the metrics are {", ".join(names)}.{hint}')


def ready(spec: str) -> MetricReadiness:
    """Check quickly, without importing torch, whether a metric can be computed now."""
    try:
        metric = find(spec)
        return READY if isinstance(metric, ColumnSource) else metric.readiness()
    except ParapluieError as error:
        return MetricReadiness(str(error))


def why_missing(column: str, source: str, hypothesis: str, reference: str | None = None) -> str:
    """Return in a few words why a pair has no score in a column; "" if the reason is unknown."""
    name, _, rest = column.partition(".")
    entry = next((entry for entry in shipped_metrics() if entry[0].id == name), None)
    if entry is None:
        return ""
    if entry[0].family in FOREIGN:
        return "the metric returned no number"
    against_reference = f".{rest}.".startswith(f"{REFERENCE}.")
    return MetricVariant(entry[1](), MetricSpec(name, against_reference)).why_missing(source, hypothesis, reference)


def explains_zero(column: str) -> bool:
    """Return whether the metric of a column explains a score of 0; quick, unlike the explanation."""
    entry = next((entry for entry in shipped_metrics() if entry[0].id == column), None)
    if entry is None:
        return False
    made = entry[1]  # a class, or a function that makes one with other options
    return isinstance(made, type) and issubclass(made, Metric) and made.why_zero is not Metric.why_zero


def why_zero(column: str, source: str, hypothesis: str) -> str:
    """Return in a sentence why a pair's score in a column is 0; "" if no explanation is needed."""
    entry = next((entry for entry in shipped_metrics() if entry[0].id == column), None)
    return "" if entry is None else entry[1]().why_zero(source, hypothesis)


def column(spec: str) -> str:
    """Return the score column that a spec fills; raises MetricError for a malformed spec."""
    return MetricSpec.parse(spec).column


def check_distinct(specs: Iterable[str]) -> None:
    """Check that no two specs fill the same column.

    Raises:
        MetricError: Two specs fill the same column.
    """
    seen: dict[str, str] = {}
    for spec in specs:
        other = seen.setdefault(column(spec), spec)
        if other != spec:
            parsed = MetricSpec.parse(spec)
            renamed = MetricSpec(parsed.id, parsed.reference, (*parsed.options, (AS, "NAME")), parsed.argument)
            raise MetricError(
                f"{other} and {spec} both fill the column {column(spec)}. Give one of them a name: {renamed}."
            )


def _unlisted_entries() -> Iterator[tuple[MetricInfo, Callable[..., Any]]]:
    """Yield the entries that are computed and stored like metrics but not listed."""
    from parapluie_gui.metrics.changes.kinds import ChangeKinds  # imports Levenshtein, which few commands need

    yield ChangeKinds.info, ChangeKinds


def _check_takes(info: MetricInfo, spec: MetricSpec) -> None:
    if spec.reference and not info.reference_form:
        raise MetricError(f"{info.title} cannot be computed against the reference. Use {info.id}.")
    if spec.argument and not info.argument:
        raise MetricError(f'{info.title} takes no argument after a colon, so "{spec}" names no metric. Use {info.id}.')
    spec.values(info.title, info.options)
    if info.argument_needed and not spec.argument:
        raise MetricError(f"{info.title} needs a {info.argument}: {info.id}:{info.argument.split()[0].upper()}.")
