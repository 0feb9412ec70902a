from __future__ import annotations

import time
from datetime import UTC, datetime

import numpy as np
import pytest
from finding import actions, find_part, label_text
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QCompleter, QLabel, QPushButton
from waiting import at_rest, in_time

from parapluie_gui.analysis import pattern
from parapluie_gui.analysis.filter.words import quote_column
from parapluie_gui.judgements.record import NOTE, Judgement
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.columns import filter_names, table_columns
from parapluie_gui.ui.state.notes import CorpusAnnotations
from parapluie_gui.ui.state.selection import LASSO
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.table.filter_bar import FilterBar
from parapluie_gui.ui.table.presets import PRESETS
from parapluie_gui.ui.widgets import icons, theme

#            0      1     2     3     4     5     6      7
DIRECT = [+4.0, -3.0, +2.0, -0.1, +0.2, -5.0, +1.0, np.nan]
FEW_SHOT = [3.0, +1.0, 2.0, -1.0, -0.5, -6.0, 2.0, np.nan]
LABELS = [1, 1, 0, 0, 1, 0, -1, 1]
DISTANCE = [0.9, 0.1, 0.8, 0.2, 0.5, 0.05, 0.95, 0.4]


@pytest.fixture
def workspace(qapp) -> CorpusWorkspace:
    if qapp.styleSheet() != theme.style_sheet(theme.LIGHT):
        theme.apply(qapp, theme.LIGHT)
    workspace = CorpusWorkspace()
    table = ScoreTable(8)
    columns = {"pluie.direct": DIRECT, "pluie.fs-direct": FEW_SHOT, "edit_distance": DISTANCE}
    columns |= {"pluie.direct.p_yes": [0.9, 0.1, 0.2, 0.5, 0.6, 0.0, 0.7, np.nan]}
    columns |= {"pluie.direct.p_no": [0.0, 0.9, 0.1, 0.5, 0.3, 0.4, 0.2, np.nan]}
    table.put(np.arange(8), {name: np.array(values) for name, values in columns.items()})
    sources = ["a Tsunami came", "b", "c", "d & e", "f", "g", "h", "tsunami again"]
    corpus = Corpus("small", list("abcdefgh"), sources, ["x"] * 8, label=np.array(LABELS, dtype=np.int8))
    workspace.show(corpus, table)
    return workspace


@pytest.fixture
def notes():
    return CorpusAnnotations(lambda work, failure: None)


@pytest.fixture
def bar(notes, workspace, qtbot) -> FilterBar:
    bar = FilterBar(workspace, notes)
    qtbot.addWidget(bar)
    bar.resize(900, 60)
    bar.show()
    bar.activateWindow()
    qtbot.waitActive(bar)
    bar.focus()
    return bar


def members(workspace: CorpusWorkspace) -> list[int]:
    return np.flatnonzero(workspace.selection.mask).tolist()


def type_filter(qtbot, bar: FilterBar, text: str) -> None:
    bar.edit.selectAll()
    qtbot.keyClicks(bar.edit, text)


def chip(bar) -> str:
    """Return the text of the button that names a selection and clears it, "" when there is none."""
    shown = [button for button in bar.findChildren(QPushButton) if not button.isHidden()]
    return next((button.text() for button in shown if icons.name_of(button) == "x"), "")


def remove_part(bar, name: str) -> None:
    """Click the chip of one condition of the selection."""
    name = f"{name}. Remove it from the selection"
    QApplication.processEvents()  # the layout shows a new chip a moment later
    shown = [chip for chip in bar.findChildren(QPushButton) if chip.isVisibleTo(bar)]
    next(chip for chip in shown if chip.accessibleName() == name).click()


def preset_actions(bar) -> dict[str, QAction]:
    """Return the titles of the presets as the menu shows them."""
    shown = actions(find_part(bar, QPushButton, "Presets"))
    return {preset.title: shown[preset.title] for preset in PRESETS}


def choose_preset(bar, title: str) -> None:
    preset_actions(bar)[title].trigger()


def test_the_buttons_stay_where_they_are_whatever_the_number_of_pairs(bar, workspace):
    bar.show()

    def places():
        QApplication.processEvents()
        return [(button.text(), button.geometry()) for button in bar.findChildren(QPushButton)]

    before = places()
    for text in ("tsunami", "edit_distance < 0.5 and label == 1", ""):
        bar.set_filter(text)
        assert places() == before, bar._count.text()


