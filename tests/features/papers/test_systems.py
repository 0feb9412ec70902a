"""The system level against pandas and scipy: means, ranks, correlations of means; one system, no human scores."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.features.papers.systems import assign_systems, evaluate_systems

SYSTEMS, ITEMS = ("human1", "human2", "machine1", "machine2"), 25


def frame(seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    quality = dict(zip(SYSTEMS, (1.2, 0.9, 0.3, 0.0), strict=True))
    rows = []
    for item in range(ITEMS):
        for system in SYSTEMS:
            value = quality[system] + random.normal()
            rows.append((f"source {item}", system, float(np.round(value)), value + random.normal(), -value))
    return pd.DataFrame(rows, columns=["source", "system", "human", "metric", "edit_distance"])


def evaluated(data: pd.DataFrame, **choices):
    columns = [score_column(name, data[name].to_numpy(dtype=float)) for name in ("metric", "edit_distance")]
    human = data["human"].to_numpy(dtype=float) if "human" in data else None
    systems = data["system"].tolist() if "system" in data else None
    return evaluate_systems("test", columns, data["source"].tolist(), human, systems, **choices)


def test_means_ranks_and_correlations_of_means_agree_with_pandas():
    data = frame()
    result = evaluated(data, draws=50)
    means = data.groupby("system")[["human", "metric", "edit_distance"]].mean()
    order = means.sort_values("human", ascending=False).index.tolist()
    assert [system.system for system in result.systems] == order
    for system in result.systems:
        assert system.pairs == ITEMS
        for name, column in (("", "human"), ("metric", "metric"), ("edit_distance", "edit_distance")):
            estimate = system.means[name]
            assert estimate.value == pytest.approx(means.loc[system.system, column])
            assert estimate.low < estimate.value < estimate.high
        assert system.ranks["metric"] == means["metric"].rank(ascending=False)[system.system]
        assert system.ranks["edit_distance"] == means["edit_distance"].rank()[system.system], "the shortest comes first"
    scores = {score.name: score for score in result.scores}
    for name, sign in (("metric", 1), ("edit_distance", -1)):
        level = scores[name].systems
        assert level.pearson.value == pytest.approx(stats.pearsonr(means["human"], sign * means[name]).statistic)
        assert level.kendall.value == pytest.approx(stats.kendalltau(means["human"], sign * means[name]).statistic)
        assert scores[name].sentences.pearson.value == pytest.approx(
            stats.pearsonr(data["human"], sign * data[name]).statistic
        )
    assert 0 < scores["metric"].soft < scores["edit_distance"].soft <= 1
    assert scores["edit_distance"].rank_within == 1
    (test,) = result.tests
    assert (
        test.within == pytest.approx(scores[test.first].within.accuracy - scores[test.second].within.accuracy)
        and 0 <= test.within_p <= 1
    )
    assert test.soft == pytest.approx(scores[test.first].soft - scores[test.second].soft)


def test_correlations_of_means_use_systems_that_have_both():
    data = frame(1)
    data.loc[3, "human"] = np.nan
    data.loc[10, "metric"] = np.nan
    both = data.dropna(subset=["human", "metric"]).groupby("system")[["human", "metric"]].mean()
    result = {score.name: score for score in evaluated(data, draws=0).scores}["metric"]
    assert result.systems.pearson.value == pytest.approx(stats.pearsonr(both["human"], both["metric"]).statistic)
    assert math.isnan(result.systems.pearson.low) and result.rank_within == 0, "no permutations, no clusters"


def test_several_hypotheses_of_a_system_for_one_source_are_averaged():
    places = assign_systems(["a", "a", "a", "b"], ["x", "x", "y", None])
    assert places.systems == ("x", "y") and places.items == 1
    assert places.table(np.array([1.0, 2.0, np.nan, 5.0])).tolist()[0] == [1.5]
    assert np.isnan(places.table(np.array([1.0, 2.0, np.nan, 5.0]))[1, 0])


def test_without_systems_sources_are_still_compared():
    result = evaluated(frame().drop(columns="system"), draws=0)
    assert not result.systems and math.isnan(result.scores[0].soft)
    assert result.scores[0].within.sources == ITEMS and result.scores[0].sentences.pairs == 100


def test_without_human_scores_there_are_only_means():
    result = evaluated(frame().drop(columns="human"), draws=0)
    assert [system.system for system in result.systems] == sorted(SYSTEMS) and "" not in result.systems[0].means
    assert not result.scores and not result.tests


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_few_pairs_are_evaluated_without_error(rows):
    result = evaluated(frame().iloc[:rows], draws=10)
    assert len(result.systems) == rows
    if rows == 2:
        assert result.scores[0].pairwise in (0.0, 1.0)


def test_only_the_requested_pairs_are_used():
    data = frame()
    where = (data["system"] != "machine2").to_numpy()
    result, wanted = evaluated(data, where=where, draws=0), evaluated(data[where], draws=0)
    assert str(result) == str(wanted)
