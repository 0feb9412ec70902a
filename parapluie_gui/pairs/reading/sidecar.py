"""The file beside a table, which says what the table has no place for: signatures, annotators, and marked formulas."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isnan, nan
from pathlib import Path

from parapluie_gui.files import check_is_file

#: Says that texts which a spreadsheet could run are marked (`pairs.formulas`).
FORMULAS, MARKED = "formulas", "marked"

#: Names the columns of annotators that are not found by their names, with the least grade of a paraphrase or null.
ANNOTATORS = "annotators"

_LONGEST = 10_000_000


def sidecar_of(table: Path) -> Path:
    """Return the path of the file beside a table."""
    return table.with_name(f"{table.name}.signatures.json")


def read_sidecar(table: Path) -> dict[str, object]:
    """Return what stands beside a table; {} where there is nothing, or something else."""
    path = sidecar_of(table)
    try:
        check_is_file(path)
        data = json.loads(path.read_text(encoding="utf-8")) if path.stat().st_size <= _LONGEST else None
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def beside_annotators(annotators: Mapping[str, float], found: Iterable[str]) -> dict[str, float | None]:
    """Return what is to stand beside a table of its annotators; nothing where their names alone say it (`found`)."""
    wanted = {name: None if isnan(least) else least for name, least in annotators.items()}
    return {} if wanted == dict.fromkeys(found) else wanted


def annotators_beside(table: Path) -> dict[str, float]:
    """Return the annotators that stand beside a table, as `Corpus.annotators` has them."""
    found = read_sidecar(table).get(ANNOTATORS)
    if not isinstance(found, dict):
        return {}
    known = {name: nan if least is None else least for name, least in found.items()}
    return {name: float(least) for name, least in known.items() if isinstance(least, int | float)}
