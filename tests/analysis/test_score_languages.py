"""A warning where pairs are in a language that scores were not made for, before scoring and with the results."""

from __future__ import annotations

import pytest

from parapluie_gui.analysis.score_languages import describe_strange_language, templates_of_columns
from parapluie_gui.commands.main import main
from parapluie_gui.pairs import language
from parapluie_gui.pluie.templates import built_in_templates, find_templates
from parapluie_gui.scores.signature import Signature

FRENCH = ["Le chat est assis sur le tapis.", "Il fait très beau aujourd'hui.", "Nous sommes partis hier soir."]


def test_the_warning_names_language_count_and_scores():
    pytest.importorskip("py3langid")
    assert describe_strange_language({"METEOR": "en", "PEM": "en", "SBERT": "en fr"}, FRENCH, FRENCH) == (
        "The pairs are in French (6 of 6 sentences examined are clearly in it). METEOR and PEM were made for English, "
        "so their scores say little here."
    )
    assert (
        describe_strange_language({"METEOR": "en fr"}, FRENCH, FRENCH)
        == describe_strange_language({}, FRENCH, FRENCH)
        == ""
    )
    assert describe_strange_language({"METEOR": "en"}, FRENCH[:1], FRENCH[:1]) == ""


def test_a_plainly_english_corpus_loads_no_detector(monkeypatch):
    monkeypatch.setattr(language, "load_detector", lambda: pytest.fail("loaded"))
    english = ["The cat sat on the mat.", "Prices rose.", "Rates fell."]
    templates = find_templates(["DIRECT"], built_in_templates())
    assert describe_strange_language({"METEOR": "en", "SBERT": "en fr"}, english, english, templates) == ""


def test_the_warning_names_the_language_of_templates():
    pytest.importorskip("py3langid")
    templates = find_templates(["DIRECT", "FS-DIRECT,reverse", "FS-FRENCH"], built_in_templates())
    assert describe_strange_language({"SBERT": "en fr"}, FRENCH, FRENCH, templates) == (
        "The pairs are in French (6 of 6 sentences examined are clearly in it). DIRECT and FS-DIRECT ask in English: "
        "a template in the language of the pairs may do better."
    )
    assert describe_strange_language({}, FRENCH, FRENCH, templates[2:]) == ""
    signature = Signature.from_fields("pluie.direct", {"template": f"DIRECT@{templates[0].digest}"})
    assert templates_of_columns(["pluie.direct", "bleu"], {"pluie.direct": signature}) == [templates[0]]


def test_score_and_analyse_warn_once_each(tmp_path, capsys):
    pytest.importorskip("py3langid")
    corpus = tmp_path / "french.csv"
    rows = [f"{one},{other},{label}" for one in FRENCH for other, label in zip(FRENCH, "100", strict=True)]
    corpus.write_text("\n".join(["source,hypothesis,label", *rows, ""]), encoding="utf-8")
    scored = tmp_path / "scored.csv"
    assert main(["score", str(corpus), "-o", str(scored), "--metric", "bleu", "--metric", "meteor_stem"]) == 0
    message = capsys.readouterr().err
    assert message.count("The pairs are in French (") == 1
    assert "METEOR (exact+stem) was made for English, so its scores say little here." in message
    assert main(["analyse", str(scored), "--only", "thresholds"]) == 0
    assert capsys.readouterr().err.count("METEOR (exact+stem) was made for English") == 1