def test_typing_filters_without_enter(bar, workspace, qtbot):
    with qtbot.waitSignal(workspace.selection.set_changed, timeout=2000):
        type_filter(qtbot, bar, "pluie.direct > 0 and label == 0")
    assert members(workspace) == [2]
    assert label_text(bar, "Number of pairs shown") == "1 of 8 pairs (condition)"
    assert workspace.selection.rule.filter_text == "pluie.direct > 0 and label == 0"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tsunami", [0, 7]),
        ('source contains "tsunami"', [0, 7]),
        ("label == 1", [0, 1, 4, 7]),
        ("missing(pluie.direct)", [7]),
        ("length > 12", [0, 7]),
        ("no such word", []),
    ],
)
def test_filters_select_matching_pairs(bar, workspace, text, expected):
    bar.set_filter(text)
    assert members(workspace) == expected
    assert bar.error == ""


def test_typing_is_applied_once_not_at_every_key(bar, workspace, qtbot):
    changes = []
    workspace.selection.set_changed.connect(lambda: changes.append(workspace.selection.rule.name))
    type_filter(qtbot, bar, "tsunami")
    qtbot.waitUntil(lambda: bool(changes))
    assert changes == ["tsunami"]


def test_an_invalid_filter_is_explained_and_changes_nothing(bar, workspace, qtbot):
    bar.set_filter("label == 0")
    before = members(workspace)
    type_filter(qtbot, bar, "pluie.dirrect > 0")
    qtbot.waitUntil(lambda: bar.error != "")
    assert "pluie.dirrect" in bar.error
    assert members(workspace) == before
    assert find_part(bar, QLabel, "Problem with the filter").isVisible()
    type_filter(qtbot, bar, "pluie.direct > 0")
    qtbot.waitUntil(lambda: bar.error == "")
    assert members(workspace) == [0, 2, 4, 6]


def test_comparing_text_with_numbers_is_an_error_not_a_crash(bar, workspace):
    bar.set_filter("source > 3")
    assert bar.error != ""
    assert workspace.selection.rule is None


def test_escape_and_clearing_show_all_pairs(bar, workspace, qtbot):
    bar.set_filter("tsunami")
    qtbot.keyClick(bar.edit, Qt.Key.Key_Escape)
    assert (members(workspace), bar.edit.text()) == (list(range(8)), "")
    bar.set_filter("tsunami")
    bar.edit.clear()  # as the clear button does
    qtbot.waitUntil(lambda: workspace.selection.rule is None)
    assert label_text(bar, "Number of pairs shown") == "8 pairs"


def test_a_rule_follows_scores_and_threshold(bar, workspace, qtbot):
    bar.set_filter("pluie.direct > 3")
    with qtbot.waitSignal(workspace.scores_changed):
        workspace.put(np.array([7]), {"pluie.direct": np.array([8.0])})
    assert members(workspace) == [0, 7]
    bar.clear()
    choose_preset(bar, "False positives")
    assert members(workspace) == [2]
    workspace.set_threshold(-1.0)
    assert members(workspace) == [2, 3]
    assert label_text(bar, "Number of pairs shown") == "2 of 8 pairs"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("False positives", [2]),
        ("False negatives", [1]),
        ("Wrong", [1, 2]),
        ("Far apart but high", [0, 6]),
        ("Close but low", [1, 5]),
        ("Templates disagree", [1, 4]),
        ("Near the threshold", [3]),
        ("Judge says neither yes nor no", [2, 5]),
        ("Not scored", [7]),
        ("With a note", [6]),
    ],
)
def test_presets_select_matching_pairs(bar, workspace, notes, title, expected):
    notes.show(1, [Judgement(6, "", *NOTE, "odd", datetime.now(UTC))])
    choose_preset(bar, title)
    assert members(workspace) == expected
    assert chip(bar) == title
    assert bar.edit.text() == ""


