"""The command palette: finds actions, scores, metrics, templates and settings; Enter activates the chosen result."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from parapluie_gui import __version__
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.ui.analysis.pages import pages
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.window.about import AboutDialog, list_versions
from parapluie_gui.ui.window.actions import actions
from parapluie_gui.ui.window.finding import MOST, PaletteCommand, find_commands


@pytest.fixture
def window(open_window):
    return open_window()


def test_the_closest_title_comes_first():
    titles = ("Report…", "Export figure…", "Copy figure", "Figure size", "Paste pairs")
    commands = [PaletteCommand(title, "Action", print, "write a figure" * (title == "Report…")) for title in titles]
    result = [command.title for command in find_commands(commands, "figur")]
    assert result == ["Figure size", "Export figure…", "Copy figure", "Report…"]
    assert [command.title for command in find_commands(commands, "EXP fig")] == ["Export figure…"]
    assert find_commands(commands, "figure zebra") == []
    assert len(find_commands(commands * 40, "")) == MOST


@pytest.mark.needs("sampling")
def test_tasks_are_found_by_the_words_of_other_programs(window):
    window.workspace.show(Corpus("c", ["1"], ["A cat."], ["A dog."]))
    for words, title in (
        ("stratified sample", "Select at random…"),
        ("how many pairs", "Select at random…"),
        ("disagree", "Compare two"),
    ):
        assert title in [command.title for command in find_commands(window.finder.commands(), words)], words


def test_everything_can_be_searched_and_activated(window, qtbot):
    by_kind: dict[str, set[str]] = {}
    for command in window.finder.commands():
        by_kind.setdefault(command.kind, set()).add(command.title)
    assert by_kind["Metric"] >= {info.title for info in catalogue.metrics()}
    ticks = window.setup.templates.ticks()
    assert all(any(title.endswith(f" · {name}") for title in by_kind["Template"]) for name in ticks) and ticks
    assert {"Model", "Device", "Precision"} <= by_kind["Setting"]
    assert by_kind["Analysis"] == {page.title for page in pages()} and "Column" not in by_kind
    enabled = {name for name, action in window.actions_by_name.items() if action.isEnabled()} - {"finder.open"}
    texts = {action.text.replace("&", "") for action in actions() if action.slot in enabled}
    assert by_kind["Action"] == texts

    def ask(words):
        window.actions_by_name["finder.open"].trigger()
        palette = window.finder.palette
        assert palette.isVisible() and palette.edit.text() == ""
        assert palette.list.horizontalScrollBar().maximum() == 0, "nothing extends beyond the edge"
        QTest.keyClicks(palette.edit, words)
        QTest.keyClick(palette.edit, Qt.Key.Key_Return)
        assert not palette.isVisible()

    ask("dark col")
    qtbot.waitUntil(lambda: window.looks.theme is themes.DARK)
    ask("precision")
    qtbot.waitUntil(lambda: window.focusWidget() is window.setup.judge.precision)
    ask("bertscore")
    qtbot.waitUntil(lambda: window.setup.metrics.picker is not None and window.setup.metrics.picker.isVisible())
    assert window.setup.metrics.picker.search.text()
    window.setup.metrics.picker.close()


def test_the_window_receives_keys_again_after_the_palette(window, qtbot, qapp):
    """Without a window manager the focus is not returned: Ctrl+K would be a key of the focused field."""
    for leave in (Qt.Key.Key_Escape, Qt.Key.Key_Return):
        window.finder.open()
        palette = window.finder.palette
        qtbot.waitUntil(palette.edit.hasFocus)
        QTest.keyClicks(palette.edit, "precision")
        QTest.keyClick(palette.edit, leave)
        qtbot.waitUntil(lambda: qapp.activeWindow() is window)


def test_pages_are_listed_before_they_are_created(window):
    result = {command.title: command for command in window.finder.commands() if command.kind == "Analysis"}
    assert window.analysis.pages == {}, "creating them takes most of a second"
    for old, new in (("curves", "Thresholds and curves"), ("buckets", "Accuracy by range")):
        assert any(old in each.words.lower() for each in result.values() if each.title == new)
    result["Thresholds and curves"].act()
    assert window.tabs.currentWidget() is window.analysis and window.analysis.page.title == "Thresholds and curves"
    assert [page.title for page in window.analysis.pages.values()] == ["Distributions", "Thresholds and curves"]
    for each in result.values():
        each.act()
        assert window.analysis.page.title == each.title
    assert len(window.analysis.pages) == len(result)


def test_a_column_of_the_corpus_is_shown_in_the_table(window):
    names = [f"column {at}" for at in range(30)]
    window.workspace.show(Corpus("c", ["1"], ["a b"], ["c d"], extra={name: [name] for name in names}))
    result = {command.title: command for command in window.finder.commands() if command.kind == "Column"}
    assert {"Id", "Source", *names} <= set(result)
    window.tabs.show_bench()
    for name in names:
        result[name].act()
    table = window.table
    assert window.docks.pairs.isVisible() and not table.isColumnHidden(table.pairs.column_at(names[-1]))
    place = table.columnViewportPosition(table.pairs.column_at(names[-1]))
    assert 0 <= place < table.viewport().width()


def test_the_table_is_sorted_and_a_column_hidden_by_the_palette(window, qtbot):
    window.workspace.show(Corpus("c", ["a", "b"], ["a b", "a"], ["c d", "c"]))

    def act(title):
        next(command for command in window.finder.commands() if command.title == title).act()

    act("Sort by Id, descending")
    table = window.table
    qtbot.waitUntil(lambda: table.pairs.rows.tolist() == [1, 0])
    act("Sort by Id, ascending")
    qtbot.waitUntil(lambda: table.pairs.rows.tolist() == [0, 1])
    act("Hide the column Id")
    assert table.isColumnHidden(table.pairs.column_at("id"))
    assert all(command.title != "Hide the column Id" for command in window.finder.commands())


def test_buttons_of_the_bench_can_be_searched_and_pressed(window, qtbot):
    def found(words):
        return [command for command in find_commands(window.finder.commands(), words) if command.kind == "Bench"]

    assert not found("collect"), "there is nothing to collect"
    window.bench.set_history([BenchEntry("One sentence.", "One phrase.")])
    past = window.bench.past
    pressed = []
    past.export_button.clicked.disconnect()
    past.export_button.clicked.connect(lambda: pressed.append("export"))
    (collect,), (export,) = found("collect"), found("export history")
    export.act()
    assert pressed == ["export"] and window.tabs.currentWidget() is window.bench
    window.tabs.show_scatter()
    collect.act()
    qtbot.waitUntil(lambda: past.collect_button.menu() is not None, timeout=10_000)
    assert window.workspace.corpus.source == ["One sentence."], "without a corpus to add to, there is nothing to choose"
    window.tabs.show_bench()
    found("collect")[0].act()
    menu = past.collect_button.menu()
    qtbot.waitUntil(menu.isVisible)
    assert [action.text() for action in menu.actions()] == ["New corpus", "Add to “Bench”"]
    menu.close()


def test_about_shows_versions_licence_and_paper(window):
    window.show_about()
    dialog = window.findChild(AboutDialog)
    text = "\n".join(label.text() for label in dialog.findChildren(QLabel))
    assert __version__ in text and "Apache License 2.0" in text and "aclanthology.org" in text
    assert any(line.startswith("numpy ") for line in list_versions())
    dialog.close()
