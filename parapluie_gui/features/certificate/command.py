"""`parapluie certify`: pairs made by rule in, what each score does with them out."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.api.judges import choose_judges
from parapluie_gui.commands.analysis import check_folders, show, write
from parapluie_gui.commands.arguments import argument, file, many, shared, switch
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import Computing, Drawing, Writing
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import BAD_INPUT, MetricError, ParapluieError
from parapluie_gui.features.certificate.analysis import Certifying, WorstToo, markdown, suite_words
from parapluie_gui.features.certificate.analysis import Options as CertificateOptions
from parapluie_gui.features.certificate.api import certifiable, certify_plans
from parapluie_gui.metrics import catalogue
from parapluie_gui.shipped import corpus_path
from parapluie_gui.ui.widgets.svg_file import check_ending, write_figure
from parapluie_gui.work.scoring_plan import ScoringPlan


@dataclass(frozen=True, kw_only=True)
class Options:
    """Print what scores do with pairs whose answer is known: a sentence beside itself, negated, reworded and more."""

    score: tuple[str, ...] = argument("metric to be tried, see `parapluie metrics`", "SCORE", nargs="*")
    judge: tuple[str, ...] = many("judge to be tried, with --template; may be repeated", "MODEL[=NAME,...]")
    template: tuple[str, ...] = many("ParaPLUIE template; may be repeated", "NAME[,reverse]")
    corpus: tuple[Path, ...] = many("make pairs of its sentences too; may be repeated", "CORPUS", type=corpus_path)
    certificate: CertificateOptions = shared(CertificateOptions)
    threshold: tuple[str, ...] = many("threshold of a score instead of its natural one; may be repeated", "SCORE=X")
    worst: bool = switch("also print the ten worst pairs of each row")
    markdown: bool = switch("print the tables as Markdown, as in model cards")
    figure: Path | None = file("write a heat map of the scores side by side, as SVG, PNG or PDF", "FILE")
    drawing: Drawing = shared(Drawing, "figures")
    writing: Writing = shared(Writing)
    computing: Computing = shared(Computing)


def run(options: Options) -> int:
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
    plans = ScoringPlan(ready_metrics, judges, computing.device).apart()
    corpora = [read_corpus(path) for path in options.corpus]
    found, errors = certify_plans(corpora, [(plan, None) for plan in plans], thresholds, options.certificate)
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


def _metrics(options: Options) -> tuple[str, ...]:
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
