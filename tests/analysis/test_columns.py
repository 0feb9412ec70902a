"""Column names and values, the same in filters, tables and exports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import rankdata

from parapluie_gui import places
from parapluie_gui.analysis import columns as table_columns
from parapluie_gui.analysis.columns import (
    Column,
    ColumnMaterial,
    arrange_columns,
    column_kinds,
    columns_of,
    compile_column_filter,
    filter_titles,
    kinds_column,
)
from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.analysis.score_column import ColumnMeaning
from parapluie_gui.errors import FilterError
from parapluie_gui.pairs.corpus import ROLES, Corpus
from parapluie_gui.report.table import to_frame
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


def exported(columns: Iterable[Column], table: ScoreTable) -> list[str]:
    """Return the stored columns of a table of scores; columns of other kinds may be interspersed."""
    spoken = {*ROLES, *table, *table.gaps}
    return [column.key for column in columns if column.exported and (column.own or column.key in spoken)]


def test_columns_are_ordered_and_name_clashes_resolved():
    corpus, table = example()
    columns = columns_of(ColumnMaterial(corpus, table))
    assert {column.key: column.own for column in columns.values() if column.own} == {
        "bleu (corpus) (corpus)": "bleu",
        "human (corpus)": "human",
        "bleu (corpus)": "bleu (corpus)",
        "mixed": "mixed",
        "empty": "empty",
        "flag": "flag",
    }
    own = [column.key for column in columns.values() if column.own]
    scores = ["bleu", "pluie.p", "pluie.p.p_yes", "pluie.p.p_no"]
    assert exported(columns.values(), table) == ["id", "source", "hypothesis", "label", *own, *scores]
    assert not any(columns[name].exported for name in ("disagreement", "type", "length"))
    assert kinds_column(columns) == "type"


def test_a_score_already_in_the_file_is_listed_once():
    corpus, table = example()
    part = replace(corpus, extra={"bleu": [None, 0.25]})
    assert "bleu (corpus)" in columns_of(ColumnMaterial(part, table))  # only the file has a number for the second pair
    table.put(np.array([1]), {"bleu": np.array([0.25 + 1e-9])})
    assert [name for name in columns_of(ColumnMaterial(part, table)) if "bleu" in name] == ["bleu"]
    assert list(columns_of(ColumnMaterial(part, table))["bleu"].values()) == [0.25, 0.25 + 1e-9]
    table.put(np.array([1]), {"bleu": np.array([0.3])})
    assert "bleu (corpus)" in columns_of(ColumnMaterial(part, table))


def test_columns_give_their_values():
    columns = columns_of(ColumnMaterial(*example()))
    values = {name: each.values() for name, each in columns.items() if each.exported}
    np.testing.assert_array_equal(values["label"], [1.0, np.nan])
    np.testing.assert_array_equal(values["bleu"], [0.25, np.nan])
    np.testing.assert_array_equal(values["bleu (corpus) (corpus)"], [0.5, np.nan])
    np.testing.assert_array_equal(values["flag"], [1.0, np.nan])
    np.testing.assert_array_equal(values["empty"], [np.nan, np.nan])
    assert values["mixed"].tolist() == ["1.0", "one"]
    assert values["human (corpus)"].tolist() == ["x", None]
    assert values["source"].dtype == object
    assert columns["length"].values().tolist() == [1.0, 1.0]


def test_filters_use_the_columns():
    assert masked('`human (corpus)` == "x" and bleu < 0.3 and label == 1', *example()) == [True, False]


def masked(text: str, corpus: Corpus, table: ScoreTable) -> list[bool]:
    columns = columns_of(ColumnMaterial(corpus, table))
    return compile_column_filter(text, columns).mask(lambda name: columns[name].values()).tolist()


def judged() -> tuple[Corpus, ScoreTable]:
    table = ScoreTable(2)
    for column, model, precision in (
        ("pluie.p1", "smollm2-135m", "float32"),
        ("pluie.p1@q4", "smollm2-135m", "q4_1"),
        ("pluie.p1@pocket", "pocket", "int8"),
        ("pluie.cloze", "pocket", "int8"),
    ):
        fields = {"name": "pluie", "model": model, "precision": precision}
        table.declare(column, Signature.from_fields(column, fields))
        table.put(np.arange(2), {column: np.array([1.0, -1.0])})
    return Corpus("c", ["1", "2"], ["a", "b"], ["a", "b"]), table


def test_filters_accept_a_scores_shown_and_plain_names():
    corpus, table = judged()
    columns = columns_of(ColumnMaterial(corpus, table))
    assert columns["pluie.cloze"].title == "Pocket" and columns["pluie.p1@pocket"].title == "P1 · Pocket"
    for text in ("pluie.cloze > 0", "Pocket > 0", "`Pocket` > 0", "`P1 · Pocket` > 0 and pluie.cloze == Pocket"):
        assert masked(text, corpus, table) == [True, False], text
    assert masked("a", corpus, table) == [True, False]
    assert masked("Pocket", corpus, table) == [False, False], "a word alone is searched for"
    with pytest.raises(FilterError, match="Did you mean `Pocket · P1`"):
        masked("`Pocket · P2` > 0", corpus, table)


def test_names_of_one_judge_still_mean_it_with_a_second_judge():
    corpus, table = judged()
    table.put(np.arange(2), {"pluie.p1": np.array([-1.0, 1.0])})
    for text in ("pluie.p1 > 0", "P1 > 0", "pluie.p1@smollm2-135m-float32 > 0"):
        assert masked(text, corpus, table) == [False, True], text
    for text in ("`Pocket · P1` > 0", "pluie.p1@pocket > 0"):
        assert masked(text, corpus, table) == [True, False], text


def test_a_name_that_fits_two_judges_gives_an_error_naming_both():
    corpus, table = judged()
    written = table.with_full_names()
    with pytest.raises(FilterError, match=r"p1 is the score of 3 judges, .*-float32, .*@q4 and .*@pocket \("):
        masked("pluie.p1 > 0", corpus, written)


def test_the_same_judge_in_two_precisions_has_two_names():
    columns = columns_of(ColumnMaterial(*judged()))
    assert columns["pluie.p1"].title == "P1 · SmolLM2 · float32"
    assert columns["pluie.p1@q4"].title == "P1 · SmolLM2 · q4_1"


def test_filters_reject_names_of_two_columns():
    corpus, table = example()
    corpus = replace(corpus, extra={**corpus.extra, "BLEU": [1.0, 2.0]})
    titles = filter_titles(columns_of(ColumnMaterial(corpus, table)))
    assert "BLEU" not in titles and "bleu" not in titles
    assert titles["Label"] == "label"


def test_numbers_are_formatted():
    columns = columns_of(ColumnMaterial(*example(), decimals=lambda name, values: 1))
    written = {name: columns[name].format(-0.1234) for name in ("pluie.p", "pluie.p.p_yes", "bleu", "bleu (corpus)")}
    assert written == {"pluie.p": "−0.12", "pluie.p.p_yes": "−0.123", "bleu": "−0.123", "bleu (corpus)": "−0.1"}
    score = columns["pluie.p"]
    assert [score.format(value) for value in (2.0, 0.001, np.nan, np.inf)] == ["+2.00", "0.00", "", "+∞"]


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "> 0.999"), (0.9996, "> 0.999"), (0.9994, "0.999"), (4e-8, "< 0.001"), (0.0, "0.000")]
)
def test_a_probability_is_never_shown_as_certain(value, text):
    assert columns_of(ColumnMaterial(*example()))["pluie.p.p_yes"].format(value) == text


def test_the_meaning_of_numbers_is_described():
    corpus, table = example()
    table.declare("external.mine", Signature.from_fields("external", {"closer": "lower", "low": "0", "high": "5"}))
    columns = columns_of(ColumnMaterial(replace(corpus, extra={**corpus.extra, "edit_distance": [0.5, 0.25]}), table))
    assert columns["pluie.p"].meaning == ColumnMeaning(threshold=0.0)
    assert columns["external.mine"].meaning == ColumnMeaning(False, None, 0.0, 5.0)
    assert not columns["edit_distance"].meaning.higher_is_closer, "even if the file has the column"
    assert columns["mixed"].meaning == columns["pluie.p.p_yes"].meaning == ColumnMeaning()


def test_columns_are_arranged_in_the_table():
    corpus, table = example()
    table.put(np.arange(2), {"pluie.p.reverse": np.array([1.0, 2.0])})
    columns = columns_of(ColumnMaterial(corpus, table))
    shown = [column.key for column in arrange_columns(columns)]
    expected = ["source", "hypothesis", "label"]
    expected += ["pluie.p", "pluie.p.reverse", "pluie.p.gap", "bleu", "disagreement", "id"]
    assert [name for name in shown if name in expected] == expected
    assert shown.index("type") < shown.index("pluie.p.p_no") < shown.index("flag")
    assert "length" not in shown


def test_a_kind_of_column_needs_only_a_definition(monkeypatch):
    """A further kind of column needs nothing but the column that it yields."""

    def parity(pairs: ColumnMaterial, result: Mapping[str, Column]) -> Iterator[Column]:
        yield Column("parity", "Parity", "Even", "number", lambda: np.array([1.0, 0.0]), place=7, behind=("bleu",))

    kinds = (*column_kinds(), parity)
    monkeypatch.setattr(table_columns, "column_kinds", lambda: kinds)
    corpus, table = example()
    shown = [column.title for column in arrange_columns(columns_of(ColumnMaterial(corpus, table)))]
    assert shown[shown.index("BLEU") + 1] == "Parity"
    assert masked("parity == 1 and Parity > 0", corpus, table) == [True, False]
    assert to_frame(corpus, table)["parity"].tolist() == [1.0, 0.0]


def test_the_manual_has_a_row_for_every_kind_of_column():
    rows = (places.resources() / "manual" / "table.md").read_text(encoding="utf-8")
    for kind in column_kinds():
        assert kind.__doc__, f"{kind.__name__}: write a docstring, the name of such a column, as in table.md"
        row = f"| {re.split('[:;,] (?=the|it)|[.]', kind.__doc__)[0]} |"
        assert f"\n{row}" in rows, f"write a row {row} NAME | into the table of resources/manual/table.md, Columns"


def scored(**columns: list[float]) -> ScoreTable:
    table = ScoreTable(len(next(iter(columns.values()))))
    for name, values in columns.items():
        table.put(np.arange(table.rows), {name.replace("__", "."): np.array(values)})
    return table


def derived(table: ScoreTable, **extra: list[object]) -> dict[str, tuple[str, ...]]:
    ids = [str(row) for row in range(table.rows)]
    columns = columns_of(ColumnMaterial(Corpus("c", ids, ids, ids, extra=extra), table))
    return {column.key: column.sources for column in columns.values() if column.changes == "derived"}


def test_disagreement_is_between_templates_or_else_scores():
    one, two = [0.1, 0.2, 0.3], [3.0, 2.0, 1.0]
    assert derived(scored(bleu=one)) == {}
    assert derived(scored(pluie__a=one, bleu=two)) == {"disagreement": ("pluie.a", "bleu")}
    table = scored(pluie__a=one, pluie__a__p_yes=one, bleu=two, pluie__b=two)
    assert derived(table) == {"disagreement": ("pluie.a", "pluie.b")}
    table.declare("pluie.c")
    assert derived(table) == {"disagreement": ("pluie.a", "pluie.b")}, "columns without scores do not count"
    table.drop("pluie.b")
    table.declare("pluie.b")
    assert derived(table) == {"disagreement": ("pluie.a", "bleu")}


def test_disagreement_and_errors_count_every_judge_once():
    """One judge's three templates do not count as three judges, which would outvote a second judge."""
    table = ScoreTable(4)
    for name, judge, values in (
        ("pluie.direct", "one", [1.0, 1, -1, -1]),
        ("pluie.p1", "one", [1.0, 1, 1, 1]),
        ("pluie.direct", "two", [1.0, -1, 1, -1]),
    ):
        column = table.declare(name, Signature.from_fields(name, {"name": "pluie", "model": judge}))
        table.put(np.arange(4), {column: np.array(values)})
    ids = [str(row) for row in range(4)]
    corpus = Corpus("c", ids, ids, ids, label=np.zeros(4, dtype=np.int8))
    columns = columns_of(ColumnMaterial(corpus, table))
    assert columns["disagreement"].sources == ("pluie.direct", "pluie.direct@two")
    for words, rows in (
        ("wrong_by_all()", [0]),
        ("wrong_by_any()", [0, 1, 2]),
        ("wrong_by_all(pluie.direct, pluie.p1)", [0, 1]),
    ):
        assert (
            np.flatnonzero(compile_column_filter(words, columns).mask(lambda name: columns[name].values())).tolist()
            == rows
        )


