"""`parapluie explain`: which of the words that differ decided a score."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.api.corpora import filter_pairs
from parapluie_gui.api.material import parse_thresholds
from parapluie_gui.api.notices import count
from parapluie_gui.api.scoring import USUAL
from parapluie_gui.commands.arguments import (
    corpus_file,
    integer,
    option,
    option_group,
    output_file,
    repeatable,
    switch,
)
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.judge import compute_scores
from parapluie_gui.commands.options import FigureOptions, JudgeAndMetrics, ReadingArguments
from parapluie_gui.errors import CorpusError, ParapluieError
from parapluie_gui.features.explain.api import explanations_of
from parapluie_gui.features.explain.explanation import ExplanationVariants
from parapluie_gui.files import atomic_write
from parapluie_gui.pairs import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.widgets.svg_file import check_ending, write_figure


@dataclass(frozen=True, kw_only=True)
class ExplainOptions:
    """Show which of the words that differ decided a score: the Shapley value of each edit."""

    corpus: Path | None = corpus_file("file of pairs", nargs="?")
    pair: tuple[str, str] | None = option("two sentences instead of a corpus", ("SOURCE", "HYPOTHESIS"), nargs=2)
    output: Path | None = output_file("write one JSON object per pair and score", "OUT.jsonl", short="-o")
    json: bool = switch("print one JSON object per pair and score")
    figure: Path | None = output_file("draw one pair with its scores side by side, as SVG, PNG or PDF", "FILE")
    filter: str | None = option("only pairs that match a filter, as in the window's filter box", "EXPR")
    limit: int | None = integer("only the first N pairs")
    threshold: tuple[str, ...] = repeatable("a different threshold for the verdicts; may be repeated", "COL=X")
    drawing: FigureOptions = option_group(FigureOptions, "figures")
    reading: ReadingArguments = option_group(ReadingArguments, "reading")
    scoring: JudgeAndMetrics = option_group(JudgeAndMetrics, "scoring")


def run(options: ExplainOptions) -> int:
    """Score the variants of each pair and print or write the explanations. Return the exit status.

    Raises:
        ParapluieError: Not exactly one of a corpus and a pair is given, or a variant cannot be scored.
    """
    if options.figure is not None:
        check_ending(options.figure)
    pairs = _pairs(options)
    variants = ExplanationVariants(pairs)
    if not options.scoring.asks_for_scores:
        options = replace(options, scoring=replace(options.scoring, judge=(USUAL,)))
    table = compute_scores(variants.corpus, options.scoring.metric, options.scoring)
    explanations = explanations_of(pairs, variants, table, parse_thresholds(options.threshold, table.scores))
    if options.figure is not None:
        write_figure(options.figure, explanations.drawing(), style=options.drawing.style)
    lines = [json.dumps(record, ensure_ascii=False, allow_nan=False) for record in explanations.records()]
    if options.json:
        print("\n".join(lines))
    elif options.output is None:
        for column in explanations.columns:  # sorted by score: all pairs of one score, then all of the next
            for explanation in explanations:
                if explanation.column is column:
                    print(explanation)
    if options.output is None:
        return 0
    with atomic_write(options.output) as part, part.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    explained, scored = count(len(pairs), "pair", "pairs"), count(len(explanations.columns), "score", "scores")
    summary = f"{explained}, {scored}, {count(explanations.variants, 'variant', 'variants')} → {options.output}"
    print(summary, file=sys.stderr if options.json else sys.stdout)
    return 0


def _pairs(options: ExplainOptions) -> Corpus:
    """Return the pairs to explain.

    Raises:
        ParapluieError: Not exactly one of a corpus and a pair is given, or a figure is to show several pairs.
    """
    if (options.corpus is None) == (options.pair is None):
        raise ParapluieError("Name either a corpus, or two sentences with --pair.")
    if options.pair is not None:
        source, hypothesis = options.pair
        return Corpus(name="pair", id=["pair"], source=[source], hypothesis=[hypothesis])
    assert options.corpus is not None
    if options.output is not None:
        _check_output(options.output, options.corpus)
    corpus = read_corpus(options.corpus, options.reading)
    if options.filter:
        known = put_own_scores(ScoreTable(len(corpus)), corpus, own_scores(corpus), {})
        corpus, _ = filter_pairs(corpus, known, options.filter)
    if options.limit is not None:
        corpus = corpus.take(range(min(options.limit, len(corpus))))
    if options.figure is not None and len(corpus) != 1:
        raise ParapluieError(
            f"The figure shows one pair, but there are {len(corpus):,}. Choose one with --filter or --limit 1."
        )
    return corpus


def _check_output(output: Path, corpus: Path) -> None:
    if output.exists() and corpus.exists() and output.samefile(corpus):
        raise CorpusError("it is the corpus to be explained and would be overwritten", "choose another name", output)
