"""The window's frame: it fits the screen, every tab has its own panels, and Run is always visible."""

from __future__ import annotations

import ast
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from finding import find_part
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAccessible, QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTabBar,
    QToolButton,
    QWidget,
)
from waiting import at_rest

import parapluie_gui
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.pair.bars import PairBars
from parapluie_gui.ui.scatter.canvas import ScatterCanvas
from parapluie_gui.ui.widgets.arrange import within_screen
from parapluie_gui.ui.widgets.grid_table import GridTable
from parapluie_gui.ui.widgets.list_menu import ListMenu
from parapluie_gui.ui.window.arrangements import FIRST_SIZE
from parapluie_gui.ui.window.finding import find_commands
from parapluie_gui.ui.window.main import MainWindow
from parapluie_gui.work.events import JobFinished, ScoreBatch

PAIRS = Corpus("six", list("abcdef"), ["A cat."] * 6, ["One cat."] * 6, label=np.array([1, 0] * 3, dtype=np.int8))


def test_menus_are_disabled_without_pairs_and_keys_say_what_is_missing(open_window, qtbot):
    window = open_window()
    run, file, pairs = (window.actions_by_name[name] for name in ("run", "files.open", "edit_copy"))
    menus = {each.title(): each for each in window.menuBar().findChildren(QMenu)}
    score, about_pairs = menus["&Score"], menus["&Pairs"]
    for menu in (score, about_pairs, menus["&File"]):
        menu.aboutToShow.emit()
    assert not run.isEnabled() and not pairs.isEnabled() and file.isEnabled()
    for menu in (score, about_pairs, menus["&File"]):
        menu.aboutToHide.emit()
    run.trigger()
    assert "There is nothing to score yet" in window.banner.text
    window.workspace.show(PAIRS)
    score.aboutToShow.emit()
    assert run.isEnabled()
    score.aboutToHide.emit()


@pytest.fixture
def start(open_window, qtbot):
    """Return a function that opens the window on six pairs."""
    windows = []

    def begin(width=1440, height=900):
        window = open_window(size=(width, height))
        windows.append(window)
        window.workspace.show(PAIRS)
        window.workspace.selection.set_primary(0)
        settle(qtbot, window)
        return window

    yield begin
    for window in windows:
        window.looks.usual()  # the font size is set for the whole application


def settle(qtbot, window):
    """Wait until the panels have followed the window."""
    qtbot.waitUntil(lambda: not window.arrangements._following.isActive())
    QApplication.processEvents()


def shown(window):
    return {dock.objectName() for dock in window.docks.all if dock.isVisible()}


class Screen:
    def __init__(self, width, height):
        self.available = QSize(width, height)

    def availableGeometry(self):
        return QRect(QPoint(), self.available)

    def availableSize(self):
        return self.available


@pytest.mark.parametrize(
    ("screen", "size"), [((1024, 768), (1020, 734)), ((1440, 860), (1436, 826)), ((3840, 2160), (1440, 900))]
)
def test_the_first_window_fits_the_screen(screen, size):
    assert within_screen(FIRST_SIZE, Screen(*screen)).toTuple() == size


def test_a_second_window_fits_the_screen_too(check_small_screen):
    check_small_screen("setup.metrics.open", "manual.open_here")


def test_the_plot_has_half_of_a_narrow_window_and_run_is_visible(start, qtbot):
    window = start(1024, 700)
    assert window.width() == 1024
    assert window.scatter.width() >= 512
    assert window.pair.width() >= 180
    narrowed = start(1440, 900)
    narrowed.resize(1024, 700)
    settle(qtbot, narrowed)
    assert narrowed.scatter.width() >= 512
    narrowed.docks.setup.close()
    run = narrowed.setup.run.run_button
    assert run.isVisible() and narrowed.rect().contains(run.mapTo(narrowed, run.rect().bottomRight()))


