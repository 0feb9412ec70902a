"""Columns of the corpus as metrics: valid values, their score columns, and errors for other values."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.analysis.filter.expression import compile_filter
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics import catalogue, column_source
from parapluie_gui.metrics.column_source import ColumnSource
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature, signature_lines
from parapluie_gui.scores.table import ScoreTable


def corpus(**extra) -> Corpus:
    count = len(next(iter(extra.values())))
    return Corpus(
        name="published",
        id=[f"p{row}" for row in range(count)],
        source=["The same words."] * count,
        hypothesis=["The same words."] * count,
        label=np.array([1, 0, -1, 1, 0][:count], dtype=np.int8),
        human=np.array([5, 1, np.nan, -100, 2.5][:count]),
        extra=extra,
    )


def fill(table: ScoreTable, pairs: Corpus, spec: str) -> str:
    (source,), computed = column_source.split([spec])
    assert computed == () and catalogue.find(spec) == source
    source.put(table, pairs)
    return source.score


def test_values_are_assigned_pair_by_pair():
    # The pairs have equal sentences, so looking up a value by text would return a different pair's.
    table = ScoreTable(5)
    name = fill(table, corpus(**{"Llama 3 (P1)": [1, "0", -100, "", True]}), "external:Llama 3 (P1)")
    assert name == "external.Llama_3_P1"
    np.testing.assert_array_equal(table[name], [1, 0, np.nan, np.nan, 1])
    assert signature_lines(table.signatures)[0].startswith(
        "external.Llama_3_P1: name:external|column:Llama 3 (P1)|closer:higher"
    )
    info = catalogue.info(name, table.signatures[name])
    assert info is not None
    assert (info.title, info.low, info.high, info.threshold) == ("Llama 3 (P1)", 0, 1, 0.5)
    mask = compile_filter(f"{name} > 0.5", [name]).mask(lambda column: table[column])
    assert mask.tolist() == [True, False, False, False, True]


def test_numbers_keep_their_scale_and_direction():
    table = ScoreTable(3)
    name = fill(table, corpus(ter=["12.5", None, 3]), "external,closer=lower,as=TER:ter")
    assert name == "external.TER"
    info = catalogue.info(name, table.signatures[name])
    assert info is not None
    assert (info.title, info.higher_is_closer, info.threshold, info.high) == ("ter", False, None, np.inf)
    np.testing.assert_array_equal(table[name], [12.5, np.nan, 3])


def test_label_and_human_are_columns_too():
    pairs = corpus(x=[1] * 5)
    np.testing.assert_array_equal(ColumnSource("x", "label").values(pairs), [1, 0, np.nan, 1, 0])
    np.testing.assert_array_equal(ColumnSource("x", "human").values(pairs), [5, 1, np.nan, np.nan, 2.5])


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        ("gpt5", 'published has no column "gpt5"; did you mean "gpt4"?'),
        ("zzz", 'published has no column "zzz"; its own columns are gpt4, note, none.'),
        (
            "note",
            'The column "note" of published contains "maybe" for the pair p1, which is not a number. Choose a',
        ),
        ("none", 'The column "none" of published is empty. Choose a different column.'),
    ],
)
def test_unusable_columns_are_reported(column, sentence):
    pairs = corpus(gpt4=[1, 0], note=["1", "maybe"], none=["", None])
    with pytest.raises(MetricError) as caught:
        fill(ScoreTable(2), pairs, f"external:{column}")
    assert str(caught.value).startswith(sentence)


def test_missing_values_have_a_reason():
    pairs, table = corpus(gpt4=[-100, "", 1]), ScoreTable(3)
    signature = table.signatures[fill(table, pairs, "external:gpt4")]
    assert column_source.why_missing(pairs, signature, 0) == "the corpus has -100 for this pair"
    assert column_source.why_missing(pairs, signature, 1) == "the corpus's cell is empty"
    assert column_source.why_missing(pairs, Signature.from_fields("bleu", {"name": "bleu"}), 1) == ""
    assert column_source.why_missing(pairs, None, 1) == ""


def test_a_column_is_never_computed():
    with pytest.raises(MetricError, match="is read from the corpus, not computed"):
        catalogue.metric("external:gpt4")
    assert catalogue.ready("external:gpt4") and not catalogue.ready("external")
    sources, computed = column_source.split(["external:gpt4", "bleu", "external,as=x:gpt4"])
    assert [source.score for source in sources] == ["external.gpt4", "external.x"] and computed == ("bleu",)
    with pytest.raises(MetricError, match='needs higher or lower for closer, not "left"'):
        catalogue.find("external,closer=left:gpt4")
    assert "for closer" in catalogue.ready("external,closer=left:gpt4").missing


def test_a_column_is_offered_like_a_metric():
    assert [info.id for info in catalogue.metrics()].index("external") > 10
