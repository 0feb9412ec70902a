from __future__ import annotations

import time
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QIcon
from waiting import in_time

from parapluie_gui.judgements.columns import CorpusJudgements
from parapluie_gui.judgements.record import NOTE, Judgement
from parapluie_gui.judgements.scheme import load_schemes
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.state.columns import OUTCOME, table_columns
from parapluie_gui.ui.state.selection import SelectionRule
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.table.model import PairsModel, collation_key, in_two_lines
from parapluie_gui.ui.widgets.theme import DARK, LIGHT

DISPLAY = Qt.ItemDataRole.DisplayRole
UP, DOWN = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder

ASKED = ("parapluie", "verdict")


def small_corpus() -> Corpus:
    return Corpus(
        name="small",
        id=["a", "b", "c", "d", "e"],
        source=["banana", "Apple", "cherry", "apple", "<b>bold</b>"],
        hypothesis=["yellow", "red", "dark", "green", "fat"],
        label=np.array([1, 0, 1, 0, -1], dtype=np.int8),
        extra={"year": [2001, 2002, None, 2004, 2005], "label ": ["x", "y", "z", None, "w"]},
    )


def small_workspace(scores: bool = True) -> CorpusWorkspace:
    workspace = CorpusWorkspace()
    table = ScoreTable(5)
    if scores:
        values = np.array([2.5, 1.25, -3.0, np.nan, 0.5])
        table.put(np.arange(5), {"pluie.direct": values, "edit_distance": np.array([0.1, 0.9, 0.5, 0.4, 0.2])})
        table.put(np.arange(5), {"pluie.direct.p_yes": np.full(5, 0.2), "pluie.direct.p_no": np.full(5, 0.1)})
    workspace.show(small_corpus(), table)
    return workspace


@pytest.fixture
def workspace(qapp) -> CorpusWorkspace:
    return small_workspace()


@pytest.fixture
def model(workspace) -> PairsModel:
    return PairsModel(workspace)


def keys(model: PairsModel) -> list[str]:
    return [column.key for column in model.columns]


def shown(model: PairsModel, key: str) -> list[str]:
    at = model.column_at(key)
    return [model.data(model.index(row, at)) for row in range(model.rowCount())]


def sort(model: PairsModel, key: str, order: Qt.SortOrder = UP) -> list[str]:
    model.sort(model.column_at(key), order)
    return shown(model, "id")


def test_next_goes_through_the_pairs_of_a_list_in_its_order(workspace, model):
    rows = np.array([2, 0])
    mask = np.zeros(len(workspace.corpus), dtype=bool)
    mask[rows] = True
    selection = workspace.selection
    selection.set_rule(SelectionRule("Movers", lambda: mask, order=rows))
    selection.set_primary(2)
    selection.step(1)
    assert model.rows.tolist() == [2, 0] and selection.primary == 0
    selection.set_rule(None)
    assert model.rows.tolist() == list(range(len(workspace.corpus)))


def test_columns_are_those_of_the_corpus_then_scores_then_hidden_columns(model):
    assert keys(model)[:4] == ["source", "hypothesis", "label", OUTCOME]
    assert set(keys(model)[4:6]) == {"pluie.direct", "edit_distance"}
    hidden = {column.key for column in model.columns if column.hidden}
    assert hidden == {"pluie.direct.p_yes", "pluie.direct.p_no", "disagreement", "type", "year", "label "}


def test_a_column_that_moves_appears_once(qapp, qtmodeltester):
    """The disagreement follows the last score, so a new score is inserted before it."""
    workspace = small_workspace(scores=False)
    model = PairsModel(workspace)
    for name in ("edit_distance", "bleu", "meteor"):
        workspace.declare(name)
        workspace.put(np.arange(5), {name: np.linspace(0, 1, 5)})
    assert keys(model) == [column.key for column in table_columns(workspace)]
    assert keys(model).count("meteor") == 1 and keys(model).count("type") == 1
    qtmodeltester.check(model)


