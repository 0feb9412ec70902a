"""Sampling as a command, in Python and in the window."""

from __future__ import annotations

import numpy as np
import pytest

import parapluie_gui as pp
from parapluie_gui.commands.main import main
from parapluie_gui.features.sampling.dialog import SamplingDialog


@pytest.fixture
def file(tmp_path, home):
    rows = [f"p{row},A {row}.,B {row}.,{int(row < 60)},{'xyz'[row % 3]},{row / 80}" for row in range(80)]
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(["id,source,hypothesis,label,group,bleu", *rows]), encoding="utf-8")
    return path


def test_the_command_draws_equal_numbers_per_label(file, tmp_path, capsys):
    output = tmp_path / "drawn.csv"
    assert main(["sample", str(file), "-o", str(output), "--pairs", "30", "--by", "label", "--seed", "4"]) == 0
    assert capsys.readouterr().out.startswith("30 pairs of 80 drawn with seed 4; ")
    drawn = pp.read(output)
    assert drawn.label.sum() == 15 and len(drawn) == 30
    rows = pp.draw_pairs(pp.read(file).label.tolist(), 30, 4)
    assert [f"p{row}" for row in rows] == list(drawn.id)


@pytest.mark.parametrize(("by", "strata"), [("group", 3), ("bleu", 4)])
def test_groups_and_quarters_of_a_column_are_strata(file, tmp_path, by, strata):
    output = tmp_path / "drawn.csv"
    assert main(["sample", str(file), "-o", str(output), "--pairs", "12", "--by", by]) == 0
    drawn = pp.read(output)
    values = list(drawn.group) if by == "group" else np.floor(drawn.extra["bleu"].values * 4).tolist()
    assert sorted(values.count(value) for value in set(values)) == [12 // strata] * strata


def test_randomly_drawn_pairs_come_with_their_precision(file, tmp_path, capsys):
    assert main(["sample", str(file), "-o", str(tmp_path / "d.csv"), "--pairs", "40"]) == 0
    assert "A share of such pairs is known to ±11.0 points (95 %)." in capsys.readouterr().out


def test_an_unknown_column_is_refused(file, tmp_path, capsys):
    assert main(["sample", str(file), "-o", str(tmp_path / "d.csv"), "--by", "colour"]) == 2
    assert 'pairs has no column "colour". Choose among "label", "group", "human", "bleu".' in capsys.readouterr().err


def test_the_window_draws_pairs_from_the_current_selection(open_window, qtbot, file):
    window = open_window()
    window.files.open_paths([file])
    qtbot.waitUntil(lambda: window.workspace.corpus is not None and len(window.workspace.corpus) == 80, timeout=20_000)
    window.workspace.selection.set_rows("first", np.arange(70), part="lasso")

    def draw(count: int, key: str) -> list[int]:
        window.actions_by_name["sampling.ask"].trigger()
        dialog = window.findChild(SamplingDialog)
        dialog.count.setValue(count)
        dialog.by.setCurrentIndex(dialog.by.findData(key))
        dialog.accept()
        qtbot.waitUntil(lambda: window.findChild(SamplingDialog) is None)
        return np.flatnonzero(window.workspace.selection.mask).tolist()

    rows = draw(20, "label")
    assert len(rows) == 20 and max(rows) < 70
    assert sum(row < 60 for row in rows) == 10
    assert [rule.name for rule in window.workspace.selection.rules] == ["first", "20 at random, seed 0"]
    again = draw(30, "")
    assert len(again) == 30, "a new draw is from the 70 pairs, not from the 20"


def test_the_dialog_converts_between_pairs_and_precision(qtbot):
    dialog = SamplingDialog(5_000, {"": "any", "label": "Label"})
    qtbot.addWidget(dialog)
    assert dialog.count.value() == 100 and dialog.width_box.value() == pytest.approx(9.7)
    dialog.width_box.setValue(5.0)
    dialog.width_box.editingFinished.emit()
    assert dialog.count.value() == 357
    dialog.by.setCurrentIndex(1)
    assert not dialog.width_box.isEnabled()
