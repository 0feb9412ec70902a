"""Kept thresholds: learnt on some pairs and stored under a name, to be used on other pairs."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from parapluie_gui.errors import ParapluieError
from parapluie_gui.files import write_text
from parapluie_gui.own_files import read_json_or_none, read_records
from parapluie_gui.scores.signature import Signature

#: Maximum length of a name.
_LONGEST = 60
_TEXTS = ("name", "score", "origin", "signature")


@dataclass(frozen=True)
class KeptThreshold:
    """A threshold of one score, stored under a name.

    Attributes:
        name: The name that the user gave it.
        score: The column of the score.
        threshold: The score at which paraphrases begin (distances: end).
        origin: The pairs on which it was chosen, in words ("best accuracy on mrpc, 1,725 labelled pairs").
        signature: The signature of the score; "" if unknown.
    """

    name: str
    score: str
    threshold: float
    origin: str
    signature: str = ""

    def fits(self, score: str, signature: Signature | None) -> bool:
        """Return True if it is a threshold of this score and their signatures, if both are known, are equal."""
        return self.score == score and (not self.signature or signature is None or self.signature == str(signature))


def check_threshold_name(name: str) -> None:
    """Refuse a name that is empty, too long, not printable or a number.

    Raises:
        ParapluieError: The name is not allowed.
    """
    if not name.strip() or not name.isprintable() or len(name) > _LONGEST or _is_number(name):
        raise ParapluieError(
            f"The name of a threshold must have 1 to {_LONGEST} characters and must not be a number. Choose a "
            "different name."
        )


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def read_kept_thresholds(path: Path) -> tuple[KeptThreshold, ...]:
    """Read the thresholds of a file; invalid entries are left out, and an unreadable file counts as empty."""
    return tuple(read_records(read_json_or_none(path), _threshold))


def _threshold(entry: Mapping[str, object]) -> KeptThreshold:
    """Read an entry; raises one of `UNEXPECTED_VALUE` if it is invalid."""
    value, texts = entry["threshold"], [entry[key] for key in _TEXTS]
    if not isinstance(value, float) or not math.isfinite(value) or not all(isinstance(text, str) for text in texts):
        raise ValueError("not a threshold")
    name, score, origin, signature = map(str, texts)
    return KeptThreshold(name, score, value, origin, signature)


def keep_thresholds(path: Path, new: Sequence[KeptThreshold]) -> None:
    """Store thresholds in a file; they replace thresholds with the same name and score."""
    replaced = {(threshold.name, threshold.score) for threshold in new}
    stored = read_kept_thresholds(path)
    _write(path, [*(old for old in stored if (old.name, old.score) not in replaced), *new])


def forget_threshold(path: Path, gone: KeptThreshold) -> None:
    """Remove a threshold from a file."""
    _write(path, [stored for stored in read_kept_thresholds(path) if stored != gone])


def _write(path: Path, thresholds: Sequence[KeptThreshold]) -> None:
    write_text(path, json.dumps(list(map(asdict, thresholds)), ensure_ascii=False, indent=2), private=True)


def fitting_thresholds(
    thresholds: Iterable[KeptThreshold], scores: Collection[str], signatures: Mapping[str, Signature]
) -> tuple[KeptThreshold, ...]:
    """Return the kept thresholds that fit these scores and their signatures."""
    return tuple(
        threshold
        for threshold in thresholds
        if threshold.score in scores and threshold.fits(threshold.score, signatures.get(threshold.score))
    )
