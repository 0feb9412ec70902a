"""The tables of a concordance: its lines, the classes its pairs belong to, and its collocates."""

from __future__ import annotations

from collections.abc import Sequence

from parapluie_gui.analysis.concordance import ClassCount, Collocate, Concordance
from parapluie_gui.analysis.table import Cell, Table
from parapluie_gui.pairs.corpus import Corpus

#: What the columns of G² mean, under both tables.
_NOTE = (
    "G²: log-likelihood; above 3.84 means p < 0.05, above 10.83 p < 0.001, before any correction for the number of "
    "rows. log ratio: 1 is twice as frequent, −1 half as frequent."
)


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
    return Table("concordance", title, header, tuple(rows))


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
    return Table(f"hits by {name}", title, header, rows, f"{_NOTE} Each row is compared with all others.")


def collocates_grid(found: Sequence[Collocate], span: int, title: str) -> Table:
    """Return the words near the hits."""
    header = ("word", "left", "right", "elsewhere", "G²", "log ratio")
    rows = tuple((each.word, each.left, each.right, each.elsewhere, each.g2, each.log_ratio) for each in found)
    return Table("collocates", title, header, rows, f"Within {span} words of a hit, twice at least. {_NOTE}")
