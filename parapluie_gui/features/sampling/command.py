"""The command `parapluie sample`."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.api.notices import count
from parapluie_gui.commands.arguments import corpus_file, integer, option, option_group, output_file, seed
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import ReadingArguments
from parapluie_gui.commands.saying import say
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.sampling.draw import divide_into_quarters, draw_pairs, half_width
from parapluie_gui.pairs import Corpus
from parapluie_gui.pairs.column import NumberColumn
from parapluie_gui.pairs.corpus import UNLABELLED
from parapluie_gui.report.table import check_target, write_table
from parapluie_gui.scores.table import ScoreTable

#: A column with more different numbers is divided into quarters.
_MOST_STRATA = 10


@dataclass(frozen=True, kw_only=True)
class SampleOptions:
    """Draw pairs at random and write them as a table."""

    corpus: Path = corpus_file("file of pairs, scored or not")
    output: Path = output_file("table to write", "OUT.csv", short="-o", required=True)
    pairs: int = integer("number of pairs to draw", least=1, default=100)
    by: str | None = option(
        "draw the same number of pairs for each label, group or value of a column; quarters of a score", "COL"
    )
    seed: int = seed("random seed for the draw")
    reading: ReadingArguments = option_group(ReadingArguments, "reading")


def run(options: SampleOptions) -> int:
    """Write the drawn pairs. Returns the exit status.

    Raises:
        ParapluieError: The corpus has no such column, or the files cannot be read or written.
    """
    check_target(options.output)
    corpus = read_corpus(options.corpus, options.reading)
    rows = draw_pairs(find_strata(corpus, options.by), options.pairs, options.seed)
    if not len(rows):
        raise ParapluieError(f'No pair of {corpus.name} has a value in "{options.by}". Choose a different column.')
    drawn = corpus.take(rows)
    written = write_table(options.output, drawn, ScoreTable(len(drawn)))
    for sentence in written.warnings:
        say(sentence)
    print(f"{count(len(rows), 'pair', 'pairs')} of {len(corpus):,} drawn with seed {options.seed}; {written.path}")
    if options.by is None:
        print(f"A share of such pairs is known to ±{100 * half_width(len(rows), len(corpus)):.1f} points (95 %).")
    return 0


def find_strata(corpus: Corpus, by: str | None) -> Sequence[object]:
    """Return the stratum of each pair: its label, group or value of a column, or quarter; None without a value.

    Raises:
        ParapluieError: The corpus has no such column.
    """
    if by is None:
        return [0] * len(corpus)
    if by == "label" and corpus.label is not None:
        return [None if label == UNLABELLED else label for label in corpus.label.tolist()]
    if by == "group" and corpus.group is not None:
        return corpus.group
    if by == "human" and corpus.human is not None:
        return divide_into_quarters(corpus.human)
    if by not in corpus.extra:
        names = ", ".join(f'"{name}"' for name in ("label", "group", "human", *corpus.extra))
        raise ParapluieError(f'{corpus.name} has no column "{by}". Choose among {names}.')
    column = corpus.extra[by]
    cells = column.cells(missing=True)
    many = len(set(cells) - {None}) > _MOST_STRATA
    return divide_into_quarters(column.values) if isinstance(column, NumberColumn) and many else cells
