"""The page of agreement: matrix, clicks, new answers, and the messages without any answers."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from analysing import N, corpus_of, mask, rest, turn
from sklearn.metrics import cohen_kappa_score

from parapluie_gui.judgements.columns import CorpusJudgements
from parapluie_gui.judgements.record import Judgement
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.scores.table import ScoreTable

SCHEMES = load_schemes()[0]
ANSWERS = [answer.id for answer in SCHEMES[0].questions[0].answers]
WHEN = datetime(2026, 5, 1, tzinfo=UTC)
DICE = np.random.default_rng(4)
ANNA, BEN = DICE.integers(0, 4, size=N), DICE.integers(0, 4, size=N)


def judgements_of(**people) -> list[Judgement]:
    return [
        Judgement(row, name, "parapluie", "verdict", ANSWERS[code], WHEN)
        for name, codes in people.items()
        for row, code in enumerate(codes)
    ]


@pytest.fixture
def page(tab, qtbot):
    tab.workspace.set_judgements(
        CorpusJudgements.from_records(tab.workspace.corpus, judgements_of(Anna=ANNA, Ben=BEN), SCHEMES)
    )
    rest(qtbot, tab)
    return turn(qtbot, tab, "agreement")


def names(page) -> list[str]:
    return [rater.name for rater in page.run.result.raters]


def test_annotators_labels_and_scores_are_raters(page, tab):
    labels, judge = tab.workspace.labels(), tab.workspace.values("pluie.direct")
    assert names(page)[:3] == ["Anna", "Ben", "label"]
    at = names(page).index("DIRECT") if "DIRECT" in names(page) else names(page).index("ParaPLUIE DIRECT")
    shown = {row[0]: row[1:] for row in page.table_named("agreement").grid.rows}
    assert (shown["annotators"], shown["pairs"]) == ((2, 2), (N, N))
    assert shown["equal answers"][0].value == pytest.approx(np.mean(ANNA == BEN))
    assert page.table_named("raters").grid.rows[0][2] == pytest.approx(cohen_kappa_score(ANNA >= 2, BEN >= 2))
    known = (labels >= 0) & ~np.isnan(judge)
    wanted = cohen_kappa_score(labels[known], judge[known] >= 0)
    assert page.table_named("raters").grid.rows[2][at + 1] == pytest.approx(wanted)


def test_a_cell_selects_the_pairs_of_disagreement(page, tab):
    page.table_named("raters").clicked.emit(1, 1)
    assert mask(tab) == np.flatnonzero((ANNA >= 2) != (BEN >= 2)).tolist()
    assert tab.workspace.selection.rule.name == "Ben and Anna disagree"
    tab.workspace.selection.set_rule(None)
    page.table_named("raters").clicked.emit(1, 2)
    page.table_named("raters").clicked.emit(1, 0)
    assert tab.workspace.selection.rule is None, "the diagonal and the names select nothing"
    first, second = page.table_named("rater pairs").grid.rows[-1][:2]
    page.table_named("rater pairs").clicked.emit(len(page.table_named("rater pairs").grid) - 1, 3)
    assert tab.workspace.selection.rule.name == f"{first} and {second} disagree"


def test_the_measure_can_be_changed_without_a_new_computation(page, tab):
    before = page.run
    page.form.choose({"measure": "pearson"})
    assert page.run is before
    assert page.table_named("raters").grid.rows[0][2] == pytest.approx(np.corrcoef(ANNA, BEN)[0, 1])
    page.form.choose({"measure": "share"})
    assert page.table_named("raters").grid.rows[0][2] == pytest.approx(np.mean((ANNA >= 2) == (BEN >= 2)))


def test_new_answers_and_the_threshold_are_followed(page, tab, qtbot):
    records = judgements_of(Anna=ANNA, Ben=ANNA)
    tab.workspace.set_judgements(CorpusJudgements.from_records(tab.workspace.corpus, records, SCHEMES))
    rest(qtbot, tab)
    assert page.table_named("raters").grid.rows[0][2] == pytest.approx(1.0)
    before = page.run.result.raters[-1], [rater.note for rater in page.run.result.raters]
    tab.workspace.set_threshold(1.25)
    rest(qtbot, tab)
    assert [rater.note for rater in page.run.result.raters] != before[1]
    assert any("1.25" in rater.note for rater in page.run.result.raters)


def test_no_annotator_and_a_single_annotator_give_messages(tab, qtbot):
    page = turn(qtbot, tab, "agreement")
    assert page.blocks.itemAt(0).widget().full_text.startswith("Nothing stands out: no two people have answered")
    assert [table.name for table in page.analysis.tables(page.run)] == ["raters", "rater pairs", "rater counts"]
    tab.workspace.set_judgements(CorpusJudgements.from_records(tab.workspace.corpus, judgements_of(Anna=ANNA), SCHEMES))
    rest(qtbot, tab)
    assert "Only one annotator" in page.notes
    assert [each.name for each in page.analysis.tables(page.run)] == ["raters", "rater pairs", "rater counts"]


def test_agreement_works_without_scores_and_labels(make, qtbot):
    tab = make(corpus_of(label=False, human=False), ScoreTable(N))
    tab.workspace.set_judgements(
        CorpusJudgements.from_records(tab.workspace.corpus, judgements_of(Anna=ANNA, Ben=BEN), SCHEMES)
    )
    rest(qtbot, tab)
    page = turn(qtbot, tab, "agreement")
    assert names(page) == ["Anna", "Ben"] and page.table_named("agreement").isVisible()
    assert "No score" in turn(qtbot, tab, "thresholds").reason.full_text


def test_agreement_is_a_picture_above_the_numbers(page, tab):
    card = page.figure_named("raters")
    assert card.isVisibleTo(page) and page.blocks.indexOf(card) < page.blocks.indexOf(page.table_named("raters"))
    study = page.run.result
    drawn = card.value
    assert [column.title for column in drawn.columns] == [rater.name for rater in study.raters]
    kappa = study.cell(0, 1, "kappa").value
    assert drawn.values["1", "0"] == drawn.values["0", "1"] == max(kappa, 0.0)
    card.linked.emit(drawn.link("1", "0"))
    assert np.array_equal(tab.workspace.selection.mask, study.disagreement_mask(0, 1))
