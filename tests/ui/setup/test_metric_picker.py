"""Choosing metrics: the choice itself, the list of all metrics, the tags in Setup, and what the session stores."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from finding import find_part, label_text
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QToolButton,
)

from parapluie_gui.analysis.names import shown_name
from parapluie_gui.errors import MetricError
from parapluie_gui.metrics import catalogue
from parapluie_gui.metrics.base import FAMILIES
from parapluie_gui.metrics.lexical import wordnet
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.identity import identify
from parapluie_gui.storage.working_copies import WorkingCopies
from parapluie_gui.ui.setup.corpus_columns import MetricKeeper, columns_of_numbers
from parapluie_gui.ui.setup.metric_box import MetricBox
from parapluie_gui.ui.setup.metric_choice import MetricChoice, spec_title
from parapluie_gui.ui.setup.metric_picker import MetricFamily
from parapluie_gui.ui.setup.model_box import ModelChoice
from parapluie_gui.ui.setup.model_download import ModelDownload
from parapluie_gui.ui.setup.model_list import ModelList
from parapluie_gui.ui.setup.setup import SetupView
from parapluie_gui.ui.state.client import WorkerClient
from parapluie_gui.ui.state.driver import WorkerDriver
from parapluie_gui.ui.state.scoring import CorpusScoring
from parapluie_gui.ui.state.session_file import SessionFile
from parapluie_gui.ui.state.session_settings import SessionSettings
from parapluie_gui.ui.state.work_queue import WorkQueue
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets import theme
from parapluie_gui.ui.widgets.controls import KeyChoice
from parapluie_gui.ui.widgets.decimal_box import DecimalBox
from parapluie_gui.ui.widgets.wrapped import WrappedText
from parapluie_gui.work.scoring_plan import ScoringPlan

LEFT = Qt.MouseButton.LeftButton
EXTRA = {
    "gpt4_P1": ["1", "0", "-100", ""],
    "mistral score": [0.2, 0.5, 0.9, None],
    "note": ["a", "b", "", "d"],
}


def corpus(reference: bool = False, extra: dict | None = None) -> Corpus:
    return Corpus(
        "news",
        list("abcd"),
        ["s t"] * 4,
        ["h i"] * 4,
        reference=["r"] * 4 if reference else None,
        label=np.array([1, 1, 0, -1], dtype=np.int8),
        extra=EXTRA if extra is None else extra,
    )


@pytest.fixture(autouse=True)
def nothing_fetched(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("parapluie_gui.metrics.neural.model_files._installed_minilm", lambda: None)


@pytest.mark.parametrize("metric", ["sbert", "bertscore", "parascore_free"])
def test_a_metric_with_an_available_model_mentions_no_download_command(box, monkeypatch, metric):
    monkeypatch.setattr("parapluie_gui.metrics.neural.model_files.is_downloaded", lambda name: True)
    box.open()
    state = label_text(box.picker.rows[metric], "state")
    assert state.startswith("Ready. Uses ") and "`" not in state


@pytest.fixture
def workspace(qapp) -> CorpusWorkspace:
    if qapp.styleSheet() != theme.style_sheet(theme.LIGHT):
        theme.apply(qapp, theme.LIGHT)
    return CorpusWorkspace()


@pytest.fixture
def box(workspace, qtbot) -> MetricBox:
    box = MetricBox(workspace)
    qtbot.addWidget(box)
    box.resize(300, 400)
    box.section.heading.setChecked(True)
    with qtbot.waitExposed(box):
        box.show()
    return box


@pytest.fixture
def picker(box, qtbot):
    box.open()
    qtbot.waitExposed(box.picker)
    return box.picker


def problems(box: MetricBox) -> list[str]:
    """Return the sentences in the error colour below the row of metrics."""
    return [label.full_text for label in box.section.findChildren(WrappedText) if label.property("bad")]


def click(qtbot, button) -> None:
    qtbot.mouseClick(button, LEFT, pos=QPoint(8, button.height() // 2))


# The choice


def problem(row) -> str:
    return label_text(row, f"{row.info.title}, problem")


def variant(row, spec: str) -> QCheckBox:
    """Return the tick box of a chosen variant."""
    return next(box for box in row.findChildren(QCheckBox) if box.toolTip() == spec)


def test_the_choice_keeps_the_order_of_the_catalogue_and_always_has_edit_distance(qapp):
    choice = MetricChoice()
    assert choice.specs == catalogue.defaults()
    choice.replace(["sbert.ref", "external:gpt4_P1", "wer", "no_such_metric", "not a spec!"])
    assert choice.specs == ("edit_distance", "wer", "sbert.ref", "external:gpt4_P1")
    assert choice.computed_specs() == ["edit_distance", "wer", "sbert.ref"]
    assert choice.filling("sbert.ref") == "sbert.ref" and choice.filling("bleu") == ""


def test_unavailable_metrics_are_rejected_with_a_reason(qapp):
    choice = MetricChoice()
    before = choice.specs
    for spec, words in (
        ("bleu,size=3", "no option"),
        ("bleu,tok=words", "tok"),
        ("classifier", "needs a folder"),
        ("parascore.ref", "cannot be computed against the reference"),
    ):
        with pytest.raises(MetricError, match=words):
            choice.add(spec)
    assert choice.specs == before
    choice.add("sbert:/a/model")
    with pytest.raises(MetricError, match="as=NAME"):
        choice.add("sbert:/b/model")


def test_chosen_metrics_have_titles(qapp):
    assert spec_title("bertscore,layer=9,part=p") == "BERTScore (layer 9, p)"
    assert spec_title("bleu.ref") == "BLEU vs reference"
    assert spec_title("external:mistral score") == "mistral score"
    assert spec_title("user:/home/me/length.py") == "length"
    assert shown_name(identify("external.closer_lower.gpt4")) == "gpt4"
    assert shown_name(identify("user.length")) == "length"


def test_a_typed_pair_gets_only_ready_metrics_that_need_no_reference(qapp):
    plan = ScoringPlan(("edit_distance", "bleu.ref", "parascore", "sbert", "wer"))
    assert plan.for_typed_pairs().metrics == ("edit_distance", "wer")


# The list of all metrics


def test_every_metric_is_listed_in_its_family(picker):
    listed = {info.id for info in catalogue.metrics() if info.family != "external"}
    assert set(picker.rows) == listed
    assert len(picker.findChildren(MetricFamily)) == len(FAMILIES)


def test_a_click_ticks_a_metric_and_a_second_click_unticks_it(box, picker, qtbot):
    click(qtbot, picker.rows["chrf"].tick)
    assert box.choice.specs == ("edit_distance", "bleu", "chrf")
    assert set(box.tags) == {"edit_distance", "bleu", "chrf"}
    click(qtbot, picker.rows["chrf"].tick)
    assert "chrf" not in box.choice.specs
    click(qtbot, picker.rows["edit_distance"].tick)
    assert "edit_distance" in box.choice.specs
    click(qtbot, box.tags["bleu"].remove_button)
    qtbot.waitUntil(lambda: not picker.rows["bleu"].tick.isChecked())


def test_the_space_bar_ticks_and_the_search_filters_the_list(box, picker, qtbot):
    assert picker.search.hasFocus() or picker.focusWidget() is picker.search
    qtbot.keyClicks(picker.search, "wordnet penalty")
    assert [name for name, row in picker.rows.items() if row.isVisible()] == ["meteor"]
    row = picker.rows["meteor"]
    row.tick.setFocus()
    qtbot.keyClick(row.tick, Qt.Key.Key_Space)
    assert "meteor" in box.choice.specs
    families = picker.findChildren(MetricFamily)
    picker.search.setText("zzz")
    assert find_part(picker, QLabel, "No metric matches.").isVisible() and not any(
        family.isVisible() for family in families
    )
    picker.search.clear()
    empty = set(FAMILIES) - {info.family for info in catalogue.metrics()}  # a metric of a feature that is not installed
    assert sum(family.isVisible() for family in families) == len(FAMILIES) - len(empty)


def test_the_reference_form_is_offered_when_the_corpus_has_references(box, picker, workspace, qtbot):
    workspace.show(corpus())
    assert not picker.rows["bleu"].against.isVisible()
    assert "no references" in label_text(picker.rows["parascore"], "state")
    workspace.show(corpus(reference=True))
    assert picker.rows["bleu"].against.isVisible()
    assert not picker.rows["parascore"].against.isVisible(), "it reads the reference itself"
    click(qtbot, picker.rows["bleu"].against)
    assert "bleu.ref" in box.choice.specs
    workspace.show(corpus())
    assert any("this corpus has none" in words for words in problems(box))


def test_missing_requirements_are_listed_and_can_be_downloaded_together(box, picker, qtbot):
    row = picker.rows["sbert"]
    assert "⚠" in label_text(row, "state") and row.get_button.text() == "Download all-MiniLM-L6-v2 (80 MB)"
    with qtbot.waitSignal(picker.get_requested) as asked:
        row.get_button.click()
    assert asked.args == ["all-minilm-l6-v2"]
    box.choice.replace(["sbert", "bertscore", "bartscore"])
    assert list(box.get_buttons) == ["all-minilm-l6-v2", "facebook/bart-large-cnn"]
    assert problems(box)[0].startswith("SBERT cosine, BERTScore: ")
    box.show_download(3, 100, "Fetching …")
    assert picker.bar.isVisible() and not row.get_button.isEnabled()
    assert not any(button.isEnabled() for button in box.get_buttons.values())
    box.show_download(1, 1, "")
    assert not picker.bar.isVisible() and row.get_button.isEnabled()


def test_a_metric_with_a_downloaded_model_is_chosen_and_keeps_the_focus(box, picker, monkeypatch):
    row = picker.rows["meteor"]
    if not row.get_button.isVisible():
        monkeypatch.setattr(wordnet, "find_wordnet", lambda: None)
        box.look()
    assert row.get_button.text() == "Download WordNet 3.0 (31 MB)"
    given_up: list[bool] = []
    box.cancel_requested.connect(lambda: (given_up.append(True), box.show_download(1, 1, "")))
    for cancelled in (True, False):
        row.get_button.setFocus()
        row.get_button.click()
        box.show_download(3, 100, "Downloading WordNet (1 of 31 MB)")
        assert picker.focusWidget() is picker.cancel_button and picker.cancel_button.isVisible()
        if cancelled:
            picker.cancel_button.click()
            assert given_up and picker.focusWidget() is row.get_button and "meteor" not in box.choice.specs
    monkeypatch.setattr(wordnet, "find_wordnet", lambda: Path("wordnet"))
    box.show_download(1, 1, "")
    box.look()
    assert "meteor" in box.choice.specs and picker.focusWidget() is row.tick
    assert label_text(row, "state") == "Ready (WordNet 3.0 found)."


def test_a_variant_can_be_filled_in(box, picker, qtbot):
    row = picker.rows["bleu"]
    row.vary_button.click()
    assert row.options.isVisible()
    row.options.add_button.click()
    assert "Change at least one option" in problem(row)
    tokeniser = row.options.controls["tok"]
    assert [tokeniser.itemText(row) for row in range(tokeniser.count())] == [
        "treebank (nltk's words)",
        "whitespace (at spaces)",
    ]
    tokeniser.choose("whitespace")
    row.options.add_button.click()
    assert problem(row) == "" and not row.options.isVisible()
    assert "bleu,tok=whitespace" in box.choice.specs
    click(qtbot, variant(row, "bleu,tok=whitespace"))
    qtbot.waitUntil(lambda: "bleu,tok=whitespace" not in box.choice.specs)


def test_the_form_of_a_metric_has_a_control_for_every_option_and_adds_changed_values(box, picker):
    form = picker.rows["parascore_free"].options
    kinds = {name: type(control) for name, control in form.controls.items()}
    assert kinds == {
        "omega": DecimalBox,
        "gamma": DecimalBox,
        "threshold": QCheckBox,
        "layer": QSpinBox,
        "lang": KeyChoice,
    }
    assert all(control.accessibleName() and control.toolTip() for control in form.controls.values())
    assert form.controls["layer"].text() == "automatic" and str(form.spec()) == "parascore_free"
    form.controls["threshold"].setChecked(False)
    form.controls["layer"].setValue(9)
    form.controls["omega"].setValue(0.1)
    form.column.setText("mine")
    assert str(form.spec()) == "parascore_free,omega=0.1,threshold=off,layer=9,as=mine"
    form.clear()
    assert str(form.spec()) == "parascore_free"


def test_a_folder_without_a_model_is_refused_and_one_with_a_model_is_accepted(box, picker, tmp_path):
    row = picker.rows["classifier"]
    assert not row.tick.isVisible() and row.choose_button.isVisible()
    row.take_path(str(tmp_path / "nothing"))
    assert problem(row) and "classifier" not in " ".join(box.choice.specs)
    folder = tmp_path / "xlm-r"
    folder.mkdir()
    (folder / "config.json").write_text('{"architectures": ["XLMRobertaForSequenceClassification"]}')
    (folder / "model.safetensors").write_bytes(b"")
    row.take_path(str(folder))
    assert problem(row) == ""
    assert f"classifier:{folder}" in box.choice.specs


def test_a_metric_file_is_added_and_a_broken_one_reports_its_line(box, picker, tmp_path):
    row = picker.rows["user"]
    assert row.choose_button.text() == "Add metric file…"
    broken = tmp_path / "broken.py"
    broken.write_text("def score(sources, hypotheses):\n    return [\n")
    row.take_path(str(broken))
    assert "broken.py, line 2" in problem(row)
    file = tmp_path / "length.py"
    file.write_text("def score(sources, hypotheses):\n    return [len(text) for text in hypotheses]\n")
    row.take_path(str(file))
    assert box.choice.list_specs("user") == [f"user:{file}"]
    assert variant(row, f"user:{file}").text() == "length"
    file.unlink()
    box.look()
    assert any("length.py" in words for words in problems(box))


def test_numeric_columns_of_the_corpus_are_offered(box, picker, workspace, qtbot):
    assert columns_of_numbers(corpus()) == ["gpt4_P1", "mistral score"]
    workspace.show(corpus())
    columns = picker.columns
    click(qtbot, columns.boxes["mistral score"])
    assert [(column.column, column.closer) for column in box.choice.columns_of_corpus()] == [
        ("mistral score", "higher")
    ]
    click(qtbot, columns.smaller["mistral score"])
    assert [(column.column, column.closer) for column in box.choice.columns_of_corpus()] == [("mistral score", "lower")]
    workspace.show(corpus(extra={}))
    assert not columns.boxes and "no numeric column" in label_text(columns, "note")
    assert any("mistral score" in words for words in problems(box))


def test_controls_have_names_and_no_text_is_cut(box, picker, workspace, qtbot):
    workspace.show(corpus(reference=True))
    for row in picker.rows.values():
        row.vary_button.setChecked(True)
    area = picker.findChild(QScrollArea)
    inside = area.widget()
    for kind in (QPushButton, QToolButton, QCheckBox, QLineEdit, QAbstractSpinBox, KeyChoice):
        for part in inside.findChildren(kind):
            # A spin box provides the accessible name of its line edit.
            spoken = part.accessibleName() or isinstance(part.parent(), QAbstractSpinBox)
            assert spoken, f"{part}: setAccessibleName(self.tr(…))"
    qtbot.waitUntil(lambda: inside.width() <= area.viewport().width())


def test_opening_the_list_loads_no_network_library_and_reads_no_source():
    code = """
