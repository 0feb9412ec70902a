"""`parapluie meta`: corpora with human scores in, ParaScore's evaluation of metrics out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from parapluie_gui import __version__
from parapluie_gui.analysis.numbers import numbers
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.protocols.library_misuse import LexicalSlip, lexical_slip
from parapluie_gui.analysis.protocols.parascore import MetaEvaluation, meta
from parapluie_gui.analysis.protocols.parascore_extension import extend
from parapluie_gui.analysis.score_column import ScoreColumn, Tick, score_column, score_columns
from parapluie_gui.errors import CorpusError
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs import ROLES, ColumnMapping, Corpus, inspect, read
from parapluie_gui.report.benchmarks import meta_grids, slip_grid
from parapluie_gui.report.grid import grid_text
from parapluie_gui.report.latex import booktabs
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.column_kind import is_judge_score
from parapluie_gui.scores.table import ScoreTable

#: Grows when a key of --json changes its meaning or goes.
FORMAT = 1

#: Scores that tell meaning from wording, the best first: the first that is there is used for S_sim, S_div and ω.
SIMILARITIES = ("bertscore", "sbert", "simcse")


@dataclass(frozen=True, eq=False)
class Result:
    """What was found out about one corpus.

    Attributes:
        evaluation: The scores beside the human ones; None where only the slip was asked for.
        slip: The lexical metrics both ways, where they were asked for.
        signatures: What each score was computed with, as far as known.
    """

    evaluation: MetaEvaluation | None
    slip: LexicalSlip | None
    signatures: Mapping[str, Mapping[str, str]]


def run(options: argparse.Namespace) -> int:
    """Evaluate each corpus and print the tables. Returns the exit status.

    Raises:
        ParapluieError: A corpus has no human scores, or there is no score to evaluate.
    """
    results: dict[str, Result] = {}
    for path in options.corpus:
        corpus = _read(path, options)
        results[corpus.name] = _evaluate(corpus, path, options)
    if options.json:
        print(json.dumps(record(results), ensure_ascii=False, allow_nan=False, indent=2))
        return 0
    for result in results.values():
        grids = [] if result.evaluation is None else meta_grids(result.evaluation)
        if result.slip is not None:
            grids.append(slip_grid(result.slip))
        lines = tuple(
            f"{name}: {'|'.join(f'{key}:{value}' for key, value in fields.items())}"
            for name, fields in result.signatures.items()
        )
        if options.latex:
            print("\n".join(booktabs(grid, signatures=lines) for grid in grids))
        else:
            print("\n".join([*map(grid_text, grids), *lines]))
    return 0


def _read(path: Path, options: argparse.Namespace) -> Corpus:
    guess = inspect(path, encoding=options.encoding).mapping
    roles = {role: getattr(guess, role) for role in ROLES}
    roles = {role: None if name in (options.score or ()) else name for role, name in roles.items()}
    roles |= {role: name for role in ROLES if (name := getattr(options, role, None))}
    corpus = read(path, mapping=ColumnMapping(**roles), encoding=options.encoding)
    if corpus.human is None:
        raise CorpusError("no column holds human scores", "name it with --human", path)
    if corpus.aside:
        print(f"parapluie: {corpus.name}: {len(corpus.aside):,} rows are set aside.", file=sys.stderr)
    return extend(corpus) if options.extend else corpus


def _evaluate(corpus: Corpus, path: Path, options: argparse.Namespace) -> Result:
    table = _computed(corpus, options)
    signatures = {**read_signatures(path), **{name: dict(each.fields) for name, each in table.signatures.items()}}
    found = [*_in_file(corpus, path, options, signatures, table), *score_columns(table)]
    if not found and not options.slip:
        raise CorpusError(
            "no column is a score that is known", "name one with --score, or have it computed with --metric", path
        )
    names = {each.name for each in found}
    similarity = options.similarity or next((name for name in SIMILARITIES if name in names), None)
    with tqdm(total=0, unit="step", file=sys.stderr, disable=not sys.stderr.isatty(), leave=False) as bar:
        evaluation = None
        if found:
            evaluation = meta(
                found, corpus, similarity=similarity, draws=options.draws, seed=options.seed, tick=_progress(bar)
            )
        slip = lexical_slip(corpus, tick=_progress(bar)) if options.slip else None
    return Result(evaluation, slip, {name: fields for name, fields in signatures.items() if name in names})


def _computed(corpus: Corpus, options: argparse.Namespace) -> ScoreTable:
    """Return the scores that are to be computed now."""
    if not (options.metric or options.judge or options.template):
        return ScoreTable(len(corpus))
    from parapluie_gui.commands.score import choose_judge, compute

    metrics = tuple(dict.fromkeys(options.metric or ()))
    for spec in metrics:
        catalogue.metric(spec)
    catalogue.check_distinct(metrics)
    return compute(corpus, metrics, *choose_judge(options))


def _in_file(
    corpus: Corpus, path: Path, options: argparse.Namespace, signatures: Iterable[str], table: ScoreTable
) -> list[ScoreColumn]:
    """Return the scores that the file has: those named, or all that are known; one computed anew takes its place."""
    found = []
    known = set(signatures)
    for name in options.score or corpus.extra:
        if name not in corpus.extra:
            has = ", ".join(f'"{each}"' for each in corpus.extra)
            raise CorpusError(f'there is no column "{name}"', f"choose among {has}" if has else "score it first", path)
        asked = bool(options.score)
        if name in table or (not asked and not (is_judge_score(name) or name in known or catalogue.info(name))):
            continue
        values = numbers(corpus.extra[name])
        if values is not None:
            found.append(score_column(name, values, True if name in (options.distance or ()) else None))
        elif asked:
            raise CorpusError(f'column "{name}" holds no numbers', "choose another", path)
    return found


def _progress(bar: tqdm) -> Tick:
    def tick(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    return tick


def record(results: Mapping[str, Result]) -> dict[str, object]:
    """Return the results as dicts, lists, numbers and None (where one is not defined); the README lists the keys."""
    return {
        "format": FORMAT,
        "written_by": f"ParaPLUIE Inspector {__version__}",
        "corpora": {
            name: {
                "signatures": {score: dict(fields) for score, fields in each.signatures.items()},
                "evaluation": plain(each.evaluation),
                "lexical_slip": plain(each.slip),
            }
            for name, each in results.items()
        },
    }
