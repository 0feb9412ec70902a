"""`parapluie score`: a corpus in, a table of scores out, with the same job that the window runs."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from parapluie_gui import places
from parapluie_gui.analysis.statistics.summary import by_label
from parapluie_gui.errors import BAD_INPUT, CorpusError, MetricError, ParapluieError, WorkerError
from parapluie_gui.metrics import catalogue, corpus_column
from parapluie_gui.models.catalogue import find_model, usual_judge
from parapluie_gui.models.device import choose_device, choose_precision
from parapluie_gui.pairs import ROLES, ColumnMapping, Corpus, inspect, read, read_parallel
from parapluie_gui.pairs.pool import pool
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import USUAL_TEMPLATES, Template, find_templates, for_judge, load_templates
from parapluie_gui.report.table import EXCEL_ROWS, check_target, write_table
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.gate import Gate
from parapluie_gui.work.job import Batch, ColumnStarted, Event, Failed, Job, JudgeLoaded, Notice, Progress, StageChanged

Result = TypeVar("Result")


@dataclass(frozen=True)
class Request:
    """What the command line asks for.

    Attributes:
        corpus: The pairs.
        output: Where the table goes.
        metrics: Specs of the baselines.
        judge: The model, or None without templates.
        templates: ParaPLUIE templates.
        device: Where the models of baselines compute.
        refused: Sentences on baselines that were asked for and are not ready.
    """

    corpus: Corpus
    output: Path
    metrics: tuple[str, ...]
    judge: JudgeSettings | None
    templates: tuple[Template, ...]
    device: str = "auto"
    refused: tuple[str, ...] = ()

    @classmethod
    def from_options(cls, options: argparse.Namespace) -> Request:
        """Check everything that can be checked before the work begins.

        Raises:
            ParapluieError: Something asked for is not there.
        """
        check_output(options.output, options.corpus)
        metrics = tuple(dict.fromkeys(options.metric or catalogue.defaults()))
        for spec in metrics:
            catalogue.metric(spec)
        catalogue.check_distinct(metrics)
        judge, templates = choose_judge(options)
        missing = {spec: ready.missing for spec in metrics if not (ready := catalogue.ready(spec))}
        if len(missing) == len(metrics) and judge is None:
            raise MetricError(missing[metrics[0]])
        corpus = read_corpora(options)
        if options.limit is not None and options.limit < len(corpus):
            corpus = corpus.take(range(options.limit))
        if options.output.suffix.lower() == ".xlsx" and len(corpus) >= EXCEL_ROWS:
            raise ParapluieError(
                f"An Excel sheet holds {EXCEL_ROWS - 1:,} pairs, and there are {len(corpus):,}; write .csv or .parquet."
            )
        if judge is not None:
            choose_precision(judge.precision, choose_device(judge.device))
        for spec in metrics:
            if corpus_column.is_external(spec):
                corpus_column.fill(ScoreTable(len(corpus)), corpus, spec)
        metrics = tuple(spec for spec in metrics if spec not in missing)
        return cls(corpus, options.output, metrics, judge, templates, options.device, tuple(missing.values()))


def choose_judge(options: argparse.Namespace) -> tuple[JudgeSettings | None, tuple[Template, ...]]:
    """Return the judge and the templates that the options name; None and nothing where they name neither.

    Raises:
        ParapluieError: Something asked for is not there.
    """
    if not (options.template or options.judge):
        return None, ()
    available, broken = load_templates(places.user_templates())
    for template in broken:
        print(f"parapluie: {template.error}", file=sys.stderr)
    chosen = find_templates(dict.fromkeys(options.template or ()), available)
    name = options.judge or usual_judge({template.kind for template in chosen})
    judge = JudgeSettings(name, options.device, options.precision, options.exact)
    files = find_model(judge.model)
    usual = find_templates(USUAL_TEMPLATES[files.kind], available)
    templates = for_judge(files.kind, files.name, chosen or usual)
    return judge, templates


def check_output(output: Path, corpora: Sequence[Path]) -> None:
    """Refuse, before hours of scoring, a file that cannot be written or that would take the place of a corpus.

    Raises:
        ParapluieError: The ending is unknown, the folder cannot be written, or it is one of the corpora.
    """
    check_target(output)
    if output.is_dir():
        raise ParapluieError(f"{output} is a folder; add the name of the table to it.")
    for path in (output, output.with_name(f"{output.name}.signatures.json")):
        if any(path.exists() and corpus.exists() and path.samefile(corpus) for corpus in corpora):
            raise ParapluieError(f"{path} is a corpus to be scored and would be overwritten; choose another name.")
    try:
        with tempfile.TemporaryFile(dir=output.parent):
            pass
    except OSError as error:
        raise ParapluieError(
            f"Nothing can be written into the folder {output.parent} ({error.strerror}); choose another."
        ) from error


def read_corpora(options: argparse.Namespace) -> Corpus:
    """Read the corpora that the options name, pooled.

    Raises:
        CorpusError: One cannot be read as asked.
    """
    if options.parallel:
        if len(options.corpus) != 2:
            raise CorpusError(
                f"--parallel takes two files, and {_count(len(options.corpus), 'was', 'were')} named",
                "name the file of sources, then the file of hypotheses",
                options.corpus[0],
            )
        corpus = read_parallel(*options.corpus, encoding=options.encoding)
        _say_aside(corpus)
        return corpus
    chosen = {role: getattr(options, role) for role in ROLES if getattr(options, role)}
    delimiter = {"TAB": "\t", "\\t": "\t"}.get(options.delimiter, options.delimiter)
    reading = {"layout": options.layout, "encoding": options.encoding, "delimiter": delimiter}
    corpora = []
    for path in options.corpus:
        mapping = None
        if chosen:
            # What the user does not name keeps the role it has by its name or layout.
            guess = inspect(path, **reading).mapping
            mapping = ColumnMapping(**{**{role: getattr(guess, role) for role in ROLES}, **chosen})
        corpora.append(read(path, mapping=mapping, **reading))
        _say_aside(corpora[-1])
    return pool(corpora)


def _say_aside(corpus: Corpus) -> None:
    if corpus.aside:
        first, rows = corpus.aside[0], _count(len(corpus.aside), "row is", "rows are")
        print(f"parapluie: {corpus.name}: {rows} set aside (line {first.line}: {first.reason}).", file=sys.stderr)


def run(request: Request) -> int:
    """Score the corpus and write the table; prints a summary.

    Returns the exit status: 2 where a score that was asked for is not among those written.

    Raises:
        ParapluieError: No score can be computed.
    """
    corpus = request.corpus
    for sentence in request.refused:
        print(f"parapluie: {sentence}", file=sys.stderr)
    failed: list[ParapluieError] = []
    table = compute(corpus, request.metrics, request.judge, request.templates, request.device, failed)
    if failed and not any(table.scored(name) for name in table.scores):
        raise failed[0]
    for warning in write_table(request.output, corpus, table).warnings:
        print(f"parapluie: {warning}", file=sys.stderr)
    _print_summary(corpus, table)
    print(f"{_count(len(corpus), 'pair', 'pairs')}, {_count(len(table.scores), 'score', 'scores')} → {request.output}")
    for error in failed:
        print(f"parapluie: {error}", file=sys.stderr)
    return BAD_INPUT if failed or request.refused else 0


def compute(
    corpus: Corpus,
    metrics: tuple[str, ...],
    judge: JudgeSettings | None,
    templates: tuple[Template, ...],
    device: str = "auto",
    failed: list[ParapluieError] | None = None,
) -> ScoreTable:
    """Return the scores of a corpus, computed in this process; progress goes to stderr.

    Args:
        corpus: The pairs.
        metrics: Specs of the baselines; columns of the corpus among them are taken from it.
        judge: The model, or None without templates.
        templates: ParaPLUIE templates.
        device: Where the models of baselines compute.
        failed: Takes the error where a score cannot be computed; the others are returned.

    Raises:
        ParapluieError: A score cannot be computed, and `failed` is None.
    """
    table = ScoreTable(len(corpus))
    for spec in filter(corpus_column.is_external, metrics):
        corpus_column.fill(table, corpus, spec)
    job = Job(
        id=1,
        sources=tuple(corpus.source),
        hypotheses=tuple(corpus.hypothesis),
        references=None if corpus.reference is None else tuple(corpus.reference),
        metrics=tuple(spec for spec in metrics if not corpus_column.is_external(spec)),
        judge=judge,
        templates=templates,
        stores=(places.score_cache(),),
        device=device,
    )
    errors = _compute(job, table)
    if errors and failed is None:
        raise errors[0]
    if failed is not None:
        failed += errors
    return table


def _compute(job: Job, table: ScoreTable) -> list[ParapluieError]:
    """Run the job in this process, filling the table; returns the error it ended with, if any."""
    from parapluie_gui.work.runner import Runner

    failure: list[ParapluieError] = []
    with tqdm(total=0, unit="score", file=sys.stderr, disable=not sys.stderr.isatty(), leave=False) as bar:

        def take(event: Event) -> None:
            match event:
                case ColumnStarted():
                    table.declare(event.column, event.signature)
                case Batch():
                    table.put(event.rows, event.values)
                case Progress():
                    bar.total = event.total
                    bar.set_description(event.column, refresh=False)
                    bar.update(event.done - bar.n)
                case StageChanged():
                    bar.set_description(event.text)
                case JudgeLoaded():
                    bar.write(event.description, file=sys.stderr)
                    for notice in event.notices:
                        bar.write(notice, file=sys.stderr)
                case Notice():
                    bar.write(f"parapluie: {event.text}", file=sys.stderr)
                case Failed():
                    failure.append(WorkerError(event.text))
                    if os.environ.get("PARAPLUIE_DEBUG"):
                        print(event.detail, file=sys.stderr)

        with _CtrlC() as gate:
            Runner(take, gate).run(job)
    return failure


class _CtrlC(Gate):
    """Ends the job when Ctrl+C is pressed, also where Python drops the interruption (within a destructor)."""

    def __init__(self) -> None:
        self._pressed = False
        self._before: Any = None

    def __enter__(self) -> _CtrlC:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def check(self) -> None:
        """Raise KeyboardInterrupt once the key was pressed."""
        if self._pressed:
            raise KeyboardInterrupt

    def guard(self, work: Callable[[], Result]) -> Result:
        """Do a batch of work unless the key was pressed."""
        self.check()
        return work()

    def _press(self, number: int, frame: object) -> None:
        self._pressed = True
        raise KeyboardInterrupt


def _print_summary(corpus: Corpus, table: ScoreTable) -> None:
    """Print mean ± standard deviation of each score, per label where there are labels."""
    width = max((len(name) for name in table.scores), default=0)
    for name in table.scores:
        parts = by_label(table[name], corpus.label)
        missing = f", {parts.all.missing} without a score" if parts.all.missing else ""
        if corpus.labelled:
            print(f"{name:<{width}}  paraphrases {parts.paraphrase}  others {parts.other}{missing}")
        else:
            print(f"{name:<{width}}  {parts.all}{missing}")


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
