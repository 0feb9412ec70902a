"""Tokenisation run by run gives the same words as the plain tokenizers on the complete text."""

from __future__ import annotations

import random
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parapluie_gui.metrics.lexical import tokens
from parapluie_gui.metrics.lexical.tokens import TOKENISERS, WordNumbers, flatten

#: Texts for which the tokenizers have rules, and similar texts.
RULED = """
cannot GONNA wanna gımme lem me 'tis 'Twas d'ye more'n don't N'T He's I'LL 'll n't a' 'b ' '' `` ` " . .. ...
, : ; ? ! word word. U.S. 3,000 3. 12:30 9. 1-2 a-b -- - — – ( ) [ ] { } < > « » “ ” ‘ ’ „ $ % & * @ # é
中文字 😀 שלום Σ İ &quot; &amp; <skipped> / \\ _ ^ ~ | = +
"""
PIECES = RULED.split()
GAPS = ["", "", " ", " ", " ", "  ", "\t", "\n", "-\n", "\u00a0", "\u3000"]


def read(words: WordNumbers, row: bytes) -> list[str]:
    names = words.words
    return [names[number] for number in memoryview(row).cast("i")]


def differing(name: str, texts: list[str]) -> list[str]:
    words = WordNumbers(name)
    return [
        text for text, row in zip(texts, words.number(texts), strict=True) if read(words, row) != TOKENISERS[name](text)
    ]


#: sacreBLEU's Japanese tokenizer needs an optional package.
NAMES = [name for name in TOKENISERS if name != "ja-mecab" or find_spec("MeCab")]


@pytest.mark.parametrize("name", NAMES)
def test_random_texts_give_the_same_words(name):
    rng = random.Random(0)
    texts = ["".join(rng.choice(PIECES) + rng.choice(GAPS) for _ in range(rng.randint(0, 8))) for _ in range(600)]
    assert differing(name, texts) == []


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text(alphabet="a'\". ,:)”1-`T&;\t", max_size=14))
def test_short_texts_give_the_same_words(name, text):
    assert differing(name, [text, f"{text} b", f"b {text}", f"b {text} b"]) == []


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text(max_size=30))
def test_any_text_gives_the_same_words(name, text):
    assert differing(name, [text, f"b {text} b"]) == []


@pytest.mark.parametrize("name", ["treebank", "13a"])
def test_real_sentences_give_the_same_words(name, mrpc):
    sentences = [*mrpc.source[::8], *mrpc.hypothesis[::8]]
    assert differing(name, sentences) == []


def test_the_cache_is_bounded(monkeypatch):
    monkeypatch.setattr(tokens, "_MOST_CACHED", 50)
    words = WordNumbers("whitespace")
    for start in range(0, 400, 20):
        texts = [f"w{number} x" for number in range(start, start + 20)]
        assert [read(words, row) for row in words.number(texts)] == [text.split() for text in texts]
        assert len(words.words) < 100


def test_rows_are_tokenised_one_after_another():
    words = WordNumbers("whitespace")
    numbers, lengths = flatten(words.number(["a b a", "", "b"]))
    assert numbers.tolist() == [0, 1, 0, 1] and lengths.tolist() == [3, 0, 1]
    assert numbers.dtype == np.int32


def test_treebank_tokens_match_nltks_example():
    # the example of nltk's own documentation of NLTKWordTokenizer
    assert TOKENISERS["treebank"]("They'll save and invest more.") == [
        "They",
        "'ll",
        "save",
        "and",
        "invest",
        "more",
        ".",
    ]
