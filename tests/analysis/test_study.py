"""The whole evaluation in one go: each part is what the single analyses say of those pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.buckets import buckets, cut_numbers
from parapluie_gui.analysis.statistics.calibration import calibration, probability
from parapluie_gui.analysis.statistics.comparison import compare
from parapluie_gui.analysis.statistics.correlation import correlation
from parapluie_gui.analysis.statistics.curves import roc, sweep
from parapluie_gui.analysis.statistics.decision import thresholds
from parapluie_gui.analysis.statistics.distribution import distribution, histogram_edges
from parapluie_gui.analysis.statistics.independence import independence
from parapluie_gui.analysis.study import Studied, study
from parapluie_gui.scores.identity import identify


@pytest.fixture(scope="module")
def material() -> Studied:
    random = np.random.default_rng(20)
    labels = random.integers(-1, 2, 300).astype(np.int8)
    distance = random.random(300)
    human = random.normal(labels, 1.0)
    human[::7] = math.nan
    direct = random.normal(labels, 2.0)
    direct[::11] = math.nan
    first = np.arange(300) < 100
    return Studied(
        score_columns=(
            score_column("pluie.direct", direct),
            score_column("edit_distance", distance),
            score_column("mine", np.round(random.random(300), 1), distance=True),
        ),
        labels=labels,
        parts={"a": first, "b": ~first, "Global": first | ~first},
        human=human,
        distance=distance,
        cuts=(cut_numbers("edit_distance", distance),),
        given={"mine": 0.4},
    )


def test_every_part_is_what_the_single_analyses_say(material):
    found = {each.name: each for each in study(material, draws=30, seed=3)}
    assert list(found) == ["a", "b", "Global"]
    assert [each.pairs for each in found.values()] == [100, 200, 300]
    for name, where in material.parts.items():
        corpus, labels, human = found[name], material.labels, material.human
        assert corpus.paraphrases == (labels[where] == 1).sum() and corpus.negatives == (labels[where] == 0).sum()
        for each in material.score_columns:
            here, higher = corpus.scores[each.name], each.higher_is_closer
            given = material.given.get(each.name)
            scores, truth = each.values[where], labels[where]
            # Pairs outside the corpus are not counted as left out of it.
            expected = thresholds(scores, truth, higher_is_closer=higher, natural=each.threshold, given=given)
            assert here.thresholds == expected
            spread = distribution(scores, truth, histogram_edges(each.values))
            assert plain(here.distribution) == plain(spread)
            assert here.roc.auc == roc(sweep(scores, truth, higher_is_closer=higher)).auc
            assert here.human == correlation(each.values, human, where=where, draws=30, seed=3)
            at = expected.usual.threshold
            told = {cut.name: buckets(each, labels, cut, at, human=human, where=where) for cut in material.cuts}
            assert plain(here.buckets) == plain(told)
            if each.name == "edit_distance":
                assert here.independence is None
            else:
                assert here.independence == independence(scores, material.distance[where], truth, draws=30, seed=3)
            if identify(each.name).judged:
                fit = calibration(probability(scores), truth)
                assert plain(here.calibration) == plain(fit)
            else:
                assert here.calibration is None
        first, second, _ = material.score_columns
        match = corpus.matches[0]
        assert (match.first, match.second, match.first_threshold) == ("pluie.direct", "edit_distance", 0.0)
        assert match.comparison == compare(
            first,
            second,
            labels,
            first_threshold=0.0,
            second_threshold=match.second_threshold,
            human=human,
            where=where,
            draws=30,
            seed=3,
        )
        assert where[match.flips.rows].all() and where[match.movers.rows].all()
        assert [(each.first, each.second) for each in corpus.matches] == [
            ("pluie.direct", "edit_distance"),
            ("pluie.direct", "mine"),
            ("edit_distance", "mine"),
        ]


def test_progress_only_grows_and_can_stop(material):
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


def test_nothing_to_say():
    empty = Studied((score_column("mine", np.full(3, math.nan)),), np.full(3, -1), {"x": np.ones(3, dtype=bool)})
    (found,) = study(empty)
    here = found.scores["mine"]
    assert math.isnan(here.thresholds.best.accuracy) and math.isnan(here.roc.auc) and math.isnan(here.equal_error.rate)
    assert here.human is None and here.independence is None and found.matches == ()
