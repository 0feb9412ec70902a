"""`parapluie paraphrasus`: the benchmark's files in, its error table out."""

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
from parapluie_gui.analysis.material import CorpusParts, Material
from parapluie_gui.analysis.own_scores import own_scores
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.shared_errors import SharedErrors
from parapluie_gui.api.corpora import report_skipped
from parapluie_gui.api.material import no_column, put_expressions, score_values
from parapluie_gui.commands.analysis import check_folders, show, write
from parapluie_gui.commands.arguments import files, integer, many, number, option
from parapluie_gui.commands.arguments import shared as group
from parapluie_gui.commands.judge import score_now
from parapluie_gui.commands.options import Defining, JudgeAndMetrics, Writing
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import CorpusError, ParapluieError
from parapluie_gui.features.papers.grades import Grade, grade_edges, grades
from parapluie_gui.features.papers.grades_analysis import Grades
from parapluie_gui.features.papers.grades_analysis import GradesResult as GradesFound
from parapluie_gui.features.papers.grades_analysis import Options as GradesOptions
from parapluie_gui.features.papers.paraphrasus import (
    PART_KEYS,
    BenchmarkTask,
    Method,
    PartError,
    add,
    by_language,
    error_table,
    prediction_columns,
    prediction_method,
    score_method,
    shared,
    tally,
    tasks,
)
from parapluie_gui.features.papers.paraphrasus_analysis import Options as Nothing
from parapluie_gui.features.papers.paraphrasus_analysis import Paraphrasus, ParaphrasusResult
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs import Corpus, read
from parapluie_gui.pairs.column import to_column
from parapluie_gui.pairs.pool import pool
from parapluie_gui.report.record import AnalysisRun
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.table import ScoreTable


@dataclass(frozen=True, kw_only=True)
class BenchmarkedMetrics(JudgeAndMetrics):
    """As `JudgeAndMetrics`, with a threshold for each metric."""

    metric: tuple[str, ...] = many("see `parapluie metrics`; paraphrases have X or better; may be repeated", "SPEC[@X]")


@dataclass(frozen=True, kw_only=True)
class RunParaphrasus:
    """Print the share of pairs that methods get wrong in each part of PARAPHRASUS."""

    path: tuple[Path, ...] = files("folder or files of the benchmark's parts", "PATH")
    score: tuple[str, ...] = many("score in the files; paraphrases have X or better; may be repeated", "COL[=X]")
    prediction: tuple[str, ...] = many("0/1 column in the files; * pools several; may be repeated", "[NAME=]COL")
    limit: int | None = integer("only N pairs of each part, drawn at random")
    grades: float | None = option(
        "share called paraphrases by human score, in bins of WIDTH", "WIDTH", type=number(0), nargs="?", const=0.0
    )
    defining: Defining = group(Defining)
    writing: Writing = group(Writing)
    scoring: BenchmarkedMetrics = group(BenchmarkedMetrics, "methods to be computed now")


#: Files of a folder that may hold pairs.
_ENDINGS = (".json", ".jsonl", ".csv", ".tsv", ".txt", ".parquet", ".xlsx", ".ods")
_SIDECAR = ".signatures.json"

_SEED = 0


@dataclass(frozen=True, eq=False)
class File:
    """A file of the benchmark: its pairs, the parts they belong to, and the methods judged on it so far."""

    path: Path
    corpus: Corpus
    tasks: tuple[BenchmarkTask, ...]
    methods: list[Method] = field(default_factory=list)


#: The errors of each method in each part, in the order in which the methods are to be shown; grows file by file.
Tallies = dict[str, dict[str, PartError]]


