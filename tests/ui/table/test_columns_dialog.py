"""The dialog that shows, hides, moves and sorts the columns of the table by keys."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.table.columns_dialog import TableColumnsDialog
from parapluie_gui.ui.table.view import PairsTable

ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def workspace(qapp):
    workspace = CorpusWorkspace()
    scores = ScoreTable(3)
    scores.put(np.arange(3), {"bleu": np.array([0.2, 0.9, 0.5]), "pluie.direct": np.array([1.0, -2.0, 3.0])})
    corpus = Corpus("three", ["a", "b", "c"], ["A cat."] * 3, ["A dog."] * 3, label=np.array([1, 0, 1], dtype=np.int8))
    workspace.show(corpus, scores)
    return workspace


@pytest.fixture
def table(workspace, qtbot):
    table = PairsTable(workspace)
    qtbot.addWidget(table)
    table.resize(1000, 300)
    table.show()
    return table


@pytest.fixture
def dialog(table, qtbot):
    dialog = TableColumnsDialog(table)
    qtbot.addWidget(dialog)
    dialog.open()
    return dialog


def names(dialog) -> list[str]:
    return [dialog.list.item(at).text() for at in range(dialog.list.count())]


def choose(dialog, title: str) -> None:
    dialog.list.setCurrentRow(names(dialog).index(title))


def shown_ids(table) -> list[str]:
    at = table.pairs.column_at("id")
    return [table.pairs.index(row, at, QModelIndex()).data() for row in range(table.pairs.rowCount())]


def test_alt_and_an_arrow_move_a_column(table, dialog):
    before = names(dialog)
    choose(dialog, "BLEU")
    QTest.keyClick(dialog.list, Qt.Key.Key_Up, ALT)
    QTest.keyClick(dialog.list, Qt.Key.Key_Up, ALT)
    place = before.index("BLEU")
    assert names(dialog).index("BLEU") == place - 2
    assert [column.title for column in table.ordered_columns()] == names(dialog)
    assert dialog.list.currentItem().text() == "BLEU", "it stays the current one"
    QTest.keyClick(dialog.list, Qt.Key.Key_Down, ALT)
    assert names(dialog).index("BLEU") == place - 1


def test_space_shows_and_hides_a_column(table, dialog):
    choose(dialog, "BLEU")
    at = table.pairs.column_at("bleu")
    QTest.keyClick(dialog.list, Qt.Key.Key_Space)
    assert table.isColumnHidden(at)
    QTest.keyClick(dialog.list, Qt.Key.Key_Space)
    assert not table.isColumnHidden(at)


def test_the_buttons_sort_by_the_current_column(table, dialog, qtbot):
    choose(dialog, "BLEU")
    dialog.descending.click()
    qtbot.waitUntil(lambda: shown_ids(table) == ["b", "c", "a"])
    assert "BLEU (sorted, descending)" in names(dialog)
    dialog.ascending.click()
    qtbot.waitUntil(lambda: shown_ids(table) == ["a", "c", "b"])
    dialog.unsorted.click()
    qtbot.waitUntil(lambda: shown_ids(table) == ["a", "b", "c"])


def test_the_order_is_stored_and_survives_new_columns(table, dialog, workspace, qtbot):
    choose(dialog, "BLEU")
    for _ in range(3):
        dialog.up.click()
    wanted = [column.key for column in table.ordered_columns()]
    other = PairsTable(workspace)
    qtbot.addWidget(other)
    other.restore(table.settings())
    assert [column.key for column in other.ordered_columns()] == wanted
    workspace.put(np.arange(3), {"rouge": np.array([0.1, 0.2, 0.3])})
    qtbot.waitUntil(lambda: table.pairs.column_at("rouge") >= 0)
    assert [column.key for column in table.ordered_columns() if column.key != "rouge"] == wanted
    dialog.usual.click()
    assert [column.key for column in table.ordered_columns()] == [column.key for column in table.pairs.columns]
    assert "order" not in table.settings()


def test_the_menu_of_a_row_sorts_and_hides(table, qtbot):
    index = table.pairs.index(0, table.pairs.column_at("bleu"))
    entries = {action.text().replace("&", ""): action for action in table.row_menu(index).actions()}
    entries["Sort by BLEU, descending"].trigger()
    qtbot.waitUntil(lambda: shown_ids(table) == ["b", "c", "a"])
    entries["Hide the column BLEU"].trigger()
    assert table.isColumnHidden(table.pairs.column_at("bleu"))
