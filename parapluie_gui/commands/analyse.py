"""`parapluie analyse`: tables of scores in, the tables of the papers out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tqdm import tqdm

from parapluie_gui.analysis.columns import column, column_names
from parapluie_gui.analysis.filter.expression import compile_filter
from parapluie_gui.analysis.numbers import numbers
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.protocols.mixed_balanced import mixed_balanced
from parapluie_gui.analysis.score_column import Tick, parts, score_column
from parapluie_gui.analysis.statistics.buckets import Cut, cut_column, cut_numbers, pair_lengths
from parapluie_gui.analysis.statistics.disagreement import disagreement, split_verdicts
from parapluie_gui.analysis.study import DISTANCE, CorpusStudy, Material, study
from parapluie_gui.errors import CorpusError, ParapluieError
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs import ROLES, UNLABELLED, ColumnMapping, Corpus, inspect, read
from parapluie_gui.pairs.pool import pool
from parapluie_gui.report.benchmarks import balanced_grid
from parapluie_gui.report.evaluation import evaluation_grids, sweep_grid
from parapluie_gui.report.grid import Grid, grid_csv, grid_text
from parapluie_gui.report.html import Report, write_report
from parapluie_gui.report.latex import booktabs
from parapluie_gui.report.record import record
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.column_kind import evidence_columns, is_judge_score
from parapluie_gui.scores.table import ScoreTable

#: A column that every corpus has, to be named after --by.
LENGTH = "length"


@dataclass(frozen=True, eq=False)
class Request:
    """What the command line asks for, read and checked.

    Attributes:
        corpus: The pairs of all files.
        material: Their scores and what goes with them.
        signatures: What each score was computed with, as far as the tables say.
        draws: Resamples for confidence intervals and tests.
        seed: Of the resamples.
        form: How the results are printed: "text", "json" or "latex".
        with_buckets: Whether the buckets were asked for, so that they are printed too.
        out: The folder they are written to, or None.
        balanced: Pairs per label from each corpus of the mixed balanced dataset; 0 leaves it out.
    """

    corpus: Corpus
    material: Material
    signatures: dict[str, dict[str, str]]
    draws: int
    seed: int
    form: str
    with_buckets: bool
    out: Path | None
    balanced: int

    @classmethod
    def from_options(cls, options: argparse.Namespace) -> Request:
        """Read the tables and check everything that can be checked before the work begins.

        Raises:
            ParapluieError: Something asked for is not there.
        """
        if options.out is not None and options.out.exists() and not options.out.is_dir():
            raise ParapluieError(f"{options.out} is a file; name a folder for --out.")
        wanted = tuple(dict.fromkeys([*(options.score or ()), *(options.distance or ())]))
        corpora = [_read(path, options, wanted) for path in options.scored]
        signatures = _signatures(options.scored)
        whole = pool(corpora)
        names = wanted or _known_scores(whole, signatures, options.scored[0])
        corpus, table = _separate(whole, names, options.scored[0])
        if options.filter:
            corpus, table = _filtered(corpus, table, options.filter)
        score_columns = tuple(
            score_column(name, table[name], name in (options.distance or ()) or None) for name in names
        )
        distance = table[DISTANCE] if DISTANCE in table else _edit_distance(corpus)
        labels = np.full(len(corpus), UNLABELLED, dtype=np.int8) if corpus.label is None else corpus.label
        if corpus.label is None and corpus.human is None:
            print(
                "parapluie: no column holds labels or human scores; name one with --label or --human.", file=sys.stderr
            )
        material = Material(
            score_columns=score_columns,
            labels=labels,
            parts=parts(corpus),
            human=corpus.human,
            distance=distance,
            cuts=_cuts(corpus, table, distance, options.by),
            given=_given(options.threshold or (), names),
        )
        form = "json" if options.json else "latex" if options.latex else "text"
        kept = {name: fields for name, fields in signatures.items() if name in names}
        return cls(
            corpus, material, kept, options.draws, options.seed, form, bool(options.by), options.out, options.balanced
        )


def run(request: Request) -> int:
    """Analyse, print, and write the folder if one is named. Returns the exit status."""
    with tqdm(total=0, unit="step", file=sys.stderr, disable=not sys.stderr.isatty(), leave=False) as bar:
        tick = _progress(bar)
        studies = study(request.material, draws=request.draws, seed=request.seed, tick=tick)
        mixed = None
        if request.balanced:
            material = request.material
            mixed = mixed_balanced(
                material.score_columns,
                material.labels,
                material.parts,
                per_label=request.balanced,
                seed=request.seed,
                tick=tick,
            )
    titles = {each.name: each.title for each in request.material.score_columns}
    grids = evaluation_grids(studies, titles.__getitem__)
    data = record(studies, request.corpus.id, draws=request.draws, seed=request.seed, signatures=request.signatures)
    if mixed is not None:
        grids.append(balanced_grid(mixed))
        data["balanced"] = plain(mixed)
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    lines = tuple(
        f"{name}: {'|'.join(f'{key}:{value}' for key, value in fields.items())}"
        for name, fields in request.signatures.items()
    )
    shown = [grid for grid in grids if grid.name != "buckets" or request.with_buckets]
    if request.form == "json":
        print(text, end="")
    elif request.form == "latex":
        print("\n".join(booktabs(grid, signatures=lines) for grid in shown), end="")
    else:
        print("\n".join([*map(grid_text, shown), *lines]))
    if request.out is not None:
        more = [sweep_grid(studies, titles.__getitem__), _pairs_grid(request.corpus, request.material, studies)]
        _write_folder(request.out, [*grids, *more], text, lines)
        known = {name: line.removeprefix(f"{name}: ") for name, line in zip(request.signatures, lines, strict=True)}
        report = Report(request.corpus, request.material, studies, known, titles=titles.__getitem__)
        write_report(request.out / "report.html", report)
        print(f"{len(grids)} tables, the curves, the list of pairs and report.html → {request.out}", file=sys.stderr)
    return 0


# Reading


def _read(path: Path, options: argparse.Namespace, wanted: Sequence[str]) -> Corpus:
    """Read one table; what is asked for as a score plays no other role."""
    guess = inspect(path, encoding=options.encoding).mapping
    roles = {role: getattr(guess, role) for role in ROLES}
    roles = {role: None if name in wanted else name for role, name in roles.items()}
    roles |= {role: name for role in ROLES if (name := getattr(options, role, None))}
    corpus = read(path, mapping=ColumnMapping(**roles), encoding=options.encoding)
    if corpus.aside:
        rows = "row is" if len(corpus.aside) == 1 else "rows are"
        print(f"parapluie: {corpus.name}: {len(corpus.aside):,} {rows} set aside.", file=sys.stderr)
    return corpus


def _signatures(paths: Sequence[Path]) -> dict[str, dict[str, str]]:
    """Return the signatures of all tables; says which scores were not computed alike."""
    found: dict[str, dict[str, str]] = {}
    for path in paths:
        for name, fields in read_signatures(path).items():
            if found.setdefault(name, fields) != fields:
                print(
                    f"parapluie: {name} of {path.name} was computed otherwise than in the tables before it.",
                    file=sys.stderr,
                )
    return found


def _known_scores(corpus: Corpus, signatures: Collection[str], path: Path) -> tuple[str, ...]:
    """Return the columns that are scores by their name or by a signature."""
    found = tuple(
        name
        for name in corpus.extra
        if (is_judge_score(name) or name in signatures or catalogue.info(name))
        and numbers(corpus.extra[name]) is not None
    )
    if not found:
        numeric = [name for name in corpus.extra if numbers(corpus.extra[name]) is not None]
        has = ", ".join(f'"{name}"' for name in numeric)
        todo = (
            f"name one with --score; numbers are in {has}" if has else "score the pairs first, with `parapluie score`"
        )
        raise CorpusError("no column is a score that is known", todo, path)
    return found


def _separate(corpus: Corpus, names: Sequence[str], path: Path) -> tuple[Corpus, ScoreTable]:
    """Take the scores, and the probabilities behind them, out of the corpus's own columns."""
    table = ScoreTable(len(corpus))
    everything = np.arange(len(corpus))
    for name in names:
        if name not in corpus.extra:
            has = ", ".join(f'"{each}"' for each in corpus.extra)
            todo = f"choose among {has}" if has else "score the pairs first, with `parapluie score`"
            raise CorpusError(f'there is no column "{name}"', todo, path)
        for each in (name, *evidence_columns(name)):
            values = numbers(corpus.extra[each]) if each in corpus.extra else None
            if values is not None:
                table.put(everything, {each: values})
            elif each == name:
                raise CorpusError(f'column "{name}" holds no numbers', "choose another", path)
    return replace(corpus, extra={name: values for name, values in corpus.extra.items() if name not in table}), table


