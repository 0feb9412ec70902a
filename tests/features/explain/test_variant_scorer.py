"""Explanations of computed columns by their inputs, and of the scores of two judges."""

from __future__ import annotations

import fake_workers
import numpy as np
import pytest
import two_judges
from finding import find_part
from PySide6.QtWidgets import QComboBox

from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs.corpus import Corpus

SETUP = {"templates": {"DIRECT": False, "CLOZE": False}, "metrics": ["edit_distance", "bleu"]}


@pytest.mark.needs("computed_columns")
def test_a_computed_column_is_explained_by_its_inputs(open_window, qtbot):
    from parapluie_gui.features.computed_columns.computed import ComputedColumn

    window = open_window(fake_workers.light, setup=SETUP)
    corpus = Corpus("c", ["1"], ["The red cat sat down."], ["The blue cat sat up."], extra={"year": ["2026"]})
    window.state.corpora.open_generated("c", lambda: corpus)
    qtbot.waitUntil(lambda: window.workspace.corpus is not None)
    assert {"edit_distance", "bleu"} <= set(window.setup.plan.metric_columns)
    window.run()
    qtbot.waitUntil(lambda: "bleu" in window.workspace.table and window.scoring.state == "idle", timeout=60_000)
    window.workspace.set_feature_material(
        "computed_columns",
        (
            ComputedColumn("both", "bleu - 2 * edit_distance + words(source) / 100"),
            ComputedColumn("close", "both > -0.5"),
            ComputedColumn("among", "zscore(bleu)"),
            ComputedColumn("of the corpus", "bleu + year"),
        ),
    )
    why = window.features["explain"].in_pair
    boxes = [find_part(view, QComboBox, "Score to explain") for view in (why, window.features["explain"].in_bench)]
    (box, _), (offered, in_bench) = boxes, [[box.itemData(place) for place in range(box.count())] for box in boxes]
    assert {"both", "close"} <= set(offered) and {"among", "of the corpus"}.isdisjoint(offered), offered
    assert in_bench == offered
    window.features["explain"].in_pair.fold.setChecked(True)
    box.setCurrentIndex(offered.index("both"))
    qtbot.waitUntil(lambda: why._plan is not None and not why._waiting, timeout=60_000)
    variants = why._plan.corpus()
    bleu, distance = (
        catalogue.metric(name).score(variants.source, variants.hypothesis) for name in ("bleu", "edit_distance")
    )
    words = np.array([len(text.split()) for text in variants.source])
    assert why._scores == pytest.approx(bleu - 2 * distance + words / 100)
    box.setCurrentIndex(offered.index("close"))
    qtbot.waitUntil(lambda: why._plan is not None and not why._waiting, timeout=60_000)
    assert why._scores.tolist() == (bleu - 2 * distance + words / 100 > -0.5).astype(float).tolist()
    assert why.score_column("close").threshold == 0.5


def test_scores_of_both_of_two_judges_are_explained(open_window, qtbot, tmp_path):
    window = open_window(fake_workers.light)
    two_judges.choose(window, tmp_path)
    two_judges.score_with_both(window, qtbot)
    why = window.features["explain"].in_pair
    box = find_part(why, QComboBox, "Score to explain")
    offered = [(box.itemData(place), box.itemText(place)) for place in range(box.count())]
    judged = [(column, title) for column, title in offered if column.startswith("pluie.")]
    assert len(judged) == 2 and any("twin" in title for _, title in judged), offered
    why.fold.setChecked(True)
    scores = []
    for column, _ in judged:
        box.setCurrentIndex(box.findData(column))
        qtbot.waitUntil(lambda: why._plan is not None and not why._waiting, timeout=60_000)
        scores.append(why._scores)
    np.testing.assert_allclose(*scores, atol=1e-4)


def test_the_decisive_words_are_shown_in_the_pair_panel_and_in_the_bench(open_window, qtbot):
    window = open_window(fake_workers.light, setup={"templates": {"DIRECT": False}})
    corpus = Corpus("c", ["1"], ["The red cat sat down."], ["The blue cat sat up."])
    window.state.corpora.open_generated("c", lambda: corpus)
    qtbot.waitUntil(lambda: window.workspace.corpus is not None)
    window.workspace.selection.set_primary(0)
    explain = window.features["explain"]
    for why in (explain.in_pair, explain.in_bench):
        if why is explain.in_bench:
            window.tabs.show_bench()
            window.bench.fields.set_texts("Shares rose on Friday.", "Shares fell on Friday.")
            assert not why.isVisible(), "nothing has been decided yet"
            window.bench.score()
            qtbot.waitUntil(why.isVisible, timeout=5_000)
        why.fold.click()
        qtbot.waitUntil(lambda why=why: bool(why.bars.rows) and "…" not in why.bars.number(0), timeout=20_000)
        assert why.column() == "pluie.cloze"
    assert why.bars.rows[0].title == "rose → fell"
