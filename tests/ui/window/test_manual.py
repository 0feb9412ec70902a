"""The manual in the window: pages, links, search, and the page of the focused widget."""

from __future__ import annotations

import pytest
from dressing import remove_style
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QLineEdit, QMainWindow, QPushButton, QTabWidget, QWidget

from parapluie_gui import manual
from parapluie_gui.ui.widgets import theme as themes
from parapluie_gui.ui.window.manual import ManualHelp, ManualWindow, page_about


@pytest.fixture
def window(qapp, qtbot, no_leaks):
    window = ManualWindow()
    qtbot.addWidget(window)
    window.open_page("index")
    return window


def chosen(window):
    return window.list.currentItem().text()


def follow(window, link):
    window.browser.anchorClicked.emit(QUrl(link))


def test_the_manual_opens_at_a_page_and_lists_all_pages(window):
    window.open_page("metrics")
    assert window.browser.path == "manual/metrics.md"
    assert [window.list.item(row).text() for row in range(window.list.count())] == [
        page.title for page in manual.pages()
    ]
    assert chosen(window) == "Metrics"


def test_a_choice_in_the_list_shows_the_page(window):
    window.list.setCurrentRow(2)
    assert window.browser.path == manual.pages()[2].path


def test_links_lead_to_pages_and_headings_and_back_again(window):
    window.resize(700, 300)
    follow(window, "corpora.md#encodings")
    assert window.browser.path == "manual/corpora.md"
    assert window.browser.textCursor().block().text() == "Encodings"
    assert window.browser.verticalScrollBar().value() > 0
    follow(window, "../pocket/MODEL_CARD.md")
    assert window.browser.path == "pocket/MODEL_CARD.md"
    assert chosen(window) == "Model card of the pocket judge"
    window.browser.backward()
    assert window.browser.path == "manual/corpora.md"


def test_web_links_open_in_the_browser_and_only_on_a_click(window, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    window.open_page("pocket-card")
    assert opened == []
    follow(window, "https://example.org/")
    assert opened == ["https://example.org/"]
    assert window.browser.path == "pocket/MODEL_CARD.md"


def test_only_pages_of_the_manual_are_read(window):
    for name in ("file:///etc/passwd", "https://example.org/a.png", "manual/../../secret.md"):
        assert window.browser.loadResource(2, QUrl(name)) is None


def test_a_search_lists_all_pages_shows_the_line_and_highlights_it(window, qtbot):
    window.search.setText("wilson's interval")
    hits = [window.list.item(row).text() for row in range(window.list.count())]
    assert any(hit.startswith("Analysis\n") and "Wilson's interval" in hit for hit in hits)
    window.list.setCurrentRow(next(row for row, hit in enumerate(hits) if hit.startswith("Analysis\n")))
    assert window.browser.path == "manual/analysis.md"
    marked = {mark.cursor.selectedText().lower() for mark in window.browser.extraSelections()}
    assert marked == {"wilson's", "interval"}
    result = window.browser.cursorRect(window.browser.document().find("Wilson's"))
    assert window.browser.viewport().rect().contains(result), "it is visible"
    window.search.clear()
    assert window.list.count() == len(manual.pages())
    assert chosen(window) == "Analysis"


def test_a_row_of_a_table_is_one_hit(window):
    hits = window.passages_with("rougeL ASCII")
    assert [hit.path for hit in hits] == ["manual/metrics.md"]
    assert "rouge-score" in hits[0].text


def test_enter_goes_to_the_first_hit(window, qtbot):
    qtbot.keyClicks(window.search, "mcnemar")
    qtbot.keyClick(window.search, Qt.Key.Key_Return)
    assert window.browser.extraSelections()


def test_a_search_without_hits_is_reported(window):
    window.search.setText("zyxwv")
    assert window.list.count() == 1
    assert "No page" in window.list.item(0).text()
    assert not window.list.item(0).flags() & Qt.ItemFlag.ItemIsSelectable


@pytest.mark.parametrize("theme", [themes.LIGHT, themes.DARK], ids=lambda theme: theme.name)
def test_the_manual_follows_light_and_dark(qapp, window, theme):
    themes.apply(qapp, themes.DARK if theme is themes.LIGHT else themes.LIGHT)
    window.open_page("table")
    themes.apply(qapp, theme)
    document = window.browser.document()
    code = document.find("satisfies <")
    assert code.charFormat().background().color() == window.palette().alternateBase().color()
    link = document.find("bound", document.find("A score that is a").selectionEnd())
    assert link.charFormat().foreground().color().name() == theme.accent
    remove_style(qapp)


def test_no_page_is_wider_than_the_smallest_window(window):
    window.resize(1024, 768)
    for page in manual.pages():
        window.open_page(page.name)
        assert window.browser.horizontalScrollBar().maximum() == 0, page.name


def test_every_control_has_a_name(window):
    assert {button.accessibleName() for button in window.findChildren(QPushButton)} == {"Back", "Forward"}
    for control in (window.search, window.list, window.browser):
        assert control.accessibleName()


def test_escape_closes_the_manual_and_ctrl_f_searches(window, qtbot):
    window.browser.setFocus()
    qtbot.keyClick(window.browser, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert window.search.hasFocus()
    qtbot.keyClick(window.search, Qt.Key.Key_Escape)
    assert not window.isVisible()


def test_the_nearest_widget_that_declares_a_page_counts(qtbot):
    outer, inner = QWidget(), QWidget()
    qtbot.addWidget(outer)
    inner.setParent(outer)
    field = QLineEdit(inner)
    assert page_about(field) == "index"
    outer.setProperty("manual_page", "scoring")
    assert page_about(field) == "scoring"
    inner.setProperty("manual_page", "metrics")
    assert page_about(field) == "metrics"
    assert page_about(None) == "index"


def test_the_key_works_in_a_modal_dialog(qapp, qtbot):
    main = QMainWindow()
    qtbot.addWidget(main)
    tabs = QTabWidget()
    main.setCentralWidget(tabs)
    help_ = ManualHelp(main, tabs)
    action = main.menuBar().addMenu("Help").addAction("Manual")
    action.setShortcut("F1")
    action.triggered.connect(lambda: help_.open_here())
    help_.set_action(action)
    main.show()
    dialog = QDialog(main)
    dialog.setProperty("manual_page", "corpora")
    field = QLineEdit(dialog)
    dialog.open()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    qtbot.keyClick(field, Qt.Key.Key_F1)
    assert help_.window is not None
    assert help_.window.browser.path == "manual/corpora.md"
    assert help_.window.isEnabled()
    assert help_.window.windowModality() == Qt.WindowModality.NonModal
    dialog.close()
    help_.close()
    assert help_.window is None
