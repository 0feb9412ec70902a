from __future__ import annotations

import time
from datetime import UTC, datetime

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QGuiApplication, QHelpEvent
from PySide6.QtWidgets import QApplication, QStyleOptionViewItem, QToolTip
from waiting import in_time

from parapluie_gui.judgements.columns import CorpusJudgements
from parapluie_gui.judgements.record import NOTE, UNNAMED, Judgement
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.columns import OUTCOME
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.table.view import PairsTable
from parapluie_gui.ui.widgets import theme

COUNT = 200


@pytest.fixture
def workspace(qapp) -> CorpusWorkspace:
    if qapp.styleSheet() != theme.style_sheet(theme.LIGHT):
        theme.apply(qapp, theme.LIGHT)
    workspace = CorpusWorkspace()
    scores = np.linspace(-5, 5, COUNT)
    table = ScoreTable(COUNT)
    rows = np.arange(COUNT)
    table.put(rows, {"pluie.direct": scores, "pluie.direct.p_yes": scores / 10, "pluie.direct.p_no": scores / 20})
    corpus = Corpus(
        "many",
        [f"p{row}" for row in rows],
        [f"source <b>{COUNT - row:03}</b>" for row in rows],
        [f"hypothesis\t{row}" for row in rows],
        label=(rows % 2).astype(np.int8),
    )
    workspace.show(corpus, table)
    return workspace


@pytest.fixture
def table(workspace, qtbot) -> PairsTable:
    table = PairsTable(workspace)
    qtbot.addWidget(table)
    table.resize(1000, 300)
    table.show()
    qtbot.waitExposed(table)
    return table


def click(qtbot, table: PairsTable, place: int, key: str = "source", modifier=Qt.KeyboardModifier.NoModifier) -> None:
    where = table.visualRect(table.pairs.index(place, table.pairs.column_at(key))).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, modifier, where)


