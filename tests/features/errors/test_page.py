"""The Errors page: groups, sets without key traits, explanations and reviews."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
from analysing import corpus_of, mask, notes, rest, turn

from parapluie_gui.features.errors.page import ErrorsExplanation, ErrorsPage, ErrorsRequest
from parapluie_gui.features.errors.window import explanation_plan
from parapluie_gui.judgements.columns import CorpusJudgements
from parapluie_gui.judgements.record import Judgement
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.work.scoring_plan import ScoringPlan


def explained(request: ErrorsRequest) -> ErrorsExplanation:
    """Return the explanation of pairs whose scores fall in the order of their variants."""
    plan = explanation_plan(request, ScoringPlan(("bleu",)), request.column)
    table = ScoreTable(len(plan.corpus))
    table.put(np.arange(len(plan.corpus)), {request.column: -np.arange(len(plan.corpus), dtype=float)})
    explanation = plan.look(table, False)
    assert explanation is not None
    return explanation


def explain(page: ErrorsPage, qtbot) -> None:
    with qtbot.waitSignal(page.wanted) as asked:
        page.explain_button.click()
    page.show_outcome(explained(asked.args[0]))
    page.show_end("")


def test_without_key_traits_a_sentence_replaces_the_table(make, qtbot):
    page = turn(qtbot, make(corpus_of()), ErrorsPage)
    groups, labels = page.table_named("groups-pluie.direct-false-positives"), page.table_named("labels")
    assert not page.run.result.sets[
        0
    ].groups and "False positives of ParaPLUIE DIRECT. Nothing sets these pairs apart" in notes(page)
    assert not groups.isVisible()
    assert labels.view.isVisible() and labels.csv_button.isVisible(), (
        "a table with rows keeps its view and its CSV button"
    )


def test_a_selection_of_all_pairs_has_no_comparison(make, qtbot):
    tab = make(corpus_of())
    page = turn(qtbot, tab, ErrorsPage)
    page.form.choose({"pairs": "selected"})
    rest(qtbot, tab)
    assert "there are no others to compare them with" in notes(page)
    assert page.explain_button.isVisible()
    tab.workspace.selection.set_rows("mine", np.arange(10))
    rest(qtbot, tab)
    assert (
        "there are no others" not in notes(page)
        and "Groups among 10 pairs" in page.table_named("groups-selected").grid.title
    )


def test_an_explanation_is_shown_again_only_for_its_own_pairs_and_corpus(make, qtbot):
    tab = make(corpus_of())
    page = turn(qtbot, tab, ErrorsPage)
    explain(page, qtbot)
    assert "False positives of ParaPLUIE DIRECT" in page.kind_effects.grid.title
    page.form.choose({"pairs": "fn"})
    rest(qtbot, tab)
    assert not page.kind_effects.isVisible()
    explain(page, qtbot)
    assert "False negatives" in page.kind_effects.grid.title
    page.form.choose({"pairs": "fp"})
    rest(qtbot, tab)
    assert page.kind_effects.isVisible() and "False positives" in page.kind_effects.grid.title, "both are stored"
    request = ErrorsRequest(tab.workspace.judged_corpus, np.arange(3), "bleu", 0.5)
    assert request.is_same(ErrorsRequest(tab.workspace.judged_corpus, np.arange(3), "bleu", 0.5))
    assert not request.is_same(ErrorsRequest(corpus_of(), np.arange(3), "bleu", 0.5)), (
        "a different corpus with the same rows"
    )


def test_the_cosine_of_vectors_can_be_a_trait_of_errors(make, qtbot):
    corpus = corpus_of()
    rows = np.arange(len(corpus))
    corpus.label[:] = rows % 2
    missed = (rows % 2 == 1) & (rows >= 60) & (rows < 90)
    table = ScoreTable(len(corpus))
    table.put(rows, {"pluie.direct": np.where((rows % 2 == 1) & ~missed, 2.0, -2.0), "sbert": rows / len(corpus)})
    page = turn(qtbot, tab := make(corpus, table), ErrorsPage)
    page.form.choose({"pairs": "fn"})
    rest(qtbot, tab)
    (group,) = page.run.result.sets[0].groups
    assert group.key.trait.name.startswith("SBERT cosine between ")
    assert group.rows.tolist() == np.flatnonzero(missed).tolist()
    page.table_named("groups-pluie.direct-false-negatives").clicked.emit(0, 0)
    assert mask(tab) == np.flatnonzero(missed).tolist()


def test_errors_are_grouped_and_a_group_selects_its_pairs(make, qtbot):
    corpus = corpus_of()
    for row in range(len(corpus)):
        negated = row % 4 == 0
        corpus.source[row] = f"It is {row % 7} degrees."
        corpus.hypothesis[row] = f"It is {'never ' if negated else ''}{row % 7} degrees here."
        corpus.label[row] = row % 2
    table = ScoreTable(len(corpus))
    rows = np.arange(len(corpus))
    right = np.where((rows % 2 == 1) | (rows % 4 == 0), 1.0, -1.0)
    table.put(rows, {"pluie.direct": right, "bleu": np.where(rows % 2, 0.9, 0.1)})
    tab = make(corpus, table)
    page = turn(qtbot, tab, ErrorsPage)
    options = page.form.options()
    assert options.pairs == "fp" and options.score == "pluie.direct"
    group = page.run.result.sets[0].groups[0]
    assert group.rows.tolist() == rows[rows % 4 == 0].tolist()
    page.table_named("groups-pluie.direct-false-positives").clicked.emit(0, 0)
    assert mask(tab) == group.rows.tolist()
    page.form.choose({"pairs": "fn"})
    rest(qtbot, tab)
    assert "False negatives of ParaPLUIE DIRECT: no such pairs." in notes(page)
    page.form.choose({"pairs": "selected"})
    rest(qtbot, tab)
    tab.workspace.selection.set_rows("mine", rows[rows % 4 == 0])
    rest(qtbot, tab)
    assert page.run.result.sets[0].key_traits[0].trait.name in ("negation", "+ never")
    assert page.explain_button.isVisible() and "selected" not in notes(page)
    tab.workspace.selection.set_rows("none", rows[:0])
    rest(qtbot, tab)
    assert "No pair is selected" in notes(page) and not page.explain_button.isVisible()


def test_pairs_with_suspicious_labels_are_selected_for_review(make, qtbot):
    corpus = corpus_of()
    rows = np.arange(len(corpus))
    corpus.label[:] = rows % 2
    table = ScoreTable(len(corpus))
    table.put(rows, {"pluie.direct": np.where(rows % 2, 2.0, -2.0), "bleu": np.where(rows % 2, 0.9, 0.1)})
    corpus.label[[4, 9]] = 1 - corpus.label[[4, 9]]
    page = turn(qtbot, tab := make(corpus, table), ErrorsPage)
    assert sorted(page.run.result.suspects.rows.tolist()) == [4, 9]
    page.table_named("labels").clicked.emit(1, 0)
    assert mask(tab) == [4, 9]
    assert tab.workspace.selection.primary == page.run.result.suspects.rows[1]
    with qtbot.waitSignal(tab.links.review_wanted) as request:
        page.review.click()
    assert request.args[0].tolist() == page.run.result.suspects.rows.tolist()
    records = [Judgement(4, "", "review", "label_review", "wrong", datetime.now(UTC))]
    tab.workspace.set_judgements(CorpusJudgements.from_records(corpus, records, load_schemes()[0]))
    tab.again()
    rest(qtbot, tab)
    assert "Reviewed: 1, found wrong: 1." in page.table_named("labels").grid.note


def test_errors_are_explained_in_the_background(make, qtbot):
    page = turn(qtbot, tab := make(corpus_of()), ErrorsPage)
    with qtbot.waitSignal(page.wanted) as asked:
        page.explain_button.click()
    request = asked.args[0]
    (errors,) = page.run.result.sets
    assert request.column == "pluie.direct" and request.rows.tolist() == np.flatnonzero(errors.chosen).tolist()
    assert page.running.isVisible() and not page.explain_button.isEnabled()
    plan = explanation_plan(request, ScoringPlan(("edit_distance",)), request.column)
    table = ScoreTable(len(plan.corpus))
    table.put(np.arange(len(plan.corpus)), {request.column: -np.arange(len(plan.corpus), dtype=float)})
    assert plan.look(table, True) is None
    page.show_outcome(plan.look(table, False))
    page.show_end("")
    assert (
        page.kind_effects.isVisible()
        and page.kind_effects.grid.header[0] == "kind of change"
        and not page.running.isVisible()
    )
    assert page.explain_button.isEnabled()
    page.form.choose({"pairs": "fn"})
    rest(qtbot, tab)
    assert not page.kind_effects.isVisible(), "different pairs"
