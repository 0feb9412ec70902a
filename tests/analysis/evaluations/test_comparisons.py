"""Every two scores compared: the numbers of the comparison, and the pairs behind a row."""

from __future__ import annotations

import numpy as np
from analysing import corpus_of, table_of

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.material import Facts, Material
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.comparison import compare
from parapluie_gui.pairs.pool import pool


def test_every_two_scores_are_compared_on_each_corpus():
    corpus = pool([corpus_of(60, 1, "one"), corpus_of(60, 2, "two")])
    table, facts = table_of(corpus), Facts.of(corpus)
    scores = tuple(score_column(name, table[name]) for name in table.scores)
    material = Material(facts, scores, corpus.labels, facts.parts, given={"bleu": 0.4, "edit_distance": 0.5})
    found = analysis("comparison")
    run = analyse(found, material, found.options())
    compared, shared = found.tables(run)
    assert [row[0] for row in compared.rows] == ["one"] * 3 + ["two"] * 3 + ["Global"] * 3
    bleu, judge = material.score_column("bleu"), material.score_column("pluie.direct")
    where = facts.parts["two"]
    wanted = compare(bleu, judge, corpus.labels, first_threshold=0.4, second_threshold=0.0, where=where, draws=0)
    row = next(at for at, row in enumerate(compared.rows) if row[:3] == ("two", bleu.title, judge.title))
    assert compared.rows[row][3:5] == (wanted.first_accuracy, wanted.second_accuracy)
    assert compared.link is not None and shared.link is not None
    differ = where & ((bleu.values >= 0.4) != (judge.values >= 0.0))
    assert np.array_equal(compared.link(row, 0).mask(material), differ)
    wrong = [
        each.predicted_positive(at) != (corpus.label == 1) for each, at in zip(scores, (0.5, 0.4, 0.0), strict=True)
    ]
    assert shared.rows[1][:3] == ("two", 60, (np.all(wrong, axis=0) & where).sum())
    assert np.array_equal(shared.link(1, 2).mask(material), np.all(wrong, axis=0) & where)
    assert np.array_equal(shared.link(1, 3).mask(material), np.any(wrong, axis=0) & where)