def test_pairs_whose_order_decides_are_selected(bar, workspace):
    assert "Also with the sentences swapped" in preset_actions(bar)["Order changes the verdict"].toolTip()
    reverse = np.array(DIRECT)
    reverse[:3] *= -1
    workspace.put(np.arange(8), {"pluie.direct.reverse": reverse})
    choose_preset(bar, "Order changes the verdict")
    assert members(workspace) == [0, 1, 2]
    choose_preset(bar, "Templates disagree")
    assert members(workspace) == [1, 4], "a second direction is not a second template"
    assert "pluie.direct.gap" in workspace.numeric_columns() and "pluie.direct.gap" in filter_names(workspace)


def test_pairs_on_which_judges_disagree_are_selected(bar, workspace):
    assert "Scores of two judges" in preset_actions(bar)["All judges wrong"].toolTip()
    values, labels = np.array(DIRECT), workspace.labels()
    for judge, sign in (("one", 1.0), ("two", -1.0)):
        column = workspace.declare("pluie.p1", Signature.from_fields("pluie.p1", {"name": "pluie", "model": judge}))
        workspace.put(np.arange(8), {column: np.where(np.arange(8) < 3, sign, 1.0)})
    assert column == "pluie.p1@two" and len(values) == 8
    choose_preset(bar, "Judges disagree")
    assert members(workspace) == [0, 1, 2]
    choose_preset(bar, "All judges wrong")
    assert members(workspace) == [row for row in range(3, 8) if labels[row] == 0]


def test_templates_are_compared_within_one_judge(bar, workspace):
    """Two judges with the same template are not two templates; templates are compared per judge."""
    workspace.table.drop("pluie.fs-direct")
    for judge, template, values in (
        ("one", "p1", [1, 1, 1, 1, -1, -1, -1, -1]),
        ("two", "p1", [-1, -1, 1, 1, -1, -1, 1, 1]),
        ("two", "p2", [-1, -1, 1, 1, -1, -1, -1, 1]),
    ):
        signature = Signature.from_fields(f"pluie.{template}", {"name": "pluie", "model": judge})
        column = workspace.declare(f"pluie.{template}", signature)
        workspace.put(np.arange(8), {column: np.array(values, dtype=float)})
    choose_preset(bar, "Templates disagree")
    assert members(workspace) == [6]
    bar.clear()
    bar.set_filter("pluie.p1 > 0")
    assert members(workspace) == [0, 1, 2, 3]
    assert (
        label_text(bar, "How the filter is read")
        == "pluie.p1 is read as pluie.p1@one. Scores of other judges: pluie.p1@two."
    )
    bar.set_filter("pluie.p1@two > 0")
    assert members(workspace) == [2, 3, 6, 7] and not label_text(bar, "How the filter is read")
    bar.set_filter("pluie.p1 > 0")
    bar.clear()
    assert not label_text(bar, "How the filter is read")


def test_presets_describe_their_selection_and_why_they_are_unavailable(bar, workspace):
    actions = preset_actions(bar)
    assert actions["False positives"].isEnabled()
    assert not actions["With a note"].isEnabled()
    assert "No pair has a note" in actions["With a note"].toolTip()
    workspace.show(Corpus("bare", ["1"], ["a"], ["b"]))
    preset_actions(bar)
    assert {title for title, action in actions.items() if action.isEnabled()} == {"Not scored"}
    assert "no labels" in actions["Wrong"].toolTip()
    assert all(len(action.toolTip()) > 30 for action in actions.values())
    workspace.show(None)
    preset_actions(bar)
    assert not any(action.isEnabled() for action in actions.values())


def test_a_selection_of_a_different_view_is_a_chip_that_clears_it(bar, workspace, qtbot):
    bar.set_filter("tsunami")
    workspace.selection.set_rows("Lasso & more", np.array([1, 2]))
    assert chip(bar) == "Lasso && more"
    assert bar.edit.text() == ""
    assert label_text(bar, "Number of pairs shown") == "2 of 8 pairs"
    qtbot.mouseClick(find_part(bar, QPushButton, chip(bar)), Qt.MouseButton.LeftButton)
    assert workspace.selection.rule is None
    assert chip(bar) == ""


