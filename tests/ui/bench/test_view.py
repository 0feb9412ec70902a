"""The Bench as a user operates it: type, Enter, read scores, edit a copy, return through the history."""

from __future__ import annotations

import json

import pytest
from finding import find_part
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea

from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.ui.bench.entry import BenchEntry
from parapluie_gui.ui.bench.history import HistoryView
from parapluie_gui.ui.bench.view import BenchView
from parapluie_gui.ui.pair.sentences import SentenceText
from parapluie_gui.ui.widgets import theme

STALE = "The text has changed since it was scored. Press Enter to score it again."
LEFT = Qt.MouseButton.LeftButton
EVIDENCE = AnswerEvidence(0.8, 0.1, (("Yes", 0.8),), 40)


@pytest.fixture
def bench(qtbot):
    bench = BenchView()
    qtbot.addWidget(bench)
    bench.resize(900, 800)
    bench.asked = []
    bench.score_requested.connect(lambda *request: bench.asked.append(request))
    bench.show()
    return bench


def scored(bench, qtbot, source="A cat sat.", hypothesis="A cat slept.", value=-1.2):
    """Replace the current text with a pair, press Enter, and reply with scores."""
    bench.fields.source.selectAll()
    qtbot.keyClicks(bench.fields.source, source)
    bench.fields.hypothesis.selectAll()
    qtbot.keyClicks(bench.fields.hypothesis, hypothesis)
    qtbot.keyClick(bench.fields.hypothesis, Qt.Key.Key_Return)
    request = bench.asked[-1][0]
    bench.show_scores(
        request, {"pluie.direct": value, "edit_distance": 0.5}, {"pluie.direct": EVIDENCE}, {"pluie.direct": "P"}
    )
    bench.finish(request)
    return request