def test_a_file_column_called_disagreement_keeps_its_name():
    assert list(derived(scored(a=[1.0], b=[2.0]), disagreement=["x"])) == ["disagreement (scores)"]


def test_disagreement_is_the_spread_of_ranks_and_can_be_filtered_by():
    rng = np.random.default_rng(3)
    one, two = rng.integers(0, 20, (2, 50)).astype(float)
    one[4] = np.nan
    table = scored(bleu=list(one), edit_distance=list(two))
    ids = [str(row) for row in range(50)]
    corpus = Corpus("c", ids, ids, ids)
    # A distance ranks in reverse; two values differ from their mean by half their difference.
    first = (rankdata(one, nan_policy="omit") - 1) / 48
    expected = np.abs(first - (rankdata(-two) - 1) / 49) / 2
    values = columns_of(ColumnMaterial(corpus, table))["disagreement"].values()
    np.testing.assert_allclose(values, expected, atol=1e-12)
    assert np.isnan(values[4])
    np.testing.assert_array_equal(masked("disagreement > 0.2", corpus, table), expected > 0.2)


@pytest.mark.parametrize(("closer", "spread"), [("higher", 0.0), ("lower", 0.5)])
def test_disagreement_uses_the_direction_in_a_signature(closer, spread):
    table = scored(bleu=[0.1, 0.9])
    table.declare("external.mine", Signature.from_fields("external", {"closer": closer}))
    table.put(np.arange(2), {"external.mine": np.array([1.0, 2.0])})
    corpus = Corpus("c", ["1", "2"], ["a", "b"], ["a", "b"])
    assert columns_of(ColumnMaterial(corpus, table))["disagreement"].values().tolist() == [spread, spread]


