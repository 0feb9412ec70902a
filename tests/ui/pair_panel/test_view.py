"""The Pair panel as a user operates it: walk, judge, type a note, hide and reveal."""

from __future__ import annotations

import numpy as np
import pytest
from finding import find_part
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QToolButton,
)
from waiting import at_rest

from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.evidence import AnswerEvidence
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.pair.sentences import SentenceText
from parapluie_gui.ui.pair_panel.properties import PairProperties
from parapluie_gui.ui.pair_panel.view import PairView
from parapluie_gui.ui.state.notes import CorpusAnnotations
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets import theme
from parapluie_gui.ui.widgets.growing_text import GrowingText
from parapluie_gui.ui.window.verdict_actions import VerdictActions

LEFT = Qt.MouseButton.LeftButton


def corpus(n=5):
    return Corpus(
        "test",
        [f"id-{row}" for row in range(n)],
        [f"Source {row} <b>x</b>" for row in range(n)],
        [f"Hypothesis {row} <img src=x>" for row in range(n)],
        label=np.array([1, 0, -1, 1, 0][:n], dtype=np.int8),
        human=np.array([4.5, np.nan, 1.0, 2.0, 3.0][:n]),
        group=["news"] * n,
        extra={f"column {at}": [f"value {at}"] * n for at in range(8)},
    )


@pytest.fixture
def workspace(qtbot):
    workspace = CorpusWorkspace()
    workspace.show(corpus())
    workspace.put(np.arange(5), {"pluie.direct": np.array([3.0, -2.0, np.nan, 1.0, 0.5])})
    workspace.put(np.arange(5), {"pluie.indirect": np.linspace(-9, 9, 5), "edit_distance": np.linspace(0, 1, 5)})
    workspace.put(np.arange(5), {"pluie.direct.p_yes": np.full(5, 0.5)})
    workspace.selection.set_order(np.array([4, 3, 2, 1, 0]))
    return workspace


class Reader:
    """A stand-in for the reader of evidence; a test supplies its results."""

    def __init__(self):
        self.evidence = lambda column, row: None
        self.prompt = lambda column, row: None


@pytest.fixture
def reader():
    return Reader()


@pytest.fixture
def notes():
    notes = CorpusAnnotations(lambda work, failure: None)
    notes.show(1, ())
    return notes


def test_scores_from_the_file_are_not_listed_among_its_columns(qtbot):
    facts = PairProperties()
    qtbot.addWidget(facts)
    pair = Corpus("one", ["1"], ["a"], ["b"], extra={"bleu": [0.25], "topic": ["cats"]}).pair(0)
    facts.show_pair(pair)
    assert "bleu: 0.25" in find_part(facts, GrowingText, "Other columns of the corpus").toPlainText()
    facts.show_pair(pair, {"bleu"})
    assert find_part(facts, GrowingText, "Other columns of the corpus").toPlainText() == "topic: cats"


@pytest.fixture
def view(qtbot, workspace, notes, reader):
    view = PairView(workspace, notes, reader)
    qtbot.addWidget(view)
    view.resize(380, 900)
    view.show()
    return view


def texts(view):
    return [field.toPlainText() for field in view.findChildren(SentenceText)[:2]]


def place(view):
    return find_part(view, QLabel, "position in the selection")


def what_to_do(view):
    return find_part(view, QLabel, "what to do")


def onward(view):
    return find_part(view, QToolButton, "Next pair")


def note(view):
    return find_part(view, QPlainTextEdit, "Note on this pair")


def test_without_a_pair_the_panel_says_what_to_do(view, workspace):
    assert (
        what_to_do(view).isVisible()
        and what_to_do(view).text() == "Click a point, or press J or K to go through the pairs"
    )
    workspace.show(None)
    assert what_to_do(view).text() == "No corpus is open"
    workspace.show(corpus(1).take([]))
    assert what_to_do(view).isVisible()


