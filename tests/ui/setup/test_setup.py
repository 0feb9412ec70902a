from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from dressing import remove_style
from finding import find_part, label_text
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QFont
from PySide6.QtWidgets import QAbstractButton, QApplication, QCheckBox, QComboBox, QLabel, QPushButton
from safetensors.numpy import save_file

from parapluie_gui.computer import gc_disabled
from parapluie_gui.models.kind import MASKED
from parapluie_gui.pairs import open_text
from parapluie_gui.pairs.column import TextColumn
from parapluie_gui.pairs.corpus import Corpus, MixedColumn, SkippedRow
from parapluie_gui.pluie.cost import TokenUsage
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.identity import identify
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.setup import judge_picker
from parapluie_gui.ui.setup.corpus_box import SkippedDialog
from parapluie_gui.ui.setup.model_box import ModelChoice
from parapluie_gui.ui.setup.setup import SetupView
from parapluie_gui.ui.start.page import StartPage
from parapluie_gui.ui.state.chosen_scores import typed_scores
from parapluie_gui.ui.state.workspace import CorpusWorkspace
from parapluie_gui.ui.widgets import theme
from parapluie_gui.ui.widgets.drop_area import DropArea
from parapluie_gui.ui.widgets.wrapped import WrappedText
from parapluie_gui.work.events import JobProgress

SMALL = ModelChoice("smollm2-135m", "SmolLM2-135M", "A real chat model and a weak judge.", True)
LARGE = ModelChoice("mistral-7b", "Mistral-7B-Instruct", "The judge of the paper.", False)
TEMPLATES = [
    Template("DIRECT", (), title="Asks at once", provenance="ParaPLUIE, figure 1"),
    Template("FS-DIRECT", ()),
    Template("mine", (), origin="/home/me/mine.toml"),
]
CLOZE = Template("CLOZE", (), "yes", "no", cloze="{source} [SEP] {hypothesis} [MASK]")


@pytest.fixture
def workspace(qapp) -> CorpusWorkspace:
    if qapp.styleSheet() != theme.style_sheet(theme.LIGHT):
        theme.apply(qapp, theme.LIGHT)
    return CorpusWorkspace()


@pytest.fixture
def setup(workspace, qtbot) -> SetupView:
    setup = SetupView(workspace)
    setup.set_models([SMALL, LARGE])
    setup.set_templates(TEMPLATES, [("broken.toml", "broken.toml, line 3: the placeholder {source} is missing.")])
    for section in setup.sections.values():
        section.heading.setChecked(True)
    for part in (setup, setup.run):
        qtbot.addWidget(part)
        part.show()
    setup.resize(300, 1200)
    qtbot.waitExposed(setup)
    return setup


def corpus(skipped: int = 0) -> Corpus:
    return Corpus(
        "news",
        list("abcd"),
        ["s"] * 4,
        ["h"] * 4,
        label=np.array([1, 1, 0, -1], dtype=np.int8),
        skipped=tuple(SkippedRow(line, "no hypothesis", f"<i>row</i> {line}") for line in range(skipped)),
        layout="MRPC",
    )


