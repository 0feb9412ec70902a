"""Understands the labels and human scores that corpora write in many ways."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from parapluie_gui.arrays import Labels, Scores
from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.column import MISSING, NO_ANSWER
from parapluie_gui.pairs.corpus import UNLABELLED
from parapluie_gui.pairs.reading.raw_table import as_text

_YES = "1,true,t,yes,y,paraphrase,paraphrases,equivalent,semantically equivalent,duplicate,positive,same,vrai,oui"
_NO = (
    "0,false,f,no,n,not paraphrase,not a paraphrase,no paraphrase,non paraphrase,nonparaphrase,not equivalent,"
    "non equivalent,nonequivalent,not duplicate,non duplicate,different,negative,faux,non"
)

#: Words for "paraphrase" and "not a paraphrase", in small letters with spaces; French because Excel translates TRUE.
POSITIVE = frozenset(_YES.split(","))
NEGATIVE = frozenset(_NO.split(","))

_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])[\s_\-]+(?=[^\W\d_])")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def read_label(value: object) -> int | None:
    """Return 1 (paraphrase), 0 (not), UNLABELLED (-1), or None when the value is no label."""
    text = _BETWEEN_WORDS.sub(" ", as_text(value).strip().casefold())
    if text in POSITIVE:
        return 1
    if text in NEGATIVE:
        return 0
    text = as_text(value).strip().casefold()
    if text in MISSING:
        return UNLABELLED
    if _NUMBER.fullmatch(text):
        return {1.0: 1, 0.0: 0, -1.0: UNLABELLED, NO_ANSWER: UNLABELLED}.get(float(text))
    return None


def read_labels(values: Sequence[object], lines: Sequence[int], path: Path | None, column: str) -> Labels | None:
    """Return labels, or None when no value is a label; lines, path and column name are for error messages.

    Raises:
        CorpusError: A value is no label.
    """
    todo = (
        "write 1 or 0 (or true/false, yes/no, paraphrase/not_paraphrase), leave it empty, "
        "or choose another column or none for the label"
    )
    labels = np.array(_understood(values, read_label, lines, path, f'column "{column}" is not a label', todo), np.int8)
    return labels if (labels != UNLABELLED).any() else None


def read_scores(values: Sequence[object], lines: Sequence[int], path: Path | None, column: str) -> Scores | None:
    """Return human scores, or None when none is there; arguments as for `read_labels`.

    Raises:
        CorpusError: A value is neither a finite number nor missing.
    """
    todo = "write scores such as 4.5 with a point, leave it empty, or choose another column or none for human scores"
    scores = np.array(_understood(values, _score, lines, path, f'column "{column}" is not a number', todo), np.float64)
    return scores if not np.isnan(scores).all() else None


def _understood(
    values: Sequence[object],
    read: Callable[[object], float | None],
    lines: Sequence[int],
    path: Path | None,
    what: str,
    todo: str,
) -> list[float | None]:
    """Return what each value means; each different value is read once."""
    meanings = {value: read(value) for value in set(values)}
    found = [meanings[value] for value in values]
    if None in meanings.values():
        row = found.index(None)
        raise CorpusError(f'"{_short(values[row])}" in {what}', todo, path, lines[row])
    return found


def _score(value: object) -> float | None:
    text = as_text(value).strip()
    if text.casefold() in MISSING:
        return math.nan
    # float() alone would take "1_000", "inf" and the digits of other scripts
    if not _NUMBER.fullmatch(text) or not text.isascii():
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def _short(value: object) -> str:
    text = "".join(letter if letter.isprintable() else "\ufffd" for letter in as_text(value)[:41])
    return text if len(text) <= 40 else text[:39] + "…"
