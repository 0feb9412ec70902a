"""Helpers for tests of the Analysis tab: random corpora with scores, pages, cells and the selection."""

from __future__ import annotations

import numpy as np
from waiting import at_rest

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.analysis.page import AnalysisPage
from parapluie_gui.ui.analysis.plot import PlotCard
from parapluie_gui.ui.analysis.tab import AnalysisTab

N = 120
WORDS = ("cat", "dog", "sun", "rain", "sleeps", "shines", "falls", "barks")


def corpus_of(n: int = N, seed: int = 0, name: str = "test", label: bool = True, human: bool = True) -> Corpus:
    random = np.random.default_rng(seed)
    return Corpus(
        name,
        [f"{name}{row}" for row in range(n)],
        [" ".join(random.choice(WORDS, 4)) for _ in range(n)],
        [" ".join(random.choice(WORDS, 5)) for _ in range(n)],
        label=random.integers(0, 2, n).astype(np.int8) if label else None,
        human=random.normal(size=n).round(1) if human else None,
        extra={"kind": [("news", "web", "fiction")[row % 3] for row in range(n)]},
    )


def table_of(corpus: Corpus, seed: int = 1) -> ScoreTable:
    random = np.random.default_rng(seed)
    n = len(corpus)
    truth = np.zeros(n) if corpus.label is None else corpus.label
    table = ScoreTable(n)
    columns = {
        "edit_distance": random.random(n).round(2),
        "bleu": random.random(n).round(2),
        "pluie.direct": random.normal(3 * truth - 1.5, 2).round(1),
    }
    for name, values in columns.items():
        table.declare(name, Signature.from_fields(name, {"name": name, "version": "test"}))
        table.put(np.arange(n), {name: values})
    return table


def two_templates(corpus: Corpus) -> ScoreTable:
    """Return the table with a second template's scores."""
    table = table_of(corpus)
    table.put(np.arange(len(corpus)), {"pluie.fs-direct": np.random.default_rng(5).normal(size=len(corpus)).round(1)})
    return table


def rest(qtbot, tab: AnalysisTab) -> None:
    qtbot.waitUntil(lambda: not tab.busy, timeout=20_000)
    for page in tab.findChildren(AnalysisPage):
        page.finish_growing()
    qtbot.waitUntil(lambda: at_rest(tab.findChildren(PlotCard)))


def turn(qtbot, tab: AnalysisTab, kind):
    """Show a page, by the name of its analysis or by its class."""
    page = tab.page_named(kind) if isinstance(kind, str) else tab.page_of(kind)
    tab.show_page(page)
    rest(qtbot, tab)
    return page


def cell(table, row: int, column: str) -> str:
    return table.model.index(row, table.grid.header.index(column)).data()


def row_of(table, score: str) -> int:
    return next(row for row in range(len(table.grid.rows)) if cell(table, row, "score") == score)


def mask(tab: AnalysisTab) -> list[int]:
    return np.flatnonzero(tab.workspace.selection.mask).tolist()


def scores(tab: AnalysisTab) -> tuple[np.ndarray, np.ndarray]:
    return tab.workspace.values("pluie.direct"), tab.workspace.labels()


def notes(page: AnalysisPage) -> str:
    """Return the visible sentences between the tables of a page."""
    page.finish_growing()
    return page.notes