def drag_pair_to(window, width):
    """Drag the line between the plot and the Pair panel."""
    pair = window.docks.pair
    at, left = QPoint(pair.x() - 3, pair.y() + pair.height() // 2), Qt.MouseButton.LeftButton
    QTest.mousePress(window, left, pos=at)
    there = at + QPoint(pair.width() - width, 0)
    QTest.mouseMove(window, there)
    QApplication.processEvents()  # Qt moves the line when the event queue is empty
    QTest.mouseRelease(window, left, pos=there)


def widths(window):
    return window.docks.setup.width(), window.docks.pair.width()


def test_a_small_window_shows_only_the_view_and_the_pair(start):
    window = start(960, 540)
    assert shown(window) == {"pair"} and window.scatter.width() > 500
    window.docks.setup.toggleViewAction().trigger()
    assert window.docks.setup.isVisible()


def test_panels_saved_on_a_large_screen_fit_a_small_one(start, monkeypatch):
    window = start()
    assert shown(window) == {"setup", "pair", "pairs"}
    window.close()
    monkeypatch.setattr(MainWindow, "screen", lambda window: Screen(720, 416))
    window = start(720, 416)
    assert shown(window) == {"pair"}
    assert window.minimumSizeHint().height() <= 416


def test_panels_hide_when_the_window_shrinks_and_return_when_it_grows(start, qtbot):
    window = start()

    def resize(width, height):
        window.resize(width, height)
        settle(qtbot, window)

    usual = window.docks.sizes()
    resize(960, 540)
    assert shown(window) == {"pair"} and window.scatter.height() > 300
    for _ in range(3):
        window.looks.larger()
        settle(qtbot, window)
    window.looks.usual()
    resize(1440, 900)
    assert window.docks.sizes() == usual
    resize(960, 540)
    window.docks.pairs.show()  # a panel that the user opens anyway stays open
    resize(950, 530)
    assert shown(window) == {"pair", "pairs"}
    window.docks.pairs.close()
    window.tabs.show_bench()
    window.tabs.show_scatter()
    resize(1440, 900)
    assert shown(window) == {"setup", "pair"}, "closed by the user"
    window.docks.pairs.show()
    window.docks.setup.close()
    resize(1440, 540)
    assert shown(window) == {"pair"}
    resize(1440, 900)
    assert shown(window) == {"pair", "pairs"}
    resize(1100, 620)
    for _ in range(3):
        window.looks.larger()
    settle(qtbot, window)
    assert shown(window) == {"pair"}, "larger type needs more space, too"
    window.looks.usual()
    settle(qtbot, window)
    assert shown(window) == {"pair", "pairs"}


def test_panels_follow_the_window_size_until_the_user_drags_one(start, qtbot):
    window = start(1024, 768)
    for width, height in ((1300, 800), (1600, 900), (1920, 1080)):
        window.resize(width, height)
        settle(qtbot, window)
        assert widths(window) == window.docks.widths(), f"{width} wide"
    window.tabs.show_bench()
    window.resize(1440, 900)
    window.tabs.show_scatter()
    settle(qtbot, window)
    assert widths(window) == window.docks.widths(), "including those of a tab shown again"
    window.close()
    again = start(1440, 900)
    again.resize(1920, 1080)
    settle(qtbot, again)
    assert widths(again) == again.docks.widths(), "and after a restart"
    drag_pair_to(again, 300)
    settle(qtbot, again)
    again.resize(2100, 1200)
    settle(qtbot, again)
    assert again.docks.pair.width() == 300
    again.close()
    last = start(2100, 1200)
    last.resize(2300, 1300)
    settle(qtbot, last)
    assert last.docks.pair.width() == 300, "the user's choice is kept"


def test_every_tab_has_its_own_panels_and_remembers_them(start, qtbot):
    window = start()
    assert shown(window) == {"setup", "pair", "pairs"}
    window.docks.pairs.close()
    window.tabs.show_bench()
    assert shown(window) == set()
    assert not window.docks.pair.toggleViewAction().isEnabled()
    window.tools.judge_button.click()
    assert shown(window) == {"setup"}
    window.tabs.show_scatter()
    assert shown(window) == {"setup", "pair"}
    window.close()
    again = start()
    assert shown(again) == {"setup", "pair"}
    again.tabs.show_bench()
    assert shown(again) == {"setup"}
    again.actions_by_name["arrangements.reset"].trigger()
    assert shown(again) == set()
    again.tabs.show_scatter()
    assert shown(again) == {"setup", "pair", "pairs"}


def test_a_click_on_the_bench_tab_puts_the_cursor_into_the_source(start):
    window = start()
    window.bench.fields.source.setPlainText("An old sentence.")
    window.table.setFocus()
    bar = window.tabs.tabBar()
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(window.tabs.indexOf(window.bench)).center())
    source = window.bench.fields.source
    assert window.tabs.currentWidget() is window.bench and window.focusWidget() is source
    QTest.keyClicks(source, "New")
    assert window.bench.fields.texts()[0] == "New", "typing replaces the previous text"
    for tab in (window.analysis, window.tabs.first):
        QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(window.tabs.indexOf(tab)).center())
        assert window.tabs.currentWidget() is tab and window.focusWidget() is not source


