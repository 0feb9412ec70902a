"""The caution below a number that comes only from the pocket judge."""

from __future__ import annotations

from parapluie_gui.analysis.one_sided import OneSidedJudge
from parapluie_gui.ui.pair import caution
from parapluie_gui.ui.pair.caution import JudgeCaution, caution_words
from parapluie_gui.ui.pair.scores_panel import ScoresPanel


def test_the_caution_appears_only_if_the_pocket_judge_is_the_only_judge():
    assert caution_words(["pocket"]).endswith("often wrong on idioms and units.")
    assert caution_words([]) == caution_words(["qwen-1.5b"]) == caution_words(["pocket", "qwen-1.5b"]) == ""


def test_the_caution_is_below_the_bars_of_a_pair(qtbot):
    panel = ScoresPanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.show_values(["pluie.cloze"], {"pluie.cloze": 1.0}, judges={"pluie.cloze": "pocket"})
    assert panel.caution.isVisible()
    panel.show_values(["pluie.direct"], {"pluie.direct": 1.0}, judges={"pluie.direct": "qwen-1.5b"})
    assert not panel.caution.isVisible()


def test_a_one_sided_judge_is_named_below_its_score_only(qtbot):
    panel = ScoresPanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.show_values(["pluie.direct"], {"pluie.direct": -1.0}, judges={"pluie.direct": "qwen-0.5b"})
    assert not panel.caution.isVisible()
    judge = OneSidedJudge("DIRECT", yes=False, alike=99, scored=100, threshold=0.0, labelled=True)
    panel.set_one_sided({("pluie.direct", "qwen-0.5b"): judge})
    assert panel.caution.sentence.full_text.startswith("In the open corpus, DIRECT says No to 99 of 100 pairs: 0 is")
    assert panel.caution.isVisible() and panel.caution.link.isHidden()
    panel.show_values(["pluie.direct"], {"pluie.direct": 1.0}, judges={"pluie.direct": "qwen-1.5b"})
    assert not panel.caution.isVisible()


def test_the_computer_that_receives_the_sentences_is_below_the_score(qtbot, monkeypatch):
    monkeypatch.setattr(caution, "receiving_host", {"far": "example.org:8000"}.get)
    below = JudgeCaution()
    qtbot.addWidget(below)
    below.set_judges(["far", "qwen-1.5b"])
    assert below.sentence.full_text == "Scored by example.org:8000, which receives the sentences."
    assert not below.isHidden() and below.link.isHidden()
    below.set_judges(["qwen-1.5b"])
    assert below.isHidden()


def test_a_click_requests_a_language_model(qtbot):
    below = JudgeCaution()
    qtbot.addWidget(below)
    below.set_judges(["pocket"])
    with qtbot.waitSignal(below.model_wanted):
        below.link.click()