import linecache, sys
from parapluie_gui.ui.widgets import features
features.skip_feature_lookup()
from PySide6.QtWidgets import QApplication
app = QApplication([])
from parapluie_gui.ui.setup.metric_box import MetricBox
from parapluie_gui.analysis.names import shown_name
from parapluie_gui.scores.identity import identify
from parapluie_gui.ui.state.workspace import CorpusWorkspace
box = MetricBox(CorpusWorkspace())
box.open()
app.processEvents()
assert box.picker.rows["sbert"].isVisible()
print({"torch", "transformers", "pandas", "scipy", "nltk"} & set(sys.modules))
print([name for name in linecache.cache if "metric_picker" in name])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["set()", "[]"]


# Setup


def test_many_tags_are_folded(box, qtbot):
    box.choice.replace([info.id for info in catalogue.metrics() if not info.argument_needed])
    seen = [tag for tag in box.tags.values() if tag.isVisible()]
    assert len(seen) == 12 and box.fold_button.text() == f"and {len(box.tags) - 12} more"
    box.fold_button.click()
    assert all(tag.isVisible() for tag in box.tags.values())
    box.choice.replace(["bleu"])
    assert not box.fold_button.isVisible()


def test_download_progress_is_shown_next_to_its_metric(workspace, qtbot, monkeypatch):
    asked: list[str] = []
    monkeypatch.setattr(ModelDownload, "start", lambda self, name, revision="": asked.append(name))
    setup = SetupView(workspace)
    qtbot.addWidget(setup)
    models = ModelList(setup)
    setup.set_models([ModelChoice("mistral-7b", "Mistral", ready=False)])
    setup.judge.set_model("mistral-7b")
    setup.show()
    setup.metrics.choice.add("sbert")
    setup.metrics.get_buttons["all-minilm-l6-v2"].click()
    assert asked == ["all-minilm-l6-v2"]
    assert not setup.judge.bar.isVisible() and not setup.judge.get_button.isEnabled()
    models.cancel()
    assert setup.judge.get_button.isEnabled()
    setup.judge.get_button.click()
    assert asked == ["all-minilm-l6-v2", "mistral-7b"]
    assert setup.judge.bar.isVisible()
    assert not setup.metrics.get_buttons["all-minilm-l6-v2"].isEnabled()


