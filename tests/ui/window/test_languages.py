"""Messages of Setup and the Pair panel about a corpus in a different language from its templates."""

from __future__ import annotations

import threading

import numpy as np
from finding import label_text

from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.language import LanguageCounts
from parapluie_gui.pluie.templates import built_in_templates
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.window import languages

TEMPLATES = {"templates": {"DIRECT": False, "FS-DIRECT": False, "FS-FRENCH": True}}
ENGLISH = [f"The cat of number {number} sat on the mat with the dog." for number in range(40)]
FRENCH = [f"Le chat numéro {number} était assis sur le tapis avec le chien." for number in range(40)]


def test_a_template_in_a_different_language_is_named_before_scoring_and_next_to_the_scores(open_window, qtbot):
    window = open_window()
    window.setup.restore({"judge": {"model": "smollm2-135m"}})
    window.setup.restore(TEMPLATES)
    assert [judging.templates[0].language for judging in window.setup.plan.judgings] == ["fr"]

    def show(name, texts):
        corpus = Corpus(name, list(map(str, range(40))), texts, texts)
        window.state.corpora.open_generated(name, lambda: corpus)
        qtbot.waitUntil(lambda: window.workspace.corpus is not None and window.workspace.corpus.name == name)
        qtbot.waitUntil(
            lambda: window.parts.language._task is None and window.parts.language._spoken is not None, timeout=30_000
        )
        return label_text(window.setup.notes, "Language of the corpus")

    asks = "FS-FRENCH asks in French: a template in the language of the pairs may do better."
    assert (
        show("english", ENGLISH) == f"The pairs are in English (80 of 80 sentences examined are clearly in it). {asks}"
    )
    hint = window.pair.sentences.languages
    assert asks not in hint.full_text, "no pair was scored"
    (template,) = (each for each in built_in_templates() if each.name == "FS-FRENCH")
    fields = {"name": "pluie", "model": "smollm2-135m", "template": f"{template.name}@{template.digest}"}
    column = window.workspace.declare(template.column, Signature.from_fields(template.column, fields))
    window.workspace.put(np.arange(40), {column: np.ones(40)})
    assert asks in hint.full_text
    window.setup.notes.show_notice(label_text(window.setup.notes, "Language of the corpus"))
    assert not label_text(window.setup.notes, "Notices"), "the run's sentence is the same"
    known = "SmolLM2 was made for English, so its scores say little here."
    assert show("french", FRENCH).endswith(f"clearly in it). {known}"), "no word about the template"
    assert not hint.full_text


def test_a_result_that_arrives_as_the_window_closes_is_not_shown(open_window, qtbot, monkeypatch):
    go = threading.Event()
    monkeypatch.setattr(languages, "corpus_languages", lambda *texts: go.wait(30) and LanguageCounts({"fr": 80}, 80))
    window = open_window()
    corpus = Corpus("french", list(map(str, range(40))), FRENCH, FRENCH)
    window.state.corpora.open_generated("french", lambda: corpus)
    qtbot.waitUntil(lambda: window.parts.language._task is not None)
    task = window.parts.language._task
    go.set()
    task.wait()  # the message is queued for this thread
    window.parts.language.stop()
    qtbot.waitUntil(lambda: window.parts.language._task is None)
    assert window.parts.language._spoken is None and not label_text(window.setup.notes, "Language of the corpus")


def test_an_error_about_the_corpus_before_does_not_end_the_detection_of_the_next(open_window, qtbot, monkeypatch):
    go = threading.Event()

    def detect(sources, hypotheses):
        if sources[0] in FRENCH:
            go.wait(30)
            raise ParapluieError("The detector failed.")
        return LanguageCounts({"en": 80}, 80)

    monkeypatch.setattr(languages, "corpus_languages", detect)
    window = open_window()
    language = window.parts.language
    for name, texts in (("french", FRENCH), ("english", ENGLISH)):
        corpus = Corpus(name, list(map(str, range(40))), texts, texts)
        window.state.corpora.open_generated(name, lambda corpus=corpus: corpus)
        qtbot.waitUntil(lambda name=name: language._corpus is not None and language._corpus.name == name)
        if name == "french":
            qtbot.waitUntil(lambda: language._task is not None)
    go.set()
    qtbot.waitUntil(lambda: language._task is None and language._spoken is not None)
    assert language._spoken.counts == {"en": 80}
