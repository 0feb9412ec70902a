"""The command `parapluie concordance`, which prints every occurrence of words in a corpus, with counts."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.material import AnalysisMaterial
from parapluie_gui.analysis.own_scores import own_scores
from parapluie_gui.api.material import build_material, parse_thresholds, put_expressions
from parapluie_gui.commands.analysis import check_folders, print_analyses, write_files
from parapluie_gui.commands.arguments import corpus_file, integer, option, option_group
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import DefinedColumns, OutputOptions, ReadingArguments
from parapluie_gui.errors import ParapluieError, one_line
from parapluie_gui.features.concordance.analysis import ConcordanceAnalysis, ConcordanceLines, ConcordanceOptions
from parapluie_gui.features.concordance.search import Concordance
from parapluie_gui.pairs import Corpus
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.table import ScoreTable


@dataclass(frozen=True, kw_only=True)
class ConcordanceCommandOptions:
    """Print every occurrence of words in sources and hypotheses, counts of the pairs, and collocates."""

    corpus: Path = corpus_file("file of pairs, scored or not")
    search: ConcordanceOptions = option_group(ConcordanceOptions, first="pattern")
    score: str | None = option("score whose outcomes are counted (default: labels only)", "COL[=X]")
    filter: str | None = option("only pairs that match a filter, as in the window's filter box", "EXPR")
    limit: int = integer("number of lines to print", least=0, default=40)
    width: int = integer("characters on either side of a hit", least=5, default=36)
    defining: DefinedColumns = option_group(DefinedColumns)
    writing: OutputOptions = option_group(OutputOptions)
    reading: ReadingArguments = option_group(ReadingArguments, "reading")


def run(options: ConcordanceCommandOptions) -> int:
    """Print lines, counts and collocates; return the exit status.

    Raises:
        ParapluieError: The pattern or the filter is invalid, or the corpus or the score is missing.
    """
    check_folders(options.writing)
    analysed = analyse(ConcordanceAnalysis(), _material(options), options.search)
    lines = ConcordanceLines()
    if not (options.writing.json or options.writing.latex):
        _print_lines(analysed.material.corpus, analysed.result.lines, options)
    write_files(
        print_analyses([(lines, analysed), (ConcordanceAnalysis(), analysed)], options.writing, quiet=(lines.name,))
    )
    return 0


def _material(options: ConcordanceCommandOptions) -> AnalysisMaterial:
    """Read the corpus; return it with the selected pairs and the score for outcomes."""
    corpus, signatures = read_corpus(options.corpus, options.reading), read_signatures(options.corpus)
    name, equals, _ = (options.score or "").rpartition("=")
    requested = [name if equals else options.score] if options.score is not None else []
    scores = dict.fromkeys([*requested, *own_scores(corpus, signatures)])
    table = ScoreTable(len(corpus))
    put_expressions(corpus, table, options.defining.column, signatures)
    thresholds = parse_thresholds([options.score or ""], requested) if equals else {}
    material = build_material(
        corpus, table, signatures, scores=list(scores), select=options.filter, path=options.corpus, given=thresholds
    )
    if requested and corpus.label is None:
        raise ParapluieError(f"{corpus.name} has no labels, so {requested[0]} has no outcomes. Leave out --score.")
    y = next((score for score in requested if score in material.names), "")
    return replace(material, where=material.selected, y=y, given=thresholds)


def _print_lines(corpus: Corpus, lines: Concordance, options: ConcordanceCommandOptions) -> None:
    """Print the first lines, a row for each hit, with the hits aligned."""
    width = options.width
    shown = min(options.limit, len(lines))
    names = max((len(corpus.id[row]) for row in lines.rows[:shown]), default=0)
    for line in range(shown):
        name = one_line(corpus.id[lines.rows[line]])
        for mark, hits, hit in (("S", lines.source, lines.in_source), ("H", lines.hypothesis, lines.in_hypothesis)):
            if hit[line] >= 0:
                before, middle, after = map(one_line, hits.cut(int(hit[line])))
                print(f"{name:<{names}} {mark} {before[-width:]:>{width}}[{middle}]{after[:width]}".rstrip())
    more = f" (the first {shown:,} shown)" if shown < len(lines) else ""
    print(f"{lines.hits:,} hits in {len(lines.pairs):,} of {len(corpus):,} pairs{more}\n")