def test_walking_shows_each_pair_literally(view, workspace, qtbot):
    workspace.selection.set_primary(4)
    assert texts(view) == ["Source 4 <b>x</b>", "Hypothesis 4 <img src=x>"]
    back = find_part(view, QToolButton, "Previous pair")
    assert place(view).text() == "1 of 5" and not back.isEnabled()
    qtbot.mouseClick(onward(view), LEFT)
    assert workspace.selection.primary == 3 and find_part(view, GrowingText, "Id of the pair").toPlainText() == "id-3"
    assert place(view).text() == "2 of 5"
    qtbot.mouseClick(back, LEFT)
    assert workspace.selection.primary == 4


def test_a_pair_outside_the_selection_is_marked_as_such(view, workspace):
    workspace.selection.set_primary(0)
    workspace.selection.set_order(np.array([1, 2]))
    assert place(view).text() == "not among the selected pairs (2)"


def test_label_human_score_and_columns_are_shown_as_text(view, workspace, qtbot):
    workspace.selection.set_primary(0)
    assert find_part(view, QLabel, "label and human score").text() == "Paraphrase  ·  human score 4.5"
    workspace.selection.set_primary(1)
    assert find_part(view, QLabel, "label and human score").text() == "Not a paraphrase"
    workspace.selection.set_primary(2)
    assert find_part(view, QLabel, "label and human score").text().startswith("Unlabelled")
    listed = find_part(view, GrowingText, "Other columns of the corpus").toPlainText()
    assert "group: news" in listed and "column 4: value 4" in listed and "column 7" not in listed
    qtbot.mouseClick(view.findChild(PairProperties).findChild(QPushButton), LEFT)
    assert "column 7: value 7" in find_part(view, GrowingText, "Other columns of the corpus").toPlainText()


def test_scores_share_one_axis_across_the_corpus(view, workspace, qtbot):
    workspace.selection.set_primary(2)
    bars = {bar.column: bar.value for bar in view.scores.bars.rows}
    assert bars == {"pluie.direct": None, "pluie.indirect": 0.0}
    assert view.scores.bars.limit == 10
    strips = view.scores.strips.rows
    assert [strip.title for strip in strips] == ["Edit distance", "BLEU"], "the judge's number appears once"
    assert [strip.value for strip in strips] == [0.5, None]
    assert not view.scores.baselines.isVisible(), "the strips replace them"
    workspace.put(np.array([2]), {"pluie.direct": np.array([7.0])})
    qtbot.waitUntil(lambda: view.scores.bars.rows[0].value == 7.0)
    assert view.values() == {"pluie.direct": 7.0, "pluie.indirect": 0.0, "edit_distance": 0.5}


def test_evidence_is_read_once_after_a_fast_walk(view, workspace, reader, qtbot):
    asked = []

    def read(column, row):
        asked.append((column, row))
        return AnswerEvidence(0.7, 0.2, tokens=row + 1)

    reader.evidence = read
    workspace.selection.set_primary(4)
    for _ in range(4):
        workspace.selection.step(1)
    assert not asked
    qtbot.waitUntil(lambda: asked == [("pluie.direct", 0)])
    assert "1 tokens" in find_part(view, QLabel, "length of the prompt").text()
    bars = view.scores.bars
    qtbot.mouseClick(bars, LEFT, pos=bars.row_area(1).center().toPoint())
    qtbot.waitUntil(lambda: asked[-1] == ("pluie.indirect", 0))


def test_evidence_is_not_read_while_hidden(view, workspace, reader, qtbot):
    asked = []
    reader.evidence = lambda column, row: asked.append(row)
    view.hide()
    workspace.selection.set_primary(1)
    qtbot.waitUntil(lambda: at_rest(view))
    assert not asked
    view.show()
    qtbot.waitUntil(lambda: asked == [1])


