"""Parses labels and human scores in the many forms in which corpora write them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from parapluie_gui.arrays import Labels, Scores
from parapluie_gui.errors import CorpusError, LabelError, printable
from parapluie_gui.pairs.column import MISSING, NO_ANSWER
from parapluie_gui.pairs.corpus import UNLABELLED
from parapluie_gui.pairs.reading.raw_table import as_text

_YES = (
    "1,true,t,yes,y,paraphrase,paraphrases,equivalent,semantically equivalent,duplicate,positive,same,vrai,oui,"
    "ja,sí,si,sì,sim,tak,да,是,はい,예,gleich,identisch,"
    "wahr,verdadero,verdadeiro,vero,waar,prawda,истина,sant,sand,sann,tosi,igaz,pravda,doğru,adevărat,cert"
)
_NO = (
    "0,false,f,no,n,not paraphrase,not a paraphrase,no paraphrase,non paraphrase,nonparaphrase,not equivalent,"
    "non equivalent,nonequivalent,not duplicate,non duplicate,different,negative,faux,non,"
    "nein,nee,não,nie,нет,否,いいえ,아니요,ungleich,verschieden,"
    "falsch,falso,onwaar,fałsz,ложь,falskt,falsk,usann,epätosi,hamis,nepravda,yanlış,fals"
)

#: Words for "paraphrase" and "not a paraphrase", in lower case with spaces; Excel translates TRUE into other languages.
POSITIVE = frozenset(_YES.split(","))
NEGATIVE = frozenset(_NO.split(","))

_BETWEEN_WORDS = re.compile(r"(?<=[^\W\d_])[\s_\-]+(?=[^\W\d_])")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def read_label(value: object) -> int | None:
    """Return 1 (paraphrase), 0 (not a paraphrase), UNLABELLED (-1), or None for a value that is not a label."""
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


def read_labels(
    values: Sequence[object], lines: Sequence[int], path: Path | None, column: str, positive: Sequence[str] = ()
) -> Labels | None:
    """Parse labels, or return None if all are missing; lines, path and column name are used in error messages.

    Args:
        values: The cells.
        lines: The cells' lines in the file.
        path: The file.
        column: The column's name.
        positive: The values that mean a paraphrase, if the user named them; all others then mean the opposite.

    Raises:
        LabelError: A value is not a label, or a value in `positive` does not occur.
    """
    if positive:
        return _named_labels(values, path, column, positive)
    todo = (
        "write 1 or 0 (or true/false, yes/no, paraphrase/not_paraphrase) or leave it empty, "
        f"choose the value that means a paraphrase, such as --positive {quote_value(_first_unknown(values))}, "
        "or another column or none for the label (--label none)"
    )
    try:
        codes = _parse_all(values, read_label, lines, path, f'column "{column}" is not a label', todo)
    except CorpusError as error:
        raise LabelError(error.what, error.todo, path, error.line) from error
    labels = np.array(codes, np.int8)
    return labels if (labels != UNLABELLED).any() else None


def _first_unknown(values: Sequence[object]) -> str:
    unknown = {value for value in set(values) if read_label(value) is None}
    return next((_short(value).strip() for value in values if value in unknown), "1") if unknown else "1"


def quote_value(text: str) -> str:
    """Return a name or a value as an argument on the command line, in quotation marks where it needs them."""
    return text if re.fullmatch(r"[\w.\-]+", text) else f'"{text}"'


def _named_labels(values: Sequence[object], path: Path | None, column: str, positive: Sequence[str]) -> Labels:
    wanted = {value.strip().casefold() for value in positive}
    texts = {value: as_text(value).strip().casefold() for value in set(values)}
    if absent := wanted - set(texts.values()):
        some = ", ".join(f'"{_short(value)}"' for value in sorted(set(texts.values()))[:8])
        what = f'column "{column}" contains no "{_short(min(absent))}"'
        raise LabelError(what, f"name one of its values, such as {some}", path)
    meanings = {
        value: int(text in wanted) if text in wanted or text not in MISSING else UNLABELLED
        for value, text in texts.items()
    }
    return np.array([meanings[value] for value in values], np.int8)


def read_scores(values: Sequence[object], lines: Sequence[int], path: Path | None, column: str) -> Scores | None:
    """Parse human scores, or return None if all are missing; arguments as for `read_labels`.

    Raises:
        CorpusError: A value is neither a finite number nor missing.
    """
    todo = (
        "write scores such as 4.5 with a point or leave it empty, or choose a different column, or no column, for "
        "human scores "
        "(--human none)"
    )
    scores = np.array(_parse_all(values, _score, lines, path, f'column "{column}" is not a number', todo), np.float64)
    return scores if not np.isnan(scores).all() else None


def _parse_all(
    values: Sequence[object],
    read: Callable[[object], float | None],
    lines: Sequence[int],
    path: Path | None,
    what: str,
    todo: str,
) -> list[float | None]:
    """Parse each value, calling `read` once for each different value."""
    meanings = {value: read(value) for value in set(values)}
    parsed = [meanings[value] for value in values]
    if None in meanings.values():
        row = parsed.index(None)
        raise CorpusError(f'"{_short(values[row])}" in {what}', todo, path, lines[row])
    return parsed


def _score(value: object) -> float | None:
    text = as_text(value).strip()
    return math.nan if text.casefold() in MISSING else read_number(text)


def read_number(text: str) -> float | None:
    """Return a finite number as people write it ("4.5", "1e-3"), or None for any other text."""
    # float() alone would take "1_000", "inf" and the digits of other scripts
    if not _NUMBER.fullmatch(text) or not text.isascii():
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def _short(value: object) -> str:
    text = printable(as_text(value)[:41])
    return text if len(text) <= 40 else text[:39] + "…"