def test_a_pair_panel_opens_next_to_an_analysis(start, qtbot):
    window = start()
    window.tabs.show_analysis()
    assert shown(window) == set()
    window.workspace.selection.set_primary(3)
    assert shown(window) == {"pair"}
    window.docks.pair.close()
    window.tabs.show_bench()
    window.workspace.selection.set_primary(4)
    assert shown(window) == set(), "the Bench has its own pair"
    window.search()
    assert window.scatter.isVisible() and "pairs" in shown(window)
    window.bench.set_history([BenchEntry("A cat.", "One cat.", {"bleu": 0.5})])
    window.tabs.show_bench()
    window.search()
    assert window.focusWidget() is window.bench.past.search, "the history is what can be searched there"


def test_keys_act_only_on_visible_views(start, qtbot):
    window = start()
    selection, verdict = window.workspace.selection, window.pair.verdict
    QTest.keyClick(window, "4")
    assert verdict.verdict == "same_meaning"
    QTest.keyClick(window, "v")
    QTest.keyClick(window, "2")
    assert selection.primary == 1 and "next pair" in verdict._caption.text()
    window.docks.pair.close()
    QTest.keyClick(window, "3")
    assert window.docks.pair.isVisible() and verdict.verdict == "", "the first key shows the pair"
    QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert window.focusWidget() is window.bench.fields.source
    window.bench.fields.score_button.setFocus()
    for key in "jk4nv":
        QTest.keyClick(window, key)
    QTest.keyClick(window.bench.fields.score_button, "r")
    assert (selection.primary, verdict.verdict, window.verdicts.advancing) == (1, "", True)
    assert window.bench.fields.texts()[0] == "r"


def sizes(window):
    return {round(part.font().pointSizeF(), 1) for part in window.findChildren(QWidget) if part.isVisible()}


def title_width(dock):
    """Return the width in pixels of a dock's title without its buttons."""
    image = dock.grab(QRect(0, 0, dock.width() - 60, dock.widget().y())).toImage()
    lines = range(3, image.height() - 4)
    return sum(len({image.pixel(x, y) for y in lines}) > 1 for x in range(image.width()))


