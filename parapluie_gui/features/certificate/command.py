"""`parapluie certify`: print the certificates of scores on generated pairs."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.api.judges import choose_judges
from parapluie_gui.commands.analysis import check_folders, print_analyses, write_files
from parapluie_gui.commands.arguments import argument, option_group, output_file, repeatable, switch
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import ComputingOptions, FigureOptions, OutputOptions
from parapluie_gui.commands.saying import say, say_error
from parapluie_gui.errors import BAD_INPUT, MetricError, ParapluieError
from parapluie_gui.features.certificate.analysis import (
    CertificateAnalysis,
    CertificateOptions,
    CertificateWithWorstPairs,
    describe_suite,
    markdown,
)
from parapluie_gui.features.certificate.api import certify_plans, choose_certifiable
from parapluie_gui.metrics import catalogue
from parapluie_gui.options import finite_number
from parapluie_gui.shipped import corpus_path
from parapluie_gui.ui.widgets.svg_file import check_ending, write_figure
from parapluie_gui.work.scoring_plan import ScoringPlan


@dataclass(frozen=True, kw_only=True)
class CertifyOptions:
    """Test scores on pairs whose answer is known: a sentence with itself, negated, reworded and more."""

    score: tuple[str, ...] = argument("metric to test, see `parapluie metrics`", "SCORE", nargs="*")
    judge: tuple[str, ...] = repeatable("judge to test, with --template; may be repeated", "MODEL[=NAME,...]")
    template: tuple[str, ...] = repeatable("ParaPLUIE template; may be repeated", "NAME[,reverse]")
    corpus: tuple[Path, ...] = repeatable(
        "also use sentences of this corpus; may be repeated", "CORPUS", type=corpus_path
    )
    certificate: CertificateOptions = option_group(CertificateOptions)
    threshold: tuple[str, ...] = repeatable(
        "threshold for a score, instead of its natural one; may be repeated", "SCORE=X"
    )
    worst: bool = switch("also print the ten worst pairs of each row")
    markdown: bool = switch("print the tables as Markdown, as in model cards")
    figure: Path | None = output_file("write a heat map of the scores side by side, as SVG, PNG or PDF", "FILE")
    drawing: FigureOptions = option_group(FigureOptions, "figures")
    writing: OutputOptions = option_group(OutputOptions)
    computing: ComputingOptions = option_group(ComputingOptions)


def run(options: CertifyOptions) -> int:
    """Generate the pairs, score them and print the certificates. Return the exit status: 2 if a score is missing.

    Raises:
        ParapluieError: A file, metric or judge is missing, or no score can be computed.
    """
    metrics = _metrics(options)
    computing = options.computing
    settings = computing.device, computing.precision, computing.exact
    judges = choose_judges(options.judge, options.template, *settings, notice=say)
    thresholds = _thresholds(options.threshold)
    if options.figure is not None:
        check_ending(options.figure)
    check_folders(options.writing)
    missing = {spec: ready.missing for spec in metrics if not (ready := catalogue.ready(spec))}
    if missing and len(missing) == len(metrics) and not judges:
        raise MetricError(missing[metrics[0]])
    for sentence in missing.values():
        say_error(sentence)
    ready_metrics = tuple(spec for spec in metrics if spec not in missing)
    plans = ScoringPlan(ready_metrics, judges, computing.device).split_by_judge()
    corpora = [read_corpus(path) for path in options.corpus]
    result, errors = certify_plans(corpora, [(plan, None) for plan in plans], thresholds, options.certificate)
    names = result.material.names
    if unknown := [name for name in thresholds if name not in names]:
        raise ParapluieError(
            f'--threshold names "{unknown[0]}", which is not one of the scores: '
            f"{', '.join(names)}. Write one of them before =."
        )
    if options.markdown and not options.writing.json:
        print("\n\n".join(markdown(certificate, describe_suite(result)) for certificate in result.result))
    else:
        write_files(
            print_analyses(
                [(CertificateWithWorstPairs() if options.worst else CertificateAnalysis(), result)], options.writing
            )
        )
    if options.figure is not None:
        write_figure(options.figure, CertificateAnalysis().figures(result)[0], style=options.drawing.style)
    for error in errors:
        say_error(str(error))
    return BAD_INPUT if errors or missing else 0


def _metrics(options: CertifyOptions) -> tuple[str, ...]:
    """Return the distinct metrics named.

    Raises:
        ParapluieError: No score is named, a metric is unknown, or it cannot be computed for generated pairs.
    """
    if not (options.score or options.judge or options.template):
        raise ParapluieError("There is nothing to certify. Name a metric (bleu), or a judge with --judge.")
    for spec in options.score:
        if Path(spec).is_file():
            raise ParapluieError(f"{spec} is a file, not a score. Use --corpus to take sentences from a corpus.")
    return choose_certifiable(options.score)


def _thresholds(texts: Sequence[str]) -> dict[str, float]:
    thresholds = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        try:
            thresholds[name] = finite_number(value if sign else "")
        except ValueError:
            raise ParapluieError(f"--threshold has to be SCORE=X, such as sbert=0.7, not {text}.") from None
    return thresholds
