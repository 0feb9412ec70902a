"""The Bench in the window with the real worker: a typed pair and several judges."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
from finding import problems
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from tiny import save_model, spoil

from parapluie_gui.pluie.templates import find_templates, load_templates
from parapluie_gui.work import worker
from parapluie_gui.work.scoring_plan import JudgeTemplates


def test_a_typed_pair_is_scored_by_every_chosen_judge(open_window, qtbot, tmp_path):
    """Two judges share a name and a third has disappeared: its error is shown, and both keep their scores."""
    one, other, gone = (save_model(tmp_path / folder / "tiny") for folder in ("one", "other", "gone"))
    spoil(other, "model.norm.weight", 0.5)
    window = open_window(worker.main, setup={"templates": {"DIRECT": True, "P1": True, "FS-DIRECT": False}})
    window.setup.judge.restore({"model": str(one), "device": "cpu", "precision": "float32"})
    settings = window.setup.judge.judge_settings()
    direct = find_templates(("DIRECT",), load_templates(None)[0])
    for folder in (gone, other):
        window.setup.judges.add(JudgeTemplates(replace(settings, model=str(folder)), direct))
    shutil.rmtree(gone)
    window.tabs.show_bench()
    bench = window.bench
    bench.fields.set_texts("A cat sleeps on the mat.", "A cat is sleeping on the mat.")
    QTest.keyClick(bench.fields.hypothesis, Qt.Key.Key_Return)
    assert not bench.scores.matrix.isHidden() and bench.scores.bars.isHidden(), "pending scores have their cells"
    qtbot.waitUntil(lambda: not bench.busy, timeout=180_000)
    (values,) = (entry.values for entry in bench.history)
    scores = {cell.bar.column: (cell.judge, cell.template, cell.bar.value) for cell in bench.scores.matrix.cells}
    (twin,) = (name for name, each in scores.items() if name.startswith("pluie.direct@") and each[2] is not None)
    first, second = scores["pluie.direct"], scores[twin]
    assert first[1] == second[1] == "DIRECT" and first[0] != second[0], "rows of two judges"
    assert second[2] == pytest.approx(first[2] / 2, rel=1e-3) and scores["pluie.p1"][2] is not None
    assert sorted(name for name in values if name in scores) == sorted({"pluie.direct", "pluie.p1", twin}), (
        "and no third row"
    )
    assert len(scores) == 4
    (problem,) = problems(bench.fields)
    assert str(gone) in problem