def test_font_size_applies_everywhere_and_is_remembered(start, qtbot):
    window = start()
    usual, title = sizes(window), title_width(window.docks.setup)
    for _ in range(2):
        QTest.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    larger = sizes(window)
    assert len(larger) == len(usual) and min(larger) == pytest.approx(1.21 * min(usual), abs=0.1)
    assert title_width(window.docks.setup) > 1.1 * title > 0
    window.looks.toggle_dark(True)
    assert sizes(window) == larger
    window.close()
    again = start()
    assert again.looks.factor == pytest.approx(1.21) and sizes(again) == larger
    QTest.keyClick(again, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert sizes(again) == usual
    with qtbot.assertNotEmitted(again.looks.changed):
        again.looks.usual()


def test_a_bench_pair_is_judged_by_the_same_keys(start, qtbot):
    window = start()
    window.tabs.show_bench()
    window.bench.open_copy("A cat.", "One cat.", {"edit_distance": 0.4})
    window.bench.fields.score_button.setFocus()
    QTest.keyClick(window.bench.fields.score_button, "4")
    assert window.bench.history[0].verdict == "same_meaning"
    assert window.pair.verdict.verdict == "", "the corpus's pair is not visible"
    QTest.keyClick(window.bench.fields.score_button, "n")
    QTest.keyClicks(window.focusWidget(), "a note")
    window.bench.verdict.flush()
    assert window.bench.history[0].note == "a note" and window.bench.fields.texts() == ("A cat.", "One cat.")


def nameless(interface):
    """Yield the kinds of visible controls that a screen reader could name only by their role."""
    if interface is None or not interface.isValid() or interface.state().invisible:
        return
    if interface.state().focusable and not interface.text(QAccessible.Text.Name):
        yield f"{type(interface.object()).__name__} in {type(interface.object().parent()).__name__}"
    if interface.role() not in (QAccessible.Role.Table, QAccessible.Role.Tree, QAccessible.Role.List):
        for place in range(interface.childCount()):
            yield from nameless(interface.child(place))


def test_every_control_has_a_name_for_a_screen_reader(start, qtbot):
    window = start()
    root = QAccessible.queryAccessibleInterface(window)
    for at in range(window.tabs.count()):
        window.tabs.setCurrentIndex(at)
        QApplication.processEvents()
        assert list(nameless(root)) == []
    tip = window.setup.metrics.tags["bleu"].remove_button.accessibleDescription()
    assert tip == "Remove BLEU", "no tags are read out"


def test_run_on_the_selection_scores_only_its_pairs(start, qtbot, monkeypatch):
    window = start()
    jobs = []
    monkeypatch.setattr(window.driver, "submit", jobs.append)
    action = window.actions_by_name["run_selected"]
    assert not action.isEnabled() and action in window.setup.run.menu.actions()
    assert window.setup.run.menu_button.accessibleName() == "Other ways to run"
    window.workspace.selection.set_rows("some", np.array([1, 4]))
    assert action.isEnabled() and action.text().replace("&", "") == "Run on these 2 pairs"
    action.trigger()
    (job,) = jobs
    assert job.request.pairs.sources == tuple(PAIRS.source[row] for row in (1, 4))
    assert window.scoring.state == "loading" and not action.isEnabled() and not window.setup.run.menu_button.isEnabled()
    column = next(iter(job.request.plan.signatures()))
    window.driver.received.emit(ScoreBatch(job.id, np.array([0, 1]), {column: np.array([0.25, 0.5])}))
    np.testing.assert_array_equal(window.workspace.table[column][[0, 1, 4]], [np.nan, 0.25, 0.5])
    window.driver.received.emit(JobFinished(job.id))
    assert action.isEnabled()
    window.workspace.selection.set_rule(None)
    assert not action.isEnabled() and action.text().replace("&", "") == "Run on these pairs"


def test_a_menu_has_at_most_ten_entries_and_renamed_entries_can_be_searched(start, qtbot):
    window = start()

    def menus(menu):
        yield menu
        for action in menu.actions():
            if action.menu() is not None and action.menu() not in window.findChildren(ListMenu):
                yield from menus(action.menu())

    for top in window.menuBar().actions():
        for menu in menus(top.menu()):
            entries = [action for action in menu.actions() if not action.isSeparator()]
            assert 0 < len(entries) <= 10, menu.title()
    result = {
        words: find_commands(window.finder.commands(), words)[0].title for words in ("restart the worker", "buckets")
    }
    assert result["restart the worker"] == "Restart scoring" and result["buckets"] == "Accuracy by range"
    window.actions_by_name["copy_pair"].trigger()
    assert QApplication.clipboard().text() == "A cat.\tOne cat."


def test_keys_reach_the_pairs_after_the_bench_and_after_a_dialog(start, qtbot):
    window = start()
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    control = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(window, Qt.Key.Key_2, control)
    assert QApplication.focusWidget() is window.bench.fields.source
    QTest.keyClicks(QApplication.focusWidget(), "123")
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    QTest.keyClick(window, Qt.Key.Key_2, control)
    assert window.bench.fields.source.textCursor().selectedText() == "123", "always the source"
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_1, control)
    assert QApplication.focusWidget() is window.table
    QTest.keyClick(QApplication.focusWidget(), "4")
    assert window.pair.verdict.verdict == "same_meaning" and window.bench.fields.source.toPlainText() == "123"
    window.finder.open()
    QTest.keyClick(window.finder.palette.edit, Qt.Key.Key_Escape)
    for key in "jn":
        QTest.keyClick(QApplication.focusWidget() or window, key)
    assert window.workspace.selection.primary == 1 and window.pair.verdict._note.hasFocus()
    QTest.keyClick(window.pair.verdict._note, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is window.table, "no answer looks chosen"
    QTest.keyClick(QApplication.focusWidget(), "1")
    assert window.pair.verdict.verdict == "very_different" and window.pair.verdict.text == ""


def test_keys_reach_the_pairs_of_a_corpus_loaded_while_a_different_window_was_active(open_window, qtbot):
    window, other = open_window(), QWidget()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is other)
    window.state.corpora.open_generated("six", lambda: PAIRS)
    qtbot.waitUntil(lambda: window.workspace.corpus is not None)
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    assert QApplication.focusWidget() is window.table


