"""The analyses of a concordance: its lines, its counts by class, and its collocates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from parapluie_gui.analysis.base import PAIRS, Analysis, Block, Run
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.pattern import compile_pattern
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.score_column import Tick
from parapluie_gui.analysis.table import Cell, Table
from parapluie_gui.analysis.threshold import outcome
from parapluie_gui.features.concordance.search import (
    ORDERS,
    SIDES,
    ClassCount,
    Collocate,
    Concordance,
    Side,
    count_by_class,
    count_words,
    find_collocates,
    find_lines,
    order_places,
    sort_lines,
)
from parapluie_gui.options import choice, integer, keys_as_titles, switch, text
from parapluie_gui.pairs.corpus import Corpus

#: The note on G² and log ratio, under both tables.
_NOTE = (
    "G²: log-likelihood; above 3.84 means p < 0.05, above 10.83 p < 0.001, before any correction for the number of "
    "rows. Log ratio: 1 means twice as frequent, −1 half as frequent."
)

#: Maximum number of collocates in the table; the record has all of them.
_SHOWN = 20
_OUTCOMES = {1: "TP", 2: "FP", 3: "FN", 4: "TN", 0: "no outcome"}
_LABELS = {1: "paraphrase", 0: "not a paraphrase", -1: "unlabelled"}


@dataclass(frozen=True)
class ConcordanceOptions:
    """The search of a concordance."""

    pattern: str = text("&Pattern", "words (* stands for any letters), or a regular expression as /…/ or /…/i")
    parts: bool = switch("&Parts of words", "also find words inside longer words")
    side: str = choice(
        "&Side",
        keys_as_titles(SIDES),
        "which sentences must contain a hit; one: exactly one of the two",
        default="either",
    )
    sort: str = text(
        "S&ort", f"{', '.join(ORDERS)}, or places of words around the hit, as in 1L 2L 1R", default="corpus"
    )
    span: int = integer("&Near", 1, 1000, 5, "number of words on either side that count as collocates")


@dataclass(frozen=True, eq=False)
class ConcordanceResult:
    """The result of a search.

    Attributes:
        lines: The lines.
        counts: The counts by label and, with a score, by outcome.
        near: All collocates.
    """

    lines: Concordance
    counts: Mapping[str, tuple[ClassCount, ...]] = field(default_factory=dict)
    near: tuple[Collocate, ...] = ()


class ConcordanceAnalysis(Analysis[ConcordanceOptions, ConcordanceResult]):
    """Counts of pairs with a hit, by label and by the outcome of the chosen score, and collocates."""

    name = "occurrences"
    title = "Concordance"
    group = "Corpus"
    about = "How many pairs of each class contain words, and their collocates"
    manual = "concordance"
    needs = (PAIRS,)
    options = ConcordanceOptions

    def compute(self, material: AnalysisMaterial, options: ConcordanceOptions, tick: Tick) -> ConcordanceResult:
        corpus, where = material.corpus, material.where
        pattern = compile_pattern(options.pattern, whole_words=not options.parts)
        order_places(options.sort)  # so that a wrong order is refused before the search
        lines = sort_lines(find_lines(corpus, pattern, cast(Side, options.side), where), options.sort)
        searched = np.ones(len(corpus), dtype=bool) if where is None else where
        rows = np.flatnonzero(searched).tolist()
        counts = {"label": count_by_class(lines, corpus.labels, _LABELS, searched)}
        if material.y:
            score = material.score_column(material.y)
            outcomes = outcome(score.values, material.labels, material.threshold(score), score.higher_is_closer)
            counts["outcome"] = count_by_class(lines, outcomes, _OUTCOMES, searched)
        totals = count_words([side[row] for side in (corpus.source, corpus.hypothesis) for row in rows])
        return ConcordanceResult(lines, counts, find_collocates(lines, totals, options.span))

    def blocks(self, run: Run[ConcordanceOptions, ConcordanceResult]) -> Sequence[Block]:
        result, options = run.result, run.options
        pattern = options.pattern
        scores = {"outcome": (run.material.y,)}
        classes = [
            replace(classes_grid(counts, name, f"{pattern} by {name}"), scores=scores.get(name, ()))
            for name, counts in result.counts.items()
        ]
        return *classes, collocates_grid(result.near[:_SHOWN], options.span, f"Collocates of {pattern}")

    def details(self, run: Run[ConcordanceOptions, ConcordanceResult]) -> dict[str, object]:
        result = run.result
        counts = {"hits": result.lines.hits, "pairs": len(result.lines.pairs)}
        return {**counts, "collocates": plain(result.near)}


class ConcordanceLines(ConcordanceAnalysis):
    """The lines of a concordance."""

    name = "lines"
    title = "Lines"
    about = "Every occurrence of words, in context"

    def blocks(self, run: Run[ConcordanceOptions, ConcordanceResult]) -> Sequence[Block]:
        return (lines_grid(run.material.corpus, run.result.lines, run.options.pattern),)

    def details(self, run: Run[ConcordanceOptions, ConcordanceResult]) -> dict[str, object]:
        return {}


def lines_grid(corpus: Corpus, lines: Concordance, title: str) -> Table:
    """Return all lines with their pairs' ids and labels, for a spreadsheet."""
    sides = ("source", "hypothesis")
    header = ("id", "label", *(f"{side} {part}" for side in sides for part in ("left", "hit", "right")))
    rows: list[tuple[Cell, ...]] = []
    for row, *places in zip(lines.rows.tolist(), lines.in_source.tolist(), lines.in_hypothesis.tolist(), strict=True):
        cells: list[Cell] = [corpus.id[row], corpus.pair(row).label]
        for hits, hit in zip((lines.source, lines.hypothesis), places, strict=True):
            cells += hits.cut(hit) if hit >= 0 else (hits.texts[row], "", "")
        rows.append(tuple(cells))
    return Table("concordance", title, header, tuple(rows), scores=())


def classes_grid(classes: Sequence[ClassCount], name: str, title: str) -> Table:
    """Return the table of pairs with a hit, by class."""
    header = (name, "pairs", "with a hit", "%", "source only", "hypothesis only", "both", "G²", "log ratio")
    rows = tuple(
        (
            *(count.name, count.pairs, count.pairs_with_hit, 100 * count.pairs_with_hit / count.pairs),
            *(count.source, count.hypothesis, count.both, count.g2, count.log_ratio),
        )
        for count in classes
    )
    return Table(f"hits by {name}", title, header, rows, f"{_NOTE} Each row is compared with all other rows.", 2)


def collocates_grid(words: Sequence[Collocate], span: int, title: str) -> Table:
    """Return the table of collocates."""
    header = ("word", "left", "right", "elsewhere", "G²", "log ratio")
    rows = tuple(
        (collocate.word, collocate.left, collocate.right, collocate.elsewhere, collocate.g2, collocate.log_ratio)
        for collocate in words
    )
    return Table(
        "collocates", title, header, rows, f"Within {span} words of a hit, at least twice. {_NOTE}", 2, scores=()
    )
