"""A judge's passport, with its facts, signature and scores, which can be saved and compared with a later one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan
from pathlib import Path

import numpy as np

from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.statistics.correlation import Estimate
from parapluie_gui.errors import OwnFileError, ParapluieError, explain_write_errors
from parapluie_gui.features.passport.facts import PassportFact
from parapluie_gui.files import write_text
from parapluie_gui.own_files import UNEXPECTED_VALUE, read_json
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.scores.signature import pair_key
from parapluie_gui.version import __version__

#: Version of the file's format.
_FORMAT = 1


@dataclass(frozen=True)
class Passport:
    """The passport of a judge under one template.

    Attributes:
        name: The column of its scores ("pluie.direct").
        title: The name shown to people.
        corpus: The name of the pairs.
        pairs: Number of pairs with a score.
        threshold: The natural threshold.
        warning: A sentence if it gives nearly all pairs the same answer; otherwise "".
        facts: Its measurements.
        signature: The fields of the signature of its scores; empty if unknown.
        scores: Its scores by the key of the pair, for comparison with a later passport.
    """

    name: str
    title: str
    corpus: str
    pairs: int
    threshold: float
    warning: str
    facts: tuple[PassportFact, ...]
    signature: Mapping[str, str]
    scores: Mapping[str, float]

    def fact(self, key: str) -> PassportFact | None:
        """Return a fact by its key; None if it was not measured."""
        return next((fact for fact in self.facts if fact.key == key), None)


@dataclass(frozen=True)
class VerdictChange:
    """A pair whose verdict differs between two passports.

    Attributes:
        row: The row of the pair in the corpus of the later passport.
        before, after: Its scores.
    """

    row: int
    before: float
    after: float


@dataclass(frozen=True)
class PassportDrift:
    """The difference between two passports of a judge.

    Attributes:
        before, after: The passports.
        pairs: Number of pairs for which both have scores.
        changes: The pairs whose verdict differs, the largest change of the score first.
        mean, square, largest: Mean, root mean square and greatest absolute change of a score; NaN without common pairs.
        settings: The fields of the signature that differ: name, before, after.
    """

    before: Passport
    after: Passport
    pairs: int
    changes: tuple[VerdictChange, ...]
    mean: float
    square: float
    largest: float
    settings: tuple[tuple[str, str, str], ...]


def pair_keys(corpus: Corpus) -> list[str]:
    """Return the key of each pair, hexadecimal digits from which no sentence can be read."""
    return [pair_key(*pair).hex() for pair in zip(corpus.source, corpus.hypothesis, strict=True)]


def compare_passports(before: Passport, after: Passport, corpus: Corpus) -> PassportDrift:
    """Compare a judge's earlier passport with a later one on the pairs in `corpus`."""
    common: list[tuple[int, float, float]] = []
    for row, key in enumerate(pair_keys(corpus)):
        if key in before.scores and key in after.scores:
            common.append((row, before.scores[key], after.scores[key]))
    changes = [
        VerdictChange(row, old, new)
        for row, old, new in common
        if (old >= before.threshold) != (new >= after.threshold)
    ]
    moved = np.array([new - old for _, old, new in common])
    with np.errstate(over="ignore"):  # scores in a changed file may be huge
        square = np.sqrt(np.mean(moved**2)) if common else nan
        sizes = (float(moved.mean()), float(square), float(np.abs(moved).max())) if common else (nan,) * 3
    names = dict.fromkeys([*before.signature, *after.signature])
    settings = [(name, before.signature.get(name, ""), after.signature.get(name, "")) for name in names]
    return PassportDrift(
        before,
        after,
        len(common),
        tuple(sorted(changes, key=lambda change: -abs(change.after - change.before))),
        *sizes,
        tuple(setting for setting in settings if setting[1] != setting[2]),
    )


def match_passports(before: Sequence[Passport], after: Sequence[Passport]) -> list[tuple[Passport, Passport]]:
    """Return matching earlier and later passports: those of the same column, or the only passport in each file.

    Raises:
        ParapluieError: No passports match.
    """
    by_name = {passport.name: passport for passport in before}
    pairs = [(by_name[passport.name], passport) for passport in after if passport.name in by_name]
    if not pairs and len(before) == len(after) == 1:
        pairs = [(before[0], after[0])]
    if not pairs:
        names = ", ".join(by_name)
        raise ParapluieError(f"The earlier file has no passport of these judges; it has {names}. Name one of them.")
    return pairs


def write_passports(path: Path, passports: Sequence[Passport], date: str) -> None:
    """Write passports to a file.

    Raises:
        ParapluieError: It cannot be written.
    """
    record = {
        "format": _FORMAT,
        "written_by": f"ParaPLUIE Inspector {__version__}",
        "date": date,
        "passports": [plain(replace(passport, scores=dict(passport.scores))) for passport in passports],
    }
    with explain_write_errors(path):
        write_text(path, json.dumps(record, ensure_ascii=False, indent=1) + "\n")


def read_passports(path: Path) -> tuple[Passport, ...]:
    """Read the passports of a file.

    Raises:
        ParapluieError: The file does not exist or has no passports.
    """
    try:
        record = read_json(path)
        passports = tuple(_read(entry) for entry in record["passports"])
    except OSError as error:
        raise ParapluieError(f"{path} cannot be read ({error.strerror}). Check the name.") from error
    except (OwnFileError, *UNEXPECTED_VALUE) as error:
        raise ParapluieError(
            f"{path} has no passports. Choose a file that `parapluie passport --save` has written."
        ) from error
    if not passports:
        raise ParapluieError(f"{path} has no passports. Choose another file.")
    return passports


def _read(entry: Mapping[str, object]) -> Passport:
    facts, signature, scores = entry["facts"], entry["signature"], entry["scores"]
    if not isinstance(facts, list) or not isinstance(signature, dict) or not isinstance(scores, dict):
        raise ValueError("not a passport")
    return Passport(
        name=str(entry["name"]),
        title=str(entry["title"]),
        corpus=str(entry["corpus"]),
        pairs=int(str(entry["pairs"])),
        threshold=float(str(entry["threshold"])),
        warning=str(entry["warning"]),
        facts=tuple(map(_read_fact, facts)),
        signature={str(name): str(value) for name, value in signature.items()},
        scores={str(key): float(score) for key, score in scores.items() if score is not None and isfinite(score)},
    )


def _read_fact(entry: Mapping[str, object]) -> PassportFact:
    value = entry["value"]
    if not isinstance(value, dict):
        raise ValueError("not a number with its interval")
    numbers = (nan if value[name] is None else float(value[name]) for name in ("value", "low", "high"))
    return PassportFact(
        key=str(entry["key"]),
        group=str(entry["group"]),
        title=str(entry["title"]),
        value=Estimate(*numbers),
        pairs=int(str(entry["pairs"])),
        note=str(entry["note"]),
    )
