"""`parapluie certify`: pairs made by rule in, what each score does with them out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from parapluie_gui.api.judges import choose_judges
from parapluie_gui.commands.analysis import check_folders, show, write
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import Certify
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import BAD_INPUT, MetricError, ParapluieError
from parapluie_gui.features.certificate.analysis import Certifying, WorstToo, markdown, suite_words
from parapluie_gui.features.certificate.analysis import Options as Chosen
from parapluie_gui.features.certificate.api import certifiable, certify_plans
from parapluie_gui.metrics import catalogue
from parapluie_gui.ui.widgets.svg_file import check_ending, write_figure
from parapluie_gui.work.scoring_plan import ScoringPlan


def run(options: Certify) -> int:
    """Make the pairs, score them and print the certificates; the status is 2 if a score that was asked for is missing.

    Raises:
        ParapluieError: Something asked for is not there, or no score can be computed.
    """
    metrics = _metrics(options)
    computing = options.computing
    how = computing.device, computing.precision, computing.exact
    judges = choose_judges(options.judge, options.template, *how, notice=say)
    thresholds = _thresholds(options.threshold)
    if options.figure is not None:
        check_ending(options.figure)
    check_folders(options.writing)
    missing = {spec: ready.missing for spec in metrics if not (ready := catalogue.ready(spec))}
    if missing and len(missing) == len(metrics) and not judges:
        raise MetricError(missing[metrics[0]])
    for sentence in missing.values():
        say(sentence)
    ready_metrics = tuple(spec for spec in metrics if spec not in missing)
    plans = ScoringPlan.of(ready_metrics, judges, computing.device).apart()
    corpora = [read_corpus(path) for path in options.corpus]
    asked = Chosen(options.pairs, options.seed, options.measure)
    found, errors = certify_plans(corpora, [(plan, None) for plan in plans], thresholds, asked)
    names = found.material.names
    if unknown := [name for name in thresholds if name not in names]:
        raise ParapluieError(
            f'--threshold names "{unknown[0]}", which is none of the scores: '
            f"{', '.join(names)}. Write one of them before the sign =."
        )
    if options.markdown and not options.writing.json:
        print("\n\n".join(markdown(each, suite_words(found)) for each in found.result))
    else:
        write(show([(WorstToo() if options.worst else Certifying(), found)], options.writing))
    if options.figure is not None:
        write_figure(options.figure, Certifying().figures(found)[0], style=options.drawing.style)
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
    return certifiable(options.score)


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
