"""sacreBLEU and chrF against the library, on ordinary and on unusual sentences."""

from __future__ import annotations

import random

import numpy as np
import pytest

from parapluie_gui.metrics.lexical.bleu import SacreBleu
from parapluie_gui.metrics.lexical.chrf import ChrF

WORDS = "the a cat, dog. sat 3.5 U.S. don't & < - – é 猫 😀 ran"


def odd_pairs() -> tuple[list[str], list[str]]:
    rng = random.Random(1)
    texts = [" ".join(rng.choices(WORDS.split(), k=rng.randint(0, 12))) for _ in range(1200)]
    fixed = [("", ""), ("", "a b"), ("a b", ""), ("a", "a"), ("a", "b"), ("a b c", "a b c"), ("x" * 40, "x" * 41)]
    return texts[:600] + [pair[0] for pair in fixed], texts[600:] + [pair[1] for pair in fixed]


def bleu_by_library(sources, hypotheses) -> list[float]:
    from sacrebleu.metrics import BLEU

    library = BLEU(effective_order=True)
    return [
        library.sentence_score(hypothesis, [source]).score
        for source, hypothesis in zip(sources, hypotheses, strict=True)
    ]


def chrf_by_library(sources, hypotheses) -> list[float]:
    from sacrebleu.metrics import CHRF

    library = CHRF()
    return [
        library.sentence_score(hypothesis, [source]).score
        for source, hypothesis in zip(sources, hypotheses, strict=True)
    ]


BOTH = [(SacreBleu, bleu_by_library), (ChrF, chrf_by_library)]


@pytest.mark.parametrize(("ours", "library"), BOTH)
def test_unusual_pairs_agree_with_the_library(ours, library):
    sources, hypotheses = odd_pairs()
    np.testing.assert_allclose(ours().score(sources, hypotheses), library(sources, hypotheses), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("ours", "library"), BOTH)
def test_mrpc_agrees_with_the_library(ours, library, mrpc):
    sources, hypotheses = mrpc.source[:300], mrpc.hypothesis[:300]
    np.testing.assert_allclose(ours().score(sources, hypotheses), library(sources, hypotheses), rtol=1e-12)


def test_chinese_pairs_agree_with_the_library(shared_data):
    # chrF; sacreBLEU of Chinese is in test_characters.py
    from parapluie_gui import pairs

    corpus = pairs.read(shared_data / "parascore" / "bq-para.csv")
    sources, hypotheses = corpus.source[:300], corpus.hypothesis[:300]
    np.testing.assert_allclose(ChrF().score(sources, hypotheses), chrf_by_library(sources, hypotheses), rtol=1e-12)


def test_the_librarys_signatures_are_in_ours():
    from sacrebleu.metrics import BLEU, CHRF

    bleu, chrf = BLEU(effective_order=True), CHRF()
    for library, ours in ((bleu, SacreBleu()), (chrf, ChrF())):
        library.sentence_score("a", ["a"])
        theirs = dict(part.split(":") for part in str(library.get_signature()).split("|"))
        fields = dict(ours.signature().fields)
        for name in set(theirs) - {"version"}:
            assert fields[name] == theirs[name], name


@pytest.mark.parametrize("ours", [SacreBleu, ChrF])
def test_lists_of_different_length_are_refused(ours):
    with pytest.raises(ValueError, match="2 sources but 1 hyp"):
        ours().score(["a", "b"], ["a"])