def test_cells_are_formatted_for_reading(model):
    assert shown(model, "label") == ["paraphrase", "not a paraphrase", "paraphrase", "not a paraphrase", ""]
    assert shown(model, "pluie.direct") == ["+2.50", "+1.25", "−3.00", "", "+0.50"]
    assert shown(model, "edit_distance")[0] == "0.100"
    assert shown(model, "year") == ["2001", "2002", "", "2004", "2005"]
    assert shown(model, OUTCOME) == ["TP", "FP", "FN", "", ""]
    index = model.index(0, model.column_at("pluie.direct"))
    assert model.data(index, Qt.ItemDataRole.TextAlignmentRole) & Qt.AlignmentFlag.AlignRight


def test_wrong_outcomes_are_highlighted_in_both_themes(model, wear):
    at = model.column_at(OUTCOME)
    for theme in (LIGHT, DARK):
        wear(theme)
        model.dress()
        colours = [model.data(model.index(row, at), Qt.ItemDataRole.ForegroundRole) for row in (0, 1, 2)]
        assert colours == [QColor(theme.muted), QColor(theme.bad), QColor(theme.bad)]


def test_label_marks_are_blue_discs_and_orange_squares(model):
    at = model.column_at("label")
    icons = [model.data(model.index(row, at), Qt.ItemDataRole.DecorationRole) for row in range(5)]
    assert icons[4] is None
    images = [icon.pixmap(32, 32).toImage() for icon in icons[:2]]
    assert images[0].pixelColor(16, 16) == QColor(LIGHT.paraphrase)
    assert images[1].pixelColor(16, 16) == QColor(LIGHT.other)
    assert images[0].pixelColor(8, 8).alpha() < 20 and images[1].pixelColor(8, 8).alpha() == 255
    selected = icons[0].pixmap(images[0].size(), QIcon.Mode.Selected).toImage()
    assert selected != images[0]


def test_text_sorts_without_case_numbers_by_value_and_missing_values_come_last(model, workspace):
    assert sort(model, "source") == ["e", "b", "d", "a", "c"]
    assert sort(model, "source", DOWN) == ["c", "a", "b", "d", "e"], "ties keep the file's order"
    assert sort(model, "pluie.direct") == ["c", "e", "b", "a", "d"]
    assert sort(model, "pluie.direct", DOWN) == ["a", "b", "e", "c", "d"]
    assert sort(model, "label", DOWN) == ["a", "c", "b", "d", "e"]
    assert workspace.selection.order.tolist() == [0, 2, 1, 3, 4]
    model.sort(-1)
    assert shown(model, "id") == ["a", "b", "c", "d", "e"]


def test_a_filter_keeps_the_order_and_a_rule_stays_true_while_scores_arrive(model, workspace, qtbot):
    sort(model, "edit_distance")
    workspace.selection.set_rule(SelectionRule("high", lambda: workspace.table["pluie.direct"] > 0))
    assert shown(model, "id") == ["a", "e", "b"]
    with qtbot.waitSignal(workspace.scores_changed):
        workspace.put(np.array([3]), {"pluie.direct": np.array([9.0])})
    assert shown(model, "id") == ["a", "e", "d", "b"]
    assert workspace.selection.order.tolist() == [0, 4, 3, 1]


def test_persistent_indexes_follow_their_pair(model, workspace):
    at = model.column_at("source")
    cherry = QPersistentModelIndex(model.index(2, at))
    apple = QPersistentModelIndex(model.index(1, at))
    sort(model, "source", DOWN)
    assert (cherry.row(), cherry.data()) == (0, "cherry")
    workspace.selection.set_rows("some", np.array([0, 2, 3]))
    assert not apple.isValid()
    assert cherry.data() == "cherry"
    workspace.selection.set_rule(None)
    assert cherry.data() == "cherry"