def test_filters_are_combined_and_every_chip_removes_its_own_condition(bar, workspace, qtbot):
    choose_preset(bar, "Wrong")
    assert members(workspace) == [1, 2]
    type_filter(qtbot, bar, "label == 0")
    qtbot.waitUntil(lambda: members(workspace) == [2])
    workspace.selection.set_rows("Lasso (3)", np.array([0, 2, 3]), LASSO)
    assert members(workspace) == [2] and bar.edit.text() == "label == 0"
    assert [rule.name for rule in workspace.selection.rules] == ["Wrong", "label == 0", "Lasso (3)"]
    assert workspace.selection.rule.name == "Wrong and label == 0 and Lasso (3)"
    workspace.selection.set_rows("Lasso (2)", np.array([1, 2]), LASSO)
    assert len(workspace.selection.rules) == 3, "a new lasso replaces the previous one"
    remove_part(bar, "Wrong")
    assert members(workspace) == [2] and chip(bar) == "Lasso (2)"
    bar.edit.clear()
    qtbot.waitUntil(lambda: members(workspace) == [1, 2])
    remove_part(bar, "Lasso (2)")
    assert workspace.selection.rule is None and chip(bar) == ""


def test_a_rule_that_replaces_the_selection_empties_the_box(bar, workspace):
    bar.set_filter("label == 0")
    workspace.selection.set_rows("saved", np.array([1]))
    assert members(workspace) == [1] and bar.edit.text() == "" and chip(bar) == "saved"


def test_every_column_of_the_table_can_be_filtered_by_its_displayed_name(bar, workspace):
    for column in table_columns(workspace):
        value, found = '"x"' if column.shows in ("text", "outcome") else "0", []
        for name in (quote_column(column.title), *(f"{mark}{column.title}{mark}" for mark in "`\"'")):
            bar.set_filter(f"{name} == {value}")
            assert not bar.error, name
            found.append(members(workspace))
        assert all(pairs == found[0] for pairs in found), column.title
    bar.set_filter('Outcome == "FP"')
    assert members(workspace) == [2] and not bar.error
    workspace.set_threshold(-1.0)
    assert members(workspace) == [2, 3], "it follows the threshold"
    for text in ("outcome == FP", "Outcome = fp", "label == 0 and outcome != tn"):
        bar.set_filter(text)
        assert members(workspace) == [2, 3] and not bar.error, text


def test_displayed_names_are_accepted_in_any_case(bar, workspace):
    for text in ("edit distance < 0.2", "EDIT DISTANCE < 0.2", "`Edit distance` < 0.2"):
        bar.set_filter(text)
        assert not bar.error, text


def test_a_condition_from_a_cell_is_added_to_the_filter(bar, workspace):
    bar.set_filter("label == 0")
    bar.add_condition('outcome == "FP"')
    assert bar.edit.text() == '(label == 0) and outcome == "FP"' and members(workspace) == [2]


def test_a_pending_key_does_not_override_a_selection_of_a_different_view(bar, workspace, qtbot):
    type_filter(qtbot, bar, "tsu")
    workspace.selection.set_rows("Lasso", np.array([1]))
    assert at_rest(bar)
    assert members(workspace) == [1]


def test_column_names_are_completed(bar, qtbot, workspace):
    type_filter(qtbot, bar, "pluie.f")
    assert bar.edit.findChild(QCompleter).popup().isVisible()
    qtbot.keyClick(bar.edit, Qt.Key.Key_Tab)
    assert bar.edit.text() == "pluie.fs-direct"
    qtbot.keyClicks(bar.edit, " > 2")
    qtbot.waitUntil(lambda: workspace.selection.rule is not None)
    assert members(workspace) == [0]


@pytest.mark.parametrize("typed", [r"/\b(not|never)\b/i", "/pluie", 'source contains "pluie', "length > 3 and /sou"])
def test_nothing_is_completed_inside_texts_and_enter_accepts_nothing(bar, qtbot, typed):
    type_filter(qtbot, bar, typed)
    assert not bar.edit.findChild(QCompleter).popup().isVisible()
    qtbot.keyClick(bar.edit, Qt.Key.Key_Return)
    assert bar.edit.text() == typed
    qtbot.waitUntil(lambda: bar._search is None)


def test_enter_accepts_only_an_entry_chosen_with_an_arrow(bar, qtbot):
    popup = bar.edit.findChild(QCompleter).popup()
    type_filter(qtbot, bar, "length / pluie.f")
    assert popup.isVisible(), "after a value the slash is a division"
    qtbot.keyClick(bar.edit, Qt.Key.Key_Return)
    assert bar.edit.text() == "length / pluie.f" and not popup.isVisible()
    type_filter(qtbot, bar, "pluie.f")
    popup.setCurrentIndex(popup.model().index(0, 0))
    qtbot.keyClick(bar.edit, Qt.Key.Key_Return)
    assert bar.edit.text() == "pluie.fs-direct"


