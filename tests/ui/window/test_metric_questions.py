"""A foreign session that names a program: nothing runs without consent, and No is the default answer."""

from __future__ import annotations

import json
from pathlib import Path

import fake_workers
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox

from parapluie_gui.metrics import user
from parapluie_gui.metrics.consent import MetricFile, is_allowed
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.storage.session import Session
from parapluie_gui.ui.state.chosen_scores import typed_scores

CODE = """
from pathlib import Path
Path({ran!r}).touch()
def score(sources, hypotheses):
    return [float(len(source)) for source in sources]
"""


@pytest.fixture
def window(open_window):
    return open_window(fake_workers.light, setup={"templates": {"CLOZE": False, "DIRECT": False}})


@pytest.fixture
def metric(tmp_path) -> Path:
    path = tmp_path / "from_elsewhere.py"
    path.write_text(CODE.format(ran=str(tmp_path / "ran")))
    return path


def session(folder: Path, *specs: str) -> Path:
    path = folder / "from elsewhere.pluie"
    with Session.open(path, create=True) as made:
        made.add_corpus(Corpus("c", ["1", "2"], ["a b", "c d e"], ["a c", "c e"]))
        made.set_setting("metrics", list(specs))
    return path


def open_session(window, qtbot, path: Path) -> None:
    with qtbot.waitSignal(window.state.corpora.corpora_changed, timeout=10_000):
        window.files.open_paths([path])
    qtbot.waitUntil(lambda: window.workspace.corpus is not None, timeout=10_000)


def questions(window) -> list[QMessageBox]:
    return [box for box in window.findChildren(QMessageBox) if box.isVisible()]


def run(window) -> None:
    window.actions_by_name["run"].trigger()


def open_question(window) -> QMessageBox:
    """Press Run and return the question."""
    run(window)
    (box,) = questions(window)
    return box


def press(window, qtbot, box: QMessageBox, words: str) -> None:
    (chosen,) = [button for button in box.buttons() if words in button.text()]
    with qtbot.waitSignal(window.scoring.ended, timeout=60_000):
        chosen.click()


def test_a_program_named_by_a_session_needs_consent_on_run_and_not_on_opening(
    window, qtbot, metric, tmp_path, monkeypatch
):
    read: list[Path] = []
    made = user.UserMetric.__init__
    monkeypatch.setattr(
        user.UserMetric, "__init__", lambda self, argument: (read.append(argument), made(self, argument))[1]
    )
    open_session(window, qtbot, session(tmp_path, f"user:{metric}", "bleu"))
    assert questions(window) == [] and read == []
    said = window.setup.metrics.findChildren(type(window.setup.notes._why))
    assert any("Press Run to be asked." in each.text() and each.property("bad") for each in said)
    assert list(typed_scores(window.setup.plan)[0]) == ["edit_distance", "bleu"]  # nor in the Bench
    box = open_question(window)
    for part in ("from_elsewhere", str(metric), MetricFile.from_spec(f"user:{metric}").sha256):
        assert part in box.text()
    assert box.textFormat() == Qt.TextFormat.PlainText
    assert box.defaultButton() is box.escapeButton() and "Leave" in box.defaultButton().text()
    assert window.scoring.state == "idle" and not (tmp_path / "ran").exists()
    with qtbot.waitSignal(window.scoring.ended, timeout=60_000):
        QTest.keyClick(box, Qt.Key.Key_Escape)
    assert not (tmp_path / "ran").exists() and not is_allowed(f"user:{metric}")
    assert list(window.workspace.table.scores) == ["edit_distance", "bleu"]
    sentence = f"from_elsewhere was skipped because its file {metric} is not allowed to run."
    assert window.banner.text.startswith(sentence)
    press(window, qtbot, open_question(window), "Run this program")
    assert (tmp_path / "ran").exists() and window.workspace.table.count_scores("user.from_elsewhere") == 2
    assert "user.from_elsewhere" in list(typed_scores(window.setup.plan)[0])


def test_consent_is_remembered_until_the_file_changes(window, qtbot, metric, tmp_path):
    open_session(window, qtbot, session(tmp_path, f"user:{metric}"))
    press(window, qtbot, open_question(window), "Run this program")
    with qtbot.waitSignal(window.scoring.ended, timeout=60_000):
        run(window)
    assert questions(window) == []
    metric.write_text(metric.read_text() + "# changed")
    before = MetricFile.from_spec(f"user:{metric}").sha256
    box = open_question(window)
    assert before in box.text()
    press(window, qtbot, box, "Leave")


def test_a_metric_from_a_session_is_not_kept_in_the_settings(window, qtbot, metric, tmp_path, home):
    mine = tmp_path / "mine.py"
    mine.write_text("def score(s, h): return [1.0] * len(s)")
    window.setup.metrics.choice.add(f"user:{mine}")
    open_session(window, qtbot, session(tmp_path, f"user:{metric}", f"user:{mine}"))
    press(window, qtbot, open_question(window), "Run this program")
    assert list(window.setup.plan.metrics) == ["edit_distance", f"user:{metric}", f"user:{mine}"]
    assert window.setup.settings()["metrics"] == ["edit_distance", f"user:{mine}"]
    with qtbot.waitSignal(window.state.session.opened, timeout=10_000):
        window.files.new_session()
    assert window.setup.metrics.choice.list_specs("user") == [f"user:{mine}"]
    window.parts.memory.keep("light")
    assert "from_elsewhere" not in json.dumps(json.loads((home / "window.json").read_text())["setup"])


def test_a_relative_path_is_shown_as_it_would_be_run(window, qtbot, metric, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    open_session(window, qtbot, session(tmp_path, "user:./from_elsewhere.py"))
    box = open_question(window)
    assert f"\n{metric}\n" in box.text()
    press(window, qtbot, box, "Leave")


def test_a_missing_file_is_reported_and_the_other_metrics_are_computed(window, qtbot, tmp_path):
    open_session(window, qtbot, session(tmp_path, f"user:{tmp_path / 'nowhere.py'}"))
    with qtbot.waitSignal(window.scoring.ended, timeout=60_000):
        run(window)
    assert window.banner.text == f"{tmp_path / 'nowhere.py'} cannot be read (No such file or directory). " + (
        "Check its name and folder."
    )
    assert questions(window) == [] and window.workspace.table.count_scores("edit_distance") == 2


def test_every_file_needs_consent_once_and_a_second_run_does_not_repeat_the_question(window, qtbot, metric, tmp_path):
    other = tmp_path / "another.py"
    other.write_text("def score(s, h): return [2.0] * len(s)")
    open_session(window, qtbot, session(tmp_path, f"user:{metric}", f"user:{other}"))
    first = open_question(window)
    window.run()
    assert questions(window) == [first]
    (yes,) = [button for button in first.buttons() if "Run this" in button.text()]
    yes.click()
    qtbot.waitUntil(lambda: [str(other) in box.text() for box in questions(window)] == [True])
    press(window, qtbot, questions(window)[0], "Leave")
    table = window.workspace.table
    assert table.count_scores("user.from_elsewhere") == 2 and "user.another" not in table


def test_without_a_user_to_answer_the_answer_is_no(window, qtbot, metric, tmp_path):
    window.parts.running.questions.asks = False
    open_session(window, qtbot, session(tmp_path, f"user:{metric}"))
    with qtbot.waitSignal(window.scoring.ended, timeout=60_000):
        window.run()
    assert questions(window) == [] and not (tmp_path / "ran").exists()
