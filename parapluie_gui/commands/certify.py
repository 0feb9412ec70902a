"""`parapluie certify`: pairs made by rule in, what each score does with them out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from parapluie_gui import __version__, places
from parapluie_gui.analysis.certificate.cases import Suite, suite
from parapluie_gui.analysis.certificate.certificate import Certificate, certified_column, certify
from parapluie_gui.analysis.certificate.refused import refuse
from parapluie_gui.analysis.evaluations.certificate import (
    certificate_map,
    certificate_table,
    markdown,
    side_by_side,
    worst_table,
)
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.table import Table
from parapluie_gui.api.judges import choose_metrics
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.judge import judge_of
from parapluie_gui.commands.options import Certify, Scoring
from parapluie_gui.commands.output import check_figure, json_text, print_tables
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import BAD_INPUT, MetricError, ParapluieError
from parapluie_gui.metrics import catalogue
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.pluie.templates import find_templates, load_templates
from parapluie_gui.scores.signature import Signature, lines_of
from parapluie_gui.ui.widgets.svg_file import write_figure
from parapluie_gui.work.local import try_compute

#: Grows when a key of --json changes its meaning or goes.
FORMAT = 1


@dataclass(frozen=True, eq=False)
class _Scored:
    """One score's certificate, and what it was computed with."""

    certificate: Certificate
    signature: Signature | None


def run(options: Certify) -> int:
    """Make the pairs, score them and print the certificates; the status is 2 if a score that was asked for is missing.

    Raises:
        ParapluieError: Something asked for is not there, or no score can be computed.
    """
    metrics = _metrics(options)
    judges = _judges(options)
    thresholds = _thresholds(options.threshold)
    check_figure(options.figure)
    missing = {spec: ready.missing for spec in metrics if not (ready := catalogue.ready(spec))}
    if missing and len(missing) == len(metrics) and not judges:
        raise MetricError(missing[metrics[0]])
    for sentence in missing.values():
        say(sentence)
    made = suite(options.pairs, options.seed, [read_corpus(path) for path in options.corpus])
    found, errors = _score(made, [spec for spec in metrics if spec not in missing], judges, thresholds, options)
    if not found:
        raise errors[0]
    unknown = [name for name in thresholds if name not in {each.certificate.name for each in found}]
    if unknown:
        raise ParapluieError(
            f'--threshold names "{unknown[0]}", which is none of the scores: '
            f"{', '.join(each.certificate.name for each in found)}. Write one of them before the sign =."
        )
    _print(made, found, options)
    if options.figure is not None:
        certificates = [each.certificate for each in found]
        write_figure(options.figure, certificate_map(certificates, options.measure, str(made)))
    for error in errors:
        say(str(error))
    return BAD_INPUT if errors or missing else 0


def _metrics(options: Certify) -> tuple[str, ...]:
    """Return the metrics named, each once.

    Raises:
        ParapluieError: There is no such metric, or it cannot be computed for pairs that are made.
    """
    if not (options.score or options.judge or options.template):
        raise ParapluieError("There is nothing to certify. Name a metric (bleu), or a judge with --judge.")
    for spec in options.score:
        if Path(spec).is_file():
            raise ParapluieError(f"{spec} is a file and no score. Name the corpora to take sentences from by --corpus.")
    found = choose_metrics(options.score)
    for spec in found:
        refuse(spec)
    return found


def _judges(options: Certify) -> list[Scoring]:
    """Return what to score with, a judge each. Of several judges each gets the templates that fit it, or its usual one.

    Raises:
        ParapluieError: One is not there, or it fits none of the templates.
    """
    computing = options.computing
    one = Scoring(
        template=options.template, exact=computing.exact, device=computing.device, precision=computing.precision
    )
    if len(options.judge) < 2:
        named = options.judge[0] if options.judge else None
        return [replace(one, judge=named)] if named or options.template else []
    available, _ = load_templates(places.user_templates())
    kinds = {name: find_templates([name], available)[0].kind for name in options.template}
    return [
        replace(one, judge=name, template=tuple(each for each, kind in kinds.items() if kind == find_model(name).kind))
        for name in dict.fromkeys(options.judge)
    ]


def _thresholds(texts: Sequence[str]) -> dict[str, float]:
    found = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not sign or not math.isfinite(number):
            raise ParapluieError(f"--threshold takes SCORE=X, such as sbert=0.7, not {text}.")
        found[name] = number
    return found


def _score(
    made: Suite,
    metrics: Sequence[str],
    judges: Sequence[Scoring],
    thresholds: dict[str, float],
    options: Certify,
) -> tuple[list[_Scored], list[ParapluieError]]:
    """Score the pairs, one job for the metrics and the first judge, one for each further judge."""
    found: list[_Scored] = []
    errors: list[ParapluieError] = []
    jobs: list[tuple[tuple[str, ...], Scoring | None]] = [((), judge) for judge in judges]
    jobs = [(tuple(metrics), judges[0] if judges else None), *jobs[1:]]
    for specs, scoring in jobs:
        judge, templates = judge_of(scoring) if scoring is not None else (None, ())
        table, failed = try_compute(made.corpus, specs, judge, templates, options.computing.device)
        errors += failed
        for name in table.scores:
            if table.scored(name) <= (table.rows - 1 if failed else 0):
                continue  # one that broke off is no certificate
            template = next((each for each in templates if each.column == name), None)
            key = name
            if len(judges) > 1 and template is not None and judge is not None:
                key = f"{Path(judge.model).name}.{template.name}".lower()
            column = certified_column(name, table[name], table.signatures.get(name))
            found.append(
                _Scored(certify(made, replace(column, name=key), thresholds.get(key)), table.signatures.get(name))
            )
    return found, errors


def _print(made: Suite, found: Sequence[_Scored], options: Certify) -> None:
    certificates = [each.certificate for each in found]
    if options.printing.json:
        print(json_text(record(made, found)), end="")
        return
    if options.markdown:
        print("\n\n".join(markdown(each, str(made)) for each in certificates))
        return
    grids: list[Table] = []
    for each in certificates:
        grids.append(certificate_table(each, str(made)))
        if options.worst:
            grids += [worst_table(each, row) for row in each.rows if row.worst]
    if len(certificates) > 1:
        grids.append(side_by_side(certificates, options.measure, str(made)))
    signatures = {each.certificate.name: each.signature for each in found if each.signature is not None}
    print_tables(grids, options.printing.latex, lines_of(signatures))


def record(made: Suite, found: Sequence[_Scored]) -> dict[str, object]:
    """Return the certificates as dicts, lists, numbers and None (where one is not defined)."""
    return {
        "format": FORMAT,
        "written_by": f"ParaPLUIE Inspector {__version__}",
        "pairs": len(made.corpus),
        "seed": made.seed,
        "cases": str(made),
        "scores": {
            each.certificate.name: {
                "signature": None if each.signature is None else dict(each.signature.fields),
                **_fields(each.certificate),
            }
            for each in found
        },
    }


def _fields(certificate: Certificate) -> dict[str, object]:
    found = plain(certificate)
    assert isinstance(found, dict)
    return found