def test_a_note_is_saved_to_its_pair_when_the_user_steps_on(view, workspace, notes, qtbot):
    written = []
    view.verdict.note_written.connect(lambda *said: written.append(said))
    notes.write(3, "known", "same_meaning")
    workspace.selection.set_primary(4)
    qtbot.keyClicks(note(view), "odd pair 5")
    assert not written
    workspace.selection.step(1)
    assert written == [(4, "odd pair 5", "")]
    assert (view.verdict.text, view.verdict.verdict) == ("known", "same_meaning")
    qtbot.keyClicks(note(view), "!")
    qtbot.waitUntil(lambda: len(written) == 2)
    assert written[1][0] == 3 and "!" in written[1][1]


def test_a_note_is_saved_when_the_corpus_closes_or_the_panel_hides(view, workspace, qtbot):
    written = []
    view.verdict.note_written.connect(lambda *said: written.append(said))
    workspace.selection.set_primary(1)
    qtbot.keyClicks(note(view), "a")
    view.hide()
    assert written == [(1, "a", "")]
    view.show()
    qtbot.keyClicks(note(view), "b")
    workspace.show(corpus(3))
    assert len(written) == 2 and written[1][0] == 1 and view.verdict.text == ""


def test_the_actions_set_and_clear_a_verdict(view, workspace, qtbot):
    written = []
    view.verdict.note_written.connect(lambda *said: written.append(said))
    actions = VerdictActions(view.verdict, workspace.selection, view)
    actions.first()
    assert not written
    workspace.selection.set_primary(2)
    actions.fourth()
    actions.fifth()
    actions.fifth()
    assert written == [(2, "", "same_meaning"), (2, "", "dont_know"), (2, "", "")]
    qtbot.mouseClick(view.verdict.findChildren(QAbstractButton)[0], LEFT)
    qtbot.mouseClick(find_part(view, QPushButton, "Clear the verdict"), LEFT)
    assert [each[2] for each in written[3:]] == ["very_different", ""]


def test_a_verdict_moves_to_the_next_pair_if_the_option_is_on(view, workspace, notes):
    actions = VerdictActions(view.verdict, workspace.selection, view)
    actions.advance(True)
    first, second, third = workspace.selection.order[:3].tolist()
    workspace.selection.set_primary(first)
    actions.second()
    actions.third()
    assert workspace.selection.primary == third
    assert [notes.note_and_verdict(row)[1] for row in (first, second, third)] == [
        "slightly_similar",
        "mostly_similar",
        "",
    ]
    workspace.selection.set_primary(second)
    actions.third()
    assert (workspace.selection.primary, notes.note_and_verdict(second)[1]) == (second, ""), (
        "undone, and the same pair is still shown"
    )


def test_a_second_annotator_sees_none_of_the_first_annotators_answers(view, workspace, notes, qtbot):
    workspace.selection.set_primary(2)
    qtbot.keyClicks(note(view), "mine")
    view.verdict.choose(4)
    notes.set_annotator("Ben")
    assert "Verdict of Ben" in [label.text() for label in view.verdict.findChildren(QLabel)]
    assert (view.verdict.text, view.verdict.verdict) == ("", "")
    view.verdict.choose(1)
    notes.set_annotator("")
    assert (view.verdict.text, view.verdict.verdict) == ("mine", "same_meaning")
    assert {(record.annotator, record.question): record.answer for record in notes.records()} == {
        ("", "note"): "mine",
        ("", "verdict"): "same_meaning",
        ("Ben", "verdict"): "very_different",
    }


def test_a_note_changed_elsewhere_is_shown_unless_the_user_is_typing(view, workspace, notes, qtbot):
    workspace.selection.set_primary(2)
    notes.write(2, "from elsewhere", "dont_know")
    assert (view.verdict.text, view.verdict.verdict) == ("from elsewhere", "dont_know")
    qtbot.keyClicks(note(view), "typed ")
    notes.write(2, "from elsewhere again", "dont_know")
    assert "typed" in view.verdict.text


