"""The shares of variance agree with least squares on indicator columns and add up to 1."""

from __future__ import annotations

import math
from itertools import combinations, product

import numpy as np
import pytest

from parapluie_gui.features.wordings.factorial import variance_of_cells, variance_of_pairs

FACTORS = ("wording", "answers", "order")


def indicators(levels, factor):
    return np.array(
        [[float(each[factor] == level) for level in range(levels[factor])] for each in product(*map(range, levels))]
    )


def explained(values, columns):
    """Return the sum of squares explained by a least-squares fit on these columns and a constant."""
    design = np.hstack([np.ones((len(values), 1)), *columns])
    fit, *_ = np.linalg.lstsq(design, values, rcond=None)
    return np.square(design @ fit - values.mean()).sum()


def test_the_shares_agree_with_least_squares():
    levels = (5, 3, 2, 2)  # pairs first
    values = np.random.default_rng(3).normal(size=levels) + np.arange(3)[None, :, None, None]
    flat = values.ravel()
    total = np.square(flat - flat.mean()).sum()
    columns = [indicators(levels, factor) for factor in range(4)]
    terms = {term.name: term for term in variance_of_pairs(values, FACTORS)}
    for factor, name in enumerate(("pairs", *FACTORS)):
        assert terms[name].share == pytest.approx(explained(flat, [columns[factor]]) / total)
    for factor, name in enumerate(FACTORS, 1):
        crossed = np.einsum("ni,nj->nij", columns[0], columns[factor]).reshape(len(flat), -1)
        alone = explained(flat, [columns[0], columns[factor]])
        both = explained(flat, [columns[0], columns[factor], crossed])
        assert terms[f"pairs × {name}"].share == pytest.approx((both - alone) / total)
    crossings = [np.einsum("ni,nj->nij", a, b).reshape(len(flat), -1) for a, b in combinations(columns[1:], 2)]
    crossings.append(np.einsum("ni,nj,nk->nijk", *columns[1:]).reshape(len(flat), -1))
    together = explained(flat, [*columns[1:], *crossings]) - explained(flat, columns[1:])
    assert terms["factors together"].share == pytest.approx(together / total)
    assert sum(term.share for term in terms.values()) == pytest.approx(1)
    assert sum(term.degrees for term in terms.values()) == flat.size - 1


def test_a_factor_without_effect_has_no_share_and_a_single_level_is_not_a_factor():
    values = np.array([[[[1.0], [1.0]], [[3.0], [3.0]]], [[[2.0], [2.0]], [[4.0], [4.0]]]])
    terms = {term.name: term.share for term in variance_of_pairs(values, FACTORS)}
    assert terms["wording"] == pytest.approx(0.8) and terms["pairs"] == pytest.approx(0.2)
    assert terms["answers"] == pytest.approx(0) and terms["pairs × wording"] == pytest.approx(0)
    assert "order" not in terms
    assert sum(terms.values()) == pytest.approx(1)


def test_the_variance_of_cells_agrees_with_least_squares():
    accuracy = np.array([[[0.5], [0.7]], [[0.6], [0.8]], [[0.9], [0.7]]])
    terms = {term.name: (term.degrees, term.share) for term in variance_of_cells(accuracy, FACTORS)}
    flat = accuracy.ravel()
    total = np.square(flat - flat.mean()).sum()
    assert terms["wording"] == (2, pytest.approx(explained(flat, [indicators((3, 2), 0)]) / total))
    assert terms["answers"] == (1, pytest.approx(explained(flat, [indicators((3, 2), 1)]) / total))
    assert sum(share for _, share in terms.values()) == pytest.approx(1)


def test_equal_numbers_have_no_shares():
    assert all(math.isnan(term.share) for term in variance_of_pairs(np.ones((3, 2, 2)), FACTORS))
    assert variance_of_cells(np.ones((1, 1)), FACTORS) == ()
