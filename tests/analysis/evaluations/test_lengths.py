"""Medians of scores by length: the numbers, their intervals, and the pairs behind a row."""

from __future__ import annotations

from math import isnan

import numpy as np
from analysing import corpus_of, table_of
from scipy.stats import binom

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.evaluations.lengths import median
from parapluie_gui.analysis.statistics.buckets import pair_lengths
from parapluie_gui.api.material import build_material


def test_rows_have_the_median_of_their_range_and_select_its_pairs():
    corpus = corpus_of()
    material, lengths = build_material(corpus, table_of(corpus)), analysis("lengths")
    run = analyse(lengths, material, lengths.options(ranges=3))
    (table,) = lengths.tables(run)
    assert table.link is not None and len(table) == 3 * len(material.score_columns)
    inside = table.link(0, 0).mask(material)
    scored = material.score_columns[0].values[inside]
    assert table.rows[0][2] == len(scored) and table.rows[0][3].value == np.median(scored)
    size = pair_lengths(corpus.source, corpus.hypothesis)
    assert size[inside].max() < size[table.link(len(table) - 1, 0).mask(material)].min()
    chart = lengths.figures(run)[0]
    assert chart.marks[0].y[0] == np.median(scored) and np.array_equal(chart.marks[0].link(0).mask(material), inside)


def test_intervals_of_medians_have_their_nominal_coverage():
    for count in (6, 20, 101):
        values = np.arange(float(count))
        result = median(values)
        below = binom.cdf(result.low - 1, count, 0.5) + binom.sf(result.high, count, 0.5)
        assert result.low < result.value < result.high and below < 0.08
    assert isnan(median(np.arange(5.0)).low) and isnan(median(np.empty(0)).value)