def test_the_model_is_reset_only_for_a_new_corpus(model, workspace, qtbot):
    resets = []
    model.modelReset.connect(lambda: resets.append(1))
    sort(model, "source")
    workspace.selection.set_rows("some", np.array([4, 1]))
    workspace.declare("bleu", Signature.from_fields("bleu", {}))
    assert "bleu" in keys(model)
    with qtbot.waitSignal(workspace.scores_changed):
        workspace.put(np.arange(5), {"bleu": np.linspace(0, 1, 5)})
    workspace.set_threshold(1.0)
    assert resets == []
    workspace.show(small_corpus())
    assert resets == [1]
    assert OUTCOME not in keys(model), "there is no score to judge by"
    assert model.rowCount() == 5


def test_outcomes_follow_threshold_and_axis(model, workspace):
    workspace.set_threshold(2.0)
    assert shown(model, OUTCOME)[:3] == ["TP", "TN", "FN"]
    workspace.set_axes(y="edit_distance")
    workspace.set_threshold(0.3)
    assert shown(model, OUTCOME)[:3] == ["TP", "TN", "FN"], "a small distance means a paraphrase"


def test_sorting_by_an_incomplete_score_waits_a_second(model, workspace, qtbot):
    sort(model, "pluie.direct")
    orders = []
    workspace.selection.order_changed.connect(lambda: orders.append(workspace.selection.order.tolist()))
    with qtbot.waitSignal(workspace.scores_changed):
        workspace.put(np.array([2]), {"pluie.direct": np.array([99.0])})
    assert orders == [], "no row moves at once"
    assert shown(model, "pluie.direct")[0] == "+99.00", "but the number is shown at once"
    qtbot.waitUntil(lambda: bool(orders), timeout=3000)
    assert orders == [[4, 1, 0, 2, 3]]


def test_notes_and_verdicts_are_columns(workspace):
    model = PairsModel(workspace)
    assert "note" not in keys(model)
    when = datetime(2026, 5, 1, tzinfo=UTC)
    judgements = [Judgement(1, "Anna", *NOTE, "look again", when), Judgement(1, "Anna", *ASKED, "same_meaning", when)]
    workspace.set_judgements(CorpusJudgements.from_records(workspace.corpus, judgements, load_schemes()[0]))
    assert shown(model, "note") == ["", "look again", "", "", ""]
    assert shown(model, "verdict") == ["", "same meaning", "", "", ""]
    assert model.headerData(model.column_at("verdict"), Qt.Orientation.Horizontal) == "verdict · Anna"
    assert shown(model, "verdict.mean") == ["", "4", "", "", ""]
    header = model.headerData(model.column_at("verdict.mean"), Qt.Orientation.Horizontal)
    assert header == workspace.title("verdict.mean") == "verdict (mean)", "the same name everywhere"
    assert {column.key for column in model.columns if column.hidden} >= {
        "verdict.mean",
        "verdict.Anna",
        "verdict.Anna.time",
    }
    judgements += [Judgement(4, "Ben", *NOTE, "and here", when), Judgement(1, "Ben", *ASKED, "mostly_similar", when)]
    workspace.set_judgements(CorpusJudgements.from_records(workspace.corpus, judgements, load_schemes()[0]))
    assert shown(model, "note") == ["", "Anna: look again", "", "", "Ben: and here"]
    assert shown(model, "verdict") == ["", "tie", "", "", ""]
    at = model.column_at("verdict")
    tip = model.data(model.index(1, at), Qt.ItemDataRole.ToolTipRole)
    assert tip == "Anna: Same meaning, Ben: Mostly similar"
    assert model.headerData(at, Qt.Orientation.Horizontal) == "verdict · most of 2"
    assert shown(model, "verdict.mean") == ["", "3.5", "", "", ""]
    assert shown(model, "verdict.Ben.time")[1] == "2026-05-01T00:00:00+00:00"
    model.sort(model.column_at("note"), Qt.SortOrder.AscendingOrder)
    assert model.rows.tolist() == [1, 4, 0, 2, 3]
    workspace.set_judgements(CorpusJudgements())
    assert "note" not in keys(model)