def test_the_scatter_names_the_selection_while_the_pairs_panel_is_closed(start, qtbot):
    window = start()
    window.workspace.selection.set_rows("some", np.array([1, 4]))
    assert not window.scatter.set_button.isVisible(), "the Pairs panel already shows the selection's name"
    window.docks.pairs.hide()
    assert window.scatter.set_button.isVisible()


#: Widgets that accept clicks or text, except headers, scroll bars and parts of other controls.
CONTROLS = (
    QAbstractButton,
    QLineEdit,
    QComboBox,
    QAbstractSpinBox,
    QPlainTextEdit,
    QAbstractItemView,
    QTabBar,
    QMenuBar,
    ScatterCanvas,
    PairBars,
)
PARTS = (QComboBox, QAbstractSpinBox, QAbstractItemView, QTabBar, QMenuBar)


def visible_controls(window):
    """Return the controls that are visible and enabled."""

    def seen(each):
        inside = each.viewport() if isinstance(each, QAbstractScrollArea) else each
        return each.isVisible() and each.isEnabled() and not inside.visibleRegion().isEmpty()

    return [
        each
        for kind in CONTROLS
        for each in window.findChildren(kind)
        if seen(each) and not isinstance(each, QHeaderView) and not isinstance(each.parent(), PARTS)
        if not (isinstance(each, QPlainTextEdit) and each.isReadOnly())
    ]


def find_covered(window):
    """Return the visible controls of which a widget covers a corner or the centre, with that widget's name."""
    covered = []
    for control in visible_controls(window):
        inside = control.viewport() if isinstance(control, QAbstractScrollArea) else control
        seen = inside.visibleRegion().boundingRect()
        for point in (seen.topLeft(), seen.center(), seen.bottomRight()):
            above = window.childAt(inside.mapTo(window, point))
            if above is not None and above is not inside and not inside.isAncestorOf(above):
                covered.append((control.accessibleName(), type(above).__name__))
    return covered


@pytest.mark.parametrize("size", [(1024, 768), (1440, 900)])
def test_messages_and_progress_cover_no_control_and_move_nothing(start, qtbot, size):
    window = start(*size)
    workspace = window.workspace
    workspace.put(np.arange(6), {column: np.linspace(0, 1, 6) for column in (workspace.x, workspace.y)})
    qtbot.waitUntil(lambda: at_rest(workspace))
    banner, tabs = window.banner, window.tabs

    def places():
        settle(qtbot, window)
        mine = [control for control in visible_controls(window) if not window.statusBar().isAncestorOf(control)]
        return {control: (control.mapTo(window, QPoint()), control.size()) for control in mine}

    for number in range(tabs.count()):
        tabs.setCurrentIndex(number)
        qtbot.waitUntil(lambda: at_rest(window.analysis) and not window.analysis.busy)
        settle(qtbot, window)
        before, page = places(), tabs.geometry()
        for show in (
            partial(window.status.show_work, "Naming the changes: 3 of 176 pairs", lambda: None),
            partial(banner.tell, "Done."),
            partial(banner.warn, "This has two ways out. " * 9, "The first way", print, ("The second way", print)),
            partial(banner.show_or_clear, "This stays until its cause is gone."),
            partial(banner.complain, "A line\nand another one.", "Do it", print),
        ):
            show()
            assert places() == before, tabs.tabText(number)
            assert find_covered(window) == [], tabs.tabText(number)
        banner.details_button.click()
        settle(qtbot, window)
        assert banner.details.isVisible() and find_covered(window) == []
        banner.clear()
        banner.withdraw("This has two ways out. " * 9)
        banner.show_or_clear("")
        window.status.show_work("", None)
        settle(qtbot, window)
        assert tabs.geometry() == page and not banner.isVisible()


class OverlapWatch(QObject):
    """Lists the controls that are painted while they lie over a sibling."""

    def __init__(self, window):
        super().__init__(window)
        self.overlaps = set()
        kinds = (QAbstractButton, QLineEdit, QPlainTextEdit, QComboBox, QAbstractSpinBox, QLabel)
        self._watched = {part: part.parentWidget() for kind in kinds for part in window.findChildren(kind)}
        for part in self._watched:
            part.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            for part, parent in self._watched.items():
                beside = parent is watched.parentWidget() and part is not watched and part.isVisible()
                if beside and part.geometry().intersects(watched.geometry()):
                    self.overlaps.add(f"{watched.accessibleName()} over {part.accessibleName()}")
        return False