# The session and the table


@pytest.fixture
def session(workspace, tmp_path, qtbot):
    (tmp_path / "sessions").mkdir()
    driver = WorkerDriver()
    session = SessionFile(
        WorkingCopies(tmp_path / "sessions"), WorkQueue(), CorpusScoring(workspace, WorkerClient(driver))
    )
    with qtbot.waitSignal(session.opened):
        pass
    yield session
    session.close()


def test_chosen_columns_are_scores_while_they_are_chosen(workspace, session, qtbot):
    choice = MetricChoice()
    keeper = MetricKeeper(workspace, SessionSettings(session), choice)
    workspace.show(corpus())
    choice.add("external:gpt4_P1")
    column = "external.gpt4_P1"
    assert np.array_equal(workspace.table[column], [1, 0, np.nan, np.nan], equal_nan=True)
    assert workspace.natural_threshold(column) == 0.5
    workspace.set_axes(y=column)
    assert workspace.threshold == 0.5
    choice.replace(["external,closer=lower:mistral score"])
    assert workspace.table.scores == ["external.closer_lower.mistral_score"]
    assert not workspace.higher_is_closer(workspace.table.scores[0])
    told: list[str] = []
    keeper.failed.connect(told.append)
    choice.replace(["external:note"])
    assert "not a number" in told[0] and workspace.table.scores == []
    workspace.show(corpus(extra={}))
    assert workspace.table.scores == [] and len(told) == 1


def test_the_session_stores_the_choice(workspace, session, tmp_path, qtbot):
    choice, settings = MetricChoice(), SessionSettings(session)
    keeper = MetricKeeper(workspace, settings, choice)
    choice.replace(["chrf", "external:gpt4_P1"])
    with qtbot.waitSignal(session.saved):
        session.save_as(tmp_path / "one")
    kept = session.path
    assert kept == tmp_path / "one.pluie"
    with qtbot.waitSignal(session.opened):
        session.new()
    choice.replace(["wer"])
    with qtbot.waitSignal(session.opened):
        session.open(kept)
    assert choice.specs == ("edit_distance", "chrf", "external:gpt4_P1")
    settings.keep("metrics", None)
    keeper.take_up()
    assert choice.specs == ("edit_distance", "chrf"), "columns belong to the session's corpora"