def test_a_file_column_named_like_a_score_does_not_hide_it(qapp):
    workspace = CorpusWorkspace()
    extra = {"edit_distance": ["7"], "outcome": ["x"]}
    corpus = Corpus("x", ["1"], ["a"], ["b"], label=np.array([1], dtype=np.int8), extra=extra)
    table = ScoreTable(1)
    table.put(np.array([0]), {"edit_distance": np.array([0.25]), "pluie.direct": np.array([1.0])})
    workspace.show(corpus, table)
    model = PairsModel(workspace)
    assert len(set(keys(model))) == len(keys(model))
    assert shown(model, "edit_distance") == ["0.250"]
    assert shown(model, "edit_distance (corpus)") == ["7"]
    assert (shown(model, "outcome"), shown(model, OUTCOME)) == (["x"], ["TP"])


def test_empty_corpora_are_shown(qapp, qtmodeltester):
    workspace = CorpusWorkspace()
    model = PairsModel(workspace)
    assert (model.rowCount(), model.columnCount()) == (0, 0)
    workspace.show(Corpus("none", [], [], []))
    assert model.rowCount() == 0
    model.sort(1, DOWN)
    qtmodeltester.check(model)
    workspace.show(None)
    assert model.columnCount() == 0


def test_the_model_passes_qt_s_model_tester_after_every_change(workspace, qtmodeltester, qtbot):
    model = PairsModel(workspace)
    qtmodeltester.check(model)
    selection = QItemSelectionModel(model)
    selection.select(model.index(1, 0), QItemSelectionModel.SelectionFlag.Select)
    for rows in ([0, 2, 4], [1], [], [0, 1, 2, 3, 4], [3, 1]):
        workspace.selection.set_rows("some", np.array(rows, dtype=int))
        sort(model, "source", DOWN)
        sort(model, "pluie.direct")
        assert sorted(model.rows.tolist()) == sorted(rows)
        assert all(model.place_of(int(row)) == place for place, row in enumerate(model.rows))
    workspace.declare("bleu", Signature.from_fields("bleu", {}))
    workspace.table.drop("bleu")
    workspace.columns_changed.emit()
    assert "bleu" not in keys(model)
    qtmodeltester.check(model, force_py=True)


def test_a_hundred_thousand_pairs_sort_and_filter_quickly(qtbot):
    count = 100_000
    rng = np.random.default_rng(0)
    texts = [f"{number} Sentence number {row} of many" for row, number in enumerate(rng.integers(0, 10**9, count))]
    workspace = CorpusWorkspace()
    table = ScoreTable(count)
    table.put(np.arange(count), {"pluie.direct": rng.normal(size=count)})
    workspace.show(Corpus("big", [str(n) for n in range(count)], texts, texts, label=rng.integers(0, 2, count)), table)
    model = PairsModel(workspace)
    steps = {
        "score": lambda: model.sort(model.column_at("pluie.direct"), DOWN),
        "outcome": lambda: model.sort(model.column_at(OUTCOME)),
        "text": lambda: model.sort(model.column_at("source")),
        "filter": lambda: workspace.selection.set_rule(
            SelectionRule("high", lambda: workspace.table["pluie.direct"] > 0)
        ),
        "all": lambda: workspace.selection.set_rule(None),
    }
    took = {}
    for name, step in steps.items():
        start = time.process_time()
        step()
        took[name] = time.process_time() - start
    qtbot.waitUntil(lambda: not model._running, timeout=60_000)
    ordered = [collation_key(texts[row].casefold()) for row in model.rows]
    assert all(a <= b for a, b in pairwise(ordered))
    print({name: f"{1000 * seconds:.0f} ms" for name, seconds in took.items()})
    assert max(took.values()) < in_time(1), took  # a proxy model takes 17 s


def test_an_empty_score_is_described_as_missing(model):
    cell, spoken = model.index(3, keys(model).index("pluie.direct")), Qt.ItemDataRole.AccessibleTextRole
    assert (cell.data(DISPLAY), cell.data(spoken)) == ("", "no value")
    assert cell.siblingAtRow(0).data(spoken) == cell.siblingAtRow(0).data(DISPLAY) == "+2.50"


