"""Raters with different pairs: the number of pairs per cell, and a second matrix of the pairs that all raters have."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.material import AnalysisMaterial, CorpusParts
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.commands.main import main
from parapluie_gui.features.people.analysis import matrix_figure
from parapluie_gui.pairs.corpus import Corpus

N = 120


@pytest.fixture
def material() -> AnalysisMaterial:
    """Return three raters; the first two agree only outside the 60 pairs that the third has."""
    random = np.random.default_rng(0)
    one, third = random.integers(0, 2, N).astype(float), random.integers(0, 2, N).astype(float)
    two = np.where(np.arange(N) < 60, random.integers(0, 2, N), one)
    third[60:] = np.nan
    texts = [str(row) for row in range(N)]
    parts = CorpusParts.from_corpus(Corpus("c", texts, texts, texts))
    columns = tuple(
        ScoreColumn(name, name, values, threshold=0.5)
        for name, values in (("one", one), ("two", two), ("third", third))
    )
    return AnalysisMaterial(parts, columns, np.full(N, -1, dtype=np.int8), parts.parts)


def test_scores_are_raters_even_without_annotators(material):
    chosen = analysis("agreement")
    assert chosen.missing(material) is None
    tables = {table.name: table for table in chosen.tables(analyse(chosen, material, chosen.options()))}
    every, common = tables["raters"], tables["raters common"]
    assert "60 to 120" in every.note and "on the 60 pairs that all have" in common.title
    assert every.rows[0][2] > 0.3 and abs(common.rows[0][2]) < 0.3, "the same two raters, on different pairs"
    assert every.rows[0][3] == pytest.approx(common.rows[0][3]), "the third rater judged only these pairs"


def test_every_cell_of_the_matrix_has_its_number_of_pairs(material):
    chosen = analysis("agreement")
    figure = matrix_figure(analyse(chosen, material, chosen.options()).result)
    assert figure.texts["0", "1"].endswith(" (120)") and figure.texts["0", "2"].endswith(" (60)")


def test_the_command_compares_the_pairs_of_a_filter(tmp_path, capsys):
    rows = [f"{row},a {row},b {row},{row % 2},{row % 3 % 2}" for row in range(40)]
    file = tmp_path / "two.csv"
    file.write_text("\n".join(["id,source,hypothesis,annotator 1,annotator 2", *rows]) + "\n", encoding="utf-8")
    command = ["judgements", "agreement", str(file), "--draws", "0"]
    assert main([*command, "--filter", "words(source) > 1"]) == 0
    assert "(40 pairs)" in capsys.readouterr().out
    assert main([*command, "--filter", "source contains /1/"]) == 0
    assert "(13 pairs)" in capsys.readouterr().out
