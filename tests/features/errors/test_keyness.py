"""Key traits and groups, on pairs with a known cause of errors and on pairs without one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import fisher_exact, hypergeom

from parapluie_gui.analysis.columns import change_kinds
from parapluie_gui.analysis.errors.traits import ErrorTrait, bucket_traits, find_traits, without_own_buckets
from parapluie_gui.analysis.material import closeness_cuts
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.statistics.buckets import cut_numbers
from parapluie_gui.features.errors.keyness import find_key_traits, group_by_traits, score_bands
from parapluie_gui.pairs.corpus import Corpus

NAMES = ("Anna", "Bert", "Clara", "Dora", "Emil", "Frida")


def corpus_of(pairs: int) -> Corpus:
    """Return pairs in cycles of four: a different number, a negation, a detail added, an order changed."""
    sources, hypotheses = [], []
    for row in range(pairs):
        name = NAMES[row % len(NAMES)]
        sources.append(f"{name} sold {row + 3} cars in Paris.")
        hypotheses.append(
            (
                f"{name} sold {row + 4} cars in Paris.",
                f"{name} never sold {row + 3} cars in Paris.",
                f"{name} sold {row + 3} cars in the town of Paris.",
                f"In Paris {name} sold {row + 3} cars.",
            )[row % 4]
        )
    return Corpus("c", [str(row) for row in range(pairs)], sources, hypotheses)


@pytest.fixture(scope="module")
def known():
    corpus = corpus_of(120)
    length = np.array([float(len(text)) for text in corpus.hypothesis])
    return find_traits(corpus, change_kinds(corpus), [cut_numbers("length", length)])


def every_nth(step: int, start: int) -> np.ndarray:
    mask = np.zeros(120, dtype=bool)
    mask[start::step] = True
    return mask


def named(key_traits) -> list[str]:
    return [f"{trait.trait.family}: {trait.trait.name}" for trait in key_traits]


def test_traits_are_changes_words_and_buckets_of_some_but_not_all_pairs(known):
    by_name = {(each.family, each.name): each for each in known}
    assert by_name["type", "negation"].mask(120).tolist() == every_nth(4, 1).tolist()
    assert by_name["changed", "+ never"].rows.tolist() == by_name["type", "negation"].rows.tolist()
    assert by_name["word", "anna"].mask(120).tolist() == every_nth(6, 0).tolist()
    buckets = [name for family, name in by_name if family == "bucket"]
    assert buckets == ["Length between 27 and 30.5", "Length between 30.5 and 35.75", "Length between 35.75 and 41"]
    assert ("word", "paris") not in by_name, "all pairs have it"
    assert ("changed", "+ 7") not in by_name, "too few pairs have it"


def test_buckets_of_a_score_are_not_traits_of_its_own_errors(known):
    assert [each.name for each in known if each not in without_own_buckets(known, "length")] == [
        "Length between 27 and 30.5",
        "Length between 30.5 and 35.75",
        "Length between 35.75 and 41",
    ]
    assert without_own_buckets(known, "bleu") == known


def test_the_cause_is_found_with_its_counts_and_fishers_p(known):
    chosen = every_nth(4, 1)
    chosen[40:] = False
    key_traits = find_key_traits(known, chosen, ~chosen)
    assert {"type: negation", "changed: + never"} <= set(named(key_traits))
    negation = next(trait for trait in key_traits if trait.trait.name == "negation")
    assert (negation.count, negation.size, negation.other, negation.others) == (10, 10, 20, 110)
    assert negation.ratio == pytest.approx(np.log2(1 / (20 / 110)))
    exact = fisher_exact([[10, 0], [20, 90]], alternative="greater").pvalue
    families = {each.family for each in known}
    assert exact <= negation.p <= exact * len(known) * len(families)


def test_a_random_set_has_no_key_traits(known):
    random = np.random.default_rng(3)
    false_alarms = 0
    for _ in range(40):
        chosen = random.random(120) < 0.3
        false_alarms += bool(find_key_traits(known, chosen, ~chosen))
    assert false_alarms <= 4


def test_groups_partition_a_set_and_leave_out_pairs_without_a_trait(known):
    chosen = every_nth(4, 0) | every_nth(4, 1)
    chosen[2::40] = True  # three pairs of neither group
    groups = group_by_traits(known, chosen, ~chosen)
    assert {group.key.trait.name for group in groups[:2]} & {"negation", "+ never"}
    rows = np.concatenate([group.rows for group in groups])
    assert len(rows) == len(set(rows.tolist())) and chosen[rows].all()
    assert set(np.flatnonzero(every_nth(4, 0) | every_nth(4, 1)).tolist()) <= set(rows.tolist())
    again = group_by_traits(known, chosen, ~chosen)
    assert [group.key.trait.name for group in groups] == [each.key.trait.name for each in again]


def test_a_trait_that_only_correlates_with_the_score_is_key_only_without_bands():
    """Verdicts are wrong at random, more often for low scores, and most pairs with a low score have a trait."""
    random, hits = np.random.default_rng(1), np.zeros(2, dtype=int)
    for _ in range(40):
        score = random.random(600)
        trait = ErrorTrait("type", "made", np.flatnonzero(score + random.normal(0, 0.2, 600) < 0.4))
        wrong = random.random(600) > score
        for at, bands in enumerate((None, score_bands(score, wrong, ~wrong))):
            hits[at] += bool(find_key_traits([trait], wrong, ~wrong, bands))
    assert hits[0] == 40 and hits[1] <= 5


def test_a_cause_within_bands_has_the_exact_p_and_the_common_odds_ratio(known):
    chosen = every_nth(4, 1)
    chosen[::8] = True
    bands = np.arange(120) // 60
    negation = next(each for each in known if each.name == "negation")
    key = find_key_traits([negation], chosen, ~chosen, bands)[0]
    assert (key.count, key.size, key.other, key.others) == (30, 45, 0, 75)
    # With one trait there is no correction; the sum runs over all ways in which two hypergeometric counts add up to 30.
    tables = [hypergeom(60, 15, int(chosen[bands == band].sum())) for band in (0, 1)]
    exact = sum(
        tables[0].pmf(one) * tables[1].pmf(other) for one in range(16) for other in range(16) if one + other >= 30
    )
    assert key.p == pytest.approx(exact)


def test_the_common_odds_ratio_is_that_of_the_bands_if_they_agree():
    """Half of the set and an eighth of the other pairs have the trait, in two bands of different composition."""
    size, rest, count, other = (20, 40), (80, 16), (10, 20), (10, 2)
    rows, chosen, bands = list[int](), list[bool](), list[int]()
    for band in (0, 1):
        for number, having, side in ((size[band], count[band], True), (rest[band], other[band], False)):
            rows += [len(chosen) + at for at in range(having)]
            chosen += [side] * number
            bands += [band] * number
    mask = np.array(chosen)
    (key,) = find_key_traits([ErrorTrait("type", "made", np.array(rows))], mask, ~mask, np.array(bands))
    assert key.ratio == pytest.approx(2.0)


def test_bands_have_enough_pairs_and_equal_scores_share_a_band():
    everything, nothing = np.ones(100, dtype=bool), np.zeros(100, dtype=bool)
    bands = score_bands(np.arange(100.0), everything, nothing)
    assert np.bincount(bands).tolist() == [20] * 5
    assert not score_bands(np.zeros(100), everything, nothing).min() < 0
    assert len(set(score_bands(np.repeat([0.0, 1.0], 50), everything, nothing).tolist())) == 2
    assert set(score_bands(np.arange(100.0), everything & (np.arange(100) < 30), nothing).tolist()) == {0}


def test_an_empty_set_or_comparison_has_no_key_traits(known):
    nothing, all_pairs = np.zeros(120, dtype=bool), np.ones(120, dtype=bool)
    assert find_key_traits(known, nothing, all_pairs) == find_key_traits(known, all_pairs, nothing) == []
    assert group_by_traits([], all_pairs, nothing) == []


def test_only_scores_by_vectors_are_cut_into_traits(known):
    values = np.arange(120) / 120
    names = ("bleu", "sbert", "pluie.cloze", "edit_distance", "bertscore", "mine")
    cuts = closeness_cuts([score_column(name, values) for name in names])
    assert [cut.name for cut in cuts] == ["sbert", "bertscore"]
    near = bucket_traits(cuts[:1], 120)
    chosen = (values >= 0.5) & (values < 0.75) & (np.arange(120) % 3 > 0)
    (group,) = group_by_traits([*without_own_buckets(known, "length"), *near], chosen, ~chosen)
    assert group.key.trait.name.startswith("SBERT cosine between ")
    assert group.rows.tolist() == np.flatnonzero(chosen).tolist()
    assert not [bucket for bucket in without_own_buckets([*known, *near], "sbert") if bucket.cut == "sbert"]


def test_shuffled_errors_have_no_vector_bucket_as_key_trait(known):
    random = np.random.default_rng(5)
    near = bucket_traits(closeness_cuts([score_column("sbert", random.random(120))]), 120)
    false_alarms = sum(bool(find_key_traits(near, chosen, ~chosen)) for chosen in random.random((40, 120)) < 0.3)
    assert false_alarms <= 4