def test_nothing_is_painted_over_its_neighbour_while_the_window_changes_its_size(start, qtbot):
    window = start()
    window.bench.set_history([BenchEntry("A cat.", "One cat.", {"bleu": 0.5})])
    window.bench.bring_back(0)
    watch = OverlapWatch(window)
    for number in range(window.tabs.count()):
        window.tabs.setCurrentIndex(number)
        qtbot.waitUntil(lambda: at_rest(window.analysis) and not window.analysis.busy)
        for size in ((1440, 900), (960, 640), (1024, 768), (760, 900), (1440, 650), (1440, 900)):
            window.resize(*size)
            for _ in range(5):
                QApplication.processEvents()
            settle(qtbot, window)
    assert watch.overlaps == set()


def test_each_waiting_message_is_reached_with_its_own_buttons(start, qtbot):
    banner, pressed = start().banner, []
    banner.warn("First.", "Do the first", partial(pressed.append, "first"))
    banner.show_or_clear("Third.")
    banner.warn(
        "Second.", "Do the second", partial(pressed.append, "second"), ("Or else", partial(pressed.append, "x"))
    )
    assert banner.details_button.text() == "3 messages" and banner.text == "First.\nThird.\nSecond."
    previous, close = (
        find_part(banner, QToolButton, name) for name in ("Show the previous message", "Close this message")
    )
    assert banner.other_button.text() == "Or else"
    previous.click()
    assert not banner.action_button.isVisible() and not close.isVisible(), "it applies until its cause is gone"
    previous.click()
    banner.action_button.click()
    assert pressed == ["first"] and banner.text == "Third.\nSecond."
    banner.action_button.click()
    assert pressed == ["first", "second"] and banner.text == "Third." and not previous.isVisible()
    assert not banner.details_button.isVisible(), "the line has the whole message"
    banner.show_or_clear("")
    assert banner.text == "" and not banner.isVisible()
    for action, passes in (("", True), ("Open", False)):
        banner.tell("Pairs written.", action, print)
        assert banner._timer.isActive() == passes, "what can be acted on waits"


def test_every_message_about_a_written_file_can_open_it():
    for path in Path(parapluie_gui.__file__).parent.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                text = ast.unparse(function)
                if re.search(r"""tr\(['"][^'"]*(written to \{|saved as \{0\}, )""", text):
                    place = f"{path}:{function.lineno}"
                    assert ".written.emit(" in text and ".message.emit(" not in text, f"{place}: emit `written`"


def test_a_written_table_is_opened_from_its_message(open_window, qtbot, tmp_path, monkeypatch):
    window = open_window(PAIRS)
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    table = GridTable()
    table.written.connect(window.analysis.links.written)
    table.write(tmp_path / "t.csv")
    banner = window.banner
    assert [each.text() for each in (banner.action_button, banner.other_button)] == ["Open", "Show in folder"]
    banner.action_button.click()
    table.write(tmp_path / "t.csv")
    banner.other_button.click()
    assert [Path(url.toLocalFile()) for url in opened] == [tmp_path / "t.csv", tmp_path]


def test_no_more_than_45_controls_are_visible(open_window, qtbot):
    window = open_window(size=(1440, 900))
    mrpc = Path(__file__).parents[3].parent / "shared" / "data" / "mrpc" / "msr_paraphrase_test.txt"
    if mrpc.is_file():
        window.files.open_paths([mrpc])
    else:
        window.state.corpora.open_demo()
    workspace = window.workspace
    qtbot.waitUntil(lambda: workspace.corpus is not None, timeout=20_000)
    rows = np.arange(workspace.table.rows)
    numbers = np.random.default_rng(0)
    judged = window.setup.plan.judge_scores(window.workspace.table)
    for column in ("edit_distance", "bleu", "meteor_stem", "sbert", *judged):
        workspace.put(rows, {column: numbers.uniform(-1, 1, len(rows))})
    workspace.selection.set_rows("some", rows[::3])
    workspace.selection.set_primary(3)
    settle(qtbot, window)
    qtbot.waitUntil(lambda: at_rest(workspace))
    shown = visible_controls(window)
    assert window.scatter.canvas in shown and window.table in shown and window.pair.verdict._note in shown
    assert 20 < len(shown) <= 45, sorted(f"{type(each).__name__} {each.accessibleName()}" for each in shown)
