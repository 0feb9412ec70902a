"""The complete evaluation: each part equals the single analyses of the same pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.calibration import calibration, probability
from parapluie_gui.analysis.statistics.correlation import correlation
from parapluie_gui.analysis.statistics.curves import roc, threshold_curve
from parapluie_gui.analysis.statistics.decision import thresholds
from parapluie_gui.analysis.statistics.distribution import distribution, histogram_edges
from parapluie_gui.analysis.study import CorpusStudy, StudyInput, independence, study
from parapluie_gui.scores.identity import identify


@pytest.fixture(scope="module")
def materials() -> list[StudyInput]:
    random = np.random.default_rng(20)
    labels = random.integers(-1, 2, 300).astype(np.int8)
    distance = random.random(300)
    human = random.normal(labels, 1.0)
    human[::7] = math.nan
    direct = random.normal(labels, 2.0)
    direct[::11] = math.nan
    first = np.arange(300) < 100
    parts = {"a": first, "b": ~first, "Global": first | ~first}
    scores = [
        (score_column("pluie.direct", direct), None),
        (score_column("edit_distance", distance), None),
        (score_column("mine", np.round(random.random(300), 1), distance=True), 0.4),
    ]
    return [StudyInput(each, labels, parts, human, distance, given) for each, given in scores]


def test_every_part_equals_the_single_analyses(materials):
    for material in materials:
        result, each = study(material, draws=30, seed=3), material.score_column
        assert list(result) == ["a", "b", "Global"]
        for name, where in material.parts.items():
            human, here, higher = material.human, result[name], each.higher_is_closer
            corpus = CorpusStudy.from_labels(name, material.labels[where], {each.name: here})
            assert corpus.pairs == where.sum() and corpus.paraphrases == (material.labels[where] == 1).sum()
            assert corpus.negatives == (material.labels[where] == 0).sum()
            scores, truth = each.values[where], material.labels[where]
            # Pairs outside the corpus do not count as left out.
            given = material.given
            expected = thresholds(scores, truth, higher_is_closer=higher, natural=each.threshold, given=given)
            assert here.thresholds == expected
            spread = distribution(scores, truth, histogram_edges(each.values))
            assert plain(here.distribution) == plain(spread)
            assert here.roc.auc == roc(threshold_curve(scores, truth, higher_is_closer=higher)).auc
            assert here.human == correlation(each.values, human, where=where, draws=30, seed=3)
            if each.name == "edit_distance":
                assert here.independence is None
            else:
                assert here.independence == independence(scores, material.distance[where], truth, draws=30, seed=3)
            if identify(each.name).is_from_judge:
                fit = calibration(probability(scores), truth)
                assert plain(here.calibration) == plain(fit)
            else:
                assert here.calibration is None


def test_progress_increases_and_the_study_can_be_stopped(materials):
    material = materials[0]
    seen = []
    study(material, draws=25, tick=lambda done, total: seen.append((done, total)))
    done, totals = zip(*seen, strict=True)
    assert list(done) == sorted(done) and done[0] == 0 and len(set(totals)) == 1 and done[-1] <= totals[0]
    assert done[-1] > 0.9 * totals[0]

    def stop(done, total):
        if done > total / 3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        study(material, draws=25, tick=stop)


def test_a_study_without_scores_is_empty():
    empty = StudyInput(score_column("mine", np.full(3, math.nan)), np.full(3, -1), {"x": np.ones(3, dtype=bool)})
    here = study(empty)["x"]
    assert math.isnan(here.thresholds.best.accuracy) and math.isnan(here.roc.auc) and math.isnan(here.equal_error.rate)
    assert here.human is None and here.independence is None
