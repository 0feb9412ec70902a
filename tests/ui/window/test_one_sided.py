"""Setup, the scatter, the pair and the Bench name a judge that answers nearly all pairs the same."""

from __future__ import annotations

import numpy as np
from analysing import corpus_of
from finding import label_text

from parapluie_gui.scores.signature import Signature


def test_setup_scatter_pair_and_bench_name_the_judge_as_soon_as_it_has_scored(open_window, qtbot):
    window = open_window()
    corpus = corpus_of(60)
    window.state.corpora.open_generated("test", lambda: corpus)
    qtbot.waitUntil(lambda: window.workspace.corpus is not None and window.workspace.corpus.name == "test")
    column = window.workspace.declare("pluie.direct", Signature.from_fields("pluie.direct", {"model": "small"}))
    window.workspace.set_axes(y=column)
    window.workspace.put(np.arange(60), {column: np.full(60, -4.0)})
    qtbot.waitUntil(lambda: bool(label_text(window.setup.notes, "Answers of the judges")))
    text = label_text(window.setup.notes, "Answers of the judges")
    assert text.startswith("DIRECT · small says No to 60 of 60 pairs: 0 is not a usable threshold for it here.")
    qtbot.waitUntil(lambda: window.scatter.bar.one_sided.full_text == text)
    window.bench.open_copy("One sentence.", "Another.", {column: -4.0}, {column: "small"})
    for view in (window.pair, window.bench):
        qtbot.waitUntil(lambda view=view: view.scores.caution.sentence.full_text == f"In the open corpus, {text}")
    window.workspace.put(np.arange(60), {column: np.linspace(-1, 1, 60)})
    qtbot.waitUntil(lambda: not label_text(window.setup.notes, "Answers of the judges"))
    qtbot.waitUntil(lambda: not window.scatter.bar.one_sided.full_text)
    assert not window.bench.scores.caution.sentence.full_text
