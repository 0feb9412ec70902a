"""Shapley values: their axioms on additive scores, and BLEU by brute force."""

from __future__ import annotations

from itertools import permutations
from math import factorial, isnan, nan

import numpy as np
import pytest

from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.features.explain.explanation import ExplanationPlan, ExplanationVariants, effects_by_kind
from parapluie_gui.features.explain.page import kinds_of
from parapluie_gui.features.explain.shapley import (
    EXACT,
    MARGIN,
    is_fewest,
    orders_for,
    shapley_values,
    smallest_flip,
    strongest_interaction,
    subsets_for,
)
from parapluie_gui.metrics import catalogue
from parapluie_gui.pairs import Corpus, read

WORTH = {"rose": 0.0, "fell": -1.68, "Friday": 0.0, "Monday": -0.65, "reported": 0.0, "announced": 0.35, "early": 0.5}
SOURCE, HYPOTHESIS = "Shares rose on Friday, the agency reported.", "Shares fell on Monday, the agency announced."


def linear(text: str) -> float:
    """Return an additive toy score: the sum of the words' values."""
    return 3.0 + sum(WORTH.get(word.strip(".,"), 0.0) for word in text.split())


def corpus(*pairs: tuple[str, str]) -> Corpus:
    sources, hypotheses = zip(*pairs, strict=True)
    return Corpus("test", [str(n) for n in range(len(pairs))], list(sources), list(hypotheses))


def test_on_an_additive_score_every_edit_has_the_value_of_its_words():
    plan = ExplanationPlan(SOURCE, HYPOTHESIS)
    explanation = plan.explain([linear(text) for text in plan.variants], threshold=2.0)
    assert explanation.exact and explanation.evaluations == 8
    assert explanation.values == pytest.approx((-1.68, -0.65, 0.35))
    assert explanation.same == 3.0 and explanation.score == pytest.approx(linear(HYPOTHESIS))
    assert sum(explanation.values) == pytest.approx(explanation.score - explanation.same)
    assert explanation.errors == (0.0, 0.0, 0.0)
    assert explanation.flip == (0,)
    assert explanation.interaction is None or abs(explanation.interaction.index) < 1e-12


def test_an_edit_without_effect_has_the_value_zero_and_equal_edits_have_equal_values():
    # the third has no effect, two are equal
    value = {done: float(bool(done & 1) or bool(done & 2)) for done in range(8)}
    explanation = shapley_values(3, value, ())
    assert explanation.values.tolist() == pytest.approx([0.5, 0.5, 0.0])
    pair = strongest_interaction(3, value)
    assert pair is not None and (pair.first, pair.second) == (0, 1)
    assert (pair.together, pair.alone, pair.index) == (1.0, (1.0, 1.0), pytest.approx(-1.0))


def by_brute_force(count: int, value: dict[int, float]) -> list[float]:
    result = [0.0] * count
    for order in permutations(range(count)):
        done = 0
        for edit in order:
            result[edit] += (value[done | 1 << edit] - value[done]) / factorial(count)
            done |= 1 << edit
    return result


@pytest.mark.parametrize("count", range(1, EXACT + 1))
def test_exact_values_are_the_mean_over_all_orders(count):
    rng = np.random.default_rng(count)
    value = dict(enumerate(rng.normal(size=1 << count).tolist()))
    assert shapley_values(count, value, ()).values.tolist() == pytest.approx(by_brute_force(count, value))


