"""The list of metrics: which there are, and one of them by its spec."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Any

from parapluie_gui.errors import MetricError, ParapluieError
from parapluie_gui.feature import brought
from parapluie_gui.metrics import column_source, user
from parapluie_gui.metrics.base import FOREIGN, READY, Metric, MetricInfo, Readiness, info_of
from parapluie_gui.metrics.chosen import Chosen, variant
from parapluie_gui.metrics.column_source import ColumnSource
from parapluie_gui.metrics.lexical import bleu, chrf, deviation, edit_distance, meteor, rouge
from parapluie_gui.metrics.neural import bartscore, bertscore, classifier, parascore, sbert
from parapluie_gui.metrics.spec import AS, REFERENCE, Spec
from parapluie_gui.scores.signature import Signature

#: The core's metrics, in the order in which they are offered. What makes one takes the options as keywords, and what
#: stands behind the colon as `argument`.
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
#: A metric and what makes one.
Entry = tuple[MetricInfo, Callable[..., Any]]


@cache
def shipped() -> tuple[Entry, ...]:
    """Return every metric and what makes one: the core's own and those of features."""
    classes: list[type[Metric]] = [*_CORE, *(part.load() for part in brought("metrics"))]
    return (
        *((each.info, each) for each in classes),
        (column_source.INFO, ColumnSource),  # offered like a metric, but read instead of computed
        (user.UserMetric.info, user.UserMetric),
    )


def entries() -> tuple[Entry, ...]:
    """Return every metric and what makes one: those of `shipped`, then those of installed packages."""
    own = {each.id for each, _ in shipped()}
    return (*shipped(), *(entry for entry in user.packages() if entry[0].id not in own))


def metrics() -> list[MetricInfo]:
    """Return every metric's meaning, in the order of the catalogue; nothing heavy is loaded."""
    return [each for each, _ in entries()]


def defaults() -> tuple[str, ...]:
    """Return the ids of the metrics that are computed where none is named."""
    return tuple(each.id for each in metrics() if each.default)


def info_of_spec(spec: str) -> MetricInfo | None:
    """Return the metric that a spec names, without its options; None where there is none.

    Raises:
        MetricError: The spec cannot be understood.
    """
    wanted = Spec.parse(spec).id
    return next((each for each in metrics() if each.id == wanted), None)


def info(column: str, signature: Signature | None = None) -> MetricInfo | None:
    """Return the metric that fills a score column ("bleu", "bleu.ref", "external.gpt4"), or None when none does.

    Columns of the corpus and the user's own metrics say in their signature what their numbers mean.
    """
    name, dot, _ = column.partition(".")
    found = next((each for each in metrics() if each.id == name), None)
    if found is not None and found.family in FOREIGN and signature is not None:
        return info_of(signature, found)
    if found is None or not dot:
        return found
    return variant(found, column)


def metric(spec: str) -> Metric:
    """Return the metric that a spec names ("bleu", "bleu.ref", "bertscore,layer=9:FOLDER"); see `find`.

    Raises:
        MetricError: There is none, or it is a column of the corpus.
    """
    found = find(spec)
    if isinstance(found, ColumnSource):
        raise MetricError(f"The column {found.column} is read from the corpus, not computed from its sentences.")
    return found


def find(spec: str) -> Metric | ColumnSource:
    """Return the metric, or the column of the corpus, that a spec names.

    Raises:
        MetricError: There is none, or it does not take what is asked; the sentence lists what there is.
    """
    wanted = Spec.parse(spec)
    for each, make in chain(entries(), _beside()):
        if each.id == wanted.id:
            _check(each, wanted)
            if each is column_source.INFO:
                return ColumnSource.of(wanted)
            argument = {"argument": wanted.argument} if wanted.argument else {}
            made: Metric = make(**wanted.values(each.title, each.options), **argument)
            return made if wanted == Spec(wanted.id) else Chosen(made, wanted)
    names = [each.id for each in metrics()]
    near = difflib.get_close_matches(wanted.id.lower(), names, n=1)
    hint = f' Did you mean "{near[0]}"?' if near else ""
    raise MetricError(f'There is no metric "{wanted.id}"; the metrics are {", ".join(names)}.{hint}')


def ready(spec: str) -> Readiness:
    """Return whether a metric can be computed now, and if not what is missing; quick and without torch."""
    try:
        found = find(spec)
        return READY if isinstance(found, ColumnSource) else found.readiness()
    except ParapluieError as error:
        return Readiness(str(error))


def why_missing(column: str, source: str, hypothesis: str, reference: str | None = None) -> str:
    """Return why a pair has no number in a score column, "" where no reason is known."""
    name, _, rest = column.partition(".")
    found = next((entry for entry in shipped() if entry[0].id == name), None)
    if found is None:
        return ""
    if found[0].family in FOREIGN:
        return "the metric gave none"
    against_reference = f".{rest}.".startswith(f"{REFERENCE}.")
    return Chosen(found[1](), Spec(name, against_reference)).why_missing(source, hypothesis, reference)


def why_zero(column: str, source: str, hypothesis: str) -> str:
    """Return in a sentence why a pair's number in a score column is 0, "" where no reason need be said."""
    found = next((entry for entry in shipped() if entry[0].id == column), None)
    return "" if found is None else found[1]().why_zero(source, hypothesis)


def column(spec: str) -> str:
    """Return the score column that a spec fills; raises MetricError where it cannot be understood."""
    return Spec.parse(spec).column


def check_distinct(specs: Iterable[str]) -> None:
    """Refuse specs of which two fill the same column.

    Raises:
        MetricError: Two do.
    """
    seen: dict[str, str] = {}
    for spec in specs:
        other = seen.setdefault(column(spec), spec)
        if other != spec:
            wanted = Spec.parse(spec)
            named = Spec(wanted.id, wanted.reference, (*wanted.options, (AS, "NAME")), wanted.argument)
            raise MetricError(f"{other} and {spec} both fill the column {column(spec)}. Name one of them: {named}.")


def _beside() -> Iterator[tuple[MetricInfo, Callable[..., Any]]]:
    """Yield what is computed and kept like metrics, but offered to nobody as one."""
    from parapluie_gui.metrics.changes.kinds import ChangeKinds  # with Levenshtein, which not every command needs

    yield ChangeKinds.info, ChangeKinds


def _check(found: MetricInfo, spec: Spec) -> None:
    if spec.reference and not found.reference_form:
        raise MetricError(f"{found.title} has no form against the reference. Use {found.id}.")
    if spec.argument and not found.argument:
        raise MetricError(f'{found.title} takes nothing behind a colon, so "{spec}" names no metric. Use {found.id}.')
    spec.values(found.title, found.options)
    if found.argument_needed and not spec.argument:
        raise MetricError(f"{found.title} needs a {found.argument}: {found.id}:{found.argument.split()[0].upper()}.")
