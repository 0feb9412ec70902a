"""Reads and writes metadata of a table: signatures, annotators, and whether formulas are marked.

It is stored in Parquet's metadata, in extra sheets of Excel workbooks, and in a sidecar file next to any other table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isnan, nan
from pathlib import Path

from parapluie_gui.errors import CorpusError
from parapluie_gui.own_files import parse_json, read_json_or_none
from parapluie_gui.pairs.reading.workbook import open_sheet

#: Key and value for a table whose formulas are marked (`pairs.formulas`).
FORMULAS, MARKED = "formulas", "marked"

#: Key of the annotators' columns not recognised by name, with the lowest grade that means a paraphrase, or null.
ANNOTATORS = "annotators"

#: Sheets that this program writes in addition to the sheet of the pairs.
OWN_SHEETS = ("signatures", ANNOTATORS)

#: Key of this program's metadata in Parquet files.
METADATA = "parapluie.signatures"

#: The key of the remarks on scores and their costs.
REMARKS = "about the scores"

_LONGEST = 10_000_000


def sidecar_of(table: Path) -> Path:
    """Return the path of a table's sidecar file."""
    return table.with_name(f"{table.name}.signatures.json")


def read_sidecar(table: Path) -> dict[str, object]:
    """Read a table's sidecar file; {} if it is missing or not an object of JSON."""
    data = read_json_or_none(sidecar_of(table), _LONGEST)
    return data if isinstance(data, dict) else {}


def read_metadata(table: Path) -> dict[str, object]:
    """Read this program's metadata in a Parquet file; {} if it is missing or unreadable."""
    import pyarrow.parquet

    try:
        with table.open("rb") as file:  # pyarrow cannot open a path that is not UTF-8
            text = (pyarrow.parquet.read_schema(file).metadata or {}).get(METADATA.encode(), b"{}")
        data = parse_json(text)
    except (pyarrow.ArrowException, OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def annotators_to_write(annotators: Mapping[str, float], recognised: Iterable[str]) -> dict[str, float | None]:
    """Return the annotators to store with a table; {} if they can be recognised by name."""
    wanted = {name: None if isnan(least) else least for name, least in annotators.items()}
    return {} if wanted == dict.fromkeys(recognised) else wanted


def read_annotators(table: Path) -> dict[str, float]:
    """Read the annotators stored with a table, as in `Corpus.annotators`."""
    match table.suffix.lower():
        case ".parquet":
            stored = read_metadata(table).get(ANNOTATORS)
        case ".xlsx":
            stored = _read_sheet_settings(table)
        case _:
            stored = read_sidecar(table).get(ANNOTATORS)
    if not isinstance(stored, dict):
        return {}
    grades = {name: nan if least is None else least for name, least in stored.items()}
    return {name: float(least) for name, least in grades.items() if isinstance(least, int | float)}


def _read_sheet_settings(table: Path) -> dict[str, object]:
    try:
        rows = open_sheet(table.read_bytes(), table, ANNOTATORS).rows
    except (CorpusError, OSError):
        return {}
    return {str(name): least[0] if least and least[0] != "" else None for name, *least in rows[1:]}
