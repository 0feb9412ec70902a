"""Chinese and Japanese pairs: their detection, and BLEU and ROUGE by characters against the libraries."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import pearsonr

from parapluie_gui.errors import MetricError
from parapluie_gui.metrics.catalogue import metric
from parapluie_gui.metrics.lexical.bleu import Bleu, IBleu, SacreBleu
from parapluie_gui.metrics.lexical.characters import characters_and_words, is_unspaced, zh_tokens
from parapluie_gui.pairs import read
from parapluie_gui.pairs.corpus import Corpus

from .test_bleu import torchtext_rule

MIXED = [
    "我想开通微粒贷 ok",
    "The café – “quoted” €5",
    "猫が好きです。",
    "Version 3.14，第2章",
    "",
    "!?",
    "a 猫",
    "안녕하세요",
]


@pytest.fixture(scope="module")
def bq(shared_data: Path) -> Corpus:
    return read(shared_data / "parascore" / "bq-para.csv")


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("我想开通", "我想", True),
        ("我想 ok", "ok", False),
        ("我想开通", "a", True),
        ("猫が好きです。", "ネコ", True),
        ("The cat – “it” €5 ☀", "A cat.", False),
        ("a 猫", "a cat", False),
        ("안녕하세요", "안녕", False),
        ("，。", "!", False),
        ("", "", False),
    ],
)
def test_chinese_and_japanese_pairs_are_compared_by_characters(one, other, apart):
    assert is_unspaced(one, other) is is_unspaced(other, one) is apart


def test_tokens_match_sacrebleus_tokenizer():
    from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

    for text in MIXED[:2] + MIXED[3:]:
        assert zh_tokens(text) == TokenizerZh()(text).split()
    assert zh_tokens("猫が好きです。") == list("猫が好きです。")
    assert characters_and_words("我想开通Wi-Fi 2，猫が") == ["我", "想", "开", "通", "wi", "fi", "2", "猫", "が"]


def test_sacrebleu_matches_the_library_with_zh(bq):
    from sacrebleu.metrics import BLEU

    sources, hypotheses = bq.source[:300], bq.hypothesis[:300]
    library = BLEU(effective_order=True, tokenize="zh")
    expected = [library.sentence_score(h, [s]).score for s, h in zip(sources, hypotheses, strict=True)]
    np.testing.assert_allclose(SacreBleu().score(sources, hypotheses), expected, rtol=1e-12)
    assert np.count_nonzero(expected) > 250


def test_bleu_is_computed_on_characters(bq):
    sources, hypotheses = bq.source[:300], bq.hypothesis[:300]
    pairs = [(zh_tokens(h), zh_tokens(s)) for s, h in zip(sources, hypotheses, strict=True)]
    np.testing.assert_allclose(Bleu().score(sources, hypotheses), [torchtext_rule(*pair) for pair in pairs], rtol=1e-13)
    assert not Bleu("whitespace").score(sources, hypotheses).any()


@pytest.mark.parametrize("name", ["rouge1", "rouge2", "rougeL"])
def test_rouge_matches_the_library_with_characters(name, bq):
    from rouge_score.rouge_scorer import RougeScorer

    class Characters:
        def tokenize(self, text: str) -> list[str]:
            return characters_and_words(text)

    sources, hypotheses = bq.source[:300], bq.hypothesis[:300]
    scorer = RougeScorer([name], tokenizer=Characters())
    expected = [scorer.score(s, h)[name].fmeasure for s, h in zip(sources, hypotheses, strict=True)]
    assert metric(name).score(sources, hypotheses).tolist() == expected


@pytest.mark.parametrize("tok", ["zh", "char", "intl"])
def test_sacrebleu_accepts_its_own_tokenizers(tok, bq):
    from sacrebleu.metrics import BLEU

    sources = [*bq.source[:100], *MIXED]
    hypotheses = [*bq.hypothesis[:100], *MIXED[1:], MIXED[0]]
    library = BLEU(effective_order=True, tokenize=tok)
    expected = [library.sentence_score(h, [s]).score for s, h in zip(sources, hypotheses, strict=True)]
    np.testing.assert_allclose(metric(f"sacrebleu,tok={tok}").score(sources, hypotheses), expected, rtol=1e-12)
    assert f"tok:{tok}|smooth:exp|version" in str(metric(f"sacrebleu,tok={tok}").signature())


def test_unknown_tokenizers_are_refused():
    with pytest.raises(MetricError, match=r'needs 13a, zh, char, intl or ja-mecab for tok, not "jp"\.'):
        metric("sacrebleu,tok=jp")


def test_word_errors_are_counted_by_characters():
    """jiwer's character error rate counts the same edits: 2 of 6 characters, whatever the white space."""
    rates = metric("wer").score(["我想开通贷款", "我想 开通贷款", "a b c"], ["我想关闭贷款", "我想关闭贷款", "a x c"])
    np.testing.assert_allclose(rates, [2 / 6, 2 / 6, 1 / 3])


