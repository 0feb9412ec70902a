"""Adding a corpus to the current one, the report and the script, in the window."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import fake_workers
import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication
from waiting import at_rest

from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.table import table_csv
from parapluie_gui.pairs import read
from parapluie_gui.pairs.pool import pool, split_pool
from parapluie_gui.storage.session import Session

WORDS = ("cat", "dog", "sun", "rain", "sleeps", "shines")


def corpus_file(folder, name: str, seed: int, header=("source", "hypothesis", "label"), pairs: int = 40):
    random = np.random.default_rng(seed)
    path = folder / name
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for _ in range(pairs):
            texts = (" ".join(random.choice(WORDS, 4)), " ".join(random.choice(WORDS, 5)))
            writer.writerow((*texts, int(random.integers(0, 2))))
    return path


@pytest.fixture
def window(open_window):
    return open_window(fake_workers.light, setup={"templates": {"DIRECT": False, "CLOZE": False}})


def load(window, qtbot, path, opening) -> None:
    with qtbot.waitSignal(window.state.corpora.corpora_changed, timeout=10_000):
        opening([path])


def score(window, qtbot) -> None:
    with qtbot.waitSignal(window.scoring.ended, timeout=60_000):
        window.run()
    qtbot.waitUntil(lambda: at_rest(window.workspace))


def rerun(script) -> dict:
    """Run a script in a separate process and return some of its numbers."""
    code = (
        "import json, runpy\n"
        f"found = runpy.run_path({str(script)!r})\n"
        "tables = next(each.tables for each in found['results'] if each.name == 'distributions')\n"
        "shown = {name: table.csv() for name, table in tables.items()}\n"
        "print(json.dumps({'bleu': found['scores']['bleu'].tolist(), 'tables': shown}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def analyse(window, qtbot) -> None:
    window.tabs.show_analysis()
    qtbot.waitUntil(lambda: not window.analysis.busy, timeout=20_000)


def test_a_corpus_is_added_and_its_report_and_script_are_written(window, qtbot, tmp_path):
    one, two = corpus_file(tmp_path, "one.csv", 1), corpus_file(tmp_path, "two.csv", 2)
    load(window, qtbot, one, window.files.open_paths)
    score(window, qtbot)
    known = window.workspace.table["bleu"].copy()
    load(window, qtbot, two, window.state.corpora.add_files)
    corpus = window.workspace.corpus
    assert (corpus.name, len(corpus)) == ("one + two", 80)
    # Scores of the first corpus are reused at once.
    np.testing.assert_array_equal(window.workspace.table["bleu"][:40], known)
    assert window.state.corpora.names()[0] == ["one", "one + two"]
    score(window, qtbot)
    analyse(window, qtbot)
    assert window.analysis.choice.corpora.checked_keys() == ["one", "two", "Global"]

    with qtbot.waitSignal(window.reporter.written, timeout=20_000):
        window.reporter.write(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    best = window.analysis.inputs()
    assert best is not None and "Worst false positives" in text and text.count("<svg") >= 4
    assert "name:bleu" in text

    qtbot.waitUntil(lambda: window.status.text == "")
    with qtbot.waitSignal(window.reporter.message, timeout=20_000):
        window.reporter.copy_script()
    script = tmp_path / "again.py"
    script.write_text(QGuiApplication.clipboard().text(), encoding="utf-8")
    assert f"pp.read({str(one)!r}, {str(two)!r})" in script.read_text(encoding="utf-8")
    result = rerun(script)
    assert result["bleu"] == window.workspace.table["bleu"].tolist()
    run = window.analysis.pages[0].run
    assert result["tables"] == {table.name: table_csv(table) for table in analysis("distributions").tables(run)} != {}
    qtbot.waitUntil(lambda: window.status.text == "")


def test_report_and_script_work_before_the_analysis_was_opened(window, qtbot, tmp_path):
    load(window, qtbot, corpus_file(tmp_path, "one.csv", 1), window.files.open_paths)
    window.reporter.copy_script()
    qtbot.waitUntil(lambda: "nothing to report yet" in window.banner.text)
    score(window, qtbot)
    assert not window.analysis.pages, "the tab was never shown"
    with qtbot.waitSignal(window.reporter.written, timeout=20_000):
        window.reporter.write(tmp_path / "report.html")
    assert "name:edit_distance" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "nothing to report" not in window.banner.text, "the error is resolved"
    qtbot.waitUntil(lambda: window.status.text == "")
    with qtbot.waitSignal(window.reporter.message, timeout=20_000):
        window.reporter.copy_script()
    assert "edit_distance" in QGuiApplication.clipboard().text()
    qtbot.waitUntil(lambda: window.status.text == "")


def test_a_corpus_is_not_added_twice(window, qtbot, tmp_path):
    one = corpus_file(tmp_path, "one.csv", 1)
    load(window, qtbot, one, window.files.open_paths)
    window.state.corpora.add_files([one])
    qtbot.waitUntil(lambda: "already" in window.banner.text, timeout=10_000)
    assert len(window.workspace.corpus) == 40


def test_a_script_reads_the_session_when_the_file_has_changed(window, qtbot, tmp_path):
    one = corpus_file(tmp_path, "one.csv", 1)
    load(window, qtbot, one, window.files.open_paths)
    score(window, qtbot)
    corpus_file(tmp_path, "one.csv", 2)
    analyse(window, qtbot)
    with qtbot.waitSignal(window.reporter.message, timeout=20_000):
        window.reporter.copy_script()
    text = QGuiApplication.clipboard().text()
    assert "pp.open_session" in text and "pp.read" not in text
    with Session.connect(window.state.session.copy) as session:
        assert f"session.scores({session.corpora()[0].id})" in text
    qtbot.waitUntil(lambda: window.status.text == "")


def test_without_scores_no_report_is_written(window, qtbot):
    with qtbot.waitSignal(window.context.reports.failed) as failed:
        window.reporter.ask()
    assert "F5" in failed.args[0]


def test_pooled_corpora_can_be_separated_again(tmp_path):
    files = [corpus_file(tmp_path, f"{name}.csv", seed) for seed, name in enumerate(("a", "b", "c"))]
    a, b, c = (read(path) for path in files)
    once, again = pool([a, b, c]), pool([*split_pool(pool([a, b])), c])
    assert once.name == again.name and list(once.id) == list(again.id)
    assert list(once.extra["corpus"]) == list(again.extra["corpus"]) == ["a"] * 40 + ["b"] * 40 + ["c"] * 40
    np.testing.assert_array_equal(once.label, again.label)