def _filtered(corpus: Corpus, table: ScoreTable, text: str) -> tuple[Corpus, ScoreTable]:
    names = column_names(corpus, table)
    mask = compile_filter(text, names.known).mask(lambda name: column(corpus, table, names, name))
    rows = np.flatnonzero(mask)
    if not len(rows):
        raise ParapluieError(f"No pair satisfies {text}; there is nothing to analyse.")
    chosen = ScoreTable(len(rows))
    for name in table:
        chosen.put(np.arange(len(rows)), {name: table[name][rows]})
    return corpus.take(rows), chosen


def _edit_distance(corpus: Corpus) -> np.ndarray:
    return catalogue.metric(DISTANCE).score(corpus.source, corpus.hypothesis)


def _cuts(corpus: Corpus, table: ScoreTable, distance: np.ndarray, names: Sequence[str] | None) -> tuple[Cut, ...]:
    """Return the buckets of each column named, else by edit distance, length and group."""
    columns = column_names(corpus, table)
    if names is None:
        names = [DISTANCE, LENGTH, *(["group"] if corpus.group is not None else [])]
    cuts = []
    for name in dict.fromkeys(names):
        if name == DISTANCE:
            cuts.append(cut_numbers(name, distance))
        elif name in columns.all:
            cuts.append(cut_column(name, column(corpus, table, columns, name)))
        elif name == LENGTH:
            cuts.append(cut_numbers(name, pair_lengths(corpus.source, corpus.hypothesis)))
        else:
            has = ", ".join(f'"{each}"' for each in (LENGTH, *columns.all))
            raise ParapluieError(f'There is no column "{name}" to tell accuracy by; choose among {has}.')
    return tuple(cuts)


