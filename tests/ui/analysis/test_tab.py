"""The Analysis tab as a user operates it: opening pages, clicking cells, bars and points, copying, cancelling."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
import pytest
from analysing import N, cell, corpus_of, mask, rest, row_of, scores, turn
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QAbstractSpinBox, QCheckBox, QComboBox, QFileDialog
from waiting import at_rest

from parapluie_gui.analysis.figure import Chart, CurveLine
from parapluie_gui.analysis.material import StudyCache
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.buckets import cut_numbers
from parapluie_gui.analysis.statistics.comparison import default_threshold, flips_and_movers
from parapluie_gui.analysis.statistics.curves import roc, threshold_curve
from parapluie_gui.analysis.statistics.decision import thresholds
from parapluie_gui.analysis.table import Table
from parapluie_gui.analysis.threshold import Outcome, outcome
from parapluie_gui.pairs.pool import pool
from parapluie_gui.report.figure_style import FigureStyle
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.analysis.choice import AnalysisChoice
from parapluie_gui.ui.analysis.experiment import ExperimentPage
from parapluie_gui.ui.analysis.figure_card import FigureCard
from parapluie_gui.ui.analysis.page import AnalysisPage
from parapluie_gui.ui.analysis.pages import pages
from parapluie_gui.ui.analysis.plot import PlotCard
from parapluie_gui.ui.analysis.tab import AnalysisTab
from parapluie_gui.ui.state.selection import SelectionRule
from parapluie_gui.ui.widgets.grid_table import BAR
from parapluie_gui.ui.widgets.theme import DARK, LIGHT
from parapluie_gui.ui.widgets.wrapped import WrappedText


def test_thresholds_are_shared_with_the_analysis_and_their_cells_can_be_clicked(tab, qtbot):
    page = turn(qtbot, tab, "thresholds")
    values, labels = scores(tab)
    result = thresholds(values, labels, natural=0.0)
    table, confusion = page.table_named("thresholds"), page.table_named("confusion")
    row = row_of(table, "ParaPLUIE DIRECT")
    assert cell(table, row, "accuracy") == f"{result.best.accuracy:.3f}"
    assert cell(table, row, "TP") == str(result.best.counts.tp)
    assert not any("chosen" in row for row in table.grid.rows), "it is the natural one"

    confusion.clicked.emit(1, 1)
    assert mask(tab) == np.flatnonzero(outcome(values, labels, 0.0) == Outcome.FALSE_POSITIVE).tolist()
    assert "False positives" in tab.workspace.selection.rule.name
    tab.workspace.set_threshold(1.5)
    rest(qtbot, tab)
    assert confusion.grid.rows[0][1] == int((outcome(values, labels, 1.5) == Outcome.TRUE_POSITIVE).sum())
    assert any("chosen" in row for row in table.grid.rows)

    tab.activateWindow()
    table.view.setFocus()
    qtbot.waitUntil(table.view.hasFocus)
    table.view.setCurrentIndex(table.model.index(row_of(table, "ParaPLUIE DIRECT"), table.grid.header.index("FN")))
    QTest.keyClick(table.view, Qt.Key.Key_Return)
    missed = outcome(values, labels, result.best.threshold) == Outcome.FALSE_NEGATIVE
    assert mask(tab) == np.flatnonzero(missed).tolist()

    table.clicked.emit(row_of(table, "Edit distance"), 0)
    assert tab.workspace.y == "edit_distance", "clicking a row puts its score on the y axis"
    values = tab.workspace.values("edit_distance")
    assert tab.workspace.threshold == thresholds(values, labels, higher_is_closer=False).best.threshold


def test_enter_on_a_cell_is_followed_while_a_mouse_button_is_down(tab, qtbot):
    page = turn(qtbot, tab, "thresholds")
    table = page.table_named("confusion")
    QTest.mousePress(tab, Qt.MouseButton.LeftButton)
    table.view.setCurrentIndex(table.model.index(1, 1))
    QTest.keyClick(table.view, Qt.Key.Key_Enter)
    QTest.mouseRelease(tab, Qt.MouseButton.LeftButton)
    values, labels = scores(tab)
    assert mask(tab) == np.flatnonzero(outcome(values, labels, 0.0) == Outcome.FALSE_POSITIVE).tolist()


def test_clicking_a_matrix_cell_opens_the_two_scores_with_their_flips_first(tab, qtbot):
    page = turn(qtbot, tab, "comparison")
    matrix = page.figure_named("agreement-matrix").value
    page.follow(matrix.link("bleu", "edit_distance"))
    rest(qtbot, tab)
    assert tab.page.analysis.name == "compare"
    options = tab.page.form.options()
    assert (options.first, options.second) == ("edit_distance", "bleu")
    first = next(block for block in tab.page.analysis.blocks(tab.page.run) if isinstance(block, Table))
    assert first.name == "flips" and matrix.link("bleu", "bleu") is None


def test_clicking_a_bar_selects_the_pairs_of_its_class(tab, qtbot):
    page = turn(qtbot, tab, "distributions")
    card = page.figure_named("distribution-pluie.direct")
    result = page.run.result[-1].scores["pluie.direct"].distribution
    at = int(np.argmax(result.paraphrase))
    card.picked.emit(1, at)  # paraphrases are drawn above the others
    values, labels = scores(tab)
    low, high = result.edges[at], result.edges[at + 1]
    last = at == len(result.paraphrase) - 1
    inside = (values >= low) & ((values <= high) if last else (values < high)) & (labels == 1)
    assert mask(tab) == np.flatnonzero(inside).tolist()
    assert len(mask(tab)) == result.paraphrase[at]
    card = page.figure_named("distribution-edit_distance")
    bars = card.drawing.marks[0]
    at = int(np.argmax(bars.heights))
    box = next(item for item in card.canvas.scene().items() if isinstance(item, pg.ViewBox))
    spot = box.mapViewToScene(QPointF((bars.edges[at] + bars.edges[at + 1]) / 2, bars.heights[at] * 0.97))
    with qtbot.waitSignal(card.picked) as picked:
        qtbot.mouseClick(card.canvas.viewport(), Qt.MouseButton.LeftButton, pos=card.canvas.mapFromScene(spot))
    assert picked.args[1] == at


def test_a_curve_point_becomes_the_threshold_by_mouse_and_keyboard(tab, qtbot):
    page = turn(qtbot, tab, "curves")
    values, labels = scores(tab)
    curve = threshold_curve(values, labels)
    place = len(curve) // 2
    order = np.argsort(curve.threshold, kind="stable")
    page.figure_named("quality-pluie.direct").picked.emit(0, int(np.flatnonzero(order == place)[0]))
    assert tab.workspace.threshold == curve.threshold[place]
    canvas = page.figure_named("quality-pluie.direct").canvas
    tab.activateWindow()
    canvas.setFocus()
    for _ in range(3):
        QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert "threshold" in canvas.accessibleDescription()
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert tab.workspace.threshold == np.unique(values)[2]
    bleu = [line.name for line in page.figure_named("roc").drawing.marks].index("BLEU")
    page.figure_named("roc").picked.emit(bleu, 3)
    assert tab.workspace.y == "bleu"
    assert tab.workspace.threshold == roc(threshold_curve(tab.workspace.values("bleu"), labels)).threshold[3]


def test_up_and_down_go_to_another_series_of_a_plot(tab, qtbot):
    card = turn(qtbot, tab, "curves").figure_named("roc")
    series = [at for at, mark in enumerate(card.drawing.marks) if len(mark) and not getattr(mark, "guide", False)]
    picked = []
    card.picked.connect(lambda *place: picked.append(place))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Return):
        QTest.keyClick(card.canvas, key)
    assert picked[0][0] == series[1]
    QTest.keyClick(card.canvas, Qt.Key.Key_Up)
    QTest.keyClick(card.canvas, Qt.Key.Key_Space)
    assert picked[1][0] == series[0]


def test_a_heat_map_is_walked_through_by_keys(tab, qtbot):
    page = turn(qtbot, tab, "comparison")
    card = page.figure_named("agreement-matrix")
    picture = card.picture
    assert "columns" in picture.accessibleDescription()
    picked = []
    card.picked.connect(lambda *cell: picked.append(cell))
    QTest.keyClick(picture, Qt.Key.Key_Return)
    assert not picked, "no cell is chosen yet"
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        QTest.keyClick(picture, key)
    column, row = card.value.columns[1], card.value.lines[1]
    assert picture.accessibleDescription().startswith(f"{row.title}, {column.title}: ")
    assert picture.marked is not None
    QTest.keyClick(picture, Qt.Key.Key_End)
    QTest.keyClick(picture, Qt.Key.Key_Home)
    QTest.keyClick(picture, Qt.Key.Key_Space)
    assert picked == [(card.value.columns[0].key, row.key)]


def test_clicking_a_bucket_selects_its_pairs(tab, qtbot):
    page = turn(qtbot, tab, "buckets")
    page.table_named("buckets").clicked.emit(0, 0)
    cut = cut_numbers("edit_distance", tab.workspace.values("edit_distance"))
    assert mask(tab) == np.flatnonzero(cut.mask(0)).tolist()
    page.form.choose({"by": "kind"})
    rest(qtbot, tab)
    assert {row[0] for row in page.table_named("buckets").grid.rows} == {"news", "web", "fiction"}


def test_kinds_of_change_are_a_heat_map_whose_cells_select_pairs(make, qtbot):
    corpus = corpus_of()
    for row, (source, hypothesis) in enumerate([("It is 3.", "It is 4."), ("It is 3.", "It is not 3.")] * 5):
        corpus.source[row], corpus.hypothesis[row] = source, hypothesis
    tab = make(corpus)
    page = turn(qtbot, tab, "buckets")
    assert [figure.name for figure in page.analysis.figures(page.run)] == ["accuracy"]
    page.form.choose({"by": "type"})
    rest(qtbot, tab)
    assert [figure.name for figure in page.analysis.figures(page.run)] == ["wrong"]
    heat = page.figure_named("wrong")
    shown = {(row[0], row[1]): row for row in page.table_named("buckets").grid.rows}
    right = {row[0]: row[3] for key, row in shown.items() if key[1] == "bleu" or "BLEU" in key[1]}
    assert heat.value.values["bleu", "number"] == pytest.approx(1 - right["number"])
    heat.linked.emit(page.analysis.figures(page.run)[0].link("bleu", "negation"))
    assert set(mask(tab)) >= {1, 3, 5, 7, 9} and not {0, 2, 4, 6, 8} & set(mask(tab))


def test_clicking_flips_walks_through_them(tab, qtbot):
    page = turn(qtbot, tab, "compare")
    workspace = tab.workspace
    result = page.run.result
    names = (result.first.name, result.second.name)
    assert names[0] == "pluie.direct" and names[1] != names[0]
    first, second = (score_column(name, workspace.values(name)) for name in names)
    labels = workspace.labels()
    one, two = 0.0, default_threshold(second, labels)
    wanted, _ = flips_and_movers(first, second, one, two)
    assert len(wanted.rows) == len(page.table_named("flips").grid)
    assert list(page.table_named("flips").grid.header[1:3]) == [first.title, second.title], (
        "both scores are in the list"
    )
    page.table_named("flips").clicked.emit(1, 0)
    assert sorted(wanted.rows.tolist()) == mask(tab)
    assert workspace.selection.primary == wanted.rows[1]
    rewording = next(kind for kind in result.kinds if kind.kind == "rewording")
    page.table_named("flip-kinds").clicked.emit(result.kinds.index(rewording), 0)
    assert mask(tab) == sorted(rewording.rows.tolist()) and set(mask(tab)) <= set(wanted.rows.tolist())
    assert rewording.first == (first.values[rewording.rows] >= one).sum()
    assert rewording.first + rewording.second == len(rewording.rows) <= rewording.pairs
    page.table_named("rightness").clicked.emit(1, 1)
    right = (first.values >= one) == (labels == 1)
    other = second.predicted_positive(two) == (labels == 1)
    assert mask(tab) == np.flatnonzero(right & ~other).tolist()


def test_the_independence_page_plots_a_score_against_edit_distance(tab, qtbot):
    page = turn(qtbot, tab, "independence")
    assert len(page.table_named("independence").grid) == 2
    page.table_named("independence").clicked.emit(row_of(page.table_named("independence"), "BLEU"), 0)
    assert (tab.workspace.x, tab.workspace.y) == ("edit_distance", "bleu")


def test_a_page_that_does_not_apply_gives_the_reason(make, qtbot):
    tab = make(corpus_of(20, label=False, human=False))
    for kind in ("thresholds", "curves", "coverage", "transfer"):
        page = turn(qtbot, tab, kind)
        assert page.reason.isVisibleTo(page), kind
        assert ". Open " in page.reason.full_text or ". Add " in page.reason.full_text
        assert not page.body.isVisibleTo(page)


def test_without_scores_or_corpus_the_tab_says_what_to_do(make, qtbot):
    tab = make(corpus_of(20), ScoreTable(20))
    assert "F5" in tab.page.reason.full_text
    tab = make(None)
    assert "Ctrl+O" in tab.page.reason.full_text


def test_pooled_corpora_can_be_chosen(make, qtbot):
    tab = make(pool([corpus_of(60, 1, "one"), corpus_of(60, 2, "two")]))
    page = turn(qtbot, tab, "distributions")
    assert {row[0] for row in page.table_named("distributions").grid.rows} == {"one", "two", "Global"}
    tab.choice.corpora.choose({"two": False, "Global": False})
    rest(qtbot, tab)
    assert page.table_named("distributions").grid.header[0] == "score"
    assert page.table_named("distributions").grid.title.endswith(": one")


def test_only_the_selection_is_analysed_and_clicks_do_not_narrow_it(tab, qtbot):
    page = turn(qtbot, tab, "thresholds")
    few = np.arange(N) < 40
    tab.workspace.selection.set_rule(SelectionRule("Lasso", lambda: few))
    assert page.table_named("confusion").grid.rows[0][1] > 0
    tab.choice.only_set.setChecked(True)
    rest(qtbot, tab)
    counted = sum(cell for row in page.table_named("confusion").grid.rows for cell in row[1:3])
    assert counted == 40 and "Lasso: 40 pairs" in tab.choice.set_name.full_text
    page.table_named("confusion").clicked.emit(0, 1)
    rest(qtbot, tab)
    assert max(mask(tab)) < 40
    assert sum(cell for row in page.table_named("confusion").grid.rows for cell in row[1:3]) == 40
    tab.workspace.selection.set_rule(None)
    rest(qtbot, tab)
    assert sum(cell for row in page.table_named("confusion").grid.rows for cell in row[1:3]) == N


def test_a_hidden_tab_computes_nothing_until_it_is_shown(tab, qtbot):
    page = turn(qtbot, tab, "distributions")
    tab.hide()
    tab.workspace.put(np.arange(N), {"bleu": np.full(N, 0.25)})
    qtbot.waitUntil(lambda: at_rest(tab.workspace))
    assert not tab.busy
    before = page.table_named("distributions").grid
    tab.show()
    rest(qtbot, tab)
    assert page.table_named("distributions").grid is not before
    assert "0.250±0.000" in [cell(page.table_named("distributions"), row, "all") for row in range(3)]


def test_results_of_an_outdated_request_are_dropped(tab, qtbot, monkeypatch):
    page = turn(qtbot, tab, "distributions")
    whole = StudyCache.all
    seen = []

    def slowly(self, inputs, tick, **asked):
        seen.append(inputs.names)
        for step in range(20):
            time.sleep(0.01)
            tick(step, 100)
        return whole(self, inputs, tick, **asked)

    monkeypatch.setattr(StudyCache, "all", slowly)
    tab.choice.scores.choose({"bleu": False})
    qtbot.waitUntil(lambda: len(seen) == 1)
    tab.choice.scores.choose({"edit_distance": False})
    rest(qtbot, tab)
    assert seen[0] == ["pluie.direct", "edit_distance"] and seen[-1] == ["pluie.direct"]
    assert [row[0] for row in page.table_named("distributions").grid.rows] == ["ParaPLUIE DIRECT"]


def test_long_work_shows_progress_and_can_be_cancelled(tab, qtbot, monkeypatch):
    turn(qtbot, tab, "distributions")

    def forever(self, inputs, tick, **asked):
        for step in range(10_000):
            time.sleep(0.005)
            tick(step, 10_000)

    monkeypatch.setattr(StudyCache, "all", forever)
    tab.choice.scores.choose({"bleu": False})
    qtbot.waitUntil(
        lambda: tab.busy_bar.cancel_button.isVisible() and tab.busy_bar.progress.value() > 0, timeout=10_000
    )
    tab.busy_bar.cancel_button.click()
    rest(qtbot, tab)
    assert tab.busy_bar.again_button.isVisible()
    monkeypatch.undo()
    tab.busy_bar.again_button.click()
    rest(qtbot, tab)
    assert len(tab.page.table_named("distributions").grid) == 2


def test_tables_can_be_copied_and_saved(tab, qtbot, tmp_path):
    page = turn(qtbot, tab, "distributions")
    table = page.table_named("distributions")
    table.copy_button.click()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[:3] == ["score", "pairs", "paraphrases"] and len(lines) == 4
    table.latex_button.click()
    text = QGuiApplication.clipboard().text()
    assert r"\toprule" in text and "% bleu: name:bleu|version:test" in text
    table.write(tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_text(encoding="utf-8").startswith("score,pairs,paraphrases mean")
    table.show_grid(Table("g", "G", ("=name", "n"), (("+a", 1),)))
    table.ask_for_csv()
    dialog = table.findChild(QFileDialog)
    dialog.selectNameFilter(dialog.nameFilters()[-1])
    with qtbot.waitSignal(table.written) as told:
        dialog.fileSelected.emit(str(tmp_path / "t.csv"))
    dialog.reject()
    assert (tmp_path / "t.csv").read_text(encoding="utf-8-sig").splitlines() == ["'=name,n", "'+a,1"]
    assert "2 cells begin with" in told.args[0]
    with qtbot.waitSignal(table.failed) as failed:
        table.write(tmp_path / "no" / "t.csv")
    assert "Choose another folder" in failed.args[0]


def test_every_page_states_its_purpose_and_result_and_has_named_controls_and_described_figures(tab, qtbot):
    for entry in pages():
        page = turn(qtbot, tab, entry.analyses[0].name)
        texts = [text.full_text for text in page.findChildren(WrappedText)]
        assert texts.count(page.about.full_text) + texts.count(page.about.full_text.rstrip(".")) == 1, page.title
        for card in page.findChildren(FigureCard):
            figure = card.figure
            assert not card.isVisible() or (figure.accessibleName() and figure.accessibleDescription()), card.title
        _check_controls(tab)
        if not (page.reason.isVisibleTo(page) or page.analysis.standalone):
            _check_first_block(page)


def _check_controls(tab: AnalysisTab) -> None:
    for kind in (QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox):
        for control in tab.findChildren(kind):
            if control.isVisibleTo(tab) and control.parent().__class__.__name__ not in ("QComboBoxPrivateContainer",):
                there = control.accessibleName() or getattr(control, "text", str)()
                assert there, f"{control} on {tab.page.title}: setAccessibleName(self.tr(…))"
                assert control.focusPolicy() & Qt.FocusPolicy.TabFocus or isinstance(control, QAbstractItemView)


def _check_first_block(page: AnalysisPage) -> None:
    first = page.blocks.itemAt(0)
    words = first.widget() if first is not None else None
    advice = f"write {type(page.analysis).__name__}.finding(), the sentence that its page begins with"
    assert isinstance(words, WrappedText) and words.isVisibleTo(page), advice
    assert words.full_text.endswith(".") and "nan" not in words.full_text, f"{advice}: {words.full_text}"


def test_an_experiment_page_hides_the_general_choice(tab, qtbot):
    if own := next((page for page in tab.pages.values() if isinstance(page, ExperimentPage)), None):
        turn(qtbot, tab, type(own))
        assert not tab.choice.isVisibleTo(tab)
    before = tab.list.y()
    turn(qtbot, tab, "curves")
    assert tab.choice.isVisibleTo(tab) and tab.list.y() == before


def test_figures_are_saved_in_the_chosen_size_and_follow_the_theme(tab, qtbot, tmp_path, wear):
    card = turn(qtbot, tab, "curves").figure_named("roc")
    for ending in ("svg", "pdf", "png"):
        path = card.export(tmp_path / f"roc.{ending}", FigureStyle((8.4, 6.0)), 96)
        assert path.stat().st_size > 1000
    assert "version:test" in (tmp_path / "roc.svg").read_text(encoding="utf-8")

    def colours():
        items = card.canvas.scene().items()
        return {item.opts["pen"].color().name() for item in items if isinstance(item, pg.PlotCurveItem)}

    wear(DARK)
    card.finish_drawing()
    assert DARK.paraphrase in colours() and LIGHT.paraphrase not in colours()
    assert card.canvas.backgroundBrush().color().name() == DARK.plot


def test_a_page_begins_with_its_main_result(tab, qtbot):
    page = turn(qtbot, tab, "thresholds")
    values, labels = scores(tab)
    natural = thresholds(values, labels, natural=0.0).natural
    sentence = page.blocks.itemAt(0).widget().full_text
    assert sentence.startswith(f"ParaPLUIE DIRECT is right on {100 * natural.accuracy:.0f} % ["), "no extra digits"
    assert f"of {N} pairs at its natural threshold, more often than each of the 2 other scores." in sentence
    assert isinstance(page.blocks.itemAt(2).widget(), PlotCard), "pictures before tables"


def test_bars_compare_rows_and_few_pairs_give_whole_percentages(tab, qtbot):
    table = turn(qtbot, tab, "thresholds").table_named("thresholds")
    column = table.grid.header.index("accuracy")
    for row in range(len(table.grid)):
        assert table.model.index(row, column).data(BAR) == table.grid.rows[row][column]
    assert table.model.index(0, table.grid.header.index("at")).data(BAR) is None, "a threshold is not a proportion"
    picture = table.view.grab().toImage()
    where = table.view.visualRect(table.model.index(0, column))
    corner = where.topLeft() + table.view.viewport().pos() + QPoint(4, 4)
    share = table.grid.rows[0][column]
    end = corner + QPoint(round(where.width() * (1 + share) / 2), 0)
    assert picture.pixelColor(corner) != picture.pixelColor(end), "the bar ends at the proportion"
    few = Table("t", "t", ("% wrong", "pairs"), ((30.657, 137), (12.4, 137)), bars=("% wrong",))
    table.show_grid(few)
    assert cell(table, 0, "% wrong") == "31" and table.model.index(0, 0).data(BAR) == pytest.approx(0.30657)
    table.show_grid(replace(few, rows=((30.657, 13_700), (12.4, 13_700))))
    assert cell(table, 0, "% wrong") == "30.7"


def test_a_comparison_begins_with_a_picture(tab, qtbot):
    page = turn(qtbot, tab, "compare")
    card = page.figure_named("comparison")
    assert card.isVisibleTo(page) and page.blocks.itemAt(1).widget() is card, "the picture follows the sentence"
    result = page.run.result
    drawn = {mark.name: len(mark) for mark in card.drawing.marks}
    assert sum(drawn.values()) == result.result.compared == N
    both = next(count for name, count in drawn.items() if name.startswith("both right"))
    assert both == result.result.both
    card.picked.emit(0, 0)
    assert tab.workspace.selection.mask.sum() == len(card.drawing.marks[0])


def test_scores_with_long_names_stay_distinguishable_when_shortened(qtbot, qapp):
    names = [f"XLM-RoBERTa-EN-ORIG finetuned PAWS THREE-V{run} (Paraphrase)" for run in range(9)]
    names += ["Human Annotator one (Paraphrase)", "Human Annotator two (Paraphrase)", "BLEU"]
    choice = AnalysisChoice()
    qtbot.addWidget(choice)
    choice.offer_scores(names, names[:2], lambda name: name)
    shown = [box.text() for box in choice.scores.findChildren(QCheckBox)]
    assert shown[3] == "XLM-RoBE…THREE-V3 (Paraphr" and shown[-1] == "BLEU"
    assert len(set(shown)) == len(names) and max(map(len, shown)) <= 26


def drawn_words(card):
    """Return the texts below a plot's axis, with their positions in the plot's card."""
    axis, canvas = card._plot.getAxis("bottom"), card.canvas
    picture, painter = QImage(canvas.size(), QImage.Format.Format_ARGB32), QPainter()
    painter.begin(picture)
    painter.setFont(axis.style["tickFont"])
    _, _, texts = axis.generateDrawSpecs(painter)
    painter.end()
    return [(canvas.mapFromScene(axis.mapRectToScene(rect)).boundingRect(), text) for rect, _, text in texts]


@pytest.mark.parametrize("ranges", [5, 20])
def test_axis_labels_do_not_overlap_and_the_last_is_present(tab, qtbot, ranges):
    page = turn(qtbot, tab, "lengths")
    page.form.choose({"ranges": ranges})
    rest(qtbot, tab)
    card = page.findChildren(PlotCard)[0]
    names = list(card.drawing.ticks)
    words = drawn_words(card)
    shown = [text.replace("\n", " ") for _, text in words]
    assert not any("\n–" in text for _, text in words)
    assert (shown[0], shown[-1]) == (names[0], names[-1]) and set(shown) <= set(names) and len(names) > 3
    assert all(one.right() < two.left() for (one, _), (two, _) in itertools.pairwise(words))
    assert all(card.canvas.rect().contains(rect) for rect, _ in words)


@pytest.mark.parametrize("title", ["FS-DIRECT · Mistral 7B (only 1,200 of 6,420 pairs)", "DIRECT · Qwen-1.5B · Q4_K_M"])
def test_a_long_name_on_the_y_axis_is_shown_in_full_next_to_the_axis(qtbot, title):
    card = PlotCard("by length")
    qtbot.addWidget(card)
    card.resize(500, 280)
    median = CurveLine("median", np.arange(3.0), np.arange(3.0))
    card.show_chart(Chart("chart", "by length", (median,), "characters", title))
    card.show()
    card.finish_drawing()
    label = card._plot.getAxis("left").label
    assert label.toPlainText().split() == title.split() and "\n·" not in label.toPlainText()
    beside = card._plot.getViewBox().sceneBoundingRect()
    drawn = label.mapRectToScene(label.boundingRect())
    assert drawn.top() >= beside.top() - 6 and drawn.bottom() <= beside.bottom() + 6, "not on the legend"
    there = card.canvas.mapFromScene(label.mapRectToScene(label.boundingRect())).boundingRect()
    assert there.top() >= 0 and there.bottom() <= card.canvas.height() and there.left() >= -4