def run(options: RunParaphrasus) -> int:
    """Read, score what is to be scored, and print the table. Returns the exit status.

    Raises:
        ParapluieError: There is no part of the benchmark, or no method.
    """
    check_folders(options.writing)
    files = _files(options.path, options.limit)
    if options.defining.column:
        files = _with_columns(files, options.defining.column)
    tallies: Tallies = {}
    if options.score or options.prediction:
        scores = [_threshold(text) for text in options.score]
        predictions = [_named(text) for text in options.prediction]
        for file in files:
            for name, threshold in scores:
                _put_score(tallies, file, name, threshold)
            for name, pattern in predictions:
                _put_predictions(tallies, file, name, pattern)
        for name, _ in (*scores, *predictions):
            if not tallies[name]:
                raise no_column(name, dict.fromkeys(column for file in files for column in file.corpus.extra))
    elif not options.scoring.asked:
        _put_everything(tallies, files)
    if options.scoring.asked:
        _put_computed(tallies, files, options.scoring)
    table = error_table(tallies, [task.part.key for file in files for task in file.tasks])
    corpus_parts = CorpusParts.of_corpus(pool([file.corpus for file in files]))
    material = Material(corpus_parts, (), corpus_parts.corpus.labels, corpus_parts.parts)
    together = tuple(Method(name, np.empty((0, 1))) for name in tallies)
    found = ParaphrasusResult((), (), table, together, _together(files, list(tallies)), _by_language(files))
    done: list[AnalysisRun] = [(Paraphrasus(), Run(material, Nothing(), found))]
    if options.grades is not None:
        done.append((Grades(), Run(material, GradesOptions(options.grades), _grades(files, options.grades or None))))
    write(show(done, options.writing))
    return 0


# Reading


def _files(paths: Sequence[Path], limit: int | None) -> list[File]:
    """Read the files named, and those of the folders named whose names are those of parts."""
    found = []
    for path in paths:
        inside = path.is_dir()
        for each in sorted(path.iterdir()) if inside else [path]:
            if inside and (not each.is_file() or each.suffix.lower() not in _ENDINGS or each.name.endswith(_SIDECAR)):
                continue
            try:
                corpus = read(each)
            except CorpusError:
                if not inside:
                    raise
                continue
            tasks_here = _limited(tasks(corpus), limit)
            if tasks_here:
                report_skipped(corpus, say)
                found.append(File(each, corpus, tasks_here))
            else:
                say(f"{each.name} was skipped: its name is not that of a part of PARAPHRASUS.")
    if not found:
        raise ParapluieError(
            f"There is no part of PARAPHRASUS in {', '.join(map(str, paths))}. Choose its files, or name yours after "
            f"its parts ({', '.join(PART_KEYS)})."
        )
    return found


def _limited(found: Sequence[BenchmarkTask], limit: int | None) -> tuple[BenchmarkTask, ...]:
    """Keep at most `limit` pairs of each part, drawn with a fixed seed: its first ones are often alike."""
    if limit is None:
        return tuple(found)
    result = []
    for task in found:
        count = min(limit, len(task.rows))
        chosen = np.sort(np.random.default_rng(_SEED).choice(len(task.rows), count, replace=False))
        result.append(replace(task, rows=task.rows[chosen], expected=task.expected[chosen]))
    return tuple(result)


def _with_columns(files: Sequence[File], texts: Sequence[str]) -> list[File]:
    """Return the files with columns worked out from their others, where they have those.

    Raises:
        ParapluieError: None of them has.
    """
    made, errors = [], []
    for file in files:
        table = ScoreTable(len(file.corpus))
        try:
            put_expressions(file.corpus, table, texts)
        except ParapluieError as error:
            errors.append(error)
        more = {name: to_column(table[name]) for name in table}
        made.append(replace(file, corpus=replace(file.corpus, extra={**file.corpus.extra, **more})))
    if len(errors) == len(files):
        raise errors[0]
    return made


# Methods


def _threshold(text: str) -> tuple[str, float | None]:
    """Read COL or COL=THRESHOLD."""
    name, equals, value = text.rpartition("=")
    if not equals:
        return text, None
    try:
        return name, float(value)
    except ValueError:
        raise ParapluieError(f'"{text}" is not a score. Write COL, or COL=0.5 for a threshold of 0.5.') from None


def _named(text: str) -> tuple[str, str]:
    """Read COL or NAME=COL; without a name, the method is called as its column."""
    name, equals, pattern = text.partition("=")
    return (name, pattern) if equals else (text, text)


def _put(tallies: Tallies, file: File, method: Method) -> None:
    """Count the errors of a method in a file."""
    file.methods.append(method)
    tallies[method.name] = add(tallies.get(method.name, {}), tally(file.tasks, method))


def _put_score(tallies: Tallies, file: File, name: str, threshold: float | None) -> None:
    tallies.setdefault(name, {})
    if name in file.corpus.extra:
        values = score_values(file.corpus, name, file.path)
        _put(tallies, file, score_method(score_column(name, values), threshold))


def _put_predictions(tallies: Tallies, file: File, name: str, pattern: str) -> None:
    tallies.setdefault(name, {})
    # A column of that very name goes before what "*", "?" and "[" stand for.
    columns = [pattern] if pattern in file.corpus.extra else fnmatch.filter(file.corpus.extra, pattern)
    if columns:
        _put(tallies, file, prediction_method(name, file.corpus, columns))