def click_header(qtbot, table: PairsTable, key: str) -> None:
    header = table.horizontalHeader()
    at = table.pairs.column_at(key)
    where = QPoint(header.sectionViewportPosition(at) + header.sectionSize(at) // 2, header.height() // 2)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=where)


def enlarge(table, factor: float) -> None:
    font = QFont(QApplication.font())
    font.setPointSizeF(font.pointSizeF() * factor)
    table.setFont(font)
    table.horizontalHeader().setFont(font)


def test_a_click_makes_a_pair_primary_and_the_primary_pair_is_shown(table, workspace, qtbot):
    click(qtbot, table, 3)
    assert workspace.selection.primary == 3
    workspace.selection.set_primary(150)
    assert table.currentIndex().row() == 150
    assert table.viewport().rect().contains(table.visualRect(table.currentIndex()).center()), "the table scrolls to it"
    assert [index.row() for index in table.selectionModel().selectedRows()] == [150]


def test_j_k_and_arrows_walk_in_the_sorted_order(table, workspace, qtbot):
    click_header(qtbot, table, "source")  # the sources are in descending order
    qtbot.keyClick(table, Qt.Key.Key_J)
    assert workspace.selection.primary == COUNT - 1
    qtbot.keyClick(table, Qt.Key.Key_J)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert workspace.selection.primary == COUNT - 3
    qtbot.keyClick(table, Qt.Key.Key_K)
    qtbot.keyClick(table, Qt.Key.Key_Up)
    qtbot.keyClick(table, Qt.Key.Key_K)
    assert workspace.selection.primary == COUNT - 1


def test_header_clicks_sort_ascending_descending_and_in_file_order(table, workspace, qtbot):
    firsts = []
    for _ in range(3):
        click_header(qtbot, table, "pluie.direct")
        firsts.append(int(workspace.selection.order[0]))
    assert firsts == [0, COUNT - 1, 0]
    assert table.pairs.sorted_by[0] == ""


def test_the_primary_pair_is_one_of_the_selected_pairs(table, workspace, qtbot):
    click(qtbot, table, 3)
    workspace.selection.set_rows("with it", np.arange(0, 50))
    assert workspace.selection.primary == 3
    table.sortByColumn(table.pairs.column_at("pluie.direct"), Qt.SortOrder.DescendingOrder)
    workspace.selection.set_rows("others", np.arange(100, 150))
    first = int(table.pairs.rows[0])
    assert workspace.selection.primary == first and table.currentIndex().row() == 0, "the first in the table's order"
    workspace.selection.set_rule(None)
    assert workspace.selection.primary == first and table.selectionModel().isRowSelected(table.pairs.place_of(first))


def test_sorting_scrolls_to_the_beginning(table, qtbot):
    table.verticalScrollBar().setValue(100)
    click_header(qtbot, table, "pluie.direct")
    assert table.verticalScrollBar().value() == 0


def test_a_filter_without_matches_is_named(table, workspace):
    for word in ("tsunami", "another word"):
        workspace.selection.set_rows(word, np.array([], dtype=np.int64))
        assert table.empty.isVisible() and f"“{word}”" in table.empty.text()
    workspace.selection.set_rule(None)
    assert not table.empty.isVisible()


def test_the_position_is_kept_when_the_selection_shrinks(table, workspace):
    table.verticalScrollBar().setValue(100)
    workspace.selection.set_rows("even", np.arange(0, COUNT, 2))
    assert table.pairs.rows[table.rowAt(0)] == 100
    workspace.selection.set_rule(None)
    assert table.pairs.rows[table.rowAt(0)] == 100


def test_the_primary_pair_stays_visible_when_all_pairs_are_shown_again(table, workspace):
    rows = np.arange(0, COUNT, 40)
    workspace.selection.set_rows("some", rows)
    workspace.selection.set_primary(120)
    assert table.verticalScrollBar().value() == 0
    workspace.selection.set_rule(None)
    assert table.currentIndex().row() == 120
    assert table.viewport().rect().contains(table.visualRect(table.currentIndex()).center())
    # A primary pair outside the view does not scroll the table.
    table.verticalScrollBar().setValue(0)
    workspace.selection.set_rows("others", np.arange(COUNT - 1))
    assert table.verticalScrollBar().value() == 0


def test_arriving_scores_move_neither_scrollbar_nor_selection(table, workspace, qtbot):
    click_header(qtbot, table, "pluie.direct")
    workspace.selection.set_primary(20)
    table.verticalScrollBar().setValue(90)
    with qtbot.waitSignal(workspace.selection.order_changed, timeout=3000):
        workspace.put(np.array([20]), {"pluie.direct": np.array([99.0])})
    assert table.verticalScrollBar().value() == 90
    assert (workspace.selection.primary, table.currentIndex().row()) == (20, COUNT - 1)


def test_copying_gives_rows_with_exact_numbers_and_no_stray_tabs(table, qtbot):
    table.stack(False)
    table.show_column("id")  # row numbers are hidden
    click(qtbot, table, 0)
    click(qtbot, table, 2, modifier=Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    exact = repr(float(np.linspace(-5, 5, COUNT)[1]))
    row = {"source": "source <b>199</b>", "hypothesis": "hypothesis 1", "label": "paraphrase"}
    row |= {"Outcome": "FN", "pluie.direct": exact, "id": "p1"}
    assert [name for name in lines[0] if name in row] == list(row)
    assert dict(zip(lines[0], lines[2], strict=True)).items() >= row.items()
    assert len(lines) == 4


def test_copied_rows_contain_both_sentences_even_if_shown_in_one_cell(table, qtbot):
    table.stack(True)
    click(qtbot, table, 1)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    head, row = (line.split("\t") for line in QGuiApplication.clipboard().text().split("\n"))
    at = head.index("source")
    assert head[at + 1] == "hypothesis" and row[at + 1] == "hypothesis 1"


def test_a_row_has_a_menu_by_mouse_and_by_key(table, qtbot, workspace):
    click(qtbot, table, 1)
    menus = []
    table.row_menu_opened.connect(menus.append)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(0, 0), QPoint(0, 0))
    QApplication.sendEvent(table, event)
    menus[-1].hide()
    texts = [action.text().replace("&", "") for action in menus[-1].actions()]
    assert texts[:2] == ["Copy rows", "Edit a copy in the Bench"]
    at = table.pairs.column_at("#outcome")
    menu = table.row_menu(table.pairs.index(1, at))
    with qtbot.waitSignal(table.condition_wanted) as wanted:
        next(action for action in menu.actions() if "Only pairs" in action.text().replace("&", "")).trigger()
    assert wanted.args == ['outcome == "FN"']


def test_focus_alone_selects_no_pair(table, workspace, qtbot):
    table.setFocus(Qt.FocusReason.TabFocusReason)
    assert workspace.selection.primary == -1
    qtbot.keyClick(table, Qt.Key.Key_J)
    assert workspace.selection.primary == 0


def test_a_double_click_and_enter_request_an_edit(table, qtbot):
    where = table.visualRect(table.pairs.index(1, table.pairs.column_at("source"))).center()
    with qtbot.waitSignal(table.edit_requested) as asked:
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)
        qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)
    assert asked.args == ["source <b>199</b>", "hypothesis\t1"]
    with qtbot.waitSignal(table.edit_requested):
        qtbot.keyClick(table, Qt.Key.Key_Return)


