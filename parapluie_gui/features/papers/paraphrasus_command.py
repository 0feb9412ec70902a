"""The command `parapluie paraphrasus`: print the error table of the benchmark's files."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

import fnmatch
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from parapluie_gui.analysis.base import Run
from parapluie_gui.analysis.languages import languages
from parapluie_gui.analysis.material import AnalysisMaterial, CorpusParts
from parapluie_gui.analysis.own_scores import own_scores
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.shared_errors import SharedErrors
from parapluie_gui.api.corpora import report_skipped
from parapluie_gui.api.material import no_column, put_expressions, score_values
from parapluie_gui.commands.analysis import check_folders, print_analyses, write_files
from parapluie_gui.commands.arguments import argument, integer, number_reader, option, option_group, repeatable
from parapluie_gui.commands.judge import compute_scores
from parapluie_gui.commands.options import DefinedColumns, JudgeAndMetrics, OutputOptions
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import CorpusError, ParapluieError
from parapluie_gui.features.papers.grades import GradeBin, grade_edges, grades
from parapluie_gui.features.papers.grades_analysis import GradesAnalysis, GradesOptions, GradesResult
from parapluie_gui.features.papers.paraphrasus import (
    PART_KEYS,
    BenchmarkMethod,
    BenchmarkPart,
    BenchmarkTask,
    PartError,
    add_tallies,
    error_table,
    find_tasks,
    own_part,
    own_task,
    prediction_columns,
    prediction_method,
    score_method,
    tally_by_language,
    tally_errors,
    tally_shared_errors,
)
from parapluie_gui.features.papers.paraphrasus_analysis import (
    ParaphrasusAnalysis,
    ParaphrasusOptions,
    ParaphrasusResult,
)
from parapluie_gui.metrics import catalogue
from parapluie_gui.options import finite_number
from parapluie_gui.pairs import Corpus, read
from parapluie_gui.pairs.column import to_column
from parapluie_gui.pairs.pool import pool
from parapluie_gui.places import expand_user_path
from parapluie_gui.report.record import AnalysisRun
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.table import ScoreTable


@dataclass(frozen=True, kw_only=True)
class BenchmarkedMetrics(JudgeAndMetrics):
    """Options of `JudgeAndMetrics`, with a threshold for each metric."""

    metric: tuple[str, ...] = repeatable(
        "metric to compute, see `parapluie metrics`; pairs with X or better are called paraphrases; may be repeated",
        "SPEC[@X]",
    )


@dataclass(frozen=True, kw_only=True)
class RunParaphrasus:
    """Print the share of pairs that methods get wrong in each part of PARAPHRASUS."""

    path: tuple[Path, ...] = argument(
        "folder or files of the benchmark's parts", "PATH", nargs="*", type=expand_user_path
    )
    score: tuple[str, ...] = repeatable(
        "score in the files; pairs with X or better are called paraphrases; may be repeated", "COL[=X]"
    )
    prediction: tuple[str, ...] = repeatable("0/1 column in the files; * pools several; may be repeated", "[NAME=]COL")
    part: tuple[tuple[str, str], ...] = option(
        "part that the paper does not have: a name, its group (min: no pair is a paraphrase, max: all are, classify: "
        "the labels are right) and its file; may be repeated",
        ("NAME=GROUP", "FILE"),
        nargs=2,
        action="append",
    )
    limit: int | None = integer("only N pairs of each part, drawn at random")
    grades: float | None = option(
        "share called a paraphrase, by human score, in bins of WIDTH",
        "WIDTH",
        type=number_reader(0),
        nargs="?",
        const=0.0,
    )
    defining: DefinedColumns = option_group(DefinedColumns)
    writing: OutputOptions = option_group(OutputOptions)
    scoring: BenchmarkedMetrics = option_group(BenchmarkedMetrics, "methods to compute now")


#: Endings of files that may hold pairs.
_ENDINGS = (".json", ".jsonl", ".csv", ".tsv", ".txt", ".parquet", ".xlsx", ".ods")
_SIDECAR = ".signatures.json"

#: Groups of parts by their short names.
_GROUPS = {"min": "minimize", "max": "maximize", "classify": "classify"}

_SEED = 0


@dataclass(frozen=True, eq=False)
class BenchmarkFile:
    """A file of the benchmark: its pairs, their parts, and the methods evaluated on it."""

    path: Path
    corpus: Corpus
    tasks: tuple[BenchmarkTask, ...]
    methods: list[BenchmarkMethod] = field(default_factory=list)


#: Errors of each method in each part, methods in display order; grows file by file.
Tallies = dict[str, dict[str, PartError]]


def run(options: RunParaphrasus) -> int:
    """Read the files, compute the requested scores, and print the table; return the exit status.

    Raises:
        ParapluieError: The files hold no part of the benchmark, or there is no method.
    """
    check_folders(options.writing)
    parts = [_parse_part(name, file) for name, file in options.part]
    if not options.path and not parts:
        raise ParapluieError("Name a folder or files of PARAPHRASUS, or a part with --part NAME=GROUP FILE.")
    files = [*(_files(options.path, options.limit) if options.path else ()), *_own_files(parts, options.limit)]
    if options.defining.column:
        files = _add_columns(files, options.defining.column)
    tallies: Tallies = {}
    if options.score or options.prediction:
        scores = [_parse_score(text) for text in options.score]
        predictions = [_parse_prediction(text) for text in options.prediction]
        for file in files:
            for name, threshold in scores:
                _count_score(tallies, file, name, threshold)
            for name, pattern in predictions:
                _count_predictions(tallies, file, name, pattern)
        for name, _ in (*scores, *predictions):
            if not tallies[name]:
                raise no_column(name, dict.fromkeys(column for file in files for column in file.corpus.extra))
    elif not options.scoring.asks_for_scores:
        _count_own_scores(tallies, files)
    if options.scoring.asks_for_scores:
        _score_and_count(tallies, files, options.scoring)
    table = error_table(tallies, [task.part.key for file in files for task in file.tasks])
    # The columns are counted already; pooling those of a hundred methods takes a second.
    pooled = pool([replace(file.corpus, extra={}) for file in files])
    corpus_parts = CorpusParts.from_corpus(pooled)
    material = AnalysisMaterial(corpus_parts, (), corpus_parts.corpus.labels, corpus_parts.parts)
    together = tuple(BenchmarkMethod(name, np.empty((0, 1))) for name in tallies)
    result = ParaphrasusResult((), (), table, together, _tally_together(files, list(tallies)), _tally_languages(files))
    done: list[AnalysisRun] = [(ParaphrasusAnalysis(), Run(material, ParaphrasusOptions(), result))]
    if options.grades is not None:
        done.append(
            (GradesAnalysis(), Run(material, GradesOptions(options.grades), _grades(files, options.grades or None)))
        )
    write_files(print_analyses(done, options.writing))
    return 0


# Reading


def _files(paths: Sequence[Path], limit: int | None) -> list[BenchmarkFile]:
    """Read the given files, and those files in the given folders that are named after a part."""
    benchmark_files = []
    for path in paths:
        inside = path.is_dir()
        for file in sorted(path.iterdir()) if inside else [path]:
            if inside and (not file.is_file() or file.suffix.lower() not in _ENDINGS or file.name.endswith(_SIDECAR)):
                continue
            try:
                corpus = read(file)
            except CorpusError:
                if not inside:
                    raise
                continue
            tasks_here = _draw_pairs(find_tasks(corpus), limit)
            if tasks_here:
                report_skipped(corpus, say)
                benchmark_files.append(BenchmarkFile(file, corpus, tasks_here))
            else:
                say(
                    f"{file.name} was skipped: it is not named after a part of PARAPHRASUS. Add your own parts with "
                    "--part NAME=GROUP FILE."
                )
    if not benchmark_files:
        raise ParapluieError(
            f"There is no part of PARAPHRASUS in {', '.join(map(str, paths))}. Choose its files, or name yours after "
            f"its parts ({', '.join(PART_KEYS)}), or add them with --part NAME=GROUP FILE."
        )
    return benchmark_files


def _parse_part(text: str, file: str) -> tuple[BenchmarkPart, Path]:
    """Parse NAME=GROUP and the name of a file."""
    name, equals, group = text.rpartition("=")
    if not equals or not name or group not in _GROUPS:
        raise ParapluieError(f'"{text}" is not a part. Write NAME=GROUP, where GROUP is {", ".join(_GROUPS)}.')
    if name in PART_KEYS:
        raise ParapluieError(f"{name} is a part of the paper. Choose another name for yours.")
    return own_part(name, _GROUPS[group]), expand_user_path(file)


def _own_files(parts: Sequence[tuple[BenchmarkPart, Path]], limit: int | None) -> list[BenchmarkFile]:
    """Read the files of parts that the paper does not have."""
    benchmark_files = []
    for part, path in parts:
        corpus = read(path)
        report_skipped(corpus, say)
        task = own_task(part, corpus)
        if not len(task.rows):
            raise ParapluieError(f"{path.name} has no labels. Add a column “label”, or choose {part.key}=min or =max.")
        benchmark_files.append(BenchmarkFile(path, corpus, _draw_pairs([task], limit)))
    return benchmark_files


def _draw_pairs(corpus_tasks: Sequence[BenchmarkTask], limit: int | None) -> tuple[BenchmarkTask, ...]:
    """Draw up to `limit` pairs of each part with a fixed seed; the first pairs of a file are often alike."""
    if limit is None:
        return tuple(corpus_tasks)
    result = []
    for task in corpus_tasks:
        count = min(limit, len(task.rows))
        chosen = np.sort(np.random.default_rng(_SEED).choice(len(task.rows), count, replace=False))
        result.append(replace(task, rows=task.rows[chosen], expected=task.expected[chosen]))
    return tuple(result)


def _add_columns(files: Sequence[BenchmarkFile], texts: Sequence[str]) -> list[BenchmarkFile]:
    """Return the files with computed columns added, where a file has the columns they need.

    Raises:
        ParapluieError: No file has the columns they need.
    """
    extended, errors = [], []
    for file in files:
        table = ScoreTable(len(file.corpus))
        try:
            put_expressions(file.corpus, table, texts)
        except ParapluieError as error:
            errors.append(error)
        more = {name: to_column(table[name]) for name in table}
        extended.append(replace(file, corpus=replace(file.corpus, extra={**file.corpus.extra, **more})))
    if len(errors) == len(files):
        raise errors[0]
    return extended


# Methods


def _parse_score(text: str) -> tuple[str, float | None]:
    """Parse COL or COL=THRESHOLD."""
    name, equals, value = text.rpartition("=")
    if not equals:
        return text, None
    try:
        return name, finite_number(value)
    except ValueError:
        raise ParapluieError(f'"{text}" is not a score. Write COL, or COL=0.5 for a threshold of 0.5.') from None


def _parse_prediction(text: str) -> tuple[str, str]:
    """Parse COL or NAME=COL; without a name, the method is named after its column."""
    name, equals, pattern = text.partition("=")
    return (name, pattern) if equals else (text, text)


def _count_errors(tallies: Tallies, file: BenchmarkFile, method: BenchmarkMethod) -> None:
    """Count the errors of a method in a file."""
    file.methods.append(method)
    tallies[method.name] = add_tallies(tallies.get(method.name, {}), tally_errors(file.tasks, method))


def _count_score(tallies: Tallies, file: BenchmarkFile, name: str, threshold: float | None) -> None:
    tallies.setdefault(name, {})
    if name in file.corpus.extra:
        values = score_values(file.corpus, name, file.path)
        _count_errors(tallies, file, score_method(score_column(name, values), threshold))


def _count_predictions(tallies: Tallies, file: BenchmarkFile, name: str, pattern: str) -> None:
    tallies.setdefault(name, {})
    # A column of exactly this name takes precedence over wildcards.
    columns = [pattern] if pattern in file.corpus.extra else fnmatch.filter(file.corpus.extra, pattern)
    if columns:
        _count_errors(tallies, file, prediction_method(name, file.corpus, columns))


def _count_own_scores(tallies: Tallies, files: Sequence[BenchmarkFile]) -> None:
    """Count every score with a natural threshold; without such scores, the predictions that all files have."""
    for file in files:
        for name in own_scores(file.corpus):
            info = catalogue.info(name)
            if identify(name).is_from_judge or (info is not None and info.threshold is not None):
                _count_score(tallies, file, name, None)
    if any(tallies.values()):
        return
    common = [set(prediction_columns(file.corpus)) for file in files]
    for name in prediction_columns(files[0].corpus):
        if all(name in columns for columns in common):
            for file in files:
                _count_errors(tallies, file, prediction_method(name, file.corpus, [name]))
    if not any(tallies.values()):
        raise ParapluieError(
            "No file contains scores with a natural threshold, and no column of predictions is in all files. Name "
            "columns with --score COL=THRESHOLD or --prediction COL, or score the pairs with --judge or --metric."
        )


def _score_and_count(tallies: Tallies, files: Sequence[BenchmarkFile], scoring: JudgeAndMetrics) -> None:
    """Score the pairs of all files in one job, so that a model is loaded once, and count the errors."""
    thresholds: dict[str, float] = {}
    specs = []
    for text in scoring.metric:
        spec, value = _parse_metric(text)
        info, column = catalogue.find(spec).info, catalogue.column(spec)
        if value is None and info.threshold is None:
            raise ParapluieError(f"{info.title} has no natural threshold. Add one, such as {spec}@0.5.")
        if value is not None:
            thresholds[column] = value
        specs.append(spec)
    rows = [np.unique(np.concatenate([task.rows for task in file.tasks])) for file in files]
    pairs = pool([file.corpus.take(own_rows) for file, own_rows in zip(files, rows, strict=True)])
    table = compute_scores(pairs, specs, scoring)
    start = 0
    for file, own_rows in zip(files, rows, strict=True):
        part = slice(start, start + len(own_rows))
        start += len(own_rows)
        for name in table.scores:
            values = np.full(len(file.corpus), np.nan)
            values[own_rows] = table[name][part]
            _count_errors(tallies, file, score_method(score_column(name, values), thresholds.get(name)))


def _parse_metric(text: str) -> tuple[str, float | None]:
    """Parse SPEC or SPEC@THRESHOLD; a spec may contain equals signs."""
    match = re.fullmatch(r"(.+)@([-+]?[\d.]+(?:e[-+]?\d+)?)", text)
    return (match[1], finite_number(match[2])) if match else (text, None)


# Results


def _tally_together(files: Sequence[BenchmarkFile], names: Sequence[str]) -> dict[str, SharedErrors]:
    """Count the errors that all methods share in each part, over the files for which all of them have verdicts."""
    result: dict[str, SharedErrors] = {}
    for file in files:
        if len(names) > 1 and {method.name for method in file.methods} == set(names):
            for key, errors in tally_shared_errors(file.tasks, file.methods).items():
                result[key] = result.get(key, SharedErrors()) + errors
    return result


def _tally_languages(files: Sequence[BenchmarkFile]) -> dict[str, dict[str, dict[str, PartError]]]:
    """Return each method's errors by language and part, over the files whose languages are known."""
    result: dict[str, dict[str, dict[str, PartError]]] = {}
    for file in files:
        codes = languages(file.corpus)
        for method in file.methods if codes is not None else ():
            by_language = result.setdefault(method.name, {})
            for language, errors in tally_by_language(file.tasks, method, codes or ()).items():
                by_language[language] = add_tallies(by_language.get(language, {}), errors)
    return result


def _grades(files: Sequence[BenchmarkFile], width: float | None) -> GradesResult:
    """Count the pairs that each method calls a paraphrase, by human score, for each part with human scores.

    The runs and files of a part are summed. Parts are not pooled, because their scales differ (SICK's begins at 1).
    """
    graded = [
        (file, task.part.key, file.corpus.human)
        for file in files
        for task in file.tasks
        if task.part.low is not None and file.corpus.human is not None
    ]
    if not graded:
        raise ParapluieError("No file contains human scores, which --grades needs. Leave out --grades.")
    edges = grade_edges(np.concatenate([human for _, _, human in graded]), width)
    parts = {key for _, key, _ in graded}
    result: dict[str, tuple[GradeBin, ...]] = {}
    for file, key, human in graded:
        for method in file.methods:
            name = method.name if len(parts) == 1 else f"{method.name}, {key}"
            bins = grades(method.verdicts, human, edges)
            result[name] = tuple(map(operator.add, result[name], bins)) if name in result else bins
    return GradesResult(edges, result, {}, ())
