"""Opening sentences of all analyses claim nothing about noise, and nothing that chance explains."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from parapluie_gui.analysis.base import analyse
from parapluie_gui.analysis.catalogue import analyses, analysis
from parapluie_gui.analysis.finding import FindingCandidate, compose_finding, find_standing_out
from parapluie_gui.analysis.material import AnalysisMaterial, CorpusParts
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs.corpus import Corpus

SEEDS = range(20)
PAIRS = 200


def corpus_of(seed: int, pairs: int = PAIRS) -> Corpus:
    random = np.random.default_rng(1000 + seed)
    words = ["cat", "dog", "sun", "rain", "sleeps", "shines", "falls", "barks", "not", "all"]
    texts = [[" ".join(random.choice(words, random.integers(3, 9))) for _ in range(pairs)] for _ in range(2)]
    return Corpus(
        "noise",
        [str(row) for row in range(pairs)],
        *texts,
        label=random.integers(0, 2, pairs).astype(np.int8),
        human=random.normal(size=pairs).round(2),
        extra={"system": [f"system {row % 4}" for row in range(pairs)]},
    )


def material_of(corpus: Corpus, columns: dict[str, np.ndarray], draws: int = 0) -> AnalysisMaterial:
    parts = CorpusParts.from_corpus(corpus)
    score_columns = tuple(ScoreColumn(name, name, np.asarray(values, float)) for name, values in columns.items())
    labels = np.full(len(corpus), -1, dtype=np.int8) if corpus.label is None else corpus.label
    return AnalysisMaterial(parts, score_columns, labels, parts.parts, draws=draws)


@cache  # results that several analyses need for the same pairs are computed once
def noise(seed: int) -> AnalysisMaterial:
    random = np.random.default_rng(seed)
    return material_of(corpus_of(seed), {f"n{number}": random.normal(size=PAIRS) for number in range(8)})


def find(name: str, material: AnalysisMaterial, **options: object) -> str:
    """Return the opening sentence of an analysis, "" if it rejects the pairs."""
    chosen = analysis(name)
    try:
        return chosen.finding(analyse(chosen, material, chosen.options(**options)))
    except ParapluieError:
        return ""


#: Analyses that neither generate their own pairs nor need human answers.
APPLICABLE = [one for one in analyses() if not one.standalone and one.in_window and one.missing(noise(0)) is None]
ANALYSES = [one.name for one in APPLICABLE if not one.descriptive]


def claims(sentence: str) -> bool:
    """Return whether a sentence claims an effect of a score."""
    return bool(sentence) and not sentence.startswith("Nothing stands out: ") and "no clear difference" not in sentence


@pytest.mark.parametrize("name", ANALYSES)
def test_nothing_is_claimed_about_scores_of_noise(name):
    sentences = [find(name, noise(seed)) for seed in SEEDS]
    claimed = [sentence for sentence in sentences if claims(sentence)]
    assert len(claimed) <= 1, f"compose_finding says when nothing stands out, `descriptive` that nothing can: {claimed}"


@pytest.mark.parametrize("name", [one.name for one in APPLICABLE if one.descriptive])
def test_a_descriptive_sentence_compares_nothing(name):
    sentence = find(name, noise(0))
    assert not re.search(r"\b(best|worst|most|least|better|worse|more|fewer|higher|lower)\b", sentence), sentence


def informed(seed: int = 0, sign: float = 1.0) -> np.ndarray:
    corpus = corpus_of(seed)
    return sign * (2 * corpus.label + np.random.default_rng(seed).normal(size=PAIRS))


@pytest.mark.parametrize("name", ["thresholds", "curves", "distributions"])
def test_a_score_that_separates_the_labels_is_named(name):
    columns = {f"n{number}": np.random.default_rng(number).normal(size=PAIRS) for number in range(7)}
    sentence = find(name, material_of(corpus_of(0), {**columns, "good": informed()}))
    assert sentence.startswith("good ") and "than each of the 7 other scores" in sentence and "200 pairs" in sentence
    alone = find(name, material_of(corpus_of(0), {"good": informed()}))
    assert alone.startswith("good ") and "other score" not in alone and "clearly" not in alone
    assert not re.search(r"\bbest\b(?! threshold)|\bmost\b", alone)


@pytest.mark.parametrize("name", ["curves", "distributions"])
def test_an_inverted_score_is_not_praised(name):
    sentence = find(name, material_of(corpus_of(0), {"wrongway": informed(sign=-1)}))
    assert sentence.startswith("Nothing stands out: ")
    assert "Turned round, paraphrases are further apart than other pairs: wrongway (area 0.0" in sentence


@pytest.mark.needs("papers")
def test_the_best_system_is_above_other_systems():
    corpus = corpus_of(0)
    good = np.where(np.arange(PAIRS) % 4 == 0, 5.0, 0.0) + np.random.default_rng(0).normal(size=PAIRS)
    sentence = find("systems", material_of(corpus, {"good": good}), system="system", plotted="good")
    assert sentence.startswith("system 0 is number 1 of 4 systems by good ")
    assert sentence.endswith(", higher than each of the 3 other systems.")


@pytest.mark.needs("papers")
def test_a_score_opposed_to_people_does_not_count_as_agreeing():
    corpus = corpus_of(0)
    assert corpus.human is not None
    wrongway = -corpus.human + np.random.default_rng(0).normal(size=PAIRS, scale=0.1)
    sentence = find("human", material_of(corpus, {"wrongway": wrongway}))
    assert sentence.startswith("Nothing stands out: no score clearly agrees with people. Turned round, ")
    distance = material_of(corpus, {"distance": wrongway})
    column = replace(distance.score_columns[0], higher_is_closer=False)
    sentence = find("human", replace(distance, score_columns=(column,)))
    assert sentence == "distance agrees with people: Spearman −1.00 with their scores of 200 pairs."


@pytest.mark.parametrize("name", ANALYSES)
@pytest.mark.parametrize("kind", ["one pair", "one class", "all ties", "two pairs"])
def test_nothing_is_claimed_about_uninformative_pairs(name, kind):
    corpus = corpus_of(1, {"one pair": 1, "two pairs": 2}.get(kind, 40))
    random, size = np.random.default_rng(3), len(corpus)
    columns = {f"n{number}": np.ones(size) if kind == "all ties" else random.normal(size=size) for number in range(3)}
    if kind == "one class":
        corpus = replace(corpus, label=np.ones(size, dtype=np.int8))
    material = material_of(corpus, columns)
    if analysis(name).missing(material) is not None:
        return
    sentence = find(name, material)
    assert not claims(sentence), sentence
    assert "nan" not in sentence and not re.search(r"\b1 (pairs|sources|paraphrases)\b", sentence), sentence


def test_a_threshold_learnt_on_the_same_pairs_is_marked():
    sentence = find("thresholds", material_of(corpus_of(0), {"good": informed()}))
    assert "at its best threshold, learnt on these pairs (" in sentence
    assert "if learnt on one half and applied to the other" in sentence


def test_p_values_are_corrected_for_the_number_of_candidates():
    weak = FindingCandidate("x", "is right", 1.0, 0.005)
    assert find_standing_out([weak]) == [weak]
    assert find_standing_out([weak, *(replace(weak, title=str(n), p=0.5) for n in range(4))]) == []
    assert compose_finding([], "no score") == "Nothing stands out: no score."


def test_a_close_rival_is_named():
    one, two = FindingCandidate("a", "is right", 0.9, 0.0), FindingCandidate("b", "is right", 0.89, 0.0)
    sentence = compose_finding([two, one], "no score", "more often", lambda first, rival: 0.4)
    assert sentence == "a is right, not clearly more often than b."
    sentence = compose_finding([two, one], "no score", "more often", lambda first, rival: 0.0001)
    assert sentence == "a is right, more often than the other score."