def test_completion_offers_the_displayed_names(bar, qtbot, workspace):
    fields = {"name": "pluie", "model": "smollm2-135m"}
    workspace.declare("pluie.fs-direct", Signature.from_fields("pluie.fs-direct", fields))
    workspace.declare("pluie.fs-direct", Signature.from_fields("pluie.fs-direct", {**fields, "model": "other"}))
    type_filter(qtbot, bar, "`FS-DIRECT · S")
    assert bar.edit.findChild(QCompleter).popup().isVisible()
    qtbot.keyClick(bar.edit, Qt.Key.Key_Tab)
    assert bar.edit.text() == "`FS-DIRECT · SmolLM2`"
    rows = np.arange(workspace.table.rows)
    workspace.put(rows, {"pluie.fs-direct": np.where(rows == 1, 3.0, -3.0)})
    qtbot.keyClicks(bar.edit, " > 2")
    qtbot.waitUntil(lambda: workspace.selection.rule is not None)
    assert members(workspace) == [1]


def test_arrow_keys_walk_a_history_of_twenty_filters(bar, qtbot, workspace):
    for number in range(25):
        type_filter(qtbot, bar, f"pluie.direct > {number}")
        qtbot.keyClick(bar.edit, Qt.Key.Key_Return)
    assert len(bar.edit.history) == 20
    qtbot.keyClick(bar.edit, Qt.Key.Key_Up)
    qtbot.keyClick(bar.edit, Qt.Key.Key_Up)
    assert bar.edit.text() == "pluie.direct > 23"
    qtbot.keyClick(bar.edit, Qt.Key.Key_Down)
    assert bar.edit.text() == "pluie.direct > 24"
    other = FilterBar(workspace)
    qtbot.addWidget(other)
    other.restore(bar.settings())
    assert other.edit.history == bar.edit.history


def test_export_requests_the_table_or_the_selection(bar, workspace, qtbot):
    actions = find_part(bar, QPushButton, "Export").menu().actions()
    for action, scope in zip(actions, ("table", "selection"), strict=True):
        with qtbot.waitSignal(bar.export_requested) as asked:
            action.trigger()
        assert asked.args == [scope]
    bar.set_filter("no such word")
    assert not actions[1].isEnabled()
    workspace.show(None)
    assert not find_part(bar, QPushButton, "Export").isEnabled()


def test_filtering_without_a_corpus_gives_a_message(qtbot, qapp):
    bar = FilterBar(CorpusWorkspace())
    qtbot.addWidget(bar)
    bar.set_filter("tsunami")
    assert "corpus" in bar.error
    assert label_text(bar, "Number of pairs shown") == "No corpus"


def test_a_filter_on_a_column_that_appears_later_is_retried(bar, workspace, qtbot):
    bar.set_filter("bleu > 0.5")
    assert "bleu" in bar.error
    with qtbot.waitSignal(workspace.scores_changed):
        workspace.put(np.arange(8), {"bleu": np.linspace(0, 1, 8)})
    assert bar.error == ""
    assert members(workspace) == [4, 5, 6, 7]


def test_words_and_conditions_are_distinguished(bar, workspace, qtbot):
    bar.set_filter("edit_distance > 0.5")
    shown = members(workspace)
    assert label_text(bar, "Number of pairs shown").endswith("(condition)")
    bar.set_filter("edit_distance > and")
    assert bar.error.endswith("The filter was read as a condition; the table still shows “edit_distance > 0.5”.")
    assert members(workspace) == shown
    bar.set_filter("nothing like it")
    assert label_text(bar, "Number of pairs shown") == "0 of 8 pairs (words)" and bar.error == ""


def test_the_example_uses_existing_columns(bar, workspace):
    assert bar.edit.placeholderText() == "Filter: a word, or pluie.direct > 0 and label == 0"
    example = bar.edit.placeholderText().partition(", or ")[2]
    bar.set_filter(example)
    assert bar.error == ""
    workspace.show(Corpus("c", ["1"], ["a"], ["b"]))
    assert bar.edit.placeholderText() == "Filter: a word, or length > 80"
    bar.set_filter("length > 80")
    assert bar.error == ""