def test_columns_are_shown_and_hidden_from_the_header_menu(table, workspace, qtbot):
    at = table.pairs.column_at("pluie.direct.p_yes")
    assert table.isColumnHidden(at)
    menu = table.columns_menu()
    next(action for action in menu.actions() if action.text() == "ParaPLUIE DIRECT, p(yes)").trigger()
    next(action for action in menu.actions() if action.text() == "Source").trigger()
    assert not table.isColumnHidden(at)
    assert table.isColumnHidden(table.pairs.column_at("source"))
    other = PairsTable(workspace)
    qtbot.addWidget(other)
    other.restore(table.settings())
    assert not other.isColumnHidden(at)
    next(action for action in menu.actions() if action.text() == "Default columns").trigger()
    assert table.isColumnHidden(at)


def test_tooltips_show_tags_as_text(table, qtbot):
    where = table.visualRect(table.pairs.index(0, table.pairs.column_at("source"))).center()
    QApplication.sendEvent(
        table.viewport(), QHelpEvent(QEvent.Type.ToolTip, where, table.viewport().mapToGlobal(where))
    )
    assert "&lt;b&gt;200&lt;/b&gt;" in QToolTip.text()
    QToolTip.hideText()


def test_row_heights_follow_the_text(table):
    before = table.rowHeight(0)
    enlarge(table, 2.0)
    assert table.rowHeight(0) >= 1.7 * before
    assert table.rowHeight(0) > table.fontMetrics().height()
    enlarge(table, 1.0)
    assert table.rowHeight(0) == before
    font = QFont(table.font())
    font.setPointSizeF(30)
    table.setFont(font)
    assert table.rowHeight(0) > 30


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_label_marks_are_not_cut(table, factor):
    enlarge(table, factor)
    at = table.pairs.column_at("label")
    for place in (0, 1):
        assert table.columnWidth(at) >= table.sizeHintForIndex(table.pairs.index(place, at)).width()


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_metric_titles_are_not_cut_where_sentences_share_a_column(table, workspace, factor):
    workspace.put(np.arange(COUNT), {"edit_distance": np.ones(COUNT), "sbert": np.ones(COUNT)})
    enlarge(table, factor)
    table.stack(True)
    header, horizontal = table.horizontalHeader(), Qt.Orientation.Horizontal
    for key, title in (("edit_distance", "Edit\ndistance"), ("sbert", "SBERT\ncosine")):
        at = table.pairs.column_at(key)
        assert table.pairs.headerData(at, horizontal) == title
        assert table.pairs.headerData(at, horizontal, Qt.ItemDataRole.AccessibleTextRole) == title.replace("\n", " ")
        widest = max(map(header.fontMetrics().horizontalAdvance, title.split("\n")))
        assert widest + 12 <= table.columnWidth(at) < 2 * widest + 12, "the style's margins"
        assert header.sizeHint().height() >= 2 * header.fontMetrics().height()


@pytest.mark.parametrize("stacked", [False, True])
def test_the_title_of_a_verdict_is_not_cut_before_the_annotators_name(table, workspace, stacked):
    at = datetime(2026, 5, 1, tzinfo=UTC)
    table.stack(stacked)
    measure = table.horizontalHeader().fontMetrics().horizontalAdvance
    for names, title in (
        ([UNNAMED], "verdict"),
        ([UNNAMED, "Ben"], "verdict · most of 2"),
        (["Anna"], "verdict · Anna"),
    ):
        judgements = [Judgement(1, name, "parapluie", "verdict", "same_meaning", at) for name in names]
        workspace.set_judgements(CorpusJudgements.from_records(workspace.corpus, judgements, load_schemes()[0]))
        place = table.pairs.column_at("verdict")
        assert table.pairs.headerData(place, Qt.Orientation.Horizontal) == title
        assert table.columnWidth(place) >= measure(title) + 12, "the style's margins"