def test_many_texts_are_sorted_in_a_thread(model, qtbot, monkeypatch):
    """The rows stay where they are until the order arrives; a later sort takes its place."""
    monkeypatch.setattr("parapluie_gui.ui.table.model.MANY", 5)
    sources = [model.text(row, model.columns[model.column_at("source")]) for row in range(5)]
    with qtbot.waitSignals([model.sorting, model.arranged], timeout=10_000):
        model.sort(model.column_at("source"), UP)
        assert model.rows.tolist() == [0, 1, 2, 3, 4]
    qtbot.waitUntil(lambda: not model._running)
    assert [sources[row] for row in model.rows] == ["<b>bold</b>", "Apple", "apple", "banana", "cherry"]
    model.sort(model.column_at("hypothesis"), UP)
    model.sort(model.column_at("edit_distance"), DOWN)
    qtbot.waitUntil(lambda: not model._running)
    assert model.rows.tolist() == [1, 2, 3, 4, 0], "the order by the score is not replaced"
    model.sort(model.column_at("source"), UP)
    assert sources[model.rows[0]] == "<b>bold</b>", "a known order is shown at once"
    model.close_work()


def test_a_pair_scored_without_its_end_has_a_mark(workspace, model):
    signature = Signature.from_fields("edit_distance", {"name": "edit_distance"})
    workspace.declare("edit_distance", signature)
    workspace.remark("edit_distance", "2 pairs were cut.", "0.1 s per pair on cpu", [1, 4])
    assert shown(model, "edit_distance") == ["0.100", "0.900†", "0.500", "0.400", "0.200†"]
    at = model.column_at("edit_distance")
    for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleDescriptionRole):
        assert "did not read all of this pair" in model.data(model.index(1, at), role)
        assert model.data(model.index(0, at), role) is None
    tip = model.headerData(at, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert "2 pairs were cut." in tip and "0.1 s per pair on cpu" in tip
    assert model.exact(1, model.columns[at]) == "0.9"


def test_the_heading_of_a_judges_score_has_two_lines_without_the_weights(qapp):
    workspace = small_workspace(scores=False)
    model = PairsModel(workspace)
    for column, judge in (("pluie.direct", "qwen-1.5b.Q4_K_M.gguf"), ("pluie.direct@b", "mistral-7b.Q8_0.gguf")):
        workspace.declare(column, Signature.from_fields(column, {"name": "pluie", "model": judge}))
    at = model.column_at("pluie.direct")
    horizontal = Qt.Orientation.Horizontal
    assert model.headerData(at, horizontal) == "DIRECT ·\nqwen-1.5b"
    spoken = model.headerData(at, horizontal, Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "DIRECT · qwen-1.5b · Q4_K_M" == workspace.title("pluie.direct")
    assert spoken in model.headerData(at, horizontal, Qt.ItemDataRole.ToolTipRole)


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("BLEU", "BLEU"),
        ("Edit distance", "Edit\ndistance"),
        ("DIRECT · SmolLM2 (reverse)", "DIRECT · SmolLM2\n(reverse)"),
        ("a_very_long_name", "a_very_long_name"),
    ],
)
def test_a_long_title_is_broken_where_its_lines_are_shortest(title, lines):
    assert in_two_lines(title) == lines


@pytest.mark.parametrize(
    ("ids", "hidden"),
    [
        (["1", "2", "3"], True),
        (["demo-000", "demo-001", "demo-002"], True),
        (["702876-702977", "2108705-2108831", "12-13"], True),
        (["7", "3", "9"], False),
        (["p1", "q2", "p4"], False),
        (["a", "b", "c"], False),
    ],
)
def test_uninformative_ids_are_hidden_at_first(qapp, ids, hidden):
    workspace = CorpusWorkspace()
    workspace.show(Corpus("c", ids, ["a"] * 3, ["b"] * 3))
    columns = PairsModel(workspace).columns
    assert columns[0].key == "source" and next(column for column in columns if column.key == "id").hidden is hidden
