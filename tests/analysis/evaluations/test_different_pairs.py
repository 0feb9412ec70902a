"""Accuracies over different pairs: each row has its number of pairs and the share of their more common label."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.figure import HeatMap
from parapluie_gui.analysis.material import AnalysisMaterial, CorpusParts
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.threshold import counts
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import is_scored

LABELS = np.array([1] * 12 + [0] * 8, dtype=np.int8)
WHOLE = np.linspace(1.0, 0.0, 20)
#: Scores of the first 15 pairs, 12 of which are paraphrases.
PARTIAL = np.where(np.arange(20) < 15, WHOLE, np.nan)


def material(*columns: np.ndarray) -> AnalysisMaterial:
    texts = [f"text {row}" for row in range(20)]
    corpus = Corpus("c", list(map(str, range(20))), texts, texts, label=LABELS)
    parts = CorpusParts.from_corpus(corpus)
    scores = tuple(score_column(f"score{at}", values) for at, values in enumerate(columns))
    return AnalysisMaterial(parts, scores, LABELS, parts.parts)


def first_table(name: str, *columns: np.ndarray):
    chosen = analysis(name)
    return chosen.tables(analyse(chosen, material(*columns), chosen.options()))[0]


@pytest.mark.parametrize("name", ["thresholds", "coverage"])
def test_each_row_has_its_pairs_and_their_more_common_label(name):
    table = first_table(name, WHOLE, PARTIAL)
    cells = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    assert {row["score"]: (row["pairs"], row["more common label"]) for row in cells} == {
        "score0": (20, 0.6),
        "score1": (15, 0.8),
    }
    assert "The rows count different pairs (15 to 20)" in table.note
    assert "different pairs" not in first_table(name, WHOLE, WHOLE[::-1].copy()).note


@pytest.mark.parametrize("name", ["thresholds", "curves", "distributions"])
def test_a_score_of_nine_pairs_does_not_win_over_scores_of_all_pairs(name):
    rng = np.random.default_rng(7)
    noisy = WHOLE + rng.normal(0.0, 0.35, 20)
    few = np.where(np.isin(np.arange(20), [0, 1, 2, 3, 4, 5, 13, 14, 15]), np.round(WHOLE), np.nan)
    chosen = analysis(name)
    finding = chosen.finding(analyse(chosen, material(noisy, few), chosen.options()))
    assert not finding.startswith("score1")
    if name != "thresholds":
        assert "Too few pairs to compare: score1 (9 pairs)." in finding


def test_a_comparison_has_the_number_of_common_pairs():
    table = first_table("comparison", WHOLE, PARTIAL)
    (row,) = (dict(zip(table.header, row, strict=True)) for row in table.rows)
    assert (row["pairs"], row["more common label"]) == (15, 0.8)


def test_kappa_of_agreement_by_chance_is_exactly_zero():
    table = first_table("comparison", np.where(np.arange(20) % 2, 1.0, 0.0), np.where(np.arange(20) % 4 < 2, 1.0, 0.0))
    (row,) = (dict(zip(table.header, row, strict=True)) for row in table.rows)
    assert row["kappa"] == 0.0


def test_an_infinite_score_is_a_score():
    scores = np.array([np.inf, -np.inf, 0.5, np.nan])
    assert is_scored(scores).tolist() == [True, True, True, False]
    counted = counts(scores, np.array([1, 0, 1, 1], dtype=np.int8), 0.5)
    assert (counted.counted, counted.unscored, counted.accuracy) == (3, 1, 1.0)


def test_the_matrix_has_the_number_of_pairs_of_each_cell_where_they_differ():
    noisy = np.roll(WHOLE, 3)
    chosen = analysis("comparison")
    result = analyse(chosen, material(WHOLE, PARTIAL, noisy), chosen.options())
    heat_map = next(block for block in chosen.blocks(result) if isinstance(block, HeatMap))
    sizes = {cell: text.rpartition(" ")[2] for cell, text in heat_map.texts.items()}
    assert sizes["score0", "score1"] == "(15)" and sizes["score0", "score2"] == "(20)"
    assert "the number of pairs of each cell" in heat_map.note
    same = analyse(chosen, material(WHOLE, noisy), chosen.options())
    heat_map = next(block for block in chosen.blocks(same) if isinstance(block, HeatMap))
    assert not any("(" in text for text in heat_map.texts.values())
    assert heat_map.note.startswith("Each cell is based on 20 pairs.")