def test_stacked_sentences_keep_space_for_their_first_words(table, workspace):
    """With many scores in a narrow window the table scrolls sideways: 20 letters of a sentence would be too few."""
    names = ("edit_distance", "bleu", "meteor", "sbert", "chrf")
    workspace.put(np.arange(COUNT), {name: np.ones(COUNT) for name in names})
    table.resize(500, 300)
    table.stack(True)
    width, letter = table.columnWidth(table.pairs.column_at("source")), table.fontMetrics().averageCharWidth()
    assert width >= 40 * letter
    assert table.horizontalScrollBar().maximum() > 0


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("width", [700, 1000, 1900])
def test_the_two_sentences_have_at_least_45_percent_of_the_width(table, workspace, stacked, width):
    names = ("edit_distance", "bleu", "meteor", "sbert", "chrf", "pluie.fs-direct", "pluie.direct.reverse")
    workspace.put(np.arange(COUNT), {name: np.ones(COUNT) for name in names})
    table.resize(width, 300)
    table.stack(stacked)
    sentences = [table.pairs.column_at(key) for key in ("source", "hypothesis")]
    shown = sum(table.columnWidth(at) for at in sentences if not table.isColumnHidden(at))
    assert shown >= 0.45 * table.viewport().width()


@pytest.mark.parametrize("swapped", [False, True])
def test_a_long_pair_begins_a_little_before_its_first_difference(qtbot, qapp, swapped):
    begin = "A tropical storm rapidly developed in the warm waters of the Gulf of Mexico on Sunday and was expected to "
    pair = [begin + "hit the coast of Texas.", begin + "miss it."][:: -1 if swapped else 1]
    workspace = CorpusWorkspace()
    workspace.show(Corpus("two", ["1", "2"], [pair[0], "A cat."], [pair[1], "A dog."]))
    table = PairsTable(workspace)
    qtbot.addWidget(table)
    table.resize(420, 300)
    table.show()
    table.stack(True)
    marked = {theme.LIGHT.mark, theme.LIGHT.moved}
    assert marked & colours(table, "source", 0), "the difference is in sight"
    assert marked & colours(table, "source", 1)
    rect = table.visualRect(table.pairs.index(0, table.pairs.column_at("source")))
    image = table.viewport().grab(rect).toImage()
    first = min(
        x for x in range(image.width()) for y in range(image.height()) if image.pixelColor(x, y).name() in marked
    )
    assert 0.1 * image.width() < first < 0.6 * image.width(), "some words before it are in sight too"


def test_a_remark_on_a_score_is_marked_in_its_heading(table, workspace):
    at, header = table.pairs.column_at("pluie.direct"), Qt.Orientation.Horizontal
    assert table.pairs.headerData(at, header, Qt.ItemDataRole.DecorationRole) is None
    workspace.table.signatures["pluie.direct"] = Signature.from_fields("pluie.direct", {"model": "pocket"})
    workspace.table.remark("pluie.direct", "2 pairs differ only in characters that are not in its vocabulary.")
    workspace.columns_changed.emit()
    assert table.pairs.headerData(at, header, Qt.ItemDataRole.DecorationRole) is not None
    assert "not in its vocabulary" in table.pairs.headerData(at, header, Qt.ItemDataRole.ToolTipRole)
    table.sort_by("pluie.direct", descending=True)
    told = table.pairs.headerData(at, header, Qt.ItemDataRole.AccessibleDescriptionRole)
    assert told.startswith("sorted, descending\n2 pairs differ"), "neither the arrow nor the mark is painted only"


def colours(table, key, place=0):
    rect = table.visualRect(table.pairs.index(place, table.pairs.column_at(key)))
    image = table.viewport().grab(rect).toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(0, image.height(), 2)}


def test_stacked_sentences_have_their_difference_marked(table, workspace, qtbot):
    marked = {theme.LIGHT.mark, theme.LIGHT.moved}
    assert not table.pairs.stacked and not marked & colours(table, "source")
    before, width = table.rowHeight(0), table.columnWidth(table.pairs.column_at("source"))
    table.stack(True)
    assert table.isColumnHidden(table.pairs.column_at("hypothesis")) and table.rowHeight(0) > 1.5 * before
    assert table.columnWidth(table.pairs.column_at("source")) > 1.5 * width
    assert marked & colours(table, "source", 1)
    other = PairsTable(workspace)
    qtbot.addWidget(other)
    other.restore(table.settings())
    assert other.pairs.stacked, "the setting is kept"
    other.columns_menu().actions()[-2].trigger()
    assert not other.pairs.stacked and other.settings() == {"version": 1, "columns": {}}
    for number in range(4):
        other.show_column("pluie.direct.p_yes")
        workspace.put(np.arange(COUNT), {f"external.m{number}": np.ones(COUNT)})
    assert other.pairs.stacked, "the default where columns are many"


