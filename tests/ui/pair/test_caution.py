"""The sentence below a number that only the pocket judge has given."""

from __future__ import annotations

from parapluie_gui.ui.pair.caution import JudgeCaution, caution_words
from parapluie_gui.ui.pair.scores_panel import ScoresPanel


def test_it_is_there_only_if_the_pocket_judge_is_the_only_one():
    assert caution_words(["pocket"]).endswith("often wrong on idioms and units.")
    assert caution_words([]) == caution_words(["qwen-1.5b"]) == caution_words(["pocket", "qwen-1.5b"]) == ""


def test_scores_of_a_pair_have_it_below_the_bars(qtbot):
    panel = ScoresPanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.show_values(["pluie.cloze"], {"pluie.cloze": 1.0}, judges=["pocket"])
    assert panel.caution.isVisible()
    panel.show_values(["pluie.direct"], {"pluie.direct": 1.0}, judges=["qwen-1.5b"])
    assert not panel.caution.isVisible()


def test_a_click_asks_for_a_language_model(qtbot):
    caution = JudgeCaution()
    qtbot.addWidget(caution)
    caution.set_judges(["pocket"])
    with qtbot.waitSignal(caution.model_wanted):
        caution.link.click()
