"""Buckets as shown by a page and a command: for pairs with labels and without."""

from __future__ import annotations

import re

import numpy as np
import pytest
from analysing import N, corpus_of, table_of

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.statistics.buckets import pair_lengths
from parapluie_gui.api.material import build_material


def test_pairs_without_labels_show_the_scores_of_every_bucket():
    corpus = corpus_of(label=False)
    material, buckets = build_material(corpus, table_of(corpus)), analysis("buckets")
    run = analyse(buckets, material, buckets.options(by="length", ranges=3))
    (table,) = buckets.tables(run)
    assert not buckets.figures(run), "without labels, nothing is right or wrong"
    assert table.header[:4] == ("range", "score", "pairs", "mean")
    inside = table.link(0, 0).mask(material)
    assert table.rows[0][3].mean == pytest.approx(np.mean(material.score_columns[0].values[inside]))


def test_the_finding_names_the_number_of_pairs_behind_a_share():
    corpus = corpus_of()
    order = np.argsort(pair_lengths(corpus.source, corpus.hypothesis), kind="stable")
    scores = np.empty(N)
    scores[order] = np.where(np.arange(N) < N // 3, 1, -1) * (2.0 * corpus.label[order] - 1)  # right on short pairs
    scored = table_of(corpus)
    scored.put(np.arange(N), {"pluie.direct": scores})
    material, buckets = build_material(corpus, scored), analysis("buckets")
    run = analyse(buckets, material, buckets.options(by="length", ranges=3))
    sentence = buckets.finding(run)
    (table,) = buckets.tables(run)
    counts = {row[2] for row in table.rows}
    named = {int(each) for each in re.findall(r"% \[\d+, \d+\] of (\d+) pairs", sentence)}
    assert named and named <= counts and sentence.count(" pairs (") == 2