def test_a_metric_of_english_words_gives_a_reason_instead_of_a_number():
    sources, hypotheses = ["我想开通贷款", "The cat sleeps."], ["我想开通贷款", "The cat sleeps."]
    stems = metric("meteor_stem")
    assert np.isnan(stems.score(sources, hypotheses)).tolist() == [True, False]
    assert "Chinese or Japanese" in stems.why_missing(sources[0], hypotheses[0])
    assert not stems.why_missing(sources[1], hypotheses[1])


def test_mixed_lists_give_every_pair_its_usual_score():
    """In a list with both kinds of pairs, each pair has the same score as alone."""
    sources, hypotheses = MIXED * 3, (MIXED[1:] + MIXED[:1]) * 3
    for instance in (Bleu(), SacreBleu(), metric("rouge1"), metric("rougeL"), metric("wer")):
        together = instance.score(sources, hypotheses)
        alone = [instance.score([s], [h])[0] for s, h in zip(sources, hypotheses, strict=True)]
        np.testing.assert_array_equal(together, alone)
        reasons = [bool(instance.why_missing(s, h)) for s, h in zip(sources, hypotheses, strict=True)]
        assert np.isnan(together).tolist() == reasons


def test_the_signature_names_the_characters():
    for name in ("bleu", "sacrebleu", "ibleu"):
        assert "cjk:zh" in str(metric(name).signature())
    assert "cjk:characters" in str(metric("rouge2").signature())
    assert "cjk" not in str(metric("bleu,tok=whitespace").signature()) + str(metric("chrf").signature())
    assert "cjk:characters" in str(metric("wer").signature())
    assert "cjk:none" in str(metric("meteor_stem").signature())
    assert IBleu().score(["我想开通贷款"], ["我想开通贷款"])[0] == pytest.approx(0.8)


def rouge_1_as_defined(reference: str, hypothesis: str) -> float:
    theirs, ours = (Counter(re.findall(r"\w+", text.lower())) for text in (reference, hypothesis))
    return 2 * (theirs & ours).total() / (theirs.total() + ours.total())


def test_bq_para_has_scores(bq):
    # Before: BLEU 0 everywhere, and ROUGE-1 for 231 pairs. ROUGE-1 as defined in ParaScore's evaluation is 0.271 on
    # these.
    rest = pytest.importorskip("parapluie_gui.features.papers.parascore_extension").held_out_pairs(len(bq))
    rouge = metric("rouge1").score(bq.source, bq.hypothesis)
    assert not np.isnan(rouge).any()
    spaced = [rouge_1_as_defined(" ".join(s), " ".join(h)) for s, h in zip(bq.source, bq.hypothesis, strict=True)]
    ours, theirs = (pearsonr(scores[rest], bq.human[rest])[0] for scores in (rouge, np.array(spaced)))
    assert theirs == pytest.approx(0.271, abs=5e-4) and ours == pytest.approx(theirs, abs=0.01)
    bleu = Bleu().score(bq.source, bq.hypothesis)
    assert np.count_nonzero(bleu) == 1989  # the remaining pairs share no four consecutive characters


#: "He runs fast." and "He sits." in Thai, Lao, Khmer, Burmese, Chinese and Japanese, without spaces.
UNSPLIT = [
    ("เขาวิ่งเร็ว", "เขานั่ง"),
    ("ລາວແລ່ນໄວຫຼາຍ", "ລາວນັ່ງຢູ່"),
    ("គាត់រត់លឿនណាស់", "គាត់អង្គុយ"),
    ("သူအမြန်ပြေးတယ်", "သူထိုင်နေတယ်"),
]
CHINESE = ("他跑得很快非常快", "他坐着不动")


@pytest.mark.parametrize(
    "spec", ["bleu", "bleu,tok=whitespace", "sacrebleu", "wer", "wpd", "ld", "ibleu", "meteor_stem"]
)
def test_pairs_whose_sentences_count_as_one_word_are_named(spec):
    compute = metric(spec)
    for pair in UNSPLIT:
        assert f"1 pair has no spaces between words (“{pair[0]}”)" in compute.remark([pair[0]], [pair[1]])
        assert compute.remark([" ".join(pair[0])], [" ".join(pair[1])]) == "", "separated by the user"
    sources, hypotheses = zip(*UNSPLIT, ("A cat sat.", "A cat."), strict=True)
    assert compute.remark(sources, hypotheses).startswith("4 pairs have no spaces")
    split = spec != "bleu,tok=whitespace"
    assert (compute.remark([CHINESE[0]], [CHINESE[1]]) == "") is split
    assert (
        compute.remark(["Она бежит быстро", "Der Hund läuft über die Straße"], ["그는 빨리 달린다", "naïve café"]) == ""
    )


@pytest.mark.parametrize("spec", ["edit_distance", "chrf", "sacrebleu,tok=char", "rouge1"])
def test_scores_of_characters_say_nothing_about_words(spec):
    assert metric(spec).remark(*zip(*UNSPLIT, CHINESE, strict=True)) == ""
