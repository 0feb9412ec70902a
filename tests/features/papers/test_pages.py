"""The papers' pages of the Analysis tab: PARAPHRASUS, systems, human scores and grades, mixed balanced datasets."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from analysing import corpus_of, mask, rest, table_of, turn, two_templates

from parapluie_gui.pairs.pool import pool


def test_human_scores_have_two_tables(tab, qtbot):
    page = turn(qtbot, tab, "human")
    assert len(page.table_named("human").grid) == 3
    assert page.table_named("meta-human").isVisibleTo(page)


@pytest.mark.parametrize("kind", ["balanced", "human"])
def test_a_page_that_does_not_apply_gives_the_reason(make, qtbot, kind):
    page = turn(qtbot, make(corpus_of(20, label=False, human=False)), kind)
    assert page.reason.isVisibleTo(page)
    assert ". Open " in page.reason.full_text or ". Add " in page.reason.full_text
    assert not page.body.isVisibleTo(page)


def test_grades_are_on_the_page_of_human_scores(open_window):
    commands = [command for command in open_window().finder.commands() if command.kind == "Analysis"]
    assert any("grades" in command.words.lower() for command in commands if command.title == "Human scores")


def test_pairs_are_drawn_from_every_corpus(make, qtbot):
    tab = make(pool([corpus_of(60, 1, "one"), corpus_of(60, 2, "two")]))
    page = turn(qtbot, tab, "balanced")
    page.form.choose({"per_label": 10})
    rest(qtbot, tab)
    assert "10 pairs per label from each corpus" in page.table_named("balanced").grid.note
    page.form.choose({"per_label": 1000})
    rest(qtbot, tab)
    assert "Draw fewer per label" in page.trouble.full_text
    assert page.trouble.isVisible() and page.form.controls["per_label"].isVisible(), "the remedy is beside it"
    assert page.blocks.count() == 0, "no table of the previous options"
    page.form.choose({"per_label": 10})
    rest(qtbot, tab)
    assert not page.trouble.isVisible() and page.table_named("balanced").isVisible()


def test_mixed_datasets_begin_with_a_figure(tab, qtbot):
    page = turn(qtbot, tab, "balanced")
    page.form.choose({"per_label": 10})
    rest(qtbot, tab)
    card = page.figure_named("balanced")
    assert card.isVisibleTo(page) and page.blocks.itemAt(1).widget() is card


def test_parts_of_paraphrasus_are_recognised_by_the_corpus(make, qtbot):
    tab = make(pool([corpus_of(30, 1, "mrpc"), corpus_of(30, 2, "true")]))
    page = turn(qtbot, tab, "paraphrasus")
    header = page.table_named("paraphrasus").grid.header
    assert header[1:3] == ("MRPC", "TRUE")
    rows = [row[0] for row in page.table_named("paraphrasus").grid.rows]
    page.table_named("paraphrasus").clicked.emit(rows.index(tab.workspace.title("pluie.direct")), header.index("TRUE"))
    values = tab.workspace.values("pluie.direct")
    assert mask(tab) == [row for row in range(30, 60) if values[row] < 0]
    tab.workspace.show(corpus_of(20), table_of(corpus_of(20)))
    rest(qtbot, tab)
    assert "PARAPHRASUS" in page.notes and not page.analysis.tables(page.run)


def test_parts_and_languages_of_paraphrasus_are_tables(make, qtbot):
    codes = [("en", "fr")[row % 2] for row in range(30)]
    parts = [corpus_of(30, 1, "mrpc"), replace(corpus_of(30, 2, "true"), label=None)]
    corpus = pool([replace(part, extra={"language": codes}) for part in parts])
    tab = make(corpus, two_templates(corpus))
    page = turn(qtbot, tab, "paraphrasus")
    assert [row[0] for row in page.table_named("shared-errors").grid.rows] == ["MRPC", "TRUE", "all"]
    first = page.blocks.itemAt(0).widget().full_text
    worst = max(page.table_named("paraphrasus").grid.rows, key=lambda row: max(row[1:3]))
    assert first == f"{worst[0]} is wrong on {worst[2]:.0f} % [89, 100] of 30 pairs of TRUE, the highest share of 8."
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


def test_the_systems_page_names_missing_columns(make, qtbot):
    tab = make(replace(corpus_of(human=False), extra={}))
    page = turn(qtbot, tab, "systems")
    assert "neither human scores nor a column" in page.reason.full_text
    tab.workspace.show(corpus_of(20), table_of(corpus_of(20)))
    rest(qtbot, tab)
    assert not page.reason.full_text
    assert "choose the column" in page.analysis.blocks(page.run)[0].text
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
        "the remaining scores have no threshold without labels"
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
