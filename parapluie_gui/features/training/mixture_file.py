"""Mixture files: the corpora on which a judge is trained, their shares, and the number of pairs kept back."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from parapluie_gui.errors import OwnFileError, ParapluieError, first_line
from parapluie_gui.features.training.examples import GRADED, TrainingCorpus, training_corpus
from parapluie_gui.features.training.kept_back import choose_kept_back, mark_report_half
from parapluie_gui.own_files import TomlFile, read_text
from parapluie_gui.pairs import Corpus, read

#: Keys of an entry.
_KEYS = {"file", "share", "kind", "keep", "noise", "families"}


@dataclass(frozen=True)
class KeptCorpus:
    """The kept-back pairs of a corpus, and the kind of the corpus."""

    kind: str
    corpus: Corpus


@dataclass(frozen=True)
class MixtureFile:
    """The contents of a mixture file: the corpora to train on, and the kept-back pairs.

    Attributes:
        parts: The corpora to train on.
        kept: The half of the kept-back pairs by which judges are chosen and their threshold is set.
        report: The other half, for results that are reported once a judge is chosen.
    """

    parts: tuple[TrainingCorpus, ...]
    kept: tuple[KeptCorpus, ...]
    report: tuple[KeptCorpus, ...]


def read_mixture(
    path: Path, data: Path, left_out: Collection[str] = (), graded: tuple[float, float] = GRADED
) -> MixtureFile:
    """Read a mixture file, with corpora in the folder `data`; the kinds in `left_out` are not trained on.

    Raises:
        ParapluieError: The file or a corpus cannot be read, or `left_out` names a kind that no entry has.
    """
    entries = _entries(path)
    if unknown := sorted(set(left_out) - {entry["kind"] for entry in entries}):
        raise ParapluieError(
            f"{path.name} has no corpus of the kind {unknown[0]}. Choose from "
            f"{', '.join(sorted({entry['kind'] for entry in entries}))}."
        )
    corpora = {entry["file"]: read(data / entry["file"]) for entry in entries}
    pairs = {name: list(zip(corpus.source, corpus.hypothesis, strict=True)) for name, corpus in corpora.items()}
    kept_masks = choose_kept_back(pairs, {entry["file"]: entry["keep"] for entry in entries})
    halves = mark_report_half(pairs)
    parts: list[TrainingCorpus] = []
    kept_halves: tuple[list[KeptCorpus], list[KeptCorpus]] = [], []
    for entry in entries:
        corpus, name = corpora[entry["file"]], Path(entry["file"]).stem
        kept_rows = kept_masks[entry["file"]]
        if entry["kind"] not in left_out:
            trained = replace(corpus.take(np.flatnonzero(~kept_rows)), name=name)
            families = bool(entry.get("families"))
            share, noise = float(entry["share"]), float(entry["noise"])
            parts.append(training_corpus(trained, share, graded, entry["kind"], noise, families=families))
        if entry["keep"]:
            report = halves[entry["file"]]
            for half, chosen in zip(kept_halves, (kept_rows & ~report, kept_rows & report), strict=True):
                half.append(KeptCorpus(entry["kind"], replace(corpus.take(np.flatnonzero(chosen)), name=name)))
    return MixtureFile(tuple(parts), *map(tuple, kept_halves))


def _entries(path: Path) -> list[dict[str, Any]]:
    try:
        entries = TomlFile(read_text(path), path.name, OwnFileError).data["corpus"]
    except (OSError, ValueError, KeyError, OwnFileError) as error:
        raise ParapluieError(
            f"{path} is not a list of corpora: {first_line(error)}. Write [[corpus]] entries with file, share and kind."
        ) from error
    for entry in entries:
        if not isinstance(entry, dict) or not {"file", "share", "kind"} <= entry.keys() <= _KEYS:
            raise ParapluieError(
                f"{path}: {entry} is not a corpus. Give file, share and kind, and keep, noise or families if needed."
            )
        if not all(isinstance(entry.get(key, 0), int | float) for key in ("share", "noise", "keep")):
            raise ParapluieError(f"{path}: share, noise and keep of {entry['file']} must be numbers. Correct it.")
        if not 0 < entry["share"] <= 100:
            raise ParapluieError(f"{path}: the share of {entry['file']} must be above 0 and at most 100. Correct it.")
        if not 0 <= entry.setdefault("noise", 0.0) < 0.5:
            raise ParapluieError(f"{path}: the noise of {entry['file']} must be at least 0 and below 0.5. Correct it.")
        entry.setdefault("keep", 0)
    return list(entries)
