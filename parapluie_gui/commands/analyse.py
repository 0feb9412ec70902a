"""`parapluie analyse`: tables of scores in, the tables of the papers out."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from parapluie_gui import places
from parapluie_gui.analysis.columns import Pairs, change_kinds, columns_of, kinds_column
from parapluie_gui.analysis.evaluations.balanced import balanced_table
from parapluie_gui.analysis.evaluations.grades import grades_table
from parapluie_gui.analysis.material import LENGTH, edit_distance, usual_cuts
from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.protocols.mixed_balanced import mixed_balanced
from parapluie_gui.analysis.score_column import parts, score_column
from parapluie_gui.analysis.statistics.buckets import Cut, cut_column, cut_members, cut_numbers, pair_lengths
from parapluie_gui.analysis.statistics.cascade import CascadeCurve, cascade_curve, signed_cascade
from parapluie_gui.analysis.statistics.comparison import default_threshold
from parapluie_gui.analysis.statistics.disagreement import disagreement, split_verdicts
from parapluie_gui.analysis.statistics.grades import Grade, grade_edges, grades
from parapluie_gui.analysis.statistics.shared_errors import score_verdicts
from parapluie_gui.analysis.study import DISTANCE, CorpusStudy, Studied, study
from parapluie_gui.analysis.table import Table, count_formulas, table_csv
from parapluie_gui.api.corpora import filtered
from parapluie_gui.api.material import given_thresholds, no_column, no_known_score, score_values
from parapluie_gui.api.notices import progress
from parapluie_gui.arrays import Scores
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import Analyse
from parapluie_gui.commands.output import json_text, print_tables
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import ParapluieError
from parapluie_gui.files import atomic_write
from parapluie_gui.metrics.changes.kinds import kind_members
from parapluie_gui.pairs import UNLABELLED, Corpus
from parapluie_gui.pairs.formulas import formula_sentence
from parapluie_gui.pairs.pool import pool
from parapluie_gui.report.cascade import cascade_grid
from parapluie_gui.report.evaluation import evaluation_grids, sweep_grid
from parapluie_gui.report.html import Report, report_html
from parapluie_gui.report.latex import booktabs
from parapluie_gui.report.record import record
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.identity import BOUNDS
from parapluie_gui.scores.signature import Signature, lines_of
from parapluie_gui.scores.table import ScoreTable


def run(options: Analyse) -> int:
    """Analyse, print, and write the folder if one is named. Returns the exit status.

    Raises:
        ParapluieError: Something asked for is not there.
    """
    if options.out is not None and options.out.exists() and not options.out.is_dir():
        raise ParapluieError(f"{options.out} is a file. Name a folder for --out.")
    corpus, material, signatures = _read(options)
    columns, labels = material.score_columns, material.labels
    with progress() as tick:
        studies = study(material, draws=options.draws, seed=options.seed, tick=tick)
        mixed = None
        if options.balanced:
            mixed = mixed_balanced(
                columns, labels, material.parts, per_label=options.balanced, seed=options.seed, tick=tick
            )
    titles = {each.name: each.title for each in material.score_columns}
    grids = evaluation_grids(studies, titles.__getitem__)
    data = record(studies, corpus.id, draws=options.draws, seed=options.seed, signatures=signatures)
    if mixed is not None:
        grids.append(balanced_table(mixed))
        data["balanced"] = plain(mixed)
    if options.grades is not None:
        by_grade = _grades(material, options.grades or None)
        grids.append(grades_table({titles[name]: found for name, found in by_grade.items()}))
        data["grades"] = plain(by_grade)
    curve = _cascade(options, material, signatures)
    if curve is not None:
        grids.append(cascade_grid(curve, titles.__getitem__))
        data["cascade"] = plain(curve.at())
    bounds = [each.bounds_sentence for each in columns if each.bounds is not None]
    lines = (*lines_of(signatures), *bounds)
    if bounds:
        data["bounds"] = {each.name: dict(zip(BOUNDS, each.bound_counts, strict=True)) for each in columns}
    if options.printing.json:
        print(json_text(data), end="")
    else:
        shown = [grid for grid in grids if grid.name != "buckets" or options.by]
        print_tables(shown, options.printing.latex, lines)
    if options.out is not None:
        more = [sweep_grid(studies, titles.__getitem__), _pairs_grid(corpus, material, studies)]
        cache = places.score_cache()
        report = Report(corpus, material, studies, signatures, titles=titles.__getitem__, cascade=curve, cache=cache)
        _write_folder(options, [*grids, *more], json_text(data), lines, report)
        print(f"{len(grids)} tables, the curves, the list of pairs and report.html → {options.out}", file=sys.stderr)
    return 0


def _grades(material: Studied, width: float | None) -> dict[str, tuple[Grade, ...]]:
    """Return how many pairs each score calls a paraphrase by human score, at the threshold given, natural or best."""
    if material.human is None or np.isnan(material.human).all():
        raise ParapluieError("No column holds human scores, so there are no grades. Name one with --human.")
    edges = grade_edges(material.human, width)
    found = {}
    for each in material.score_columns:
        threshold = material.given.get(each.name, default_threshold(each, material.labels))
        if np.isnan(threshold):
            todo = f"Give it one: --threshold {each.name}=X."
            say(f"{each.name} has no natural threshold, and there are no labels. {todo}")
            continue
        found[each.name] = grades(score_verdicts([each], material.labels, [threshold]), material.human, edges)
    return found


def _cascade(options: Analyse, material: Studied, signatures: Mapping[str, Signature]) -> CascadeCurve | None:
    """Return the curve of the two scores that are named, or that the table was scored with; None without any.

    Raises:
        ParapluieError: One of those named is no score, or there are no labels.
    """
    if options.cascade is None:
        return signed_cascade(material.score_columns, material.labels, signatures)
    columns = {each.name: each for each in material.score_columns}
    if strange := [name for name in options.cascade if name not in columns]:
        raise no_column(strange[0], columns)
    if not (material.labels != UNLABELLED).any():
        raise ParapluieError("--cascade needs labels, and no column holds any. Name one with --label.")
    first, then = (columns[name] for name in options.cascade)
    return cascade_curve(first, then, material.labels)


# Reading


def _read(options: Analyse) -> tuple[Corpus, Studied, dict[str, Signature]]:
    """Return the pairs of all tables, their scores, and what these were computed with as far as the tables say."""
    named, first = options.choosing.named, options.scored[0]
    whole = pool([read_corpus(path, options.reading, named) for path in options.scored])
    signatures = _signatures(options.scored)
    names = named or own_scores(whole, signatures)
    if not names:
        raise no_known_score(whole, first)
    for name in names:
        score_values(whole, name, first)
    corpus, table = whole, put_own_scores(ScoreTable(len(whole)), whole, names, signatures)
    if options.filter:
        corpus, table = filtered(corpus, table, options.filter)
    if corpus.label is None and corpus.human is None:
        say("no column holds labels or human scores. Name one with --label or --human.")
    distance = table[DISTANCE] if DISTANCE in table else edit_distance(corpus)
    material = Studied(
        score_columns=tuple(
            replace(
                score_column(name, table[name], name in options.choosing.distance or None, table.signatures.get(name)),
                bounds=table.all_bounds(name),
            )
            for name in names
        ),
        labels=corpus.labels,
        parts=parts(corpus),
        human=corpus.human,
        distance=distance,
        cuts=_cuts(corpus, table, distance, options.by),
        given=given_thresholds(options.threshold, names),
    )
    return corpus, material, {name: signature for name, signature in signatures.items() if name in names}


def _signatures(paths: Sequence[Path]) -> dict[str, Signature]:
    """Return the signatures of all tables; says which scores were not computed alike."""
    found: dict[str, Signature] = {}
    for path in paths:
        for name, signature in read_signatures(path).items():
            if found.setdefault(name, signature) != signature:
                say(f"{name} of {path.name} was computed with different settings than in the earlier tables.")
    return found


def _cuts(corpus: Corpus, table: ScoreTable, distance: Scores, names: Sequence[str]) -> tuple[Cut, ...]:
    """Return the buckets of each column named, or the usual ones."""
    if not names:
        return usual_cuts(corpus, distance)
    columns = columns_of(Pairs(corpus, table))
    kind = kinds_column(columns)
    others = [each.key for each in columns.values() if each.exported]
    cuts = []
    for name in dict.fromkeys(names):
        if name == DISTANCE:
            cuts.append(cut_numbers(name, distance))
        elif name == kind:
            cuts.append(cut_members(name, kind_members(change_kinds(corpus))))
        elif name in others:
            cuts.append(cut_column(name, columns[name].values()))
        elif name == LENGTH:
            cuts.append(cut_numbers(name, pair_lengths(corpus.source, corpus.hypothesis)))
        else:
            raise no_column(name, (LENGTH, kind, *others))
    return tuple(cuts)


# Writing


def _write_folder(options: Analyse, grids: Sequence[Table], text: str, lines: tuple[str, ...], report: Report) -> None:
    """Write the files of an analysis, all of them or none."""
    out, marked = options.out, options.no_formulas
    assert out is not None
    texts = {"analysis.json": text, "report.html": report_html(report)}
    for grid in grids:
        texts[f"{grid.name}.csv"] = table_csv(grid, mark_formulas=marked)
        if grid.name not in ("sweep", "pairs"):
            texts[f"{grid.name}.tex"] = booktabs(grid, signatures=lines)
    out.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as files:
        for name, content in texts.items():
            part = files.enter_context(atomic_write(out / name))
            half = "xmlcharrefreplace" if name.endswith(".html") else "replace"  # half characters, of odd file names
            part.write_text(content, encoding="utf-8", errors=half, newline="")
    if formulas := sum(map(count_formulas, grids)):
        say(formula_sentence(formulas, marked))


def _pairs_grid(corpus: Corpus, material: Studied, studies: Sequence[CorpusStudy]) -> Table:
    """Return the pairs, those first on which the scores disagree most."""
    # The last corpus is all of them.
    at = [each.thresholds.usual.threshold for each in studies[-1].scores.values()]
    spread = disagreement(material.score_columns)
    split = split_verdicts(material.score_columns, at)
    verdicts = [each.predicted_positive(threshold) for each, threshold in zip(material.score_columns, at, strict=True)]
    order = np.argsort(-np.nan_to_num(spread, nan=-1.0), kind="stable").tolist()
    return Table(
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
