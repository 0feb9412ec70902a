"""Column names and values, the same for filters, tables and exports."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from parapluie_gui.analysis.columns import column, column_names
from parapluie_gui.analysis.filter.expression import compile_filter
from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature
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
    assert len(set(names.filterable)) == len(names.filterable)
    assert names.filterable == (*names.all, "disagreement", "type")


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


def scored(**columns: list[float]) -> ScoreTable:
    table = ScoreTable(len(next(iter(columns.values()))))
    for name, values in columns.items():
        table.put(np.arange(table.rows), {name.replace("__", "."): np.array(values)})
    return table


def derived(table: ScoreTable, **extra: list[object]) -> dict[str, tuple[str, ...]]:
    ids = [str(row) for row in range(table.rows)]
    return column_names(Corpus("c", ids, ids, ids, extra=extra), table).derived


def test_disagreement_is_between_templates_or_else_between_scores():
    one, two = [0.1, 0.2, 0.3], [3.0, 2.0, 1.0]
    assert derived(scored(bleu=one)) == {}
    assert derived(scored(pluie__a=one, bleu=two)) == {"disagreement": ("pluie.a", "bleu")}
    table = scored(pluie__a=one, pluie__a__p_yes=one, bleu=two, pluie__b=two)
    assert derived(table) == {"disagreement": ("pluie.a", "pluie.b")}
    table.declare("pluie.c")
    assert derived(table) == {"disagreement": ("pluie.a", "pluie.b")}, "what has no scores yet takes no part"
    table.drop("pluie.b")
    table.declare("pluie.b")
    assert derived(table) == {"disagreement": ("pluie.a", "bleu")}


def test_a_column_of_the_file_called_disagreement_keeps_its_name():
    assert list(derived(scored(a=[1.0], b=[2.0]), disagreement=["x"])) == ["disagreement (scores)"]


def test_disagreement_is_the_spread_of_ranks_and_filters_know_it():
    rng = np.random.default_rng(3)
    one, two = rng.integers(0, 20, (2, 50)).astype(float)
    one[4] = np.nan
    table = scored(bleu=list(one), edit_distance=list(two))
    ids = [str(row) for row in range(50)]
    corpus = Corpus("c", ids, ids, ids)
    names = column_names(corpus, table)
    # A distance ranks the other way round; two values lie half their difference from their mean.
    first = (rankdata(one, nan_policy="omit") - 1) / 48
    expected = np.abs(first - (rankdata(-two) - 1) / 49) / 2
    values = column(corpus, table, names, "disagreement")
    np.testing.assert_allclose(values, expected, atol=1e-12)
    assert np.isnan(values[4])
    found = compile_filter("disagreement > 0.2", names.filterable).mask(lambda name: column(corpus, table, names, name))
    np.testing.assert_array_equal(found, expected > 0.2)


@pytest.mark.parametrize(("closer", "spread"), [("higher", 0.0), ("lower", 0.5)])
def test_disagreement_heeds_what_a_signature_says_of_the_direction(closer, spread):
    table = scored(bleu=[0.1, 0.9])
    table.declare("external.mine", Signature.of("external", {"closer": closer}))
    table.put(np.arange(2), {"external.mine": np.array([1.0, 2.0])})
    corpus = Corpus("c", ["1", "2"], ["a", "b"], ["a", "b"])
    names = column_names(corpus, table)
    assert column(corpus, table, names, "disagreement").tolist() == [spread, spread]


def test_the_gap_of_both_directions_follows_their_scores():
    table = ScoreTable(3)
    table.put(np.array([0, 1]), {"pluie.p1": np.array([2.0, -1.0])})
    assert table.gaps == []
    table.put(np.array([1, 2]), {"pluie.p1.reverse": np.array([0.5, 4.0]), "bleu": np.array([0.1, 0.2])})
    np.testing.assert_array_equal(table["pluie.p1.gap"], [np.nan, -1.5, np.nan])
    table.put(np.array([2]), {"pluie.p1": np.array([5.0])})
    np.testing.assert_array_equal(table["pluie.p1.gap"], [np.nan, -1.5, 1.0])
    corpus = Corpus("c", ["a", "b", "c"], ["s"] * 3, ["h"] * 3)
    names = column_names(corpus, table)
    assert names.scores == ("pluie.p1", "pluie.p1.reverse", "bleu", "pluie.p1.gap") and "pluie.p1.gap" in names.all
    assert "pluie.p1.gap" not in table.scores
    assert names.derived == {"disagreement": ("pluie.p1", "bleu")}, "one template is one opinion"
    wide = compile_filter("abs(pluie.p1.gap) > 1.2", names.filterable)
    assert wide.mask(lambda name: column(corpus, table, names, name)).tolist() == [False, True, False]
    table.declare("pluie.p1.reverse", Signature("pluie.p1.reverse", (("name", "other"),)))
    table.drop("pluie.p1.reverse")
    assert table.gaps == []


def test_a_gap_that_comes_with_the_corpus_is_not_there_twice():
    own = {"pluie.p1": [2.0, 1.0], "pluie.p1.reverse": [1.0, 3.0], "pluie.p1.gap": [1.0, -2.0]}
    corpus = Corpus("c", ["a", "b"], ["s", "t"], ["h", "i"], extra=own)
    table = put_own_scores(ScoreTable(2), corpus, own_scores(corpus), {})
    assert column_names(corpus, table).all == ("id", "source", "hypothesis", *own)
    np.testing.assert_array_equal(table["pluie.p1.gap"], own["pluie.p1.gap"])