def click(qtbot, button: QAbstractButton) -> None:
    # At its left end, where a tick box has its indicator.
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(8, button.height() // 2))


@pytest.mark.parametrize("typed", ["The parcel weighs 3 kg.", "pockett", "/no/such/folder"])
def test_a_text_that_cannot_be_a_judge_is_refused_and_the_previous_judge_is_kept(setup, qtbot, typed):
    setup.set_models([SMALL, LARGE])
    setup.judge.set_model(SMALL.name)
    line = setup.judge.model.lineEdit()
    line.selectAll()
    qtbot.keyClicks(line, typed)
    assert setup.judge.name == SMALL.name, "no text becomes the judge while it is typed"
    assert setup.judge.judge_settings().model == SMALL.name and setup.judge.kind == SMALL.kind
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert setup.judge.name == SMALL.name
    refusal = setup.judge.findChild(WrappedText, "refused judge")
    assert refusal.full_text == (
        f"“{typed}” is not a judge. Choose one from the list, or type a folder, a GGUF file or a hub id."
    )
    setup.judge.set_model(LARGE.name)
    assert refusal.full_text == ""


def test_run_without_a_corpus_asks_for_one(setup):
    assert not setup.run.run_button.isEnabled()
    assert "corpus" in label_text(setup.notes, "Pairs left to score")


def test_buttons_open_corpora(setup, qtbot):
    ways = (setup.corpus.open_requested, setup.corpus.paste_requested, setup.corpus.demo_requested)
    for action, signal in zip(setup.corpus.add_button.menu().actions(), ways, strict=True):
        with qtbot.waitSignal(signal):
            action.trigger()


def test_setup_is_three_lines_until_a_section_is_unfolded(workspace, qtbot):
    setup = SetupView(workspace)
    qtbot.addWidget(setup)
    setup.set_models([SMALL, LARGE])
    setup.set_templates(TEMPLATES)
    setup.show()
    lines = {name: section.words for name, section in setup.sections.items()}
    assert lines["corpus"].startswith("No corpus is open") and lines["metrics"] == "Edit distance, BLEU"
    assert lines["judge"] == "SmolLM2 · DIRECT"
    assert not any(section.inside.isVisible() for section in setup.sections.values())
    workspace.show(corpus(skipped=3))
    setup.both.setChecked(True)
    assert setup.sections["corpus"].words == "news · 4 pairs · 3 rows skipped"
    assert setup.sections["judge"].words == "SmolLM2 · DIRECT, in both directions"
    setup.judge.model.setCurrentIndex(1)
    assert setup.judge.get_button.isVisible(), "the reason why it cannot run is visible"
    setup.sections["judge"].heading.click()
    assert setup.judge.model.isVisible() and not setup.metrics.choose_button.isVisible()
    other = SetupView(workspace)
    qtbot.addWidget(other)
    other.restore(json.loads(json.dumps(setup.settings())))
    assert [name for name, section in other.sections.items() if section.heading.isChecked()] == ["judge"]


@pytest.fixture
def start(qtbot):
    start = StartPage()
    qtbot.addWidget(start)
    return start


def test_a_file_can_be_dropped(start, qtbot):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/tmp/pairs.tsv"), QUrl("https://example.org/x.csv")])
    area = start.findChild(DropArea)
    where = area.rect().center()
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(where, Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(area, enter)
    assert enter.isAccepted()
    with qtbot.waitSignal(start.files_wanted) as dropped:
        QApplication.sendEvent(area, QDropEvent(QPointF(where), Qt.DropAction.CopyAction, data, buttons, keys))
    assert dropped.args == [[Path("/tmp/pairs.tsv")]]


def test_dropped_text_is_refused(start):
    data = QMimeData()
    data.setText("hello")
    enter = QDragEnterEvent(
        QPoint(5, 5), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    enter.ignore()
    QApplication.sendEvent(start.findChild(DropArea), enter)
    assert not enter.isAccepted()


def test_the_corpus_is_described(setup, workspace):
    workspace.show(corpus())
    text = setup.corpus.text().replace("\N{NO-BREAK SPACE}", " ")
    assert "4 pairs\nparaphrase 2 · not a paraphrase 1 · unlabelled 1" in text
    assert "MRPC" in setup.corpus.text()
    assert not setup.corpus.skipped_button.isVisible()
    workspace.show(Corpus("bare", ["1"], ["s"], ["h"]))
    assert "no labels" in setup.corpus.text()
    workspace.show(None)
    assert setup.corpus.text() == ""


def test_a_nearly_numeric_column_is_named(setup, workspace):
    workspace.show(replace(corpus(), mixed=(MixedColumn("year", 2, 7, "<b>n.d.</b>"),)))
    sentence = 'Column "year" is read as text: 2 cells are not numbers (the first is "<b>n.d.</b>" in line 7).'
    assert sentence in setup.corpus.text()
    workspace.show(corpus())
    assert "year" not in setup.corpus.text()


def test_skipped_rows_open_a_non_modal_list(setup, workspace, qtbot):
    workspace.show(corpus(skipped=3))
    assert setup.corpus.skipped_button.text() == "3 rows skipped"
    click(qtbot, setup.corpus.skipped_button)
    dialog = setup.corpus.findChild(SkippedDialog)
    assert dialog.isVisible() and not dialog.isModal()
    table = dialog.table
    assert [table.item(2, column).text() for column in range(3)] == ["2", "no hypothesis", "<i>row</i> 2"]
    workspace.show(corpus())
    assert not dialog.isVisible()


def test_the_chooser_is_shown_when_there_are_several_corpora(setup, workspace, qtbot):
    workspace.show(corpus())
    setup.corpus.set_corpora(["news"], 0)
    assert not setup.corpus.chooser.isVisible()
    setup.corpus.set_corpora(["news", "tweets"], 0)
    assert setup.corpus.chooser.isVisible()
    setup.corpus.chooser.setFocus()
    with qtbot.waitSignal(setup.corpus.corpus_chosen) as chosen:
        qtbot.keyClick(setup.corpus.chooser, Qt.Key.Key_Down)
    assert chosen.args == [1]


def test_a_judge_is_described_and_a_missing_judge_can_be_downloaded(setup, workspace, qtbot):
    workspace.show(corpus())
    assert setup.judge.note == SMALL.note
    assert not setup.judge.get_button.isVisible()
    assert setup.run.run_button.isEnabled()
    setup.judge.model.setCurrentIndex(1)
    assert setup.judge.note == LARGE.note
    assert setup.judge.get_button.isVisible()
    assert not setup.run.run_button.isEnabled()
    assert "Download it" in label_text(setup.notes, "Pairs left to score")
    with qtbot.waitSignal(setup.judge.get_requested) as asked:
        click(qtbot, setup.judge.get_button)
    assert asked.args == ["mistral-7b"]
    setup.judge.show_download(7 * 10**9, 14 * 10**9, "7 of 14 GB")
    assert setup.judge.bar.isVisible()
    assert setup.judge.bar.value() == setup.judge.bar.maximum() // 2
    assert not setup.judge.get_button.isEnabled()
    setup.judge.show_download(14 * 10**9, 14 * 10**9, "")
    assert not setup.judge.bar.isVisible()
    setup.set_models([SMALL, ModelChoice("mistral-7b", "Mistral-7B-Instruct", ready=True)])
    assert setup.judge.name == "mistral-7b", "the chosen judge stays chosen"
    assert setup.run.run_button.isEnabled()


def test_the_judge_shows_what_it_was_checked_on(setup, qtbot):
    known = replace(SMALL, checked="MRPC and PARAPHRASUS", card="pocket-card")
    setup.set_models([known, LARGE])
    assert find_part(setup.judge, QLabel, "checked on").text() == "Checked on: MRPC and PARAPHRASUS."
    click(qtbot, setup.judge.info_button)
    with qtbot.waitSignal(setup.judge.card_requested) as asked:
        click(qtbot, setup.judge.card_button)
    assert asked.args == ["pocket-card"]
    setup.judge.model.setCurrentIndex(1)
    assert "not been checked on any known data" in find_part(setup.judge, QLabel, "checked on").text()
    assert not setup.judge.card_button.isVisible()


def test_nothing_remains_to_be_computed_when_all_pairs_are_scored(setup, workspace):
    workspace.show(corpus())
    every = "All pairs have these scores"
    assert every not in label_text(setup.notes, "Pairs left to score")
    for column in setup.plan.missing_in(workspace.table):
        fields = {"model": SMALL.name} if column.startswith("pluie.") else {}
        workspace.declare(column, Signature.from_fields(column, fields))
        workspace.put(np.arange(4), {column: np.ones(4)})
    setup.set_state("idle")
    assert setup.plan.missing_in(workspace.table) == [] and every in label_text(setup.notes, "Pairs left to score")
    setup.judge.model.setCurrentIndex(1)
    assert setup.plan.missing_in(workspace.table), "scores of a different judge do not count"
    assert every not in label_text(setup.notes, "Pairs left to score")


def test_any_model_can_be_typed(setup, workspace, qtbot, tmp_path):
    path = tmp_path / "tiny.gguf"
    path.touch()
    setup.judge.model.lineEdit().selectAll()
    qtbot.keyClicks(setup.judge.model.lineEdit(), str(path))
    assert setup.judge.judge_settings().model == str(path)
    assert "loaded when you press Run" in setup.judge.note
    assert not setup.judge.get_button.isVisible()


def test_a_click_on_a_model_name_opens_the_list(setup, qtbot, monkeypatch):
    box, opened = setup.judge.model, []
    monkeypatch.setattr(type(box), "showPopup", lambda self: opened.append(self))
    qtbot.mouseClick(box.lineEdit(), Qt.MouseButton.LeftButton)
    assert opened == [box]
    qtbot.mouseClick(box.lineEdit(), Qt.MouseButton.RightButton)
    box.lineEdit().selectAll()
    qtbot.keyClicks(box.lineEdit(), "/models/tiny")
    qtbot.mouseClick(box.lineEdit(), Qt.MouseButton.LeftButton)
    assert opened == [box], "the text being typed is not covered"


def test_only_available_kinds_of_gpu_are_offered(qtbot, monkeypatch):
    for there, system, kinds in ((False, "linux", []), (True, "linux", ["cuda"]), (True, "darwin", ["mps"])):
        monkeypatch.setattr(judge_picker, "may_have_gpu", lambda there=there: there)
        monkeypatch.setattr(judge_picker.sys, "platform", system)
        assert list(judge_picker._gpus()) == kinds


def test_judge_settings_are_applied(setup, qtbot):
    setup.judge.device.setCurrentIndex(setup.judge.device.findData("cpu"))
    setup.judge.precision.setCurrentIndex(setup.judge.precision.findData("bfloat16"))
    click(qtbot, setup.judge.exact)
    assert setup.judge.judge_settings() == JudgeSettings("smollm2-135m", "cpu", "bfloat16", True)


def test_templates_can_be_ticked(setup, qtbot):
    assert [template.name for template in setup.plan.templates] == ["DIRECT"]
    assert "ParaPLUIE, figure 1" in setup.templates.box("DIRECT").toolTip()
    assert "yours" in setup.templates.box("mine").text()
    click(qtbot, setup.templates.box("mine"))
    assert [template.name for template in setup.plan.templates] == ["DIRECT", "mine"]
    setup.set_templates(TEMPLATES[1:])
    assert [template.name for template in setup.plan.templates] == ["mine"], "ticks survive a new list"


def test_both_directions_can_be_chosen(setup, workspace, qtbot):
    click(qtbot, setup.both)
    assert [template.name for template in setup.plan.templates] == ["DIRECT", "DIRECT,reverse"]
    assert list(typed_scores(setup.plan)[0])[-2:] == ["pluie.direct", "pluie.direct.reverse"]
    other = SetupView(workspace)
    qtbot.addWidget(other)
    other.set_templates(TEMPLATES)
    other.restore(json.loads(json.dumps(setup.settings())))
    assert other.plan.templates == setup.plan.templates
    click(qtbot, setup.both)
    assert [template.name for template in setup.plan.templates] == ["DIRECT"]


def test_the_pocket_judge_can_be_chosen_and_replaced(setup, qtbot):
    pocket = ModelChoice("pocket", "Pocket judge", "A small trained judge.", True, kind=MASKED, built_in=True)
    setup.set_templates([*TEMPLATES, CLOZE])
    setup.set_models([pocket, SMALL, LARGE])
    assert setup.judge.name == "smollm2-135m", "the chosen judge stays chosen"
    setup.judge.model.setCurrentIndex(0)
    assert (setup.judge.name, setup.judge.note) == ("pocket", "A small trained judge.")
    assert [template.name for template in setup.plan.templates] == ["CLOZE"]
    assert setup.templates.ticks().keys() >= {"CLOZE"}
    click(qtbot, setup.templates.box("CLOZE"))
    assert not setup.plan.templates
    setup.judge.model.setCurrentIndex(1)
    assert setup.judge.name == "smollm2-135m"
    assert [template.name for template in setup.plan.templates] == ["DIRECT"]
    with pytest.raises(KeyError):
        setup.templates.box("CLOZE")
    # While a name is typed, the list is unchanged.
    setup.judge.model.setEditText("/nowh")
    assert [template.name for template in setup.plan.templates] == ["DIRECT"]


def test_the_first_judge_of_the_list_is_chosen(workspace, qtbot):
    setup = SetupView(workspace)
    qtbot.addWidget(setup)
    setup.set_models([ModelChoice("pocket", "Pocket judge", kind=MASKED, built_in=True), SMALL])
    setup.set_templates([*TEMPLATES, CLOZE])
    assert setup.judge.name == "pocket"
    assert [template.name for template in setup.plan.templates] == ["CLOZE"]


def test_a_folder_names_the_templates_made_for_it(setup, tmp_path):
    setup.set_templates([*TEMPLATES, CLOZE])
    (tmp_path / "config.json").write_text('{"architectures": ["BertForMaskedLM"]}')
    setup.judge.set_model(str(tmp_path))
    assert "fills the gap in a cloze" in setup.judge.note
    assert [template.name for template in setup.plan.templates] == ["CLOZE"]
    save_file({"x": np.zeros(1)}, tmp_path / "model.safetensors", {"parapluie": "parapluie-int8"})
    setup.judge.set_model("")
    setup.judge.set_model(str(tmp_path))
    assert "made by train-judge" in setup.judge.note and "not the paper's zero-shot" in setup.judge.note


def test_broken_templates_are_listed_with_their_error(setup):
    labels = [label for label in setup.templates.findChildren(QLabel) if "broken.toml" in label.text()]
    assert len(labels) == 1
    assert "placeholder {source}" in labels[0].toolTip()


def test_edit_distance_is_always_computed(setup, qtbot):
    assert list(setup.plan.metrics) == ["edit_distance", "bleu"]
    assert not setup.metrics.tags["edit_distance"].remove_button.isVisible()
    click(qtbot, setup.metrics.tags["bleu"].remove_button)
    qtbot.waitUntil(lambda: list(setup.plan.metrics) == ["edit_distance"])
    setup.metrics.choice.remove("edit_distance")
    assert list(setup.plan.metrics) == ["edit_distance"]


def test_metrics_alone_need_no_judge(setup, workspace, qtbot):
    workspace.show(corpus())
    setup.judge.model.setEditText("")
    assert not setup.run.run_button.isEnabled()
    click(qtbot, setup.templates.box("DIRECT"))
    assert setup.run.run_button.isEnabled()


@pytest.mark.parametrize(
    ("state", "enabled"),
    [
        ("idle", (True, False, False)),
        ("loading", (False, True, True)),
        ("running", (False, True, True)),
        ("paused", (False, True, True)),
        ("stopping", (False, False, False)),
    ],
)
def test_buttons_depend_on_the_state(setup, workspace, state, enabled):
    workspace.show(corpus())
    setup.set_state(state)
    buttons = (setup.run.run_button, setup.run.pause_button, setup.run.stop_button)
    assert tuple(button.isEnabled() for button in buttons) == enabled
    assert setup.run.pause_button.text() == ("Resume" if state == "paused" else "Pause")
    assert setup.judge.isEnabled() == (state == "idle")


def test_an_unknown_state_is_refused(setup):
    with pytest.raises(ValueError, match="resting"):
        setup.set_state("resting")


def test_run_pause_resume_and_stop_emit_their_signals(setup, workspace, qtbot):
    workspace.show(corpus())
    with qtbot.waitSignal(setup.run.run_requested):
        click(qtbot, setup.run.run_button)
    setup.set_state("running")
    with qtbot.waitSignal(setup.run.pause_requested):
        click(qtbot, setup.run.pause_button)
    setup.set_state("paused")
    with qtbot.waitSignal(setup.run.resume_requested):
        click(qtbot, setup.run.pause_button)
    with qtbot.waitSignal(setup.run.stop_requested):
        click(qtbot, setup.run.stop_button)


def test_a_click_on_run_gives_the_focus_to_no_other_widget(setup, workspace, qtbot):
    """A disabled button passes the focus to the next widget: Space would then choose a different judge."""
    workspace.show(corpus())
    setup.run.run_requested.connect(lambda: setup.set_state("loading"))
    click(qtbot, setup.run.run_button)
    assert setup.run.focusWidget() is None
    click(qtbot, setup.run.pause_button)
    setup.set_state("idle")
    assert setup.run.focusWidget() is None


def test_progress_is_shown_in_words(setup):
    setup.set_state("loading")
    setup.run.show_stage("Loading smollm2-135m…")
    assert label_text(setup.run, "Current step") == "Loading smollm2-135m…"
    setup.set_state("running")
    assert label_text(setup.run, "Current step") == ""
    setup.show_progress(JobProgress(1, 4_300, 6_900, 12.34, 80.0, "pluie.direct", 1_000, 3_450, 2, 2))
    assert label_text(setup.run, "Speed") == "12.3 pairs/s · 1 min 20 s left"
    # A pair counts if it has this score, whatever other scores it has.
    assert label_text(setup.run, "Score under way") == "DIRECT · SmolLM2: 1,000 of 3,450 pairs (score 2 of 2)"
    assert 0.28 < setup.run.bar.value() / setup.run.bar.maximum() < 0.3
    setup.show_progress(JobProgress(1, 10**10, 2 * 10**10, 2500.0, 7260.0, "bleu", 10**10, 2 * 10**10))
    assert label_text(setup.run, "Speed") == "2,500 pairs/s · 2 h 1 min left"
    assert label_text(setup.run, "Score under way") == "BLEU: 10,000,000,000 of 20,000,000,000 pairs"
    setup.show_progress(JobProgress(1, 10, 20, 0.0, None, "bleu", 10, 20))
    assert label_text(setup.run, "Speed") == ""
    setup.show_progress(JobProgress(1, 0, 0, 0.0, None, ""))


def test_the_number_of_requests_to_a_server_is_shown(setup):
    setup.set_state("running")
    setup.show_judge("m: on host:1, prompted with token ids")
    spent = TokenUsage("host:1", 2, 31_200, 2, (1.0, 4.0))
    setup.show_progress(JobProgress(1, 2, 4, 3.0, 1.0, "pluie.direct", 2, 4, spending=spent))
    setup.show_judge("", ["Of a pair in the Bench."])
    words = "31,200 tokens read, 2 written, cost 0.0312"
    assert label_text(setup.run, "Speed") == f"3.0 pairs/s · 1 s left · {words}"
    assert label_text(setup.notes, "Judge in use") == f"m: on host:1, prompted with token ids · {words}"


def test_a_stopped_run_is_reported_until_its_corpus_is_replaced(setup, workspace):
    workspace.show(corpus())
    setup.set_state("loading")
    signature = Signature.from_fields("pluie.direct", {"name": "pluie", "model": SMALL.name})
    workspace.declare("pluie.direct", signature)
    workspace.put(np.arange(2), {"pluie.direct": np.ones(2)})
    setup.show_progress(JobProgress(1, 2, 4, 3.0, 1.0, "pluie.direct", 2, 4))
    setup.set_state("stopping")
    setup.set_state("idle")
    setup.run.show_end(cancelled=True)
    assert label_text(setup.run, "Score under way") == "Stopped." and not setup.run.bar.isVisible()
    assert label_text(setup.notes, "Pairs left to score") == "DIRECT · SmolLM2 partly scored: 2 of 4"
    workspace.show(corpus())
    assert label_text(setup.run, "Score under way") == label_text(setup.notes, "Pairs left to score") == ""


def test_a_notice_of_a_state_ends_with_its_state(setup):
    setup.set_state("running")
    for end in (lambda: setup.show_progress(JobProgress(1, "", 1, 2, 0.0, None)), lambda: setup.set_state("idle")):
        setup.notes.show_notice("The batch was halved.")
        setup.notes.show_notice("Still waiting for 127.0.0.1:8080 …")
        assert "Still waiting" in label_text(setup.notes, "Notices")
        end()
        assert label_text(setup.notes, "Notices") == "The batch was halved."


def test_notices_and_errors_stay_until_the_next_run(setup):
    setup.set_state("loading")
    setup.show_judge("SmolLM2-135M, cpu, float32", ["This model has no chat template."])
    setup.notes.show_notice("The batch was halved.")
    setup.notes.show_notice("The batch was halved.")
    setup.notes.show_error("The judge ran out of <memory>.")
    setup.set_state("idle")
    assert label_text(setup.notes, "Notices") == "This model has no chat template.\nThe batch was halved."
    assert label_text(setup.notes, "Error") == "The judge ran out of <memory>."
    error = find_part(setup.notes, QLabel, "Error")
    assert error.palette().windowText().color().name() == theme.LIGHT.bad
    assert error.textFormat() == Qt.TextFormat.PlainText
    setup.set_state("loading")
    assert (label_text(setup.notes, "Error"), label_text(setup.notes, "Notices")) == ("", "")


def test_settings_are_restored(setup, workspace, qtbot):
    click(qtbot, setup.templates.box("FS-DIRECT"))
    setup.metrics.choice.replace(["chrf", "bleu,tok=whitespace"])
    setup.judge.set_model("/models/x")
    setup.judge.restore({"device": "cuda:1", "precision": "float16", "exact": True})
    stored = json.loads(json.dumps(setup.settings()))
    other = SetupView(workspace)
    qtbot.addWidget(other)
    other.restore(stored)  # before the lists are filled, as at program start
    other.set_models([SMALL, LARGE])
    other.set_templates(TEMPLATES)
    assert (
        other.judge.judge_settings()
        == setup.judge.judge_settings()
        == JudgeSettings("/models/x", "cuda:1", "float16", True)
    )
    assert list(other.plan.templates) == list(setup.plan.templates) == TEMPLATES[:2]
    assert list(other.plan.metrics) == ["edit_distance", "bleu,tok=whitespace", "chrf"]
    other.restore({"judge": 3, "templates": None, "metrics": {"edit_distance": False}})
    assert list(other.plan.metrics) == ["edit_distance", "bleu,tok=whitespace", "chrf"]


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_no_text_is_cut(workspace, qtbot, qapp, factor):
    font = QFont(qapp.font())
    normal = QFont(font)
    font.setPointSizeF(font.pointSizeF() * factor)
    with gc_disabled():
        qapp.setFont(font)
    try:
        setup = SetupView(workspace)
        qtbot.addWidget(setup)
        setup.set_models([SMALL, LARGE])
        setup.set_templates(TEMPLATES, [("broken.toml", "No {source}.")])
        workspace.show(corpus(skipped=3))
        setup.judge.set_model("mistral-7b")
        setup.set_state("loading")
        setup.show_judge("a-model-with-a-very-long-name/and-a-folder/of-more-than-thirty-letters", ["Notice."])
        setup.notes.show_error(
            "The file /home/somebody/models/mistral-7b-instruct-v0.2.Q4_K_M.gguf is damaged. Get it again."
        )
        width = setup.minimumSizeHint().width()
        assert width <= 300 * factor
        setup.resize(max(width, 300), 900)
        setup.show()
        qtbot.waitExposed(setup)
        inside = setup.area.widget()
        qtbot.waitUntil(lambda: inside.height() >= inside.heightForWidth(inside.width()))
        qtbot.waitUntil(lambda: inside.width() <= setup.area.viewport().width())
        boxes = inside.findChildren(QCheckBox)
        qtbot.waitUntil(lambda: all(box.height() >= box.sizeHint().height() for box in boxes))
        texts = [label for label in inside.findChildren(QLabel) if label.isVisible() and label.hasHeightForWidth()]
        qtbot.waitUntil(lambda: all(label.height() >= label.heightForWidth(label.width()) for label in texts))
        for kind in (QPushButton, QCheckBox, QComboBox, QLabel):
            for part in inside.findChildren(kind):
                if not part.isVisible() or part.parent() is None:
                    continue
                needed = part.heightForWidth(part.width()) if part.hasHeightForWidth() else part.sizeHint().height()
                assert part.height() >= needed, part.accessibleName()
                if kind is not QLabel:
                    assert part.width() >= part.minimumSizeHint().width(), part.accessibleName()
                right = part.mapTo(inside, QPoint(part.width(), 0)).x()
                assert right <= inside.width(), part.accessibleName()
    finally:
        remove_style(qapp, normal)
        theme.apply(qapp, theme.LIGHT)


def test_long_names_of_templates_and_columns_do_not_widen_the_panel(setup, workspace):
    setup.set_templates([Template("DIRECT", ())])
    narrow = setup.minimumSizeHint().width()
    setup.set_templates([Template("P2-ICL_K4", (), title="Equivalent meaning?"), Template("FS-DIRECT_FR" * 3, ())])
    assert setup.minimumSizeHint().width() == narrow
    workspace.show(replace(corpus(), extra={"group": TextColumn(["a"] * len(corpus()))}))
    assert setup.corpus.roles_button.isVisible()
    assert setup.minimumSizeHint().width() == narrow


def test_every_control_has_a_name(setup, workspace):
    workspace.show(corpus(skipped=1))
    for kind in (QPushButton, QCheckBox, QComboBox):
        for part in setup.findChildren(kind):
            assert part.accessibleName(), f"{part}: setAccessibleName(self.tr(…))"


def test_several_judges_are_chosen_each_with_its_own_templates(setup, workspace, qtbot):
    workspace.show(corpus())
    first = setup.judge.name
    click(qtbot, setup.judges.add_button)
    assert [judge.judge.model for judge in setup.judges.judges] == [first] and setup.judge.name != first
    asked = [
        (judging.judge.model, [template.name for template in judging.templates]) for judging in setup.plan.judgings
    ]
    assert [model for model, _ in asked] == [first, setup.judge.name] and all(names for _, names in asked)
    columns = list(setup.plan.judge_scores(workspace.table))
    assert columns == ["pluie.direct", f"pluie.direct@{setup.judge.name.lower()}"], "the first judge takes the name"
    listed = [each.full_text for each in setup.judges.findChildren(WrappedText) if "DIRECT" in each.full_text]
    assert len(listed) == 2 and listed[1].endswith("(chosen above)"), "all requests are one list"
    assert "Time: measured in the first run" in setup.cost(setup.judges.judges[0])
    made = Signature.from_fields("pluie.direct", {"name": "pluie", "model": first})
    setup.speeds.note(identify("pluie.direct", made), 2.0)
    assert "Time: about 2 s, as last measured here" in setup.cost(setup.judges.judges[0])

    other = SetupView(CorpusWorkspace())
    qtbot.addWidget(other)
    other.set_models([SMALL, LARGE])
    other.set_templates(TEMPLATES)
    other.restore(setup.settings())
    assert other.judges.judges == setup.judges.judges

    kept, second = setup.judges.judges[0], setup.judge.name
    setup.judges.edit_requested.emit(kept)
    assert [judging.judge.model for judging in setup.plan.judgings] == [second, first] and setup.judge.name == first
    setup.judges.add(kept)
    assert len(setup.plan.judgings) == 2, "the judge in the picker is asked once"
    removes = [each for each in setup.judges.findChildren(QAbstractButton) if each.text() == "Remove"]
    click(qtbot, removes[-1])
    assert [judging.judge.model for judging in setup.plan.judgings] == [second] and setup.judge.name == second


def test_templates_are_listed_by_the_question_they_ask(setup, qtbot):
    titled = [
        replace(CLOZE, title="Yes or no in a gap"),
        replace(CLOZE, name="LONG", title="A title of more letters than there is room"),
    ]
    setup.set_templates([*titled, Template("BARE", (), "yes", "no", cloze=CLOZE.cloze)], [])
    setup.restore({"judge": {"model": "pocket"}})
    shown = [setup.templates.box(name).text() for name in ("CLOZE", "LONG", "BARE")]
    assert shown == ["Yes or no in a gap · CLOZE", "A title of more lette… · LONG", "BARE"]
    assert "A title of more letters than there is room" in setup.templates.box("LONG").toolTip()


def test_a_guessed_reading_is_shown_in_one_line(setup, workspace):
    rows = "".join(f"The man {n} walks home.,Home walks man {n}.,{n}\n" for n in range(6))
    workspace.show(open_text("first one,other one,year\n" + rows).read())
    section = setup.sections["corpus"]
    assert section.words.endswith(
        "\nsource = first one, hypothesis = other one, label: none, human score: none, 1 more column"
    )
    assert "source = first one" in section.toolTip()
    workspace.show(open_text("source,hypothesis\nA b,C d\n").read())
    assert "\n" not in section.words
    assert "source = source" in section.toolTip()
