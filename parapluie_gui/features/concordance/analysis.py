"""A concordance as analyses: its lines, the classes its pairs belong to, and its collocates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from parapluie_gui.analysis.base import PAIRS, Analysis, Block, Run
from parapluie_gui.analysis.material import Material
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
    Order,
    Side,
    by_class,
    collocates,
    find,
    ordered,
    word_counts,
)
from parapluie_gui.options import choice, integer, switch, text, titled
from parapluie_gui.pairs.corpus import Corpus

#: What the columns of G² mean, under both tables.
_NOTE = (
    "G²: log-likelihood; above 3.84 means p < 0.05, above 10.83 p < 0.001, before any correction for the number of "
    "rows. log ratio: 1 is twice as frequent, −1 half as frequent."
)

#: Collocates in the table; the record has all of them.
_SHOWN = 20
_OUTCOMES = {1: "TP", 2: "FP", 3: "FN", 4: "TN", 0: "no outcome"}
_LABELS = {1: "paraphrase", 0: "not a paraphrase", -1: "unlabelled"}


@dataclass(frozen=True)
class Options:
    """What is searched for, and where."""

    pattern: str = text("&Pattern", "words, or a regular expression as /…/ or /…/i")
    whole_words: bool = switch("&Whole words", "words must not be part of longer ones")
    side: str = choice(
        "&Side", titled(SIDES), "where the hits have to be; one: in one sentence and not in the other", default="either"
    )
    sort: str = choice("S&ort", titled(ORDERS), "by what the lines are sorted", default="corpus")
    span: int = integer("&Near", 1, 1000, 5, "words to either side that count as collocates")


@dataclass(frozen=True, eq=False)
class ConcordanceResult:
    """What was found.

    Attributes:
        lines: The lines.
        counts: The pairs of each label and, with a score, of each outcome.
        near: All collocates.
    """

    lines: Concordance
    counts: Mapping[str, tuple[ClassCount, ...]] = field(default_factory=dict)
    near: tuple[Collocate, ...] = ()


class Occurrences(Analysis[Options, ConcordanceResult]):
    """In which pairs there is a hit, and what stands near; outcomes are those of the score looked at."""

    name = "occurrences"
    title = "Concordance"
    group = "Corpus"
    about = "In how many pairs of each class words stand, and among which others"
    manual = "concordance"
    needs = (PAIRS,)
    options = Options

    def compute(self, material: Material, options: Options, tick: Tick) -> ConcordanceResult:
        corpus, where = material.corpus, material.where
        pattern = compile_pattern(options.pattern, options.whole_words)
        side, order = cast(Side, options.side), cast(Order, options.sort)
        lines = ordered(find(corpus, pattern, side, where), order)
        searched = np.ones(len(corpus), dtype=bool) if where is None else where
        rows = np.flatnonzero(searched).tolist()
        counts = {"label": by_class(lines, corpus.labels, _LABELS, searched)}
        if material.y:
            score = material.score_column(material.y)
            outcomes = outcome(score.values, material.labels, material.threshold(score), score.higher_is_closer)
            counts["outcome"] = by_class(lines, outcomes, _OUTCOMES, searched)
        totals = word_counts([side[row] for side in (corpus.source, corpus.hypothesis) for row in rows])
        return ConcordanceResult(lines, counts, collocates(lines, totals, options.span))

    def blocks(self, run: Run[Options, ConcordanceResult]) -> Sequence[Block]:
        found, options = run.result, run.options
        pattern = options.pattern
        scores = {"outcome": (run.material.y,)}
        classes = [
            replace(classes_grid(each, name, f"{pattern} by {name}"), scores=scores.get(name, ()))
            for name, each in found.counts.items()
        ]
        return *classes, collocates_grid(found.near[:_SHOWN], options.span, f"Collocates of {pattern}")

    def details(self, run: Run[Options, ConcordanceResult]) -> dict[str, object]:
        found = run.result
        counts = {"hits": found.lines.hits, "pairs": len(found.lines.pairs)}
        return {**counts, "collocates": plain(found.near)}


class Lines(Occurrences):
    """The lines in full."""

    name = "lines"
    title = "Lines"
    about = "Every place where words stand"

    def blocks(self, run: Run[Options, ConcordanceResult]) -> Sequence[Block]:
        return (lines_grid(run.material.corpus, run.result.lines, run.options.pattern),)

    def details(self, run: Run[Options, ConcordanceResult]) -> dict[str, object]:
        return {}


def lines_grid(corpus: Corpus, lines: Concordance, title: str) -> Table:
    """Return the lines in full, with what each pair is: for a spreadsheet."""
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
    """Return in how many pairs of each class there is a hit."""
    header = (name, "pairs", "with a hit", "%", "source only", "hypothesis only", "both", "G²", "log ratio")
    rows = tuple(
        (
            *(each.name, each.pairs, each.found, 100 * each.found / each.pairs),
            *(each.source, each.hypothesis, each.both, each.g2, each.log_ratio),
        )
        for each in classes
    )
    return Table(f"hits by {name}", title, header, rows, f"{_NOTE} Each row is compared with all others.", 2)


def collocates_grid(found: Sequence[Collocate], span: int, title: str) -> Table:
    """Return the words near the hits."""
    header = ("word", "left", "right", "elsewhere", "G²", "log ratio")
    rows = tuple((each.word, each.left, each.right, each.elsewhere, each.g2, each.log_ratio) for each in found)
    return Table(
        "collocates", title, header, rows, f"Within {span} words of a hit, twice at least. {_NOTE}", 2, scores=()
    )
