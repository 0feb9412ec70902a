"""Pairs whose sentences differ only in characters missing from a model's vocabulary, and so look equal to it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from parapluie_gui.models.word_pieces import WordPieces, read_word_pieces
from parapluie_gui.own_files import parse_json

#: Maximum number of pairs examined, spread evenly over the corpus; a thousand take a tenth of a second.
_EXAMINED = 5_000


def find_unread_pairs(folder: Path, sources: Sequence[str], hypotheses: Sequence[str]) -> list[int]:
    """Return the rows of pairs whose sentences differ only in characters that a model cannot read.

    Without the unknown tokens both sentences have the same tokens, and at least one sentence has an unknown token. Only
    vocabularies of word pieces (BERT) lack characters; others spell them by bytes. Pairs in ASCII are left out.
    """
    rows = [
        row
        for row, (source, hypothesis) in enumerate(zip(sources, hypotheses, strict=True))
        if not (source.isascii() and hypothesis.isascii()) and source.split() != hypothesis.split()
    ]
    rows = rows[:: -(-len(rows) // _EXAMINED) or 1]
    tokenizer = read_word_pieces(folder) if rows else None
    if tokenizer is None:
        return []
    first, second = (_read(tokenizer, [texts[row] for row in rows]) for texts in (sources, hypotheses))
    return [
        row
        for row, (known, lacks), (other_known, other_lacks) in zip(rows, first, second, strict=True)
        if known == other_known and (lacks or other_lacks)
    ]


def find_unread_signs(folder: Path, text: str) -> list[str]:
    """Return the characters of a text that are not in the vocabulary of a model of word pieces, in their order."""
    known = frozenset[str]() if text.isascii() else _read_characters(folder)
    return [sign for sign in dict.fromkeys(text) if known and not sign.isspace() and not known.issuperset(_fold(sign))]


def describe_unread_pairs(name: str, rows: Sequence[int], sources: Sequence[str], hypotheses: Sequence[str]) -> str:
    """Return a sentence on the pairs that `find_unread_pairs` returned; "" if there are none."""
    if not rows:
        return ""
    first = f"“{_cut(sources[rows[0]])}” and “{_cut(hypotheses[rows[0]])}”"
    if len(rows) == 1:
        pairs = (
            f"{first} differ only in characters that are not in its vocabulary, so its score does not show the "
            "difference"
        )
    else:
        pairs = (
            f"{len(rows):,} pairs differ only in characters that are not in its vocabulary, such as {first}, so "
            "their scores do not show the difference"
        )
    return f"{name}: {pairs}."


@cache
def _read_characters(folder: Path) -> frozenset[str]:
    """Return the characters in a model's vocabulary; none if it cannot be read."""
    try:
        vocabulary: Any = parse_json((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    except (OSError, ValueError, LookupError, TypeError):
        return frozenset()
    return frozenset("".join(vocabulary))


def _fold(sign: str) -> set[str]:
    """Return what BERT reads of a character: lower case, without accents and control characters."""
    parts = unicodedata.normalize("NFD", sign.lower())
    return {part for part in parts if unicodedata.category(part) != "Mn" and unicodedata.category(part)[0] != "C"}


def _read(tokenizer: WordPieces, texts: Sequence[str]) -> list[tuple[list[int], bool]]:
    """Return, for each text, the known tokens and whether it has unknown ones."""
    encoded = tokenizer(texts, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    unknown = tokenizer.unk_token_id
    return [([token for token in ids if token != unknown], unknown in ids) for ids in encoded]


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