def _given(texts: Sequence[str], names: Collection[str]) -> dict[str, float]:
    """Read thresholds written COL=X."""
    found = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not equals and len(names) == 1:
            (name,) = names
        try:
            found[name] = float(value if name else "")
        except ValueError:
            raise ParapluieError(f'"{text}" is no threshold; write it as COL=X, such as bleu=0.3.') from None
        if name and name not in names:
            raise ParapluieError(f'"{name}" is none of the scores; choose among {", ".join(names)}.')
    return found


# Writing


def _progress(bar: tqdm) -> Tick:
    def tick(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    return tick


def _write_folder(out: Path, grids: Sequence[Grid], text: str, lines: tuple[str, ...]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    (out / "analysis.json").write_text(text, encoding="utf-8")
    for grid in grids:
        (out / f"{grid.name}.csv").write_text(grid_csv(grid), encoding="utf-8", newline="")
        if grid.name not in ("sweep", "pairs"):
            (out / f"{grid.name}.tex").write_text(booktabs(grid, signatures=lines), encoding="utf-8")


def _pairs_grid(corpus: Corpus, material: Material, studies: Sequence[CorpusStudy]) -> Grid:
    """Return the pairs, those first on which the scores disagree most."""
    # The last corpus is all of them.
    at = [each.thresholds.usual.threshold for each in studies[-1].scores.values()]
    spread = disagreement(material.score_columns)
    split = split_verdicts(material.score_columns, at)
    verdicts = [each.predicted_positive(threshold) for each, threshold in zip(material.score_columns, at, strict=True)]
    order = np.argsort(-np.nan_to_num(spread, nan=-1.0), kind="stable").tolist()
    return Grid(
        "pairs",
        "The pairs, those first on which the scores disagree most",
        ("id", "label", "disagreement", "split verdicts", *(f"{each.name} verdict" for each in material.score_columns)),
        tuple(
            (
                corpus.id[row],
                int(material.labels[row]) if material.labels[row] != UNLABELLED else None,
                float(spread[row]),
                float(split[row]),
                *(
                    None if np.isnan(each.values[row]) else int(verdict[row])
                    for each, verdict in zip(material.score_columns, verdicts, strict=True)
                ),
            )
            for row in order
        ),
    )
