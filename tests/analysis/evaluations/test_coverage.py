"""Coverage: how often a score is right on the pairs furthest from its threshold."""

from __future__ import annotations

import numpy as np
import pytest
from analysing import corpus_of, table_of

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.evaluations.coverage import coverage_curve
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.api.material import build_material

coverage = analysis("coverage")


def test_the_pairs_furthest_from_the_threshold_are_kept_first():
    labels = np.array([1, 1, 0, 0, 1, -1], dtype=np.int8)
    scores = np.array([3.0, 2.0, 2.0, -1.0, -1.0, 9.0])
    curve = coverage_curve(score_column("pluie.direct", scores), labels, 0.0)
    assert curve.distance.tolist() == [3, 2, 1] and curve.kept.tolist() == [1, 3, 5], (
        "pairs at equal distances are kept together"
    )
    assert curve.right.tolist() == [1, 2, 3] and curve.index_at(0.5) == 1 and curve.index_at(0.2) == 0
    assert curve.mean == pytest.approx(np.mean([1, 1.5 / 2, 2 / 3, 2.5 / 4, 3 / 5]))
    distance = coverage_curve(score_column("edit_distance", 0.5 - scores / 10), labels, 0.5)
    assert distance.right.tolist() == curve.right.tolist() and distance.kept.tolist() == curve.kept.tolist()
    assert len(coverage_curve(score_column("bleu", scores * np.nan), labels, 0.0).kept) == 0


def test_clicks_select_the_kept_pairs_and_the_errors_among_them():
    corpus = corpus_of()
    about = build_material(corpus, table_of(corpus))
    run = analyse(coverage, about, coverage.options())
    summary, shares = coverage.tables(run)
    assert [row[0] for row in summary.rows] == [column.title for column in about.score_columns]
    direct = about.score_column("pluie.direct")
    (row,) = [row for row in summary.rows if row[0] == direct.title]
    right = (direct.values >= 0) == (about.labels == 1)
    assert row[1] == 0 and row[3] == pytest.approx(right.mean()) and row[5] > 0.05, (
        "distant scores are more accurate here"
    )
    place = next(at for at, row in enumerate(shares.rows) if row[0] == direct.title and row[1] < 60)
    kept = np.abs(direct.values) >= shares.rows[place][3]
    assert shares.rows[place][2] == kept.sum() and shares.rows[place][4].value == pytest.approx(right[kept].mean())
    assert np.array_equal(shares.link(place, 2).mask(about), kept)
    assert np.array_equal(shares.link(place, 5).mask(about), kept & ~right)
    (chart,) = coverage.figures(run)
    line = next(mark for mark in chart.marks if mark.name == direct.title)
    assert line.y[-1] == pytest.approx(right.mean()) and line.link(len(line) - 1).mask(about).sum() == (~right).sum()
