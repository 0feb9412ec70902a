"""Thresholds that were learnt on some pairs and kept under a name, to be tried on others."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from parapluie_gui.errors import ParapluieError
from parapluie_gui.files import write_text
from parapluie_gui.scores.signature import Signature

#: Letters of a name, at most.
_LONGEST = 60
_TEXTS = ("name", "score", "origin", "signature")


@dataclass(frozen=True)
class KeptThreshold:
    """A threshold of one score under a name.

    Attributes:
        name: As the user calls it.
        score: The score's column.
        threshold: Where paraphrases begin (distances: end).
        origin: Which pairs chose it, in words ("best accuracy on mrpc, 1,725 labelled pairs").
        signature: What the score was computed with; "" where that is not known.
    """

    name: str
    score: str
    threshold: float
    origin: str
    signature: str = ""

    def fits(self, score: str, signature: Signature | None) -> bool:
        """Return whether it is one of this score, computed alike as far as that is known."""
        return self.score == score and (not self.signature or signature is None or self.signature == str(signature))


def check_threshold_name(name: str) -> None:
    """Refuse a name that could be taken for a number, or that no line can hold.

    Raises:
        ParapluieError: It is one.
    """
    if not name.strip() or not name.isprintable() or len(name) > _LONGEST or _is_number(name):
        raise ParapluieError(f"A threshold needs a name of 1 to {_LONGEST} letters that is no number. Choose another.")


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def read_kept_thresholds(path: Path) -> tuple[KeptThreshold, ...]:
    """Return the thresholds that a file keeps; entries that make no sense are left out."""
    try:
        entries = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return ()
    found = []
    for each in entries if isinstance(entries, list) else ():
        entry = each if isinstance(each, dict) else {}
        value = entry.get("threshold")
        texts = [text for key in _TEXTS if isinstance(text := entry.get(key), str)]
        if len(texts) == len(_TEXTS) and isinstance(value, float) and math.isfinite(value):
            name, score, origin, signature = texts
            found.append(KeptThreshold(name, score, value, origin, signature))
    return tuple(found)


def keep_thresholds(path: Path, new: Sequence[KeptThreshold]) -> None:
    """Keep thresholds in a file; one of the same name and score takes the place of the other."""
    taken = {(each.name, each.score) for each in new}
    others = [each for each in read_kept_thresholds(path) if (each.name, each.score) not in taken]
    _write(path, [*others, *new])


def forget_threshold(path: Path, gone: KeptThreshold) -> None:
    """Keep a threshold no longer."""
    _write(path, [each for each in read_kept_thresholds(path) if each != gone])


def _write(path: Path, kept: Sequence[KeptThreshold]) -> None:
    write_text(path, json.dumps([asdict(each) for each in kept], ensure_ascii=False, indent=2), private=True)


def fitting_thresholds(
    kept: Iterable[KeptThreshold], scores: Collection[str], signatures: Mapping[str, Signature]
) -> tuple[KeptThreshold, ...]:
    """Return the kept thresholds of these scores, by their signatures."""
    return tuple(each for each in kept if each.score in scores and each.fits(each.score, signatures.get(each.score)))