def test_the_pair_can_be_edited_in_the_bench(view, workspace, qtbot):
    asked = []
    view.edit_requested.connect(lambda *pair: asked.append(pair))
    workspace.selection.set_primary(3)
    qtbot.mouseClick(find_part(view, QPushButton, "Edit a copy in the Bench"), LEFT)
    assert asked == [("Source 3 <b>x</b>", "Hypothesis 3 <img src=x>")]


@pytest.mark.parametrize("scale", [1.0, 1.7, 2.0])
def test_nothing_is_wider_than_the_panel(view, workspace, scale):
    app = QApplication.instance()
    theme.apply(app, theme.DARK)  # fonts are not inherited under a style sheet
    try:
        workspace.selection.set_primary(0)
        plain = place(view).fontMetrics().height()
        view.set_scale(scale)
        for width in (300, 380, 700):
            view.resize(width, 900)
            assert place(view).fontMetrics().height() == pytest.approx(plain * scale, abs=2)
            scroll = view.findChild(QScrollArea)
            QApplication.processEvents()
            if width >= 380:
                assert scroll.horizontalScrollBar().maximum() == 0, width
    finally:
        theme.apply(app, theme.LIGHT)


def test_no_answer_is_cut_in_the_narrowest_panel(view):
    view.resize(view.minimumSizeHint())
    answers = [each for each in view.findChildren(QPushButton) if each.isCheckable() and each.text()[:1].isdigit()]
    assert len(answers) == 5
    assert all(answer.width() >= answer.sizeHint().width() for answer in answers)


def test_a_hundred_thousand_pairs_can_be_walked(qtbot):
    n = 100_000
    large = CorpusWorkspace()
    large.show(Corpus("large", [str(row) for row in range(n)], ["a b"] * n, ["a c"] * n))
    large.put(np.arange(n), {"pluie.direct": np.random.default_rng(0).normal(0, 9, n)})
    view = PairView(large, CorpusAnnotations(lambda work, failure: None), Reader())
    qtbot.addWidget(view)
    view.show()
    large.selection.set_primary(99_998)
    large.selection.step(1)
    assert place(view).text() == "100,000 of 100,000" and not onward(view).isEnabled()


def test_evidence_is_read_again_only_when_the_current_pair_is_scored(view, workspace, reader, qtbot):
    asked = []
    reader.evidence = lambda column, row: asked.append((column, row))
    workspace.selection.set_primary(2)
    qtbot.waitUntil(lambda: len(asked) == 1)
    with qtbot.waitSignal(workspace.scores_changed):
        workspace.put(np.array([0, 1]), {"pluie.direct": np.array([1.5, 2.5])})
    assert at_rest(view)
    workspace.put(np.array([2]), {"pluie.direct": np.array([3.5])})
    qtbot.waitUntil(lambda: len(asked) == 2)


def test_the_panel_follows_the_axes_and_the_threshold(qtbot, workspace, view):
    workspace.selection.set_primary(0)
    workspace.set_axes(y="pluie.indirect")
    assert view.scores.column() == "pluie.indirect", "the evidence belongs to the score on the axis"
    workspace.set_axes(y="pluie.direct")
    assert view.scores.column() == "pluie.direct"
    words = {bar.column: view.scores.bars.number(at) for at, bar in enumerate(view.scores.bars.rows)}
    assert words["pluie.direct"] == "+3.00 yes"
    workspace.set_threshold(3.5)
    bars = view.scores.bars
    words = {bar.column: bars.number(at) for at, bar in enumerate(bars.rows)}
    assert words == {"pluie.direct": "+3.00 no", "pluie.indirect": "−9.00 no"}
    assert {bar.column: bar.threshold for bar in bars.rows}["pluie.direct"] == 3.5
    qtbot.waitUntil(lambda: "nearer in meaning than" in bars.tip(0))
    assert "threshold, 3.5" in bars.tip(0)


