from __future__ import annotations

import math

import numpy as np
import pytest

from parapluie_gui.errors import CorpusError, LabelError
from parapluie_gui.pairs.reading.values import read_label, read_labels, read_scores


@pytest.mark.parametrize("value", [1, 1.0, True, "1", "1.0", " TRUE ", "yes", "paraphrase", "Equivalent", "VRAI"])
def test_words_for_paraphrase_are_read(value):
    assert read_label(value) == 1


@pytest.mark.parametrize(
    "value", [0, 0.0, False, "0", "0.0", "no", "not_paraphrase", "Not-Paraphrase", "not equivalent"]
)
def test_words_for_not_a_paraphrase_are_read(value):
    assert read_label(value) == 0


@pytest.mark.parametrize("value", [None, "", "  ", "NaN", math.nan, -1, "-1", "-100", -100.0, "None", "n/a"])
def test_missing_labels_are_read(value):
    assert read_label(value) == -1


@pytest.mark.parametrize("value", ["2", 0.5, "entailment", "perhaps", "1 0"])
def test_values_that_are_not_labels_are_refused(value):
    assert read_label(value) is None
    with pytest.raises(CorpusError) as caught:
        read_labels([1, value], [4, 9], None, "gold")
    assert caught.value.line == 9
    assert '"gold"' in str(caught.value)


def test_columns_without_values_give_none():
    assert read_labels(["", "-1"], [1, 2], None, "label") is None
    assert read_scores(["", None], [1, 2], None, "human") is None


def test_human_scores_are_read():
    scores = read_scores(["4.5", 3, "", math.nan, "1e-3", -2.0], range(6), None, "human")
    assert scores.dtype == np.float64
    assert scores[[0, 1, 4, 5]].tolist() == [4.5, 3.0, 0.001, -2.0]
    assert np.isnan(scores[[2, 3]]).all()


@pytest.mark.parametrize("value", ["4,5", "high", "inf", "1_000", "1e999", "٣"])
def test_values_that_are_not_scores_are_refused(value):
    with pytest.raises(CorpusError) as caught:
        read_scores(["1", value], [2, 3], None, "human")
    assert caught.value.line == 3


def test_the_user_can_name_the_values_for_paraphrases():
    values = ["ähnlich", "anders", "", "Ähnlich ", "unsicher"]
    assert read_labels(values, range(5), None, "x", ["ähnlich"]).tolist() == [1, 0, -1, 1, 0]
    assert read_labels([1, 2, 2], range(3), None, "x", ["2"]).tolist() == [0, 1, 1]
    with pytest.raises(LabelError, match=r'contains no "gleich".* "ähnlich"'):
        read_labels(values, range(5), None, "x", ["gleich"])
    with pytest.raises(LabelError, match="--positive"):
        read_labels(values, range(5), None, "x")
