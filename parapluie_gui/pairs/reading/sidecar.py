"""What a table has no column for: signatures, annotators, and marked formulas.

It is in Parquet's metadata, on further sheets of Excel, and in a file beside any other table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import isnan, nan
from pathlib import Path

from parapluie_gui.errors import CorpusError
from parapluie_gui.files import check_is_file
from parapluie_gui.pairs.reading.workbook import open_sheet

#: Says that texts which a spreadsheet could run are marked (`pairs.formulas`).
FORMULAS, MARKED = "formulas", "marked"

#: Names the columns of annotators that are not found by their names, with the least grade of a paraphrase or null.
ANNOTATORS = "annotators"

#: Names everything that this program writes into Parquet's metadata.
METADATA = "parapluie.signatures"

_LONGEST = 10_000_000


def sidecar_of(table: Path) -> Path:
    """Return the path of the file beside a table."""
    return table.with_name(f"{table.name}.signatures.json")


def read_sidecar(table: Path) -> dict[str, object]:
    """Return what the file next to a table says; {} where there is none, or it is of another kind."""
    path = sidecar_of(table)
    try:
        check_is_file(path)
        data = json.loads(path.read_text(encoding="utf-8")) if path.stat().st_size <= _LONGEST else None
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def read_metadata(table: Path) -> dict[str, object]:
    """Return what this program wrote into the metadata of a Parquet file; {} where nothing can be read."""
    import pyarrow.parquet

    try:
        with table.open("rb") as file:  # by its name, pyarrow opens no file whose name is not UTF-8
            text = (pyarrow.parquet.read_schema(file).metadata or {}).get(METADATA.encode(), b"{}")
        data = json.loads(text)
    except (pyarrow.ArrowException, OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def beside_annotators(annotators: Mapping[str, float], found: Iterable[str]) -> dict[str, float | None]:
    """Return what to write next to a table about its annotators; nothing where their names suffice (`found`)."""
    wanted = {name: None if isnan(least) else least for name, least in annotators.items()}
    return {} if wanted == dict.fromkeys(found) else wanted


def annotators_beside(table: Path) -> dict[str, float]:
    """Return the annotators that a table names beside its columns, as `Corpus.annotators` has them."""
    match table.suffix.lower():
        case ".parquet":
            found = read_metadata(table).get(ANNOTATORS)
        case ".xlsx":
            found = _on_sheet(table)
        case _:
            found = read_sidecar(table).get(ANNOTATORS)
    if not isinstance(found, dict):
        return {}
    known = {name: nan if least is None else least for name, least in found.items()}
    return {name: float(least) for name, least in known.items() if isinstance(least, int | float)}


def _on_sheet(table: Path) -> dict[str, object]:
    try:
        rows = open_sheet(table.read_bytes(), table, ANNOTATORS).rows
    except (CorpusError, OSError):
        return {}
    return {str(name): least[0] if least and least[0] != "" else None for name, *least in rows[1:]}
