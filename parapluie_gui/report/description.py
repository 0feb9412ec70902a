"""The tables of what corpora are like: classes and languages, lengths and wording."""

from __future__ import annotations

from collections.abc import Sequence

from parapluie_gui.analysis.corpus_statistics import MEASURES, CorpusStatistics
from parapluie_gui.analysis.statistics.summary import LabelSummary, Summary
from parapluie_gui.analysis.table import Cell, Table

_TITLES = {"wpd": "WPD", "ld": "LD", "edit_distance": "edit distance"}


def description_grids(found: Sequence[CorpusStatistics]) -> list[Table]:
    """Return every table that has rows."""
    return [grid for grid in (balance_grid(found), lengths_grid(found), languages_grid(found)) if len(grid)]


def balance_grid(found: Sequence[CorpusStatistics]) -> Table:
    """Return pairs, labels and distinct sources (PARAPHRASUS, table 1)."""
    rows: list[tuple[Cell, ...]] = []
    for each in found:
        labelled = each.paraphrases + each.negatives
        share = 100 * each.paraphrases / labelled if labelled else None
        counts = each.pairs, each.paraphrases, each.negatives, each.unlabelled
        rows.append((each.name, *counts, share, each.sources))
    return Table(
        "balance",
        "Pairs and labels",
        ("corpus", "pairs", "paraphrases", "not paraphrases", "unlabelled", "% paraphrases", "distinct sources"),
        tuple(rows),
        "% paraphrases: of the labelled pairs.",
    )


def lengths_grid(found: Sequence[CorpusStatistics]) -> Table:
    """Return lengths, deviations and edit distance per label (PARAPHRASUS, figures 5 and 6)."""
    rows: list[tuple[Cell, ...]] = []
    for each in found:
        kinds = {"all": each.pairs, "paraphrases": each.paraphrases, "not paraphrases": each.negatives}
        for kind, pairs in kinds.items():
            if pairs and (kind == "all" or pairs < each.pairs):
                rows.append((each.name, kind, pairs, *(_part(each.measures[name], kind) for name in MEASURES)))
    return Table(
        "wording",
        "Lengths and wording, mean and standard deviation",
        ("corpus", "of", "pairs", *(_TITLES.get(name, name) for name in MEASURES)),
        tuple(rows),
        "Words are parted by white space. WPD, LD: word position deviation and lexical deviation of stems (Liu and "
        "Soh, ACL 2022), 0 to 1.",
    )


def languages_grid(found: Sequence[CorpusStatistics]) -> Table:
    """Return the pairs of each language; no rows where no corpus tells any."""
    codes = list(dict.fromkeys(code for each in found for code in each.languages))
    rows: list[tuple[Cell, ...]] = [
        (each.name, *(each.languages.get(code, 0) for code in codes)) for each in found if each.languages
    ]
    return Table("languages", "Pairs by language", ("corpus", *codes), tuple(rows))


def _part(found: LabelSummary, kind: str) -> Summary:
    return {"all": found.all, "paraphrases": found.paraphrase, "not paraphrases": found.other}[kind]
