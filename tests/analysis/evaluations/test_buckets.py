"""Buckets as a page and a command show them: of pairs with labels, and of pairs without any."""

from __future__ import annotations

import re

import numpy as np
import pytest
from analysing import corpus_of, table_of

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.api.material import build_material


def test_pairs_without_labels_show_the_scores_of_each_bucket():
    corpus = corpus_of(label=False)
    material, buckets = build_material(corpus, table_of(corpus)), analysis("buckets")
    run = analyse(buckets, material, buckets.options(by="length", ranges=3))
    (table,) = buckets.tables(run)
    assert not buckets.figures(run), "nothing is right or wrong"
    assert table.header[:4] == ("range", "score", "pairs", "mean")
    inside = table.link(0, 0).mask(material)
    assert table.rows[0][3].mean == pytest.approx(np.mean(material.score_columns[0].values[inside]))


def test_the_finding_says_of_how_many_pairs_a_share_is():
    corpus = corpus_of()
    material, buckets = build_material(corpus, table_of(corpus)), analysis("buckets")
    run = analyse(buckets, material, buckets.options(by="length", ranges=3))
    said = buckets.finding(run)
    (table,) = buckets.tables(run)
    counts = {row[2] for row in table.rows}
    assert {int(each) for each in re.findall(r"% of (\d+) pairs", said)} <= counts and said.count(" pairs (") == 2
