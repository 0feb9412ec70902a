"""Families of two meanings: rates, areas and ranks, checked by simple counting; links; missing columns."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from analysing import corpus_of, table_of

from parapluie_gui import places
from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.figure import HeatMap, HeatMapHeading
from parapluie_gui.analysis.statistics.buckets import wilson
from parapluie_gui.api.material import build_material
from parapluie_gui.errors import ParapluieError
from parapluie_gui.features.meanings.analysis import CELLS, RELATIONS
from parapluie_gui.pairs import read
from parapluie_gui.pairs.pool import pool
from parapluie_gui.report.svg import figure_svg
from parapluie_gui.scores.table import ScoreTable

FAMILIES = 12
TWO_MEANINGS = analysis("families")


@pytest.fixture(scope="module")
def corpus():
    return read(places.resources() / "meanings" / "two_meanings.jsonl").take(range(10 * FAMILIES))


def scored(corpus, **columns):
    table = ScoreTable(len(corpus))
    for name, values in columns.items():
        table.put(np.arange(len(corpus)), {name: np.asarray(values, dtype=float)})
    return table


def random_scores(corpus, seed=3):
    """Return random scores with ties, slightly higher for pairs with the same meaning."""
    random = np.random.default_rng(seed)
    return (random.integers(0, 30, len(corpus)) + 9 * corpus.label).astype(float)


def run_of(corpus, draws=0, **columns):
    table = scored(corpus, **columns)
    material = build_material(corpus, table, scores=list(columns), draws=draws)
    return analyse(TWO_MEANINGS, material, TWO_MEANINGS.options())


def area(same, other):
    differences = np.subtract.outer(same, other)
    return np.mean((differences > 0) + (differences == 0) / 2)


def test_pairs_of_the_same_meaning_are_the_labelled_paraphrases(corpus):
    assert sorted(RELATIONS) == sorted("-".join(two) for two in combinations(("a1", "a2", "a3", "b1", "b2"), 2))
    assert sorted(each for _, _, some in CELLS for each in some) == sorted(RELATIONS)
    same = {each for meaning, _, some in CELLS for each in some if meaning == "same meaning"}
    result = {relation for relation, label in zip(corpus.extra["relation"].cells(), corpus.label, strict=True) if label}
    assert same == result


def test_rates_and_areas_agree_with_simple_counting(corpus):
    values = random_scores(corpus)
    run = run_of(corpus, mine=values)
    rows = {key: row for row, key in enumerate(zip(corpus.group, corpus.extra["relation"].cells(), strict=True))}
    names = list(dict.fromkeys(corpus.group))
    above = {name for name in names if values[rows[name, "a1-a3"]] > values[rows[name, "a1-b1"]]}
    order = set()
    for place, name in enumerate(names):
        own, label = values[10 * place : 10 * place + 10], corpus.label[10 * place : 10 * place + 10]
        order |= {name} if own[label == 1].min() > own[label == 0].max() else set()
    rates = TWO_MEANINGS.tables(run)[0]
    score, count, trap, ordered, auc = rates.rows[0]
    assert (score, count) == ("mine", FAMILIES) and 0 < len(above) < FAMILIES
    assert (trap.value, trap.low, trap.high) == (len(above) / FAMILIES, *wilson(len(above), FAMILIES))
    assert ordered.value == len(order) / FAMILIES
    assert auc.value == pytest.approx(area(values[corpus.label == 1], values[corpus.label == 0]))
    details = TWO_MEANINGS.details(run)["families"]["mine"]
    assert set(details["above_the_trap"]) == above and set(details["in_order"]) == order


def test_a_perfect_score_a_distance_and_word_overlap_have_known_rates(corpus):
    truth = corpus.label.astype(float)
    overlap = [1.0 if relation in ("a1-b1", "a3-b2") else 0.0 for relation in corpus.extra["relation"].cells()]
    run = run_of(corpus, truth=truth, edit_distance=-np.array(overlap), blind=np.zeros(len(corpus)))
    rates = {row[0]: row[1:] for row in TWO_MEANINGS.tables(run)[0].rows}
    assert [cell.value for cell in rates["truth"][1:]] == [1, 1, 1]
    assert [cell.value for cell in rates["Edit distance"][1:3]] == [0, 0] and rates["Edit distance"][3].value < 0.5
    assert [cell.value for cell in rates["blind"][1:]] == [0, 0, 0.5]


def test_the_interval_of_the_area_comes_from_resampled_families(corpus):
    values = random_scores(corpus)
    auc = TWO_MEANINGS.tables(run_of(corpus, draws=400, mine=values))[0].rows[0][4]
    random, drawn = np.random.default_rng(8), []
    for _ in range(400):
        rows = (10 * random.integers(0, FAMILIES, FAMILIES)[:, None] + np.arange(10)).ravel()
        drawn.append(area(values[rows][corpus.label[rows] == 1], values[rows][corpus.label[rows] == 0]))
    assert (auc.low, auc.high) == pytest.approx(np.percentile(drawn, [2.5, 97.5]), abs=0.02)


def test_standings_are_mean_ranks_and_link_to_their_pairs(corpus):
    truth = corpus.label.astype(float)
    run = run_of(corpus, draws=50, truth=truth)
    standings = next(table for table in TWO_MEANINGS.tables(run) if table.name == "family-picture")
    assert [row[4].value for row in standings.rows] == pytest.approx([0.8, 0.8, 0.3, 0.3, 0.3])
    chosen = standings.link(0, 0).mask(run.material)
    assert {corpus.extra["relation"].cells()[row] for row in np.flatnonzero(chosen)} == {"a1-a2"}
    assert chosen.sum() == FAMILIES
    near_and_far = TWO_MEANINGS.figures(run)[1]
    assert near_and_far.values["truth", "0"] == pytest.approx(0.8)
    assert np.array_equal(near_and_far.link("truth", "0").mask(run.material), chosen)


def test_a_click_selects_the_failing_families(corpus):
    values = random_scores(corpus)
    run = run_of(corpus, mine=values)
    rates, _, trap, _ = TWO_MEANINGS.tables(run)
    details = TWO_MEANINGS.details(run)["families"]["mine"]
    fallen = rates.link(0, 2).mask(run.material)
    assert set(np.array(corpus.group)[fallen]) == set(corpus.group) - set(details["above_the_trap"])
    assert fallen.sum() == 2 * (FAMILIES - len(details["above_the_trap"]))
    wrong = rates.link(0, 3).mask(run.material)
    assert set(np.array(corpus.group)[wrong]) == set(corpus.group) - set(details["in_order"])
    heat = TWO_MEANINGS.figures(run)[0]
    kind, count, share = trap.rows[0]
    changes = np.array(corpus.extra["change"].cells())
    assert count == len(set(np.array(corpus.group)[changes == kind])) and trap.link(0, 0) is None
    assert np.array_equal(heat.link("mine", kind).mask(run.material), fallen & (changes == kind))
    assert np.array_equal(trap.link(0, 2).mask(run.material), fallen & (changes == kind))
    assert heat.values["mine", kind] == share.value


def test_pairs_without_a_score_count_nowhere(corpus):
    values = random_scores(corpus)
    relations = np.array(corpus.extra["relation"].cells())
    values[0:10][relations[:10] == "a1-b1"] = np.nan
    values[10:20][relations[10:20] == "b1-b2"] = np.nan
    run = run_of(corpus, mine=values)
    outcome = run.result.scores["mine"]
    assert outcome.trap.families == FAMILIES - 1 and outcome.order.families == FAMILIES - 2
    texts = TWO_MEANINGS.figures(run)[0].texts
    assert texts["mine", "all families"].endswith(f" % of {FAMILIES - 1}"), "a proportion names its n"
    assert len(texts) == 2, "of all families, and of the kind of the family left out"
    known = ~np.isnan(values)
    same, other = values[known & (corpus.label == 1)], values[known & (corpus.label == 0)]
    assert outcome.auc.value == pytest.approx(area(same, other))


def test_equal_family_names_in_two_files_are_two_families(corpus):
    again = pool([corpus, replace(corpus.take(range(30)), name="other")])
    run = run_of(again, mine=random_scores(again))
    assert run.result.scores["mine"].trap.families == FAMILIES + 3


def test_a_missing_column_is_named_in_one_sentence(corpus):
    plain = corpus_of()
    with pytest.raises(ParapluieError, match='not families with two meanings: the column "relation"'):
        analyse(TWO_MEANINGS, build_material(plain, table_of(plain)), TWO_MEANINGS.options())
    alone = replace(corpus, group=None)
    material = build_material(alone, scored(alone, mine=random_scores(alone)), scores=["mine"])
    assert TWO_MEANINGS.missing(material).remedy == "meanings.open"


def test_the_heading_of_a_partial_score_is_drawn_in_full():
    columns = (HeatMapHeading("a", "BLEU"), HeatMapHeading("b", "FS-DIRECT (only 1,584 of 6,420 pairs)"))
    figure = HeatMap("h", "Heat", columns, (HeatMapHeading("one", "one"),), {})
    drawn = figure_svg(figure)
    assert "…" not in drawn and "1,584" in drawn
    assert HeatMap("h", "Heat", columns[:1], (HeatMapHeading("one", "one"),), {}).cell == 80, (
        "short headings take no additional space"
    )
