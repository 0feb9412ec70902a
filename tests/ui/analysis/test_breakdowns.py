"""What is wrong together, errors by language, families: their tables on the pages, and what a click selects."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from analysing import corpus_of, mask, rest, table_of, turn

from parapluie_gui.pairs import read
from parapluie_gui.pairs.pool import pool
from parapluie_gui.shipped import shipped
from parapluie_gui.ui.table.presets import PRESETS


def two_templates(corpus):
    table = table_of(corpus)
    table.put(np.arange(len(corpus)), {"pluie.fs-direct": np.random.default_rng(5).normal(size=len(corpus)).round(1)})
    return table


def test_what_all_templates_get_wrong_is_counted_selected_and_a_preset(make, qtbot):
    corpus = corpus_of()
    tab = make(corpus, two_templates(corpus))
    page = turn(qtbot, tab, "compare")
    table, labels = tab.workspace.table, tab.workspace.labels()
    wrong = np.array([(table[name] >= 0) != (labels == 1) for name in ("pluie.direct", "pluie.fs-direct")])
    by_all, by_any = wrong.all(axis=0), wrong.any(axis=0)
    grid = page.table_named("shared-errors").grid
    assert "DIRECT" in grid.title and "FS-DIRECT" in grid.title and "BLEU" not in grid.title
    assert grid.rows[0][:3] == (120, by_all.sum(), by_any.sum())
    assert grid.rows[0][4] == 100 * (1 - by_all.sum() / by_any.sum())
    page.table_named("shared-errors").clicked.emit(0, 1)
    assert mask(tab) == np.flatnonzero(by_all).tolist()
    page.table_named("shared-errors").clicked.emit(0, 2)
    assert mask(tab) == np.flatnonzero(by_any).tolist()
    presets = {each.title: each.members(tab.workspace, None) for each in PRESETS}
    assert np.array_equal(presets["Wrong under every template"], by_all)
    assert np.array_equal(presets["Right under at least one template"], by_any & ~by_all)


def test_the_threshold_of_the_line_counts(make, qtbot):
    corpus = corpus_of()
    tab = make(corpus, two_templates(corpus))
    page = turn(qtbot, tab, "compare")
    before = page.table_named("shared-errors").grid.rows
    tab.workspace.set_threshold(-9.0)
    rest(qtbot, tab)
    assert page.table_named("shared-errors").grid.rows != before


def test_parts_and_languages_of_paraphrasus(make, qtbot):
    codes = [("en", "fr")[row % 2] for row in range(30)]
    parts = [corpus_of(30, 1, "mrpc"), replace(corpus_of(30, 2, "true"), label=None)]
    corpus = pool([replace(each, extra={"language": codes}) for each in parts])
    tab = make(corpus, two_templates(corpus))
    page = turn(qtbot, tab, "paraphrasus")
    assert [row[0] for row in page.table_named("shared-errors").grid.rows] == ["MRPC", "TRUE", "all"]
    first = page.blocks.itemAt(0).widget().full_text
    worst = max(page.table_named("paraphrasus").grid.rows, key=lambda row: max(row[1:3]))
    assert first == f"{worst[0]} is wrong most often on TRUE: {worst[2]:.0f} % of its verdicts."
    table = tab.workspace.table
    low = np.array([table[name] < 0 for name in ("pluie.direct", "pluie.fs-direct")])
    page.table_named("shared-errors").clicked.emit(1, 2)
    assert mask(tab) == [row for row in range(30, 60) if low[:, row].all()], "all of TRUE are paraphrases"
    languages = page.table_named("paraphrasus-languages").grid
    assert languages.header == ("method", "language", "MRPC", "TRUE")
    row = next(row for row in languages.rows if row[:2] == ("ParaPLUIE DIRECT", "fr"))
    assert row[3] == round(100 * float(np.mean(low[0, 31:60:2])), 1)
    tab.workspace.show(corpus_of(20), table_of(corpus_of(20)))
    rest(qtbot, tab)
    assert not page.analysis.tables(page.run)


def test_systems_are_compared_and_selected(make, qtbot):
    names = [("human1", "machine1", "machine2")[row % 3] for row in range(120)]
    corpus = corpus_of()
    sources = [f"source {row // 3}" for row in range(120)]
    tab = make(replace(corpus, source=sources, extra={**corpus.extra, "system": names}))
    page = turn(qtbot, tab, "systems")
    assert page.form.options().system == "system"
    rows = page.table_named("systems").grid.rows
    human = tab.workspace.corpus.human
    means = {name: human[[row for row in range(120) if names[row] == name]].mean() for name in set(names)}
    assert [row[0] for row in rows] == sorted(means, key=means.get, reverse=True)
    assert rows[0][2].value == max(means.values())
    assert {row[0] for row in page.table_named("system-agreement").grid.rows} == {
        *("ParaPLUIE DIRECT", "BLEU", "Edit distance")
    }
    assert len(page.table_named("system-tests").grid) == 3
    assert page.table_named("within-source").grid.rows[0][1:3] == (40, 120)
    page.table_named("systems").clicked.emit(1, 0)
    assert mask(tab) == [row for row in range(120) if names[row] == rows[1][0]]
    chart = page.figure_named("system-means")
    chart.picked.emit(0, 2)
    assert mask(tab) == [row for row in range(120) if names[row] == rows[2][0]]
    assert rows[2][0] in chart.describe(0, 2)


def test_systems_page_says_what_is_missing(make, qtbot):
    tab = make(replace(corpus_of(human=False), extra={}))
    page = turn(qtbot, tab, "systems")
    assert "neither human scores nor a column" in page.reason.full_text
    tab.workspace.show(corpus_of(20), table_of(corpus_of(20)))
    rest(qtbot, tab)
    assert not page.reason.full_text
    assert "Choose the column" in page.analysis.blocks(page.run)[0].text
    page.form.choose({"system": "kind"})
    rest(qtbot, tab)
    assert len(page.table_named("systems").grid) == 3


def test_grades_need_no_labels(make, qtbot):
    corpus = corpus_of(label=False)
    tab = make(corpus)
    page = turn(qtbot, tab, "grades")
    values, human = tab.workspace.values("pluie.direct"), corpus.human
    edges = page.run_of("grades").result.edges
    assert list(page.run_of("grades").result.grades) == ["ParaPLUIE DIRECT"], (
        "the others have no threshold without labels"
    )
    assert page.run_of("grades").result.without == ("Edit distance", "BLEU")
    called = values >= 0
    inside = [(human >= low) & (human < high) for low, high in itertools.pairwise(edges)]
    inside[-1] |= human == edges[-1]
    shares = [each.share for each in page.run_of("grades").result.grades["ParaPLUIE DIRECT"]]
    assert np.allclose(shares, [called[each].mean() if each.any() else np.nan for each in inside], equal_nan=True)
    middle = len(inside) // 2
    page.figure_named("shares").picked.emit(0, middle)
    assert mask(tab) == np.flatnonzero(inside[middle] & called).tolist()
    page.table_named("grades").clicked.emit(0, 0)
    assert mask(tab) == np.flatnonzero(inside[0] & called).tolist()
    before = len(page.run_of("grades").result.edges)
    page.form.choose({"bin_width": 0.5})
    rest(qtbot, tab)
    assert len(page.run_of("grades").result.edges) > before
    tab.workspace.show(corpus_of(20, human=False), table_of(corpus_of(20)))
    rest(qtbot, tab)
    assert "no human scores" in page.reason.full_text


def test_families_are_shown_and_selected_and_where_there_are_none_it_is_said(make, qtbot):
    corpus = read(shipped()["meanings"].path).take(range(120))
    tab = make(corpus)
    page = turn(qtbot, tab, "families")
    values, relations = tab.workspace.values("pluie.direct"), np.array(corpus.extra["relation"].cells())
    fallen = values[relations == "a1-a3"] <= values[relations == "a1-b1"]
    grid = page.table_named("families").grid
    row = next(number for number, each in enumerate(grid.rows) if "DIRECT" in each[0])
    assert grid.rows[row][2].value == 1 - fallen.mean()
    page.table_named("families").clicked.emit(row, 2)
    rows = np.flatnonzero(np.repeat(fallen, 10) & np.isin(relations, ("a1-a3", "a1-b1")))
    assert mask(tab) == rows.tolist()
    assert len(page.figure_named("trap-rate").value.columns) == len(grid.rows) == 3

    tab.workspace.show(corpus_of(), table_of(corpus_of()))
    rest(qtbot, tab)
    assert page.empty.isVisible() and "not in families of two meanings" in page.reason.text()
