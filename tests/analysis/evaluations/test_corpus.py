"""Statistics of a corpus: tables for each corpus, and a histogram whose bars select their pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from analysing import corpus_of

from parapluie_gui.analysis.base import Run, analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.figure import Chart
from parapluie_gui.api.material import build_material
from parapluie_gui.pairs.pool import pool
from parapluie_gui.scores.table import ScoreTable

CORPUS = analysis("corpus")


def run_of(**options: str) -> Run:
    pooled = pool([corpus_of(60, 1, "one"), corpus_of(60, 2, "two", label=False)])
    return analyse(CORPUS, build_material(pooled, ScoreTable(120)), CORPUS.options(**options))


def histogram(run: Run) -> Chart:
    (result,) = CORPUS.figures(run)
    assert isinstance(result, Chart)
    return result


def test_corpus_statistics_need_no_scores_and_have_a_row_per_corpus():
    run = run_of()
    balance, wording = CORPUS.tables(run)
    assert [row[:2] for row in balance.rows] == [("one", 60), ("two", 60), ("Global", 120)]
    assert [row[1] for row in wording.rows if row[0] == "two"] == ["all"], "no labels, no classes"


def test_a_bar_selects_its_pairs():
    run = run_of(measure="ld", part="one")
    chart = histogram(run)
    assert (chart.title, [mark.name for mark in chart.marks]) == (
        "Lexical deviation",
        ["not paraphrases", "paraphrases"],
    )
    others = chart.marks[0]
    point = int(np.argmax(others.heights))
    low, high = others.edges[point : point + 2]
    values, labels = run.result.measured["ld"][:60], run.material.labels[:60]
    wanted = np.flatnonzero((low <= values) & (values < high) & (labels == 0))
    link = others.link(point)
    assert np.flatnonzero(link.mask(run.material)).tolist() == wanted.tolist()
    assert f"{len(wanted)} pairs. Click to select them" in others.tip(point)
    assert link.title.startswith("not paraphrases with Lexical deviation from ")


def test_bins_of_integers_have_boundaries_between_the_integers():
    chart = histogram(run_of(measure="hypothesis words"))
    assert [mark.name for mark in chart.marks] == ["unlabelled", "not paraphrases", "paraphrases"]
    edges = chart.marks[0].edges
    assert set(np.diff(edges)) == {1.0} and edges[0] % 1 == 0.5
    assert all(mark.heights.sum() == 1 for mark in chart.marks)


def test_options_change_only_the_display():
    run = run_of()
    other = replace(run, options=replace(run.options, measure="source words", part="two"))
    assert [mark.name for mark in histogram(other).marks] == ["unlabelled"]