def test_the_gap_between_directions_follows_their_scores():
    table = ScoreTable(3)
    table.put(np.array([0, 1]), {"pluie.p1": np.array([2.0, -1.0])})
    assert table.gaps == []
    table.put(np.array([1, 2]), {"pluie.p1.reverse": np.array([0.5, 4.0]), "bleu": np.array([0.1, 0.2])})
    np.testing.assert_array_equal(table["pluie.p1.gap"], [np.nan, -1.5, np.nan])
    table.put(np.array([2]), {"pluie.p1": np.array([5.0])})
    np.testing.assert_array_equal(table["pluie.p1.gap"], [np.nan, -1.5, 1.0])
    corpus = Corpus("c", ["a", "b", "c"], ["s"] * 3, ["h"] * 3)
    columns = columns_of(ColumnMaterial(corpus, table))
    axes = exported((column for column in columns.values() if column.axis), table)
    assert axes == ["pluie.p1", "pluie.p1.reverse", "bleu", "pluie.p1.gap"]
    assert "pluie.p1.gap" not in table.scores
    assert columns["disagreement"].sources == ("pluie.p1", "bleu"), "a template counts once"
    assert masked("abs(pluie.p1.gap) > 1.2", corpus, table) == [False, True, False]
    table.declare("pluie.p1.reverse", Signature("pluie.p1.reverse", (("name", "other"),)))
    table.drop("pluie.p1.reverse")
    assert table.gaps == []


def test_a_gap_in_the_corpus_is_not_listed_twice():
    own = {"pluie.p1": [2.0, 1.0], "pluie.p1.reverse": [1.0, 3.0], "pluie.p1.gap": [1.0, -2.0]}
    corpus = Corpus("c", ["a", "b"], ["s", "t"], ["h", "i"], extra=own)
    table = put_own_scores(ScoreTable(2), corpus, own_scores(corpus), {})
    columns = columns_of(ColumnMaterial(corpus, table)).values()
    assert exported(columns, table) == ["id", "source", "hypothesis", *own]
    np.testing.assert_array_equal(table["pluie.p1.gap"], own["pluie.p1.gap"])
