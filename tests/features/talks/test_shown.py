"""The judge's description on the stage."""

from __future__ import annotations

import numpy as np
import pytest

from parapluie_gui.features.talks.shown import stage_pair
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable


@pytest.mark.parametrize(("model", "caution"), [("pocket", "small, trained, not a language model"), ("qwen-1.5b", "")])
def test_the_pocket_judge_is_shown_with_a_caution(model, caution):
    table = ScoreTable(1)
    column = table.declare("pluie.cloze", Signature.from_fields("pluie.cloze", {"model": model}))
    table.put(np.arange(1), {column: np.array([2.0])})
    pair = stage_pair(Corpus("one", ["1"], ["a"], ["b"]), table, 0, column, ())
    assert pair.caution == caution and pair.judge is not None and pair.judge.value == 2.0