def test_a_narrow_panel_has_the_verdicts_in_one_row_with_their_keys(view, workspace):
    def rows():
        QApplication.processEvents()
        answers = [each for each in view.findChildren(QPushButton) if each.isCheckable() and each.text()[:1].isdigit()]
        return [answer.text() for answer in answers], len({answer.y() for answer in answers})

    view.show()
    workspace.selection.set_primary(0)
    view.resize(600, 900)
    whole = ["1  Very different", "2  Slightly similar", "3  Mostly similar", "4  Same meaning", "5  Don't know"]
    assert rows() == (whole, 3)
    tall = view.verdict.height()
    view.resize(220, 900)
    assert rows() == (list("12345"), 1)
    assert "4\u00a0Same\u00a0meaning" in view.verdict._key.full_text
    assert view.verdict.height() <= tall + 2 * view.fontMetrics().height()
    view.resize(600, 900)
    assert rows()[1] == 3 and not view.verdict._key.isVisible()
    view.resize(590, 400)
    assert rows() == (list("12345"), 1), "a short window leaves the room to the scores"
    view.resize(1400, 400)
    assert rows() == (whole, 1) and not view.verdict._key.isVisible(), "a wide one has room for them whole"


def test_a_narrow_panel_shows_the_sentences_without_scrolling_sideways(view, workspace, qtbot):
    view.show()
    workspace.selection.set_order(np.array([1]))
    workspace.selection.set_primary(0)
    place = view.findChild(QLabel, "position in the selection")
    qtbot.waitUntil(lambda: place.text() == "not among the selected pairs (1)")
    view.resize(230, 700)
    for _ in range(3):
        QApplication.processEvents()
    for area in view.findChildren(QScrollArea):
        assert not area.horizontalScrollBar().isVisible()


def test_the_panel_follows_an_axis_chosen_before_its_score_was_shown(qtbot, workspace, notes, reader):
    workspace.set_axes(y="pluie.indirect")
    view = PairView(workspace, notes, reader)
    qtbot.addWidget(view)
    view.show()
    workspace.selection.set_primary(3)
    assert view.scores.column() == "pluie.indirect"
    view.scores.choose("pluie.direct")
    workspace.selection.set_primary(2)
    assert view.scores.column() == "pluie.direct", "the user's choice since then is kept"
    workspace.show(corpus())
    workspace.set_axes(y="pluie.indirect")
    workspace.selection.set_primary(1)
    workspace.put(np.arange(5), {"pluie.direct": np.arange(5.0), "pluie.indirect": np.arange(5.0)})
    qtbot.waitUntil(lambda: view.scores.column() == "pluie.indirect")


def test_scores_of_two_judges_are_shown_as_a_matrix(view, workspace, qtbot):
    """Scores by judge and template, coloured from no to yes; a click on a cell shows its evidence."""
    for judge, sign in (("smollm2-135m", 1.0), ("org/Other-7B", -1.0)):
        for template in ("p1", "p2"):
            asked = f"pluie.{template}"
            column = workspace.declare(asked, Signature.from_fields(asked, {"name": asked, "model": judge}))
            workspace.put(np.arange(5), {column: np.full(5, sign * (2.0 if template == "p1" else 0.5))})
    workspace.selection.set_primary(0)
    matrix = view.scores.matrix
    qtbot.waitUntil(lambda: len(matrix.cells) == 4)
    assert matrix.isVisible() and not view.scores.bars.isVisible()
    assert [(cell.judge, cell.template) for cell in matrix.cells] == [
        *(("SmolLM2", "P1"), ("SmolLM2", "P2"), ("Other-7B", "P1"), ("Other-7B", "P2"))
    ]
    assert "P1 · Other-7B: −2.00, no" in matrix.accessibleDescription()
    qtbot.mouseClick(matrix, LEFT, pos=matrix.area(1, 1).center().toPoint())
    assert view.scores.column() == "pluie.p2@other-7b"
    qtbot.keyClick(matrix, Qt.Key.Key_Up)
    assert view.scores.column() == "pluie.p2"
    assert not matrix.grab().isNull()