def test_values_of_many_edits_are_sampled_with_an_error_and_still_add_up():
    count = 9
    rng = np.random.default_rng(0)
    worth, both = rng.normal(size=count), rng.normal(size=(count, count)) / 5

    def score(done: int) -> float:
        bits = np.array([done >> edit & 1 for edit in range(count)])
        return float(bits @ worth + bits @ both @ bits)

    orders = orders_for(count, seed=1)
    assert orders == orders_for(count, seed=1) != orders_for(count, seed=2)
    value = {done: score(done) for done in subsets_for(count, orders)}
    assert len(value) < 1 << count
    explanation = shapley_values(count, value, orders)
    assert explanation.values.sum() == pytest.approx(score((1 << count) - 1) - score(0))
    # An order combined with its reverse gives exact values if effects depend on at most two edits.
    truth = worth + np.diag(both) + (both + both.T - 2 * np.diag(np.diag(both))).sum(1) / 2
    assert explanation.values == pytest.approx(truth)
    assert explanation.errors == pytest.approx(np.zeros(count), abs=1e-12)
    cubic = {done: each + bin(done).count("1") ** 3 * (done & 1) / 50 for done, each in value.items()}
    rough = shapley_values(count, cubic, orders)
    assert rough.errors[0] > 0.01


def test_the_smallest_set_of_edits_that_turns_the_verdict_is_found():
    value = {0b00: 2.0, 0b01: -1.0, 0b10: 1.0, 0b11: -2.0}
    verdicts = {done: score >= 0 for done, score in value.items()}
    assert smallest_flip(2, value, verdicts) == 0b01  # undoing the first leaves 0b10
    assert smallest_flip(2, value, dict.fromkeys(value, False)) is None


def words_that_differ(count: int) -> tuple[str, str]:
    """Return two sentences with `count` words replaced, each followed by a word in common."""
    sides = [" ".join(f"{letter}{number} and" for number in range(count)) for letter in "sh"]
    return sides[0], sides[1]


@pytest.mark.parametrize("count", [7, 8, 9])
def test_with_up_to_nine_edits_the_smallest_set_is_exact(count):
    """Brute force over all subsets of random scores in which single edits have small effects."""
    plan = ExplanationPlan(*words_that_differ(count))
    assert len(plan.edits) == count
    rng, all_done, larger = np.random.default_rng(count), (1 << count) - 1, 0
    for _ in range(20):
        worth = rng.uniform(0.5, 1.5, count)
        every = {
            done: float(sum(worth[edit] for edit in range(count) if done >> edit & 1)) for done in range(1 << count)
        }
        threshold = every[all_done] - rng.uniform(0.8, 3.6)
        explanation = plan.explain([every[done] for done in plan.subsets], threshold)
        least = min(count - done.bit_count() for done, score in every.items() if score < threshold)
        assert explanation.flip is not None and explanation.fewest and len(explanation.flip) == least
        larger += least > 1
    assert larger > 5, "otherwise pairs and triples would not be tested"


def test_with_many_edits_a_smaller_set_may_exist():
    """Of twelve edits, five undone together change the verdict; not all smaller sets were scored."""
    plan = ExplanationPlan(*words_that_differ(12))
    scores = [float(done.bit_count()) for done in plan.subsets]
    explanation = plan.explain(scores, threshold=7.5)
    assert (
        explanation.flip is not None
        and len(explanation.flip) == 5
        and not explanation.fewest
        and explanation.turning == ()
    )
    assert plan.explain(scores, threshold=11.5).fewest, "every edit alone turns it"
    assert is_fewest(4, 0b0011, [0b1111, *(0b1111 ^ 1 << edit for edit in range(4))])
    assert not is_fewest(4, 0b0011, [0b1111, 0b1110, 0b1101, 0b1011])


def test_every_edit_that_turns_the_verdict_alone_is_named():
    plan = ExplanationPlan(SOURCE, HYPOTHESIS)
    explanation = plan.explain([linear(text) for text in plan.variants], threshold=1.2)
    assert explanation.score < 1.2 and explanation.flip == (0,)
    assert explanation.turning == (0, 1), "without the fall, or without the changed day"


def test_the_margins_of_sampled_values_cover_the_true_values_in_95_percent():
    """Seven edits with effects of every order, compared with exact values from all 128 subsets."""
    rng, inside = np.random.default_rng(4), []
    for seed in range(300):
        value = dict(enumerate(np.cumsum(rng.normal(size=128)).tolist()))
        orders = orders_for(7, seed)
        explanation = shapley_values(7, {done: value[done] for done in subsets_for(7, orders)}, orders)
        inside += (
            np.abs(explanation.values - shapley_values(7, value, ()).values) <= MARGIN * explanation.errors
        ).tolist()
    assert 0.935 < np.mean(inside) < 0.965


