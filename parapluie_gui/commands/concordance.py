"""`parapluie concordance`: where words stand in a corpus, in which pairs, and among which other words."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from parapluie_gui.analysis.concordance import (
    ClassCount,
    Collocate,
    Concordance,
    by_class,
    collocates,
    find,
    ordered,
    word_counts,
)
from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.analysis.pattern import compile_pattern
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.comparison import default_threshold
from parapluie_gui.analysis.table import formula_warning, table_csv
from parapluie_gui.analysis.threshold import outcome
from parapluie_gui.api.corpora import filter_mask
from parapluie_gui.api.material import given_thresholds, score_values
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import Concordance as Options
from parapluie_gui.commands.output import json_text, print_tables
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import ParapluieError, one_line
from parapluie_gui.files import write_text
from parapluie_gui.pairs import Corpus
from parapluie_gui.report.concordance import classes_grid, collocates_grid, lines_grid
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.version import __version__

#: Grows when a key of --json changes its meaning or goes.
FORMAT = 1

#: Collocates printed as text.
_SHOWN = 20
_LABELS = {1: "paraphrase", 0: "not a paraphrase", -1: "unlabelled"}
_OUTCOMES = {1: "TP", 2: "FP", 3: "FN", 4: "TN", 0: "no outcome"}


def run(options: Options) -> int:
    """Print lines, counts and collocates. Returns the exit status.

    Raises:
        ParapluieError: The pattern makes no sense, or the corpus, filter or score is not there.
    """
    pattern = compile_pattern(options.pattern, options.whole_words)
    corpus = read_corpus(options.corpus, options.reading)
    where = None
    if options.filter is not None:
        signatures = read_signatures(options.corpus)
        table = put_own_scores(ScoreTable(len(corpus)), corpus, own_scores(corpus, signatures), signatures)
        where = filter_mask(corpus, table, options.filter)
    lines = ordered(find(corpus, pattern, options.side, where), options.sort)
    searched = np.ones(len(corpus), dtype=bool) if where is None else where
    rows = np.flatnonzero(searched).tolist()
    totals = word_counts(
        [text for texts in (corpus.source, corpus.hypothesis) for text in map(texts.__getitem__, rows)]
    )
    counts = {"label": by_class(lines, corpus.labels, _LABELS, searched)}
    if options.score is not None:
        counts["outcome"] = by_class(lines, _outcomes(corpus, options.score, options.corpus), _OUTCOMES, searched)
    near = collocates(lines, totals, options.span)
    if options.output is not None:
        grid = lines_grid(corpus, lines, options.pattern)
        write_text(options.output, table_csv(grid, mark_formulas=options.no_formulas), errors="replace")
        say(f"{len(lines):,} lines → {options.output}")
        if warning := formula_warning(grid, marked=options.no_formulas):
            say(warning)
    if options.printing.json:
        print(json_text(_record(corpus, lines, counts, near)), end="")
        return 0
    if not options.printing.latex:
        _print_lines(corpus, lines, options)
    grids = [classes_grid(found, name, f"{options.pattern} by {name}") for name, found in counts.items()]
    grids += [collocates_grid(near[:_SHOWN], options.span, f"Collocates of {options.pattern}")] if near else []
    print_tables(grids, options.printing.latex, digits=2)
    return 0


def _outcomes(corpus: Corpus, text: str, path: Path) -> np.ndarray:
    name, equals, _ = text.rpartition("=")
    name = name if equals else text
    column = score_column(name, score_values(corpus, name, path))
    if corpus.label is None:
        raise ParapluieError(f"{corpus.name} has no labels, so {name} has no outcomes. Leave out --score.")
    threshold = given_thresholds([text], [name])[name] if equals else default_threshold(column, corpus.label)
    return outcome(column.values, corpus.label, threshold, column.higher_is_closer)


def _record(
    corpus: Corpus, lines: Concordance, counts: dict[str, tuple[ClassCount, ...]], near: tuple[Collocate, ...]
) -> dict[str, object]:
    grid = lines_grid(corpus, lines, "")
    return {
        "format": FORMAT,
        "written_by": f"ParaPLUIE Inspector {__version__}",
        "hits": lines.hits,
        "pairs": len(lines.pairs),
        "lines": [dict(zip(grid.header, row, strict=True)) for row in grid.rows],
        **{f"by_{name}": plain(found) for name, found in counts.items()},
        "collocates": plain(near),
    }


def _print_lines(corpus: Corpus, lines: Concordance, options: Options) -> None:
    """Print the first lines, a row for each hit, with the hits one below the other."""
    width = options.width
    shown = min(options.limit, len(lines))
    names = max((len(corpus.id[row]) for row in lines.rows[:shown]), default=0)
    for line in range(shown):
        name = one_line(corpus.id[lines.rows[line]])
        for mark, hits, hit in (("S", lines.source, lines.in_source), ("H", lines.hypothesis, lines.in_hypothesis)):
            if hit[line] >= 0:
                before, middle, behind = map(one_line, hits.cut(int(hit[line])))
                print(f"{name:<{names}} {mark} {before[-width:]:>{width}}[{middle}]{behind[:width]}".rstrip())
    more = f" (the first {shown:,} shown)" if shown < len(lines) else ""
    print(f"{lines.hits:,} hits in {len(lines.pairs):,} of {len(corpus):,} pairs{more}\n")
