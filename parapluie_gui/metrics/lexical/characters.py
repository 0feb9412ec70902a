"""Scripts without spaces between words: Chinese and Japanese, whose characters count as words, and others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from parapluie_gui.arrays import Mask

_HAN = r"々〇\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KANA = r"\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_CHARACTER = re.compile(f"[{_HAN}{_KANA}]")
_KANA_ALONE = re.compile(f"([{_KANA}])")
_TOKEN = re.compile(f"[a-z0-9]+|[{_HAN}{_KANA}]")

#: Why a metric for English words has no score for such a pair.
UNSPACED = "the pair is Chinese or Japanese, and the metric compares English words"


def is_unspaced(one: str, other: str, letters: re.Pattern[str] = _CHARACTER) -> bool:
    """Return whether at least half of the letters of a pair are such letters, by default Chinese or Japanese."""
    if one.isascii() and other.isascii():
        return False
    count = len(letters.findall(one)) + len(letters.findall(other))
    return bool(count) and 2 * count >= sum(map(str.isalpha, one)) + sum(map(str.isalpha, other))


def unspaced_pairs(sources: Sequence[str], hypotheses: Sequence[str]) -> Mask:
    return np.fromiter(map(is_unspaced, sources, hypotheses), dtype=np.bool_, count=len(sources))


def characters(text: str) -> list[str]:
    """Return every character except white space, as the "words" of a character error rate."""
    return list("".join(text.split()))


def characters_and_words(text: str) -> list[str]:
    """Return the words that ROUGE compares: each character, and each run of ASCII letters and digits, in lower case."""
    return _TOKEN.findall(text.lower())


def zh_tokens(text: str) -> list[str]:
    """Split by sacreBLEU's tokeniser "zh": one token per Chinese character, other text as mteval splits it.

    Each kana is a token as well, although that tokeniser does not split them.
    """
    return _zh()(_KANA_ALONE.sub(r" \1 ", text)).split()


@lru_cache(maxsize=1)
def _zh() -> Callable[[str], str]:
    from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

    return TokenizerZh()