def test_on_mrpc_bleu_is_turned_by_the_kinds_whose_edits_do_so_alone(shared_data):
    """An independent program counts 395 with WordNet (more kinds); one edit per pair would give 169."""
    path = shared_data / "mrpc" / "msr_paraphrase_test.txt"
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    corpus_read, bleu, threshold = read(path), catalogue.metric("bleu"), 0.1712
    scores = bleu.score(corpus_read.source, corpus_read.hypothesis)
    missed = corpus_read.take(np.flatnonzero((np.asarray(corpus_read.label) == 1) & (scores < threshold)).tolist())
    variants = ExplanationVariants(missed)
    column = score_column("bleu", bleu.score(variants.corpus.source, variants.corpus.hypothesis))
    explained = list(variants.explanations(column, threshold))
    rows = effects_by_kind(
        (explanation, kinds_of(missed, row, explanation)) for row, explanation in enumerate(explained)
    )
    flips = {row.kind: row.flips for row in rows}
    assert len(missed) == 170 and sum(bool(explanation.turning) for explanation in explained) == 169
    # Figures of the present rules for kinds of change, without WordNet.
    assert 385 <= sum(flips.values()) <= 400
    assert (flips["deletion"], flips["addition"], flips["order"], flips["function_word"]) == (94, 35, 18, 35)


def test_distances_can_turn_and_a_missing_score_has_no_verdict():
    plan = ExplanationPlan("a b", "a c")
    assert plan.explain([0.0, 0.9], threshold=0.5, higher_is_closer=False).flip == (0,)
    assert plan.explain([0.0, 0.9]).flip is None
    lost = plan.explain([nan, 0.9], threshold=0.5)
    assert isnan(lost.values[0]) and lost.flip is None


def test_identical_texts_have_nothing_to_explain():
    plan = ExplanationPlan("a b", "a b")
    explanation = plan.explain([1.5], threshold=0.0)
    assert explanation.edits == () and explanation.values == () and explanation.score == explanation.same == 1.5


def test_bleu_agrees_with_brute_force():
    """The metric scores all subsets, and the values are averaged over all orders."""
    pairs = corpus(
        (SOURCE, HYPOTHESIS),
        ("The court said on Monday that it would hear the case in May.", "The court said that it may hear the case."),
    )
    variants = ExplanationVariants(pairs)
    metric = catalogue.metric("bleu")
    scores = metric.score(variants.corpus.source, variants.corpus.hypothesis, None)
    column = score_column("bleu", np.asarray(scores))
    for plan, explanation in zip(variants.plans, variants.explanations(column), strict=True):
        assert explanation.exact
        value = {
            done: float(metric.score([plan.source], [text], None)[0])
            for done, text in zip(plan.subsets, plan.variants, strict=True)
        }
        assert list(explanation.values) == pytest.approx(by_brute_force(len(plan.edits), value))
        assert sum(explanation.values) == pytest.approx(explanation.score - explanation.same)


def test_every_variant_of_a_source_is_scored_once_and_keeps_its_reference():
    pairs = Corpus("t", ["1", "2"], ["a b", "a b"], ["a c", "a c"], reference=["r", None])
    variants = ExplanationVariants(pairs)
    assert list(variants.corpus.hypothesis) == ["a b", "a c", "a b", "a c"]
    assert list(variants.corpus.reference or ()) == ["r", "r", None, None]
    assert len(ExplanationVariants(corpus(("a b", "a c"), ("a b", "a c"))).corpus) == 2


def test_single_edits_are_scored_first():
    plan = ExplanationPlan(SOURCE, HYPOTHESIS)
    first, remaining = plan.batches()
    assert sorted([*first, *remaining]) == list(range(len(plan.subsets)))
    assert {plan.subsets[number] for number in first} == {0, *(1 << edit for edit in range(len(plan.edits)))}
    assert [plan.corpus().hypothesis[number] for number in first] == [plan.variants[number] for number in first]
