"""Every two scores compared: the figures of the comparison, and the pairs behind a row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from analysing import corpus_of, table_of
from scipy.stats import kendalltau

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.link import AnalysisLink
from parapluie_gui.analysis.material import AnalysisMaterial, CorpusParts
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.comparison import compare
from parapluie_gui.pairs.pool import pool


def test_every_two_scores_are_compared_on_every_corpus():
    corpus = pool([corpus_of(60, 1, "one"), corpus_of(60, 2, "two")])
    table, corpus_parts = table_of(corpus), CorpusParts.from_corpus(corpus)
    scores = tuple(score_column(name, table[name]) for name in table.scores)
    material = AnalysisMaterial(
        corpus_parts, scores, corpus.labels, corpus_parts.parts, given={"bleu": 0.4, "edit_distance": 0.5}
    )
    result = analysis("comparison")
    run = analyse(result, material, result.options())
    compared, shared = result.tables(run)
    assert [row[0] for row in compared.rows] == ["one"] * 3 + ["two"] * 3 + ["Global"] * 3
    bleu, judge = material.score_column("bleu"), material.score_column("pluie.direct")
    where = corpus_parts.parts["two"]
    wanted = compare(bleu, judge, corpus.labels, first_threshold=0.4, second_threshold=0.0, where=where, draws=0)
    row = next(at for at, row in enumerate(compared.rows) if row[:3] == ("two", bleu.title, judge.title))
    assert compared.rows[row][3:6] == (wanted.pairs, wanted.first_accuracy, wanted.second_accuracy)
    assert compared.link is not None and shared.link is not None
    differ = where & ((bleu.values >= 0.4) != (judge.values >= 0.0))
    assert np.array_equal(compared.link(row, 0).mask(material), differ)
    matrix, tau = (
        result.figures(run)[0],
        result.figures(replace(run, options=result.options(measure="tau", part="two")))[0],
    )
    assert [column.key for column in matrix.columns] == [line.key for line in matrix.lines]
    whole = compare(bleu, judge, corpus.labels, first_threshold=0.4, second_threshold=0.0, draws=0)
    assert matrix.texts["bleu", "pluie.direct"] == f"{whole.kappa:.2f}".replace("-", "−")
    here = kendalltau(bleu.values[where], judge.values[where]).statistic
    assert tau.texts["pluie.direct", "bleu"] == f"{here:.2f}".replace("-", "−")
    assert matrix.link("bleu", "pluie.direct") == AnalysisLink(
        "compare", {"first": "pluie.direct", "second": "bleu", "part": "Global"}
    )
    wrong = [
        each.predicted_positive(at) != (corpus.label == 1) for each, at in zip(scores, (0.5, 0.4, 0.0), strict=True)
    ]
    assert shared.rows[1][:3] == ("two", 60, (np.all(wrong, axis=0) & where).sum())
    assert np.array_equal(shared.link(1, 2).mask(material), np.all(wrong, axis=0) & where)
    assert np.array_equal(shared.link(1, 3).mask(material), np.any(wrong, axis=0) & where)


def test_scores_with_similar_errors_are_neighbours():
    rng = np.random.default_rng(3)
    corpus = corpus_of(200, 4)
    truth = np.where(corpus.labels == 1, 1.0, -1.0)
    slips = {name: rng.random(200) < 0.2 for name in ("one", "two")}
    values = {name: np.where(slips[name[:3]], -truth, truth) for name in ("one a", "two a", "one b", "two b")}
    scores = tuple(score_column(f"pluie.{name}", numbers) for name, numbers in values.items())
    corpus_parts = CorpusParts.from_corpus(corpus)
    result = analysis("comparison")
    run = analyse(
        result,
        AnalysisMaterial(corpus_parts, scores, corpus.labels, corpus_parts.parts),
        result.options(measure="errors"),
    )
    matrix = result.figures(run)[0]
    order = [column.key[6:9] for column in matrix.columns]
    assert order in (["one", "one", "two", "two"], ["two", "two", "one", "one"])
    assert matrix.texts["pluie.one a", "pluie.one b"] == "1.00"


def test_columns_for_human_scores_appear_if_there_are_any():
    result = analysis("comparison")
    for human in (True, False):
        corpus = corpus_of(60, 1, "one", human=human)
        table, corpus_parts = table_of(corpus), CorpusParts.from_corpus(corpus)
        scores = tuple(score_column(name, table[name]) for name in table.scores)
        run = analyse(
            result, AnalysisMaterial(corpus_parts, scores, corpus.labels, corpus_parts.parts), result.options()
        )
        compared = result.tables(run)[0]
        assert ("human r difference" in compared.header) == human
        assert all(len(row) == len(compared.header) for row in compared.rows)