def test_enter_requests_the_scores_of_the_typed_pair(bench, qtbot):
    qtbot.keyClicks(bench.fields.source, " A cat sat. ")
    qtbot.keyClick(bench.fields.source, Qt.Key.Key_Tab)
    qtbot.keyClicks(bench.fields.hypothesis, "The cat")
    qtbot.keyClick(bench.fields.hypothesis, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(bench.fields.hypothesis, "slept.")
    assert not bench.asked
    qtbot.keyClick(bench.fields.hypothesis, Qt.Key.Key_Return)
    assert bench.asked == [(1, "A cat sat.", "The cat\nslept.")]
    assert bench.fields.busy.isVisible() and bench.fields.stage.text() == "Scoring …"
    bench.show_stage(1, "Loading the judge")
    assert bench.fields.stage.text() == "Loading the judge"
    qtbot.keyClick(bench.fields.source, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert len(bench.asked) == 2


def colour_before(field, letters):
    """Return the colour in the space or mark left of a character, high in its line."""
    cursor = QTextCursor(field.document())
    cursor.setPosition(letters)
    return field.viewport().grab().toImage().pixelColor(field.cursorRect(cursor).topLeft() + QPoint(2, 2))


@pytest.mark.parametrize("worn", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_marks_are_visible_in_the_selection_that_the_next_sentence_replaces(bench, qtbot, wear, worn):
    wear(worn)
    scored(bench, qtbot)
    source = bench.fields.source
    assert source.textCursor().selectedText() == "A cat sat."
    marked, plain = colour_before(source, 6), colour_before(source, 2)
    source.moveCursor(QTextCursor.MoveOperation.End)
    unselected = colour_before(source, 6)
    assert max(abs(a - b) for a, b in zip(marked.getRgb(), plain.getRgb(), strict=True)) > 40
    assert max(abs(a - b) for a, b in zip(marked.getRgb(), unselected.getRgb(), strict=True)) < 60
    source.selectAll()
    qtbot.keyClicks(source, "New")
    assert source.toPlainText() == "New"


def test_all_pairs_of_the_history_have_one_scale(bench, qtbot):
    limits = []
    for number, value in enumerate((-1.2, -10.2, 3.0)):
        scored(bench, qtbot, f"Cat {number}.", "A cat.", value)
        limits.append(bench.scores.bars.limit)
    for place in (0, 1, 2, 0):
        bench.bring_back(place)
        limits.append(bench.scores.bars.limit)
    assert limits == [5.0, *[15.0] * 6], "it grows with a score beyond it, and nothing else changes it"


def test_a_verdict_key_in_a_field_replaces_no_sentence(bench, qtbot):
    bench.fields.set_texts("A cat.", "One cat.")
    bench.score()
    qtbot.keyClick(bench.fields.source, Qt.Key.Key_Escape)
    qtbot.keyClick(bench.window().focusWidget(), Qt.Key.Key_2)
    assert bench.fields.texts() == ("A cat.", "One cat.")
    assert "once the pair has its first score" in bench.fields.hint.full_text
    bench.show_scores(bench._request, {"bleu": 0.5})
    qtbot.keyClick(bench.window().focusWidget(), Qt.Key.Key_2)
    assert bench.history[0].verdict == "slightly_similar"


def test_tab_moves_the_focus_out_of_a_field(bench, qtbot):
    with qtbot.waitExposed(bench):
        bench.activateWindow()
    bench.fields.source.setFocus()
    qtbot.waitUntil(bench.fields.source.hasFocus)
    qtbot.keyClick(bench.fields.source, Qt.Key.Key_Tab)
    assert bench.fields.hypothesis.hasFocus() and bench.fields.source.toPlainText() == ""


@pytest.mark.parametrize(("source", "hypothesis", "word"), [("", "x", "source"), ("x", "  ", "hypothesis")])
def test_an_empty_sentence_gives_a_hint_and_no_request(bench, qtbot, source, hypothesis, word):
    qtbot.keyClicks(bench.fields.source, source)
    qtbot.keyClicks(bench.fields.hypothesis, hypothesis)
    qtbot.mouseClick(bench.fields.score_button, LEFT)
    assert not bench.asked and bench.fields.hint.isVisible() and word in bench.fields.hint.text()
    qtbot.keyClicks(bench.fields.source, "y")
    assert not bench.fields.hint.isVisible()


def test_the_difference_is_updated_while_typing(bench, qtbot):
    qtbot.keyClicks(bench.fields.source, "A red <b>car</b>")
    qtbot.keyClicks(bench.fields.hypothesis, "A blue <b>car</b>")

    def marked(edit):
        return [mark.cursor.selectedText() for mark in edit.extraSelections()[1:]]

    qtbot.waitUntil(lambda: "blue" in marked(bench.fields.hypothesis))
    assert "red" in marked(bench.fields.source), "the fields themselves mark the difference"
    bench.clear()
    assert not marked(bench.fields.source) and not marked(bench.fields.hypothesis)


def test_pairs_are_typed_one_after_another_and_judged_by_keys(bench, qtbot):
    bench.fields.select_source()
    for number in (1, 2):
        qtbot.keyClicks(bench.window().focusWidget(), f"Source {number}.")
        qtbot.keyClick(bench.window().focusWidget(), Qt.Key.Key_Tab)
        qtbot.keyClicks(bench.window().focusWidget(), f"Hypothesis {number}.")
        qtbot.keyClick(bench.window().focusWidget(), Qt.Key.Key_Return)
        bench.show_scores(bench.asked[-1][0], {"edit_distance": 0.5})
        bench.finish(bench.asked[-1][0])
    assert [asked[1:] for asked in bench.asked] == [(f"Source {n}.", f"Hypothesis {n}.") for n in (1, 2)]
    assert bench.fields.source.textCursor().selectedText() == "Source 2."
    assert len(bench.past.chosen_entries()) == 2, "the whole history can be walked, although the newest pair is shown"
    assert bench.past.export_button.text() == "Export all…"
    qtbot.keyClick(bench.window().focusWidget(), Qt.Key.Key_Escape)
    qtbot.keyClick(bench.window().focusWidget(), "4")
    assert bench.history[1].verdict == "same_meaning"
    qtbot.keyClick(bench.window().focusWidget(), "j")
    assert bench.fields.source.toPlainText() == "Source 1."
    qtbot.keyClick(bench.window().focusWidget(), "1")
    assert bench.history[0].verdict == "very_different"
    rows = bench.past.list
    qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=rows.visualRect(rows.model().index(0, 0)).center())
    assert len(bench.past.chosen_entries()) == 1 and bench.past.export_button.text() == "Export 1…"
    place = rows.visualRect(rows.model().index(1, 0)).center()
    qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, place)
    assert len(bench.past.chosen_entries()) == 2 and bench.past.export_button.text() == "Export 2…"


def test_a_click_in_the_history_leaves_the_keys_to_the_bench_and_arrows_show_the_current_entry(bench, qtbot):
    for number in (1, 2, 3):
        scored(bench, qtbot, f"Source {number}.", f"Hypothesis {number}.")
    rows = bench.past.list
    place = rows.visualRect(rows.model().index(0, 0)).center()
    qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    rows.setFocus()
    qtbot.keyClick(rows, "4")
    assert bench.history[2].verdict == "same_meaning"
    assert rows.model().index(0).data().endswith("\nSame meaning"), "the history shows the verdict"
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    assert bench.fields.source.toPlainText() == "Source 2.", "the current entry is shown"
    qtbot.keyClick(rows, "1")
    assert bench.history[1].verdict == "very_different"
    qtbot.keyClick(rows, "j")
    assert bench.fields.source.toPlainText() == "Source 1."
    assert bench.fields.source.toPlainText() == bench.history[bench.past.list.current_place()].source


def test_the_history_is_searched_and_what_is_shown_is_walked_and_collected(bench, qtbot):
    entries = [BenchEntry(f"Cat {n}.", "Straße" if n % 2 else "A dog.", {"bleu": n / 9}) for n in range(6)]
    bench.set_history([*entries[:5], entries[5].with_answers("odd one", "same_meaning", "")])
    past = bench.past
    assert past.search.placeholderText() == "Find in 6 pairs" and past.export_button.text() == "Export all…"
    for text, places in (
        ("STRASSE", [1, 3, 5]),
        ("cat 4", [4]),
        ("odd", [5]),
        ("same m", [5]),
        ("x", []),
        ("", range(6)),
    ):
        past.search.setText(text)
        assert past.list.shown_places() == list(places), text
    past.search.setText("straße")
    assert past.export_button.text() == "Export 3…" and past.collect_button.text() == "New corpus from these 3"
    assert past.chosen_entries() == bench.history[1::2]
    bench.bring_back(2)
    for by, place in ((1, 1), (1, 1), (-1, 3), (-1, 5), (-1, 5)):
        bench.step(by)
        assert past.list.current_place() == place
    before = [button.pos() for button in past._buttons[:3]]
    past.list.selectAll()
    QApplication.processEvents()
    assert past.list.chosen_places() == [1, 3, 5]
    assert [button.pos() for button in past._buttons[:3]] == before, "no button moves away from under the pointer"
    scored(bench, qtbot)
    assert past.list.shown_places() == [1, 3, 5, 6], "a new pair is shown"
    bench.set_history(entries)
    assert past.search.text() == "" and past.list.shown_places() == list(range(6))


def test_keys_walk_on_through_the_history_after_a_note(bench, qtbot):
    for number in (1, 2, 3):
        scored(bench, qtbot, f"Source {number}.", f"Hypothesis {number}.")
    bench.leave_fields()
    for text in ("good", " or bad"):
        qtbot.keyClick(bench.window().focusWidget(), "n")
        qtbot.keyClicks(bench.window().focusWidget(), text)
        qtbot.keyClick(bench.window().focusWidget(), Qt.Key.Key_Escape)
    focus = bench.window().focusWidget()
    for key, source in (("j", "Source 2."), ("j", "Source 1."), ("k", "Source 2."), ("k", "Source 3.")):
        qtbot.keyClick(bench.window().focusWidget(), key)
        assert bench.fields.source.toPlainText() == source
        assert bench.window().focusWidget() is focus, "no widget with the focus was hidden on the way"
    assert [entry.note for entry in bench.history] == ["", "", "good or bad"]


def test_several_rows_are_pasted_as_pairs_and_scored(bench):
    rows = [("The cat sat.", "The cat slept."), ("It rained.", "It snowed."), ("He left.", "He stayed.")]
    QApplication.clipboard().setText("\n".join(map("\t".join, rows)))
    bench.fields.source.paste()
    assert [asked[1:] for asked in bench.asked] == rows and bench.fields.texts() == rows[-1]
    for request, *_ in bench.asked:
        bench.show_scores(request, {"edit_distance": 0.5})
        bench.finish(request)
    assert [(entry.source, entry.hypothesis) for entry in bench.history] == rows


def test_two_cells_of_a_row_are_pasted_as_a_pair(bench, qtbot):
    clipboard = QApplication.clipboard()
    clipboard.setText("It rained.\tThere was rain.\r\n")
    bench.fields.source.paste()
    assert bench.fields.texts() == ("It rained.", "There was rain.")
    bench.fields.hypothesis.moveCursor(QTextCursor.MoveOperation.End)
    bench.fields.hypothesis.paste()
    assert bench.fields.texts()[1] == "There was rain.It rained.\tThere was rain.", (
        "pasted into existing text, it is inserted unchanged"
    )
    clipboard.setText("One.\nTwo.\tThree.")
    bench.fields.source.selectAll()
    bench.fields.source.paste()
    assert bench.fields.source.toPlainText() == "One.\nTwo.\tThree."


def test_results_appear_as_templates_finish(bench, qtbot):
    changed = []
    bench.history_changed.connect(changed.append)
    bench.set_columns(["edit_distance", "pluie.direct", "pluie.indirect"])
    qtbot.keyClicks(bench.fields.source, "A")
    qtbot.keyClicks(bench.fields.hypothesis, "B")
    qtbot.mouseClick(bench.fields.score_button, LEFT)
    bench.show_scores(1, {"pluie.direct": 3.0, "pluie.direct.p_yes": 0.8}, {"pluie.direct": EVIDENCE}, {})
    assert [(bar.title, bar.value) for bar in bench.scores.bars.rows] == [
        ("ParaPLUIE DIRECT", 3.0),
        ("ParaPLUIE INDIRECT", None),
    ]
    assert bench.fields.busy.isVisible()
    bench.show_scores(1, {"pluie.indirect": -2.0}, {}, {})
    bench.finish(1)
    assert [bar.value for bar in bench.scores.bars.rows] == [3.0, -2.0]
    assert find_part(bench, QLabel, "length of the prompt").text() == "The prompt is 40 tokens long."
    assert not bench.fields.busy.isVisible()
    assert len(bench.history) == 1 and len(changed) == 2
    assert changed[-1][0].values["pluie.indirect"] == -2.0


def test_an_error_is_shown_as_one_sentence(bench, qtbot):
    qtbot.keyClicks(bench.fields.source, "A")
    qtbot.keyClicks(bench.fields.hypothesis, "B")
    qtbot.keyClick(bench.fields.hypothesis, Qt.Key.Key_Enter)
    bench.show_error(1, "The model <b>x</b> is not here.")
    assert bench.fields.hint.isVisible() and bench.fields.hint.text() == "The model <b>x</b> is not here."
    assert bench.fields.hint.textFormat() == Qt.TextFormat.PlainText
    assert not bench.fields.busy.isVisible() and not bench.history and not bench.scores.isVisible()


def test_a_late_answer_is_stored_in_the_history_without_replacing_the_new_result(bench, qtbot):
    qtbot.keyClicks(bench.fields.source, "A")
    qtbot.keyClicks(bench.fields.hypothesis, "B")
    qtbot.keyClick(bench.fields.hypothesis, Qt.Key.Key_Return)
    qtbot.keyClicks(bench.fields.hypothesis, "C")
    qtbot.keyClick(bench.fields.hypothesis, Qt.Key.Key_Return)
    bench.show_scores(2, {"pluie.direct": 2.0})
    bench.show_scores(1, {"pluie.direct": 1.0})
    bench.show_error(1, "late")
    assert bench.scores.bars.rows[0].value == 2.0
    assert bench.fields.busy.isVisible() and not bench.fields.hint.isVisible()
    assert [entry.hypothesis for entry in bench.history] == ["BC", "B"]
    bench.show_scores(99, {"pluie.direct": 9.0})
    assert len(bench.history) == 2


def test_edit_a_copy_shows_the_effect_of_the_edit(bench, qtbot):
    scored(bench, qtbot)
    qtbot.mouseClick(find_part(bench, QPushButton, "Edit a copy"), LEFT)
    assert bench.change.isVisible() and "change a word" in bench.change.heading.text()
    scored(bench, qtbot, hypothesis="A cat dozed.", value=2.21)
    assert bench.history[-1].original == 0
    assert bench.change.heading.text() == "Effect of the edit"
    assert [field.toPlainText() for field in bench.change.hypothesis.findChildren(SentenceText)[:2]] == [
        "A cat slept.",
        "A cat dozed.",
    ]
    assert not bench.change.source.isVisible()
    assert bench.scores.bars.extra(0) == "−1.20 → +2.21   Δ +3.41 ▲"


def test_a_history_entry_restores_its_result(bench, qtbot):
    scored(bench, qtbot)
    scored(bench, qtbot, "Other <i>one</i>.", "Another one.", 5.0)
    history = bench.findChild(HistoryView)
    assert history.entries.rowCount() == 2
    newest = history.entries.index(0).data(Qt.ItemDataRole.DisplayRole)
    assert newest == "Other <i>one</i>.\nAnother one.\n+5.00"
    assert "<i>" not in history.entries.index(0).data(Qt.ItemDataRole.ToolTipRole)
    place = history.visualRect(history.entries.index(1)).center()
    qtbot.mouseClick(history.viewport(), LEFT, pos=QPoint(place))
    assert bench.fields.source.toPlainText() == "A cat sat." and bench.fields.hypothesis.toPlainText() == "A cat slept."
    assert bench.scores.bars.rows[0].value == -1.2 and len(bench.asked) == 2
    assert not find_part(bench, QLabel, STALE).isVisible()
    qtbot.keyClicks(bench.fields.hypothesis, "x")
    qtbot.waitUntil(find_part(bench, QLabel, STALE).isVisible)
    assert not bench.scores.isVisible(), "scores of a different text are not shown"
    qtbot.keyClick(bench.fields.hypothesis, Qt.Key.Key_Backspace)
    assert bench.scores.isVisible() and not find_part(bench, QLabel, STALE).isVisible()
    bench.fields.source.clear()
    qtbot.keyClick(bench.fields.source, Qt.Key.Key_Return)
    assert bench.fields.hint.text() == "Write a source sentence first." and not bench.scores.isVisible()


def test_swap_and_clear_change_both_fields(bench, qtbot):
    scored(bench, qtbot)
    qtbot.mouseClick(bench.fields.swap_button, LEFT)
    assert bench.fields.source.toPlainText() == "A cat slept."
    qtbot.waitUntil(find_part(bench, QLabel, STALE).isVisible)
    qtbot.mouseClick(bench.fields.clear_button, LEFT)
    assert bench.fields.source.toPlainText() == "" and not bench.scores.isVisible() and len(bench.history) == 1


def test_a_pair_from_the_corpus_becomes_the_original(bench, qtbot):
    bench.open_copy("S one", "H one", {"pluie.direct": 1.0})
    assert bench.fields.hypothesis.toPlainText() == "H one" and len(bench.history) == 1
    scored(bench, qtbot, "S one", "H two", 4.0)
    assert bench.scores.bars.extra(0) == "+1.00 → +4.00   Δ +3.00 ▲"
    bench.open_copy("S one", "H one", {"pluie.direct": 1.0})
    assert len(bench.history) == 2  # the same original is not listed twice


def test_the_session_restores_the_history(bench, qtbot):
    scored(bench, qtbot)
    qtbot.mouseClick(find_part(bench, QPushButton, "Edit a copy"), LEFT)
    scored(bench, qtbot, hypothesis="A cat dozed.", value=2.0)
    stored = json.loads(json.dumps([entry.as_dict() for entry in bench.history]))
    other = BenchView()
    qtbot.addWidget(other)
    other.show()
    other.set_history([BenchEntry.from_dict(data) for data in stored])
    assert other.history == bench.history
    other.bring_back(1)
    assert other.scores.bars.extra(0) == "−1.20 → +2.00   Δ +3.20 ▲"
    other.set_history([])
    assert not other.scores.isVisible() and find_part(other, QLabel, "Scored pairs are listed here.").isVisible()


def test_theme_and_scale_apply_to_every_part(bench, qtbot, wear):
    scored(bench, qtbot)
    small = bench.scores.bars.height()
    wear(theme.DARK)
    bench.set_scale(2.0)
    assert bench.scores.bars.height() > 1.7 * small and bench.scores.bars.theme is theme.DARK


def test_the_history_waits_for_the_judge(bench, qtbot):
    bench.set_columns(["edit_distance", "pluie.direct"])
    bench.fields.set_texts("A cat sat.", "A cat slept.")
    qtbot.keyClick(bench.fields.hypothesis, Qt.Key.Key_Return)
    request, history = bench.asked[-1][0], bench.findChild(HistoryView)
    bench.show_scores(request, {"edit_distance": 0.5})
    assert history.entries.index(0).data().endswith("\n…"), "a metric's number would be mistaken for the judge's"
    bench.show_scores(request, {"pluie.direct": 1.5}, model="pocket")
    assert history.entries.index(0).data().endswith("\n+1.50")
    assert bench.scores.bars.rows[0].title == "DIRECT · Pocket"
    bench.finish(request)
    bench.fields.set_texts("A cat sat.", "A dog slept.")
    qtbot.keyClick(bench.fields.hypothesis, Qt.Key.Key_Return)
    request = bench.asked[-1][0]
    bench.show_scores(request, {"edit_distance": 0.5})
    bench.show_error(request, "The judge is gone.")
    assert history.entries.index(0).data().endswith("\n0.500")


def test_a_pair_scored_again_stays_one_pair_unless_another_judge_scores_it(bench, qtbot):
    for model, value, rows in (("pocket", 1.5, 1), ("pocket", 1.6, 1), ("smollm2-135m", 0.4, 2)):
        bench.set_columns(["pluie.direct"], {"pluie.direct": model})
        bench.fields.set_texts("A cat sat.", "A cat slept.")
        qtbot.keyClick(bench.fields.hypothesis, Qt.Key.Key_Return)
        request = bench.asked[-1][0]
        bench.show_scores(request, {"pluie.direct": value}, model=model)
        bench.finish(request)
        assert len(bench.history) == rows and bench.history[-1].values == {"pluie.direct": value}


def test_bars_of_distances_grow_with_closeness(bench, qtbot):
    scored(bench, qtbot)
    gauge = next(gauge for gauge in bench.scores.baselines.rows if gauge.title == "Edit distance")
    assert gauge.closer is False and bench.scores.baselines.head()
    assert bench.scores.baselines._share(gauge, 0.25) == 0.75


def test_text_is_aligned_by_the_direction_of_its_language(bench, qtbot):
    arabic = "القطة الصغيرة تشرب الماء"
    bench.fields.set_texts(arabic, "The little cat drinks.")
    directions = [
        edit.document().defaultTextOption().textDirection() for edit in (bench.fields.source, bench.fields.hypothesis)
    ]
    assert directions == [Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LeftToRight]
    line = QTextCursor(bench.fields.source.document()).block().layout().lineAt(0)
    first, last = line.cursorToX(0)[0], line.cursorToX(len(arabic))[0]
    assert first > 0.95 * line.width() and first > last, "it is aligned to the right"
    bench.fields.source.clear()
    assert bench.fields.source.document().defaultTextOption().textDirection() == Qt.LayoutDirection.LeftToRight


def test_verdict_buttons_are_aligned_with_a_scrolling_column(bench, qtbot):
    scored(bench, qtbot)
    bench.show()
    for width, height, scrolls in ((700, 400, True), (700, 2000, False), (1300, 300, True), (1300, 2000, False)):
        bench.resize(width, height)
        area = bench.findChild(QScrollArea)
        qtbot.waitUntil(lambda area=area, scrolls=scrolls: area.verticalScrollBar().isVisible() == scrolls)
        QApplication.processEvents()
        fields, scores, verdict = (
            (left := part.mapTo(bench, QPoint(0, 0)).x(), left + part.width())
            for part in (bench.fields, bench.scores, bench.verdict)
        )
        assert verdict == (fields[0], scores[1]) and (scores[0] == fields[0]) == (width == 700)


def test_a_copied_pair_includes_the_names_of_its_judges(bench, qtbot):
    bench.open_copy("A cat sat.", "A cat slept.", {"pluie.cloze": -1.2, "bleu": 0.3}, {"pluie.cloze": "pocket"})
    (entry,) = bench.history
    assert entry.title("pluie.cloze") == "Pocket" and entry.title("bleu") == "BLEU"
    bench.clear()
    bench.open_copy("A cat sat.", "A cat slept.")
    assert bench.history == [entry]


def test_scores_are_next_to_the_sentences_in_a_wide_window(bench, qtbot):
    bench.fields.set_texts("a cat", "one cat")
    bench.score()
    bench.show_scores(bench._request, {"edit_distance": 0.4})

    def places():
        fields, scores = (
            each.mapTo(bench, each.rect().topLeft()) for each in (bench.fields.score_button, bench.scores)
        )
        return scores.x() > fields.x() + 200, scores.y() > fields.y()

    bench.resize(1500, 800)
    bench.show()
    qtbot.waitUntil(lambda: places() == (True, False))
    bench.resize(700, 800)
    qtbot.waitUntil(lambda: places() == (False, True))
