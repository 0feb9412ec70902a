"""Two judges in Setup: every request to judges in the window goes to both."""

from __future__ import annotations

import fake_workers
import numpy as np
import two_judges
from PySide6.QtGui import QGuiApplication
from two_judges import FIRST, SECOND

from parapluie_gui.report.html import compute_report, write_report


def test_run_bench_report_and_script_include_both_judges(open_window, qtbot, tmp_path):
    window = open_window(fake_workers.light)
    two_judges.choose(window, tmp_path)
    twin = str(tmp_path / "twin")
    assert [judging.judge.model for judging in window.setup.plan.judgings] == ["pocket", twin]
    assert window.tools.judge_button.text() == "2 judges"
    assert "twin" in window.tools.judge_button.accessibleName()
    two_judges.score_with_both(window, qtbot)
    table = window.workspace.table
    np.testing.assert_allclose(table[FIRST], table[SECOND], atol=1e-4)
    assert not window.setup.plan.missing_in(table)

    values: dict[str, float] = {}
    bench = window.context.typed_pairs
    bench.score("A cat.", "A dog.", lambda new, *_: values.update(new), metrics=True, judges=bench.judges)
    qtbot.waitUntil(lambda: len({"edit_distance", "pluie.cloze", "pluie.cloze@pocket"} & set(values)) == 3)
    assert abs(values["pluie.cloze"] - values["pluie.cloze@pocket"]) < 1e-4

    window.tabs.show_analysis()
    qtbot.waitUntil(lambda: window.analysis.inputs() is not None, timeout=60_000)
    inputs = window.analysis.inputs()
    assert {FIRST, SECOND} <= set(inputs.names)
    write_report(tmp_path / "report.html", compute_report(inputs, lambda done, total: None, date="", note=""))
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "twin" in report and "Pocket" in report

    QGuiApplication.clipboard().clear()  # an earlier test of this process may have copied a script
    window.reporter.copy_script()
    qtbot.waitUntil(lambda: "pp.analyse" in QGuiApplication.clipboard().text(), timeout=60_000)
    assert FIRST in (text := QGuiApplication.clipboard().text()) and SECOND in text
