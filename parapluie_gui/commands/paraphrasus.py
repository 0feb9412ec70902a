"""`parapluie paraphrasus`: the benchmark's files in, its error table out."""

from __future__ import annotations

import argparse
import fnmatch
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from parapluie_gui import __version__
from parapluie_gui.analysis.numbers import numbers
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.protocols.paraphrasus import (
    GROUPS,
    PART_KEYS,
    ErrorTable,
    Method,
    MethodErrors,
    PartError,
    Task,
    add,
    error_table,
    prediction_columns,
    prediction_method,
    score_method,
    tally,
    tasks,
)
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.errors import CorpusError, ParapluieError
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs import Corpus, read
from parapluie_gui.pairs.pool import pool
from parapluie_gui.report.benchmarks import paraphrasus_grid
from parapluie_gui.report.grid import grid_text
from parapluie_gui.report.latex import booktabs
from parapluie_gui.scores.column_kind import is_evidence, is_judge_score

#: Grows when a key of --json changes its meaning or goes.
FORMAT = 1

#: Files of a folder that may hold pairs.
_ENDINGS = (".json", ".jsonl", ".csv", ".tsv", ".txt", ".parquet", ".xlsx", ".ods")

_SEED = 0


@dataclass(frozen=True, eq=False)
class File:
    """A file of the benchmark: its pairs and the parts they belong to."""

    corpus: Corpus
    tasks: tuple[Task, ...]


