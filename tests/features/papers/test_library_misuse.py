"""The two ways of computing lexical metrics, checked against nltk called in those ways, and against the published
correlations.

`pytest -s` prints the correlations as defined, as the ParaScore authors' code computes them, and as published.
"""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from library_misuse import (
    METRICS,
    _words,
    bleu,
    bleu_right,
    bleu_slipped,
    lexical_slip,
    meteor_right,
    meteor_slipped,
    rouge_l_right,
    rouge_l_slipped,
    rouge_right,
    rouge_slipped,
)
from nltk.stem.porter import PorterStemmer
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from nltk.translate.meteor_score import single_meteor_score

from parapluie_gui.pairs import read
from parapluie_gui.pairs.corpus import Corpus

WORDS = ["a", "I", "the", "cats", "cat", "runs", "running", "U.S.", "s", "ai", "go", "!", "1", "A"]


def sentences(count: int) -> list[tuple[str, str]]:
    chance = random.Random(0)
    return [
        (
            " ".join(chance.choices(WORDS, k=chance.randint(1, 9))),
            " ".join(chance.choices(WORDS, k=chance.randint(1, 9))),
        )
        for _ in range(count)
    ]


class NoWordNet:
    def synsets(self, word):
        return []


def test_bleu_matches_nltk_called_correctly_and_incorrectly():
    smooth = SmoothingFunction().method1
    for reference, hypothesis in sentences(400):
        ours, theirs = list(_words(hypothesis)), list(_words(reference))
        # equal to the last digit, since equal scores share a rank
        assert bleu_right(reference, hypothesis) == sentence_bleu([theirs], ours, smoothing_function=smooth)
        assert bleu_slipped(reference, hypothesis) == sentence_bleu(theirs, ours, smoothing_function=smooth)
    assert bleu([], ["a"]) == bleu([["a"]], []) == 0.0


def test_meteor_matches_nltk_called_correctly_and_incorrectly():
    stemmer, nothing = PorterStemmer(), NoWordNet()
    for reference, hypothesis in sentences(150):

        def meteor(text: str, hypothesis: str = hypothesis) -> float:
            return single_meteor_score(text.split(), hypothesis.split(), stemmer=stemmer, wordnet=nothing)

        assert meteor_right(reference, hypothesis) == pytest.approx(meteor(reference))
        assert meteor_slipped(reference, hypothesis) == pytest.approx(max(meteor(letter) for letter in reference))


def test_rouge_matches_a_computation_by_hand():
    # 3 of 4 and 3 of 3 words
    assert rouge_right("The cat, the mat.", "the the CAT", 1) == pytest.approx(2 * 3 / 7)
    # distinct runs {The, cat,, the, mat} and {the, CAT}: one in common
    assert rouge_slipped("The cat, the mat.", "the the CAT", 1) == pytest.approx(2 * 1 / 6)
    # full stops separate sentences and are removed: {U, S, go} and {US, go}
    assert rouge_slipped("U.S. go", "US go", 1) == pytest.approx(0.4, abs=0.01)
    assert rouge_right("", "", 1) == rouge_slipped("...", "a", 1) == 0.0
    # "the cat" is one of 3 and of 2 runs; case-sensitively no run of two words is shared
    assert rouge_right("The cat, the mat.", "the the CAT", 2) == pytest.approx(2 * 1 / 5)
    assert rouge_slipped("The cat, the mat.", "the the CAT", 2) == 0.0
    assert rouge_slipped("a b. c", "b c", 2) == pytest.approx(2 * (1 * 0.5) / 1.5)


def test_rouge_l_matches_a_computation_by_hand():
    # a c d of 4 and of 3 words, ignoring case
    assert rouge_l_right("A b, c d.", "a c D") == pytest.approx(2 * 3 / 7)
    assert rouge_l_slipped("A b, c d.", "a c D") == pytest.approx(2 * (1 / 4 * 1 / 3) / (1 / 4 + 1 / 3))
    # of two subsequences of equal length, the package's choice: b, then c of the second piece, a counted twice
    assert rouge_l_slipped("a b. c a", "b a. c") == pytest.approx(1.0)
    assert rouge_l_slipped("a b", "b a") == pytest.approx(0.5)
    assert rouge_l_right("", "a") == rouge_l_slipped(".", "a") == 0.0


def corpus(human, **more) -> Corpus:
    rows = sentences(40)
    return Corpus(
        name="made",
        id=[str(row) for row in range(40)],
        source=[source for source, _ in rows],
        hypothesis=[hypothesis for _, hypothesis in rows],
        human=human,
        **more,
    )


def test_free_and_reference_forms_count_their_pairs():
    human = np.arange(40.0)
    result = lexical_slip(corpus(human))
    assert [(row.metric, row.form) for row in result.rows] == [(name, "free") for name in METRICS]
    assert result.pairs == 36 and all(row.right.pairs == 36 and row.published is None for row in result.rows)
    both = lexical_slip(corpus(human, reference=[None, "the cat"] * 20))
    assert [row.right.pairs for row in both.rows] == [36, 18] * 5


@pytest.mark.parametrize(("name", "sample"), [("twitter-para", 6444), ("bq-para", 5031)])
def test_the_published_numbers_come_from_the_incorrect_calls(shared_data: Path, name: str, sample: int):
    # Shen et al. (EMNLP 2022), table 1; BLEU with more digits: log.txt of the authors' repository
    result = lexical_slip(read(shared_data / "parascore" / f"{name}.csv"))
    assert result.pairs == sample
    rows = {(row.metric, row.form): row for row in result.rows}
    blue = rows["BLEU", "reference"]
    logged = {
        "twitter-para": (-0.11897535760158835, -0.10448345909348869),
        "bq-para": (0.1267915153609518, 0.14437280990918938),
    }[name]
    # nltk's tokenizer has changed slightly since
    assert (blue.slipped.pearson.value, blue.slipped.spearman.value) == pytest.approx(logged, abs=2e-4)
    assert blue.right.pearson.value > blue.slipped.pearson.value + 0.05
    if name == "twitter-para":
        rouge = rows["ROUGE-1", "free"]
        assert (round(rouge.slipped.pearson.value, 3), round(rouge.slipped.spearman.value, 3)) == (0.292, 0.300)
        assert (round(rouge.right.pearson.value, 3), round(rouge.right.spearman.value, 3)) == (0.495, 0.497)
        meteor = rows["METEOR", "free"]
        # published 0.469 / 0.471: close to the correct value, and not the output of the published code
        assert meteor.right.pearson.value == pytest.approx(0.469, abs=0.005)
        assert meteor.slipped.pearson.value == pytest.approx(-0.095, abs=0.005)
    for row in result.rows:
        computed = [each.value for way in (row.right, row.slipped) for each in (way.pearson, way.spearman)]
        print(name, row.metric, row.form, *(f"{each:.3f}" for each in (*computed, *(row.published or ()))))
        assert not math.isnan(row.right.spearman.value)
        # Except for METEOR, the published row is the output of the code's call; the paper has no METEOR for Chinese
        assert (row.published is None) == ((name, row.metric) == ("bq-para", "METEOR"))
        if row.published is not None and row.metric != "METEOR":
            assert (row.slipped.pearson.value, row.slipped.spearman.value) == pytest.approx(row.published, abs=7e-4)