def test_the_example_uses_the_displayed_name_if_it_is_one_word(bar, workspace):
    table = ScoreTable(2)
    table.declare("pluie.cloze", Signature.from_fields("pluie.cloze", {"name": "pluie", "model": "pocket"}))
    table.put(np.arange(2), {"pluie.cloze": np.array([1.0, -1.0])})
    workspace.show(Corpus("c", ["1", "2"], ["a", "b"], ["a", "b"]), table)
    assert bar.edit.placeholderText() == "Filter: a word, or Pocket > 0"
    bar.set_filter("Pocket > 0")
    assert bar.error == "" and members(workspace) == [0]


# Slow filters


@pytest.fixture
def slow(workspace):
    """A corpus on which a certain regular expression never ends."""
    texts = ["a" * 60 + "!"] + ["b"] * 7
    workspace.show(Corpus("slow", list("abcdefgh"), texts, ["x"] * 8), ScoreTable(8))
    return workspace


ENDLESS = "/(a|aa|a\\w)+$/"


def test_words_are_searched_in_a_thread_if_there_are_many_pairs(slow, bar, qtbot, monkeypatch):
    monkeypatch.setattr("parapluie_gui.ui.table.filter_bar.MANY", 8)
    bar.set_filter("b")
    assert bar._search is not None and len(members(slow)) == 8
    qtbot.waitUntil(lambda: members(slow) == [1, 2, 3, 4, 5, 6, 7], timeout=10_000)
    bar.set_filter("length > 3")
    assert members(slow) == [0], "numbers are compared at once"


@pytest.mark.parametrize("text", ["source contains /b/", "/b/ and not /a/"])
def test_a_regular_expression_is_searched_in_a_thread(slow, bar, qtbot, text):
    bar.set_filter(text)
    assert slow.selection.rule is None
    assert label_text(bar, "Number of pairs shown") == "Searching …"
    qtbot.waitUntil(lambda: slow.selection.rule is not None)
    assert members(slow) == [1, 2, 3, 4, 5, 6, 7] and bar.edit.history[0] == text


def test_the_window_stays_responsive_while_an_expression_never_ends(slow, bar, qtbot, monkeypatch):
    monkeypatch.setattr(pattern, "SECONDS", 0.3)
    begun = time.thread_time()
    bar.set_filter(ENDLESS)
    assert time.thread_time() - begun < in_time(0.2)
    qtbot.waitUntil(lambda: "takes too long" in bar.error, timeout=20_000)
    assert slow.selection.rule is None and ENDLESS not in bar.edit.history


def test_the_last_of_several_filters_applies(slow, bar, qtbot, monkeypatch):
    monkeypatch.setattr(pattern, "SECONDS", 0.3)
    for text in (ENDLESS, "/a/", "/b/ and source contains /b/"):
        bar.set_filter(text)
    qtbot.waitUntil(lambda: slow.selection.rule is not None, timeout=20_000)
    assert slow.selection.rule.filter_text.startswith("/b/") and not bar.error


@pytest.mark.parametrize("how", ["clear", "corpus", "close"])
def test_a_cancelled_search_reports_nothing(slow, bar, qtbot, monkeypatch, how):
    monkeypatch.setattr(pattern, "SECONDS", 0.3)
    bar.set_filter(ENDLESS)
    if how == "corpus":
        slow.show(Corpus("other", ["a"], ["b"], ["c"]), ScoreTable(1))
    else:
        (bar.clear if how == "clear" else bar.close_work)()
    qtbot.waitUntil(lambda: bar._search is None, timeout=20_000)
    assert slow.selection.rule is None and not bar.error


def test_scores_that_arrive_later_do_not_repeat_the_text_search(workspace, bar, qtbot, monkeypatch):
    bar.set_filter("source contains /[ad]/ and pluie.direct > 0")
    qtbot.waitUntil(lambda: workspace.selection.rule is not None)
    assert members(workspace) == [0]
    monkeypatch.setattr(pattern.SearchPattern, "_find_spans", lambda *_: pytest.fail("searched again"))
    workspace.table.put(np.array([3]), {"pluie.direct": np.array([2.0])})
    workspace.selection.refresh()
    assert members(workspace) == [0, 3]
