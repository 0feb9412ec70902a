"""The caution below a number that comes only from the pocket judge."""

from __future__ import annotations

from parapluie_gui.ui.pair.caution import JudgeCaution, caution_words
from parapluie_gui.ui.pair.scores_panel import ScoresPanel


def test_the_caution_appears_only_if_the_pocket_judge_is_the_only_judge():
    assert caution_words(["pocket"]).endswith("often wrong on idioms and units.")
    assert caution_words([]) == caution_words(["qwen-1.5b"]) == caution_words(["pocket", "qwen-1.5b"]) == ""


def test_the_caution_is_below_the_bars_of_a_pair(qtbot):
    panel = ScoresPanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.show_values(["pluie.cloze"], {"pluie.cloze": 1.0}, judges=["pocket"])
    assert panel.caution.isVisible()
    panel.show_values(["pluie.direct"], {"pluie.direct": 1.0}, judges=["qwen-1.5b"])
    assert not panel.caution.isVisible()


def test_a_click_requests_a_language_model(qtbot):
    caution = JudgeCaution()
    qtbot.addWidget(caution)
    caution.set_judges(["pocket"])
    with qtbot.waitSignal(caution.model_wanted):
        caution.link.click()
