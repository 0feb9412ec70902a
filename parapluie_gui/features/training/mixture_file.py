"""The file that says which corpora a judge is trained on, in which shares, and how much of them no training sees."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui.errors import OwnFileError, ParapluieError, first_line
from parapluie_gui.features.training.examples import GRADED, TrainingCorpus, labelled
from parapluie_gui.features.training.kept_back import kept_back, reported
from parapluie_gui.own_files import TomlFile
from parapluie_gui.pairs import Corpus, read

#: What an entry may say.
_KEYS = {"file", "share", "kind", "keep", "noise", "families"}


@dataclass(frozen=True)
class Kept:
    """The pairs of a corpus that no training sees, and the kind of corpus that it is."""

    kind: str
    corpus: Corpus


@dataclass(frozen=True)
class MixtureFile:
    """What a mixture file names: what is trained on, and what is kept back of all of it.

    Attributes:
        kept: The half of what is kept back that judges are chosen by, and their threshold made by.
        report: The other half, whose figures are looked at once a judge is chosen.
    """

    parts: tuple[TrainingCorpus, ...]
    kept: tuple[Kept, ...]
    report: tuple[Kept, ...]


def read_mixture(
    path: Path, data: Path, left_out: Collection[str] = (), graded: tuple[float, float] = GRADED
) -> MixtureFile:
    """Read a mixture file, whose corpora are below the folder `data`; the kinds `left_out` are not trained on.

    Raises:
        ParapluieError: The file or a corpus cannot be read, or a kind is in none of the entries.
    """
    entries = _entries(path)
    if unknown := sorted(set(left_out) - {entry["kind"] for entry in entries}):
        raise ParapluieError(
            f"{path.name} has no corpus of the kind {unknown[0]}. Choose from "
            f"{', '.join(sorted({entry['kind'] for entry in entries}))}."
        )
    corpora = {entry["file"]: read(data / entry["file"]) for entry in entries}
    pairs = {name: list(zip(each.source, each.hypothesis, strict=True)) for name, each in corpora.items()}
    back = kept_back(pairs, {entry["file"]: entry["keep"] for entry in entries})
    halves = reported(pairs)
    parts: list[TrainingCorpus] = []
    kept: tuple[list[Kept], list[Kept]] = [], []
    for entry in entries:
        corpus, name = corpora[entry["file"]], Path(entry["file"]).stem
        rows = back[entry["file"]]
        if entry["kind"] not in left_out:
            trained = replace(corpus.take(np.flatnonzero(~rows)), name=name)
            families = bool(entry.get("families"))
            how = float(entry["share"]), graded, entry["kind"], float(entry["noise"])
            parts.append(labelled(trained, *how, families=families))
        if entry["keep"]:
            report = halves[entry["file"]]
            for half, chosen in zip(kept, (rows & ~report, rows & report), strict=True):
                half.append(Kept(entry["kind"], replace(corpus.take(np.flatnonzero(chosen)), name=name)))
    return MixtureFile(tuple(parts), *map(tuple, kept))


def _entries(path: Path) -> list[dict[str, Any]]:
    try:
        entries = TomlFile(path.read_text(encoding="utf-8"), path.name, OwnFileError).data["corpus"]
    except (OSError, ValueError, KeyError, OwnFileError) as error:
        raise ParapluieError(
            f"{path} is no list of corpora: {first_line(error)}. Write [[corpus]] entries with file, share and kind."
        ) from error
    for entry in entries:
        if not isinstance(entry, dict) or not {"file", "share", "kind"} <= entry.keys() <= _KEYS:
            raise ParapluieError(
                f"{path}: {entry} is no corpus. Give file, share, kind, perhaps keep, noise, families."
            )
        if not all(isinstance(entry.get(key, 0), int | float) for key in ("share", "noise", "keep")):
            raise ParapluieError(f"{path}: share, noise and keep of {entry['file']} must be numbers. Correct it.")
        if not 0 < entry["share"] <= 100:
            raise ParapluieError(f"{path}: the share of {entry['file']} must be above 0 and at most 100. Correct it.")
        if not 0 <= entry.setdefault("noise", 0.0) < 0.5:
            raise ParapluieError(f"{path}: the noise of {entry['file']} must be at least 0 and below 0.5. Correct it.")
        entry.setdefault("keep", 0)
    return list(entries)
