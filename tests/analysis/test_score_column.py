"""The meaning of a column's numbers, the corpora of pairs, and results as plain values."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import numpy as np
import pytest

from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.score_column import describe_constant, part_masks, score_column
from parapluie_gui.analysis.threshold import Outcome, OutcomeCounts
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pairs.pool import pool


def corpus(name: str, pairs: int) -> Corpus:
    texts = [str(number) for number in range(pairs)]
    return Corpus(name, texts, texts, texts)


def test_columns_have_a_meaning():
    direct = score_column("pluie.fs-direct", np.array([1.0]))
    assert (direct.title, direct.higher_is_closer, direct.threshold) == ("ParaPLUIE FS-DIRECT", True, 0.0)
    edit = score_column("edit_distance", np.array([0.5, math.nan, 0.6]))
    assert (edit.title, edit.higher_is_closer, edit.threshold) == ("Edit distance", False, None)
    assert edit.predicted_positive(0.5).tolist() == [True, False, False]
    unknown = score_column("mine", np.array([1, 2]))
    assert (unknown.higher_is_closer, unknown.threshold, unknown.values.dtype) == (True, None, np.float64)
    assert not score_column("mine", np.array([1.0]), distance=True).higher_is_closer
    assert score_column("pluie.direct.p_yes", np.array([1.0])).threshold is None


def test_pooled_corpora_are_parts():
    result = part_masks(pool([corpus("a", 2), corpus("b", 1)]))
    assert {name: mask.tolist() for name, mask in result.items()} == {
        "a": [True, True, False],
        "b": [False, False, True],
        "Global": [True, True, True],
    }
    assert list(part_masks(corpus("alone", 3))) == ["alone"]
    assert list(part_masks(pool([corpus("Global", 1), corpus("b", 1)]))) == ["Global", "b", "Global (all)"]


@dataclass(frozen=True)
class Result:
    value: float
    parts: tuple[OutcomeCounts, ...]
    column: np.ndarray

    @property
    def double(self) -> float:
        return 2 * self.value


def test_results_become_plain_values():
    result = plain(Result(np.float64(0.5), (OutcomeCounts(tp=np.int64(3), fp=1),), np.array([1.0, np.nan, np.inf])))
    json.dumps(result, allow_nan=False)
    assert result["value"] == 0.5 and result["double"] == 1.0 and result["column"] == [1.0, None, None]
    (counts,) = result["parts"]
    assert counts["tp"] == 3 and counts["precision"] == 0.75 and counts["recall"] == 1.0 and counts["counted"] == 4
    assert plain({1: True, "x": np.bool_(False), "o": Outcome.TRUE_POSITIVE}) == {
        "1": True,
        "x": False,
        "o": "true_positive",
    }
    with pytest.raises(TypeError, match="object cannot be converted to a plain value"):
        plain([object()])


def test_scores_that_are_the_same_for_all_pairs_are_named():
    flat, varied = (
        score_column(name, np.array(values)) for name, values in (("a", [1.0, 1, np.nan]), ("b", [1.0, 2, 1]))
    )
    assert describe_constant([varied]) == ""
    assert describe_constant([flat, varied]) == "a gives every pair the same score, so there is no correlation."
    assert describe_constant([flat, flat]) == "a and a give every pair the same score, so there is no correlation."
