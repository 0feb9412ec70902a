"""Reads back the signatures that `write_table` left in a table or beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs.reading.sidecar import METADATA, read_metadata, read_sidecar
from parapluie_gui.pairs.reading.workbook import open_sheet
from parapluie_gui.scores.identity import without_judge
from parapluie_gui.scores.signature import Signature


def read_signatures(path: Path) -> dict[str, Signature]:
    """Return what each score of a table was computed with, by its column.

    They come from Parquet's metadata, the second sheet of Excel, or `<file>.signatures.json` beside any other. A table
    without them, or with something else in their place, gives none.
    """
    try:
        match path.suffix.lower():
            case ".parquet":
                return _signatures(read_metadata(path))
            case ".xlsx":
                return _from_excel(path)
            case _:
                return _signatures(read_sidecar(path))
    except (OSError, ValueError, RecursionError):
        return {}


def signatures_in(metadata: Mapping[bytes, bytes] | None) -> dict[str, Signature]:
    """Return the signatures in the metadata of Parquet; ValueError or RecursionError if something else is there."""
    return _signatures(json.loads((metadata or {}).get(METADATA.encode(), b"{}").decode("utf-8")))


def _from_excel(path: Path) -> dict[str, Signature]:
    try:
        rows = open_sheet(path.read_bytes(), path, "signatures").rows
    except CorpusError:
        return {}
    return {str(score): _signature(score, _fields(cells)) for score, *cells in rows[1:]}


def _fields(cells: Sequence[object]) -> Mapping[str, object]:
    """Return the fields of a signature from the cells behind its column: as people read it, then as JSON."""
    try:
        found = json.loads(str(cells[1])) if len(cells) > 1 else None
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    # Cut, since a cell of Excel holds so much and no more.
    parts = [part.partition(":") for part in str(cells[0]).split("|")] if cells else []
    return {key: value for key, _, value in parts}


def _signatures(data: object) -> dict[str, Signature]:
    signatures = data.get("signatures") if isinstance(data, dict) else None
    if not isinstance(signatures, dict):
        return {}
    return {str(score): _signature(score, fields) for score, fields in signatures.items() if isinstance(fields, dict)}


def _signature(score: object, fields: Mapping[str, object]) -> Signature:
    """Return the signature that a score was stored with, whose column does not name the judge."""
    return Signature.of(without_judge(str(score)), fields)