@dataclass
class Sums:
    """What is known of each method so far; grows file by file.

    Attributes:
        tallies: Of each method, in the order in which they are to be shown.
        seen: The methods that some file says something of.
    """

    tallies: dict[str, dict[str, PartError]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def put(self, file: File, method: Method) -> None:
        """Count what a method says of a file."""
        self.tallies[method.name] = add(self.tallies.get(method.name, {}), tally(file.tasks, method))
        self.seen.add(method.name)


def run(options: argparse.Namespace) -> int:
    """Read, score what is to be scored, and print the table. Returns the exit status.

    Raises:
        ParapluieError: There is no part of the benchmark, or no method.
    """
    files = _files(options.path, options.limit)
    sums = Sums()
    if options.score or options.prediction:
        scores = [_threshold(text) for text in options.score or ()]
        predictions = [_named(text) for text in options.prediction or ()]
        for file in files:
            for name, threshold in scores:
                _put_score(sums, file, name, threshold)
            for name, pattern in predictions:
                _put_predictions(sums, file, name, pattern)
        _check_found([*(name for name, _ in scores), *(name for name, _ in predictions)], sums, files)
    elif not (options.metric or options.judge or options.template):
        _put_everything(sums, files)
    if options.metric or options.judge or options.template:
        _put_computed(sums, files, options)
    table = error_table(sums.tallies, [task.part.key for file in files for task in file.tasks])
    print(_printed(table, options), end="")
    return 0


# Reading


def _files(paths: Sequence[Path], limit: int | None) -> list[File]:
    """Read the files named, and those of the folders named whose names are those of parts."""
    found = []
    for path in paths:
        inside = path.is_dir()
        candidates = sorted(each for each in path.iterdir() if _may_hold_pairs(each)) if inside else [path]
        for each in candidates:
            try:
                corpus = read(each)
            except CorpusError:
                if not inside:
                    raise
                continue
            tasks_here = _limited(tasks(corpus), limit)
            if tasks_here:
                found.append(File(corpus, tasks_here))
            else:
                print(f"parapluie: {each.name} is left out: no part of PARAPHRASUS by its name.", file=sys.stderr)
    if not found:
        raise ParapluieError(
            f"There is no part of PARAPHRASUS in {', '.join(map(str, paths))}; name its files, or call your own after "
            f"its parts ({', '.join(PART_KEYS)})."
        )
    return found


def _may_hold_pairs(path: Path) -> bool:
    return path.is_file() and path.suffix.lower() in _ENDINGS and not path.name.endswith(".signatures.json")


def _limited(found: Sequence[Task], limit: int | None) -> tuple[Task, ...]:
    """Keep so many pairs of each part, drawn with a fixed seed: its first ones are often alike."""
    if limit is None:
        return tuple(found)
    result = []
    for task in found:
        count = min(limit, len(task.rows))
        chosen = np.sort(np.random.default_rng(_SEED).choice(len(task.rows), count, replace=False))
        result.append(replace(task, rows=task.rows[chosen], expected=task.expected[chosen]))
    return tuple(result)


# Methods


def _threshold(text: str) -> tuple[str, float | None]:
    """Read COL or COL=THRESHOLD."""
    name, equals, value = text.rpartition("=")
    if not equals:
        return text, None
    try:
        return name, float(value)
    except ValueError:
        raise ParapluieError(f'"{text}" is no score; write COL, or COL=0.5 to say where paraphrases begin.') from None


def _named(text: str) -> tuple[str, str]:
    """Read COL or NAME=COL; without a name the method is called after its column."""
    name, equals, pattern = text.partition("=")
    return (name, pattern) if equals else (text, text)


def _put_score(sums: Sums, file: File, name: str, threshold: float | None) -> None:
    sums.tallies.setdefault(name, {})
    if name not in file.corpus.extra:
        return
    values = numbers(file.corpus.extra[name])
    if values is None:
        raise ParapluieError(f'The column "{name}" of {file.corpus.name} holds no numbers; choose another.')
    sums.put(file, score_method(score_column(name, values), threshold))


def _put_predictions(sums: Sums, file: File, name: str, pattern: str) -> None:
    sums.tallies.setdefault(name, {})
    # A column of that very name goes before what "*", "?" and "[" stand for.
    columns = [pattern] if pattern in file.corpus.extra else fnmatch.filter(file.corpus.extra, pattern)
    if columns:
        sums.put(file, prediction_method(name, file.corpus, columns))


def _put_everything(sums: Sums, files: Sequence[File]) -> None:
    """Take every score with a threshold of its own; where there is none, the predictions that all files have."""
    for file in files:
        for name, values in file.corpus.extra.items():
            info = catalogue.info(name)
            known = is_judge_score(name) or (info is not None and info.threshold is not None)
            if known and not is_evidence(name) and numbers(values) is not None:
                _put_score(sums, file, name, None)
    if sums.seen:
        return
    common = [set(prediction_columns(file.corpus)) for file in files]
    for name in prediction_columns(files[0].corpus):
        if all(name in each for each in common):
            for file in files:
                sums.put(file, prediction_method(name, file.corpus, [name]))
    if not sums.seen:
        raise ParapluieError(
            "No file holds scores with a threshold of their own, or predictions that all files have; name some with "
            "--score COL=THRESHOLD or --prediction COL, or have the pairs scored with --judge or --metric."
        )


def _check_found(names: Sequence[str], sums: Sums, files: Sequence[File]) -> None:
    missing = [name for name in names if name not in sums.seen]
    if missing:
        has = list(dict.fromkeys(name for file in files for name in file.corpus.extra))
        shown = ", ".join(f'"{name}"' for name in has[:20])
        more = f" and {len(has) - 20} more" if len(has) > 20 else ""
        there = f"they have {shown}{more}" if has else "they have no columns but the pairs"
        raise ParapluieError(f'No file has a column "{missing[0]}"; {there}.')


def _put_computed(sums: Sums, files: Sequence[File], options: argparse.Namespace) -> None:
    """Score the pairs that count, all files in one job so that a model is loaded once."""
    from parapluie_gui.commands.score import choose_judge, compute

    thresholds: dict[str, float] = {}
    specs = []
    for text in options.metric or ():
        spec, value = _spec(text)
        known, column = catalogue.metric(spec).info, catalogue.column(spec)
        if value is None and known.threshold is None:
            raise ParapluieError(
                f"{known.title} has no threshold of its own; say where paraphrases begin, such as {spec}@0.5."
            )
        if value is not None:
            thresholds[column] = value
        specs.append(spec)
    catalogue.check_distinct(specs)
    judge, templates = choose_judge(options)
    rows = [np.unique(np.concatenate([task.rows for task in file.tasks])) for file in files]
    table = compute(
        pool([file.corpus.take(each) for file, each in zip(files, rows, strict=True)]), tuple(specs), judge, templates
    )
    start = 0
    for file, each in zip(files, rows, strict=True):
        part = slice(start, start + len(each))
        start += len(each)
        for name in table.scores:
            values = np.full(len(file.corpus), np.nan)
            values[each] = table[name][part]
            sums.put(file, score_method(score_column(name, values), thresholds.get(name)))


def _spec(text: str) -> tuple[str, float | None]:
    """Read SPEC or SPEC@THRESHOLD; a spec may hold equals signs of its own."""
    found = re.fullmatch(r"(.+)@([-+]?[\d.]+(?:e[-+]?\d+)?)", text)
    return (found[1], float(found[2])) if found else (text, None)


# Results


def _printed(table: ErrorTable, options: argparse.Namespace) -> str:
    if options.json:
        return json.dumps(record(table), ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    grid = paraphrasus_grid(table)
    return booktabs(grid, digits=1) if options.latex else grid_text(grid, digits=1)


def record(table: ErrorTable) -> dict[str, object]:
    """Return the error table as dicts, lists, numbers and None (where there is no error); the README lists its keys."""
    return {
        "format": FORMAT,
        "written_by": f"ParaPLUIE Inspector {__version__}",
        "present": list(table.present),
        "missing": list(table.missing),
        "methods": {each.name: _method(each) for each in table.methods},
    }


def _method(each: MethodErrors) -> dict[str, object]:
    return {
        "parts": {key: plain(part) for key, part in each.parts.items()},
        "averages": {group: plain(each.averages[group]) for group in GROUPS},
        "total": each.total,
    }
