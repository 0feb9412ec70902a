"""`parapluie explain`: which of the words that differ decided a score."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

from parapluie_gui.analysis.explain.explanation import Explanation
from parapluie_gui.analysis.explain.variants import Variants
from parapluie_gui.analysis.figure import BarList
from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.analysis.score_column import ScoreColumn, score_column
from parapluie_gui.api.corpora import filtered
from parapluie_gui.api.material import given_thresholds
from parapluie_gui.api.notices import count
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.judge import score_now
from parapluie_gui.commands.options import Explain
from parapluie_gui.commands.output import check_figure
from parapluie_gui.errors import CorpusError, ParapluieError, one_line
from parapluie_gui.files import atomic_write
from parapluie_gui.metrics.changes.types import change_types
from parapluie_gui.pairs import Corpus
from parapluie_gui.report.explained import ExplainedScore, explanation_figure, kinds_of
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.widgets.svg_file import write_figure

#: What a figure says of a score that is a paraphrase's, is not, or has no threshold.
_VERDICTS = {True: "paraphrase", False: "not a paraphrase", None: ""}


def run(options: Explain) -> int:
    """Score the variants of each pair and tell what the edits did. Returns the exit status.

    Raises:
        ParapluieError: Neither a corpus nor a pair is named, or both are, or something cannot be scored.
    """
    check_figure(options.figure)
    pairs = _pairs(options)
    variants = Variants(pairs)
    if not options.scoring.asked:
        options = replace(options, scoring=replace(options.scoring, judge="pocket"))
    table = score_now(variants.corpus, options.scoring.metric, options.scoring)
    columns = [score_column(name, table[name], signature=table.signatures.get(name)) for name in table.scores]
    thresholds = given_thresholds(options.threshold, [column.name for column in columns])
    columns = [replace(column, threshold=thresholds.get(column.name, column.threshold)) for column in columns]
    if options.figure is not None:
        write_figure(options.figure, _figure(pairs, variants, columns))
    if options.output is None:
        for column in columns:
            for number, found in enumerate(variants.explanations(column)):
                print(_text(pairs, number, column, found))
        return 0
    with atomic_write(options.output) as part, part.open("w", encoding="utf-8") as file:
        for record in _records(pairs, variants, columns):
            file.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
    explained, scored = count(len(pairs), "pair", "pairs"), count(len(columns), "score", "scores")
    print(f"{explained}, {scored}, {count(len(variants.corpus), 'variant', 'variants')} → {options.output}")
    return 0


def _pairs(options: Explain) -> Corpus:
    """Return what is to be explained.

    Raises:
        ParapluieError: There is nothing, or too much.
    """
    if (options.corpus is None) == (options.pair is None):
        raise ParapluieError("Name a corpus, or two sentences with --pair, and not both.")
    if options.pair is not None:
        source, hypothesis = options.pair
        return Corpus(name="pair", id=["pair"], source=[source], hypothesis=[hypothesis])
    assert options.corpus is not None
    if options.output is not None:
        _check_output(options.output, options.corpus)
    corpus = read_corpus(options.corpus, options.reading)
    if options.filter:
        known = put_own_scores(ScoreTable(len(corpus)), corpus, own_scores(corpus), {})
        corpus, _ = filtered(corpus, known, options.filter)
    if options.limit is not None:
        corpus = corpus.take(range(min(options.limit, len(corpus))))
    if options.figure is not None and len(corpus) != 1:
        raise ParapluieError(
            f"The figure shows one pair, and there are {len(corpus):,}. Choose one with --filter or --limit 1."
        )
    return corpus


def _figure(pairs: Corpus, variants: Variants, columns: list[ScoreColumn]) -> BarList:
    """Return a figure of what decided each score of the one pair there is."""
    found = [next(variants.explanations(column)) for column in columns]
    scores = [
        ExplainedScore(
            column.title, _VERDICTS[column.verdict(each.score)], each, kinds_of(pairs, 0, each), column.higher_is_closer
        )
        for column, each in zip(columns, found, strict=True)
    ]
    return explanation_figure(one_line(pairs.source[0]), one_line(pairs.hypothesis[0]), scores)


def _check_output(output: Path, corpus: Path) -> None:
    if output.exists() and corpus.exists() and output.samefile(corpus):
        raise CorpusError("it is the corpus to be explained and would be overwritten", "choose another name", output)


def _records(pairs: Corpus, variants: Variants, columns: list[ScoreColumn]) -> Iterator[dict[str, Any]]:
    """Yield the object of each pair and score, a pair's scores one after another."""
    streams = [variants.explanations(column) for column in columns]
    for number, explanations in enumerate(zip(*streams, strict=True)):
        for column, found in zip(columns, explanations, strict=True):
            yield record(pairs, number, column, found)


def record(pairs: Corpus, number: int, column: ScoreColumn, found: Explanation) -> dict[str, Any]:
    """Return what decided one score of one pair, as JSON has it; a score that is not there is null."""
    kinds = kinds_of(pairs, number, found)
    return {
        "id": pairs.id[number],
        "source": pairs.source[number],
        "hypothesis": pairs.hypothesis[number],
        "column": column.name,
        "score": _number(found.score),
        "same": _number(found.same),
        "edits": [
            {
                "source": edit.source,
                "hypothesis": edit.hypothesis,
                "type": kind,
                "source_at": edit.source_at,
                "hypothesis_at": edit.hypothesis_at,
                "value": _number(value),
                "error": _number(error),
            }
            for edit, kind, value, error in zip(found.edits, kinds, found.values, found.errors, strict=True)
        ],
        "exact": found.exact,
        "evaluations": found.evaluations,
        "flip": None if found.flip is None else list(found.flip),
    }


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


def _text(pairs: Corpus, number: int, column: ScoreColumn, found: Explanation) -> str:
    """Return what decided one score, for people."""
    lines = [f"{one_line(pairs.source[number])}\n{one_line(pairs.hypothesis[number])}"]
    lines.append(f"{column.title}: {found.score:+.3f}; the source with itself: {found.same:+.3f}")
    width = max((len(str(edit)) for edit in found.edits), default=0)
    kinds = [change_types()[id].name for id in kinds_of(pairs, number, found)]
    for edit, kind, value, error in zip(found.edits, kinds, found.values, found.errors, strict=True):
        beside = "" if found.exact else f" ± {error:.3f}"
        lines.append(f"  {edit!s:<{width}}  {value:+.3f}{beside}  {kind}")
    if found.interaction is not None:
        pair = found.interaction
        first, second = (str(found.edits[edit]) for edit in (pair.first, pair.second))
        one, other = pair.alone
        lines.append(f"  {first} and {second}: together {pair.together:+.3f}, alone {one:+.3f} and {other:+.3f}")
    if found.flip is not None:
        lines.append(f"  The other verdict without {', '.join(str(found.edits[edit]) for edit in found.flip)}.")
    lines.append(
        f"  {count(found.evaluations, 'variant', 'variants')} scored{', all there are' if found.exact else ''}"
    )
    return "\n".join(lines) + "\n"
