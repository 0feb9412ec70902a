"""The matrix of several judges' scores in a narrow panel."""

from __future__ import annotations

from parapluie_gui.ui.pair.bars import ScoreBar
from parapluie_gui.ui.pair.judge_matrix import JudgeCell, JudgeMatrix


def test_a_quantisation_is_left_out_where_names_are_too_wide_and_stay_different(qtbot):
    def picture(*names: str):
        matrix = JudgeMatrix()
        qtbot.addWidget(matrix)
        bar = ScoreBar("pluie.direct", "DIRECT", 1.0, None, 0.0, None)
        matrix.set_cells([JudgeCell(name, "DIRECT", bar) for name in names], 5.0)
        matrix.resize(220, matrix.sizeHint().height())
        return matrix.grab().toImage()

    assert picture("Qwen-1.5B · Q4_K_M", "SmolLM2") == picture("Qwen-1.5B", "SmolLM2")
    assert picture("Qwen-1.5B · Q4_K_M", "Qwen-1.5B · Q8_0") != picture("Qwen-1.5B", "Qwen-1.5B")
