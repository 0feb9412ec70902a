"""The hint about a pair's language, with and without the detector."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget

from parapluie_gui.analysis.score_languages import languages_of_choice, languages_of_columns
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable
from parapluie_gui.ui.pair import language_hint
from parapluie_gui.ui.pair.language_hint import LanguageHint

FRENCH = "Le chat est assis sur le tapis.", "Un chat se trouve sur le tapis."
ENGLISH = "The cat sat on the mat.", "A cat was sitting on the mat."
MIXED, STRANGE = (ENGLISH[0], FRENCH[1]), (FRENCH[0], "垫子")


@pytest.fixture
def hint(qtbot, monkeypatch):
    spoken = {FRENCH: {"fr"}, ENGLISH: {"en"}, ("猫在", "垫子"): {"und"}, MIXED: {"en", "fr"}, STRANGE: {"fr", "und"}}
    monkeypatch.setattr(language_hint, "load_detector", lambda: None)
    monkeypatch.setattr(language_hint, "is_detector_loaded", lambda: False)
    monkeypatch.setattr(language_hint, "sure_languages", lambda *pair: frozenset(spoken.get(pair, {"en"})))
    above = QWidget()
    qtbot.addWidget(above)
    above.show()
    hint = LanguageHint(above)
    hint._looking.wait = 0
    yield hint
    hint.stop()


def test_scores_that_do_not_support_the_language_are_named(hint, qtbot):
    hint.set_scores({"Pocket": "en", "PEM": "en"})
    hint.set_pair(*FRENCH)
    qtbot.waitUntil(lambda: hint.full_text == "This pair is in French. Pocket and PEM were made for English.")
    hint.set_pair(*ENGLISH)
    assert hint.full_text == ""
    hint.set_pair("猫在", "垫子")
    qtbot.waitUntil(lambda: hint.full_text.startswith("This pair is in a language that Pocket and PEM do not support"))
    for pair, spoken in ((MIXED, "English, French"), (STRANGE, "French and one other language")):
        hint.set_pair(*pair)
        said = f"This pair is in {spoken}. Pocket and PEM were made for English."
        qtbot.waitUntil(lambda said=said: hint.full_text.startswith(said))
    hint.set_scores({"PEM": "en fr zh und"})
    assert hint.full_text == ""


def test_characters_unknown_to_the_pocket_judge_are_reported(hint):
    hint.set_scores({"Pocket": "en"})
    hint.set_pair("Good 👍", "Good 👎")
    assert hint.full_text == "Pocket cannot tell 👍 👎 from other characters that are not in its vocabulary."
    hint.set_scores({"PEM": "en"})
    assert hint.full_text == ""
    hint.set_pair("Good ♥", "Good")
    hint.set_scores({"Pocket": "en"})
    assert hint.full_text == ""


def test_nothing_is_loaded_for_english_pairs_or_without_limited_scores(hint):
    hint.set_pair(*FRENCH)
    assert not hint._looking.isActive()
    hint.set_scores({"Pocket": "en"})
    assert hint._looking.isActive()
    hint.set_pair(*ENGLISH)
    assert not hint._looking.isActive()


def test_supported_languages_are_shown_where_known():
    assert languages_of_choice(["bleu", "meteor_stem"], ["pocket"]) == {"Pocket": "en", "METEOR (exact+stem)": "en"}
    assert languages_of_choice(["bleu"], ["/models/own"]) == {}
    table = ScoreTable(1)
    table.declare("pluie.cloze", Signature.from_fields("pluie.cloze", {"name": "pluie.cloze", "model": "pocket"}))
    table.declare("meteor_stem", Signature.from_fields("meteor_stem", {"name": "meteor_stem"}))
    assert languages_of_columns(table, table.signatures) == {"Pocket": "en", "METEOR (exact+stem)": "en"}


@pytest.mark.needs("pem")  # the metric whose model, chosen by the user, may be for a single language
def test_a_metric_with_a_user_chosen_model_has_no_known_language():
    assert languages_of_choice(["pem:own.npz"], []) == {}
    assert languages_of_choice(["pem:own.npz", "pem"], ["pocket"]) == {"Pocket": "en", "PEM": "en"}
    table = ScoreTable(1)
    for column, model in (("pluie.cloze", "pocket"), ("pem", "en.npz"), ("pem.own", "fr.npz")):
        table.declare(column, Signature.from_fields(column, {"name": column, "model": model}))
    assert languages_of_columns(table, table.signatures) == {"Pocket": "en", "PEM": "en"}