def _put_everything(tallies: Tallies, files: Sequence[File]) -> None:
    """Count every score with a natural threshold; if there is none, the predictions that all files have."""
    for file in files:
        for name in own_scores(file.corpus):
            info = catalogue.info(name)
            if identify(name).judged or (info is not None and info.threshold is not None):
                _put_score(tallies, file, name, None)
    if any(tallies.values()):
        return
    common = [set(prediction_columns(file.corpus)) for file in files]
    for name in prediction_columns(files[0].corpus):
        if all(name in each for each in common):
            for file in files:
                _put(tallies, file, prediction_method(name, file.corpus, [name]))
    if not any(tallies.values()):
        raise ParapluieError(
            "No file holds scores with a natural threshold, or predictions that all files have. Name some with "
            "--score COL=THRESHOLD or --prediction COL, or have the pairs scored with --judge or --metric."
        )


def _put_computed(tallies: Tallies, files: Sequence[File], scoring: JudgeAndMetrics) -> None:
    """Score the pairs that count, all files in one job so that a model is loaded once."""
    thresholds: dict[str, float] = {}
    specs = []
    for text in scoring.metric:
        spec, value = _spec(text)
        info, column = catalogue.find(spec).info, catalogue.column(spec)
        if value is None and info.threshold is None:
            raise ParapluieError(f"{info.title} has no natural threshold. Add one, such as {spec}@0.5.")
        if value is not None:
            thresholds[column] = value
        specs.append(spec)
    rows = [np.unique(np.concatenate([task.rows for task in file.tasks])) for file in files]
    pairs = pool([file.corpus.take(each) for file, each in zip(files, rows, strict=True)])
    table = score_now(pairs, specs, scoring)
    start = 0
    for file, each in zip(files, rows, strict=True):
        part = slice(start, start + len(each))
        start += len(each)
        for name in table.scores:
            values = np.full(len(file.corpus), np.nan)
            values[each] = table[name][part]
            _put(tallies, file, score_method(score_column(name, values), thresholds.get(name)))


def _spec(text: str) -> tuple[str, float | None]:
    """Read SPEC or SPEC@THRESHOLD; a spec may hold equals signs of its own."""
    found = re.fullmatch(r"(.+)@([-+]?[\d.]+(?:e[-+]?\d+)?)", text)
    return (found[1], float(found[2])) if found else (text, None)


# Results


def _together(files: Sequence[File], names: Sequence[str]) -> dict[str, SharedErrors]:
    """Return what all methods get wrong in each part, over the files that all of them have verdicts on."""
    result: dict[str, SharedErrors] = {}
    for file in files:
        if len(names) > 1 and {each.name for each in file.methods} == set(names):
            for key, found in shared(file.tasks, file.methods).items():
                result[key] = result.get(key, SharedErrors()) + found
    return result


def _by_language(files: Sequence[File]) -> dict[str, dict[str, dict[str, PartError]]]:
    """Return each method's errors by language and part, over the files that tell the language of their pairs."""
    result: dict[str, dict[str, dict[str, PartError]]] = {}
    for file in files:
        codes = languages(file.corpus)
        for method in file.methods if codes is not None else ():
            found = result.setdefault(method.name, {})
            for language, errors in by_language(file.tasks, method, codes or ()).items():
                found[language] = add(found.get(language, {}), errors)
    return result


def _grades(files: Sequence[File], width: float | None) -> GradesFound:
    """Return how many pairs each method calls a paraphrase by human score, for each part that people graded.

    The runs of a part's files add up. Parts are not pooled, because their scales differ (SICK's begins at 1).
    """
    graded = [
        (file, task.part.key, file.corpus.human)
        for file in files
        for task in file.tasks
        if task.part.low is not None and file.corpus.human is not None
    ]
    if not graded:
        raise ParapluieError("No file holds human scores, so there are no grades. Leave out --grades.")
    edges = grade_edges(np.concatenate([human for _, _, human in graded]), width)
    parts = {key for _, key, _ in graded}
    result: dict[str, tuple[Grade, ...]] = {}
    for file, key, human in graded:
        for method in file.methods:
            name = method.name if len(parts) == 1 else f"{method.name}, {key}"
            bins = grades(method.verdicts, human, edges)
            result[name] = tuple(map(operator.add, result[name], bins)) if name in result else bins
    return GradesFound(edges, result, {}, ())