def test_text_is_aligned_by_the_direction_of_its_language(qtbot, qapp):
    workspace = CorpusWorkspace()
    workspace.show(Corpus("two", ["1", "2"], ["مرحبا بالعالم.", "Hello."], ["مرحبا", "Hi."]))
    table = PairsTable(workspace)
    qtbot.addWidget(table)
    option = QStyleOptionViewItem()
    at = table.pairs.column_at("source")
    directions = []
    for place in (0, 1):
        table.itemDelegate().initStyleOption(option, table.pairs.index(place, at))
        directions.append(option.direction)
    assert directions == [Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LeftToRight]
    table.resize(900, 300)
    table.show()
    table.stack(True)
    inked = []
    for place in (0, 1):
        rect = table.visualRect(table.pairs.index(place, at))
        image = table.viewport().grab(rect).toImage()
        middle = image.width() // 2
        dark = [
            (x, y)
            for x in range(10, image.width() - 4)
            for y in range(image.height())
            if image.pixelColor(x, y).lightness() < 90
        ]
        inked.append((any(x < middle for x, _ in dark), any(x > middle for x, _ in dark)))
    assert inked == [(False, True), (True, False)], "stacked, with Arabic on the right"


def test_wrong_pairs_are_visible_in_a_screenshot(table, workspace, qtbot):
    workspace.selection.set_rows("one wrong", np.array([1]))
    rect = table.visualRect(table.pairs.index(0, table.pairs.column_at(OUTCOME)))

    def reds() -> int:
        image = table.viewport().grab(rect).toImage()
        bad = QColor(theme.LIGHT.bad)
        colours = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
        return sum(colour.red() > 150 and colour.green() < bad.green() + 60 for colour in colours)

    assert reds() > 5
    workspace.set_threshold(-10.0)  # now it is a true positive
    qtbot.waitUntil(lambda: reds() == 0)


def test_select_all_works_with_many_pairs(qtbot, qapp):
    count = 50_000
    workspace = CorpusWorkspace()
    workspace.show(Corpus("big", [str(row) for row in range(count)], ["s"] * count, ["h"] * count))
    table = PairsTable(workspace)
    qtbot.addWidget(table)
    table.resize(900, 300)
    table.show()
    qtbot.waitExposed(table)
    start = time.process_time()
    qtbot.keyClick(table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    table.grab()
    assert time.process_time() - start < in_time(0.3)
    assert len(table.selectionModel().selectedRows()) == count


def test_an_empty_table_gives_the_reason(qtbot, qapp):
    workspace = CorpusWorkspace()
    table = PairsTable(workspace)
    qtbot.addWidget(table)
    table.resize(500, 200)
    table.show()
    for corpus in (None, Corpus("none", [], [], [])):
        workspace.show(corpus)
        assert table.empty.isVisible() and table.empty.text().endswith("here." if corpus is None else "no pairs.")
        assert table.empty.geometry() == table.viewport().geometry()
        qtbot.keyClick(table, Qt.Key.Key_J)
        qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)


def test_columns_stay_in_place_when_the_selection_shrinks(table, workspace):
    widths = [table.columnWidth(at) for at in range(len(table.pairs.columns))]
    workspace.selection.set_rows("one", np.array([COUNT - 1]))
    assert [table.columnWidth(at) for at in range(len(table.pairs.columns))] == widths


def test_a_new_note_column_is_wide_enough_for_longer_notes(table, workspace):
    """A column measured at the start of a note would be only as wide as its first letters."""
    note = Judgement(0, "Anna", *NOTE, "a", datetime(2026, 1, 2, tzinfo=UTC))
    workspace.set_judgements(CorpusJudgements.from_records(workspace.corpus, [note], load_schemes()[0]))
    letter = table.fontMetrics().averageCharWidth()
    result = [at for at, column in enumerate(table.pairs.columns) if column.key in workspace.people]
    assert result
    assert all(table.columnWidth(at) >= 16 * letter for at in result if not table.isColumnHidden(at))
