"""Column names and values, the same for filters, tables and exports."""

from __future__ import annotations

import numpy as np

from parapluie_gui.analysis.columns import column, column_names
from parapluie_gui.analysis.filter import compile_filter
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable


def example() -> tuple[Corpus, ScoreTable]:
    corpus = Corpus(
        "c",
        ["a", "b"],
        ["s", "t"],
        ["h", "i"],
        label=np.array([1, -1], dtype=np.int8),
        extra={
            "bleu": [0.5, None],
            "human": ["x", None],
            "bleu (corpus)": [1.0, 2.0],
            "mixed": [1.0, "one"],
            "empty": [None, None],
            "flag": [True, None],
        },
    )
    table = ScoreTable(2)
    table.put(np.array([0]), {"pluie.p.p_no": np.array([0.1]), "bleu": np.array([0.25])})
    table.put(np.array([0]), {"pluie.p": np.array([2.0]), "pluie.p.p_yes": np.array([0.9])})
    return corpus, table


def test_order_and_clashes():
    corpus, table = example()
    names = column_names(corpus, table)
    assert names.corpus == ("id", "source", "hypothesis", "label")
    assert names.scores == ("bleu", "pluie.p", "pluie.p.p_yes", "pluie.p.p_no")
    assert names.extra == {
        "bleu (corpus) (corpus)": "bleu",
        "human (corpus)": "human",
        "bleu (corpus)": "bleu (corpus)",
        "mixed": "mixed",
        "empty": "empty",
        "flag": "flag",
    }
    assert len(set(names.all)) == len(names.all)


def test_values():
    corpus, table = example()
    names = column_names(corpus, table)
    values = {name: column(corpus, table, names, name) for name in names.all}
    np.testing.assert_array_equal(values["label"], [1.0, np.nan])
    np.testing.assert_array_equal(values["bleu"], [0.25, np.nan])
    np.testing.assert_array_equal(values["bleu (corpus) (corpus)"], [0.5, np.nan])
    np.testing.assert_array_equal(values["flag"], [1.0, np.nan])
    np.testing.assert_array_equal(values["empty"], [np.nan, np.nan])
    assert values["mixed"].tolist() == ["1.0", "one"]
    assert values["human (corpus)"].tolist() == ["x", None]
    assert values["source"].dtype == object


def test_it_feeds_filters():
    corpus, table = example()
    names = column_names(corpus, table)
    found = compile_filter('`human (corpus)` == "x" and bleu < 0.3 and label == 1', names.all)
    assert found.mask(lambda name: column(corpus, table, names, name)).tolist() == [True, False]
