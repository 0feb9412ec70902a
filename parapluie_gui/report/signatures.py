"""Reads the signatures that `write_table` stored in a table or in its sidecar file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from parapluie_gui.errors import CorpusError
from parapluie_gui.own_files import parse_json
from parapluie_gui.pairs.reading.sidecar import METADATA, REMARKS, read_metadata, read_sidecar
from parapluie_gui.pairs.reading.workbook import open_sheet
from parapluie_gui.scores.identity import without_judge
from parapluie_gui.scores.signature import Signature


def read_signatures(path: Path) -> dict[str, Signature]:
    """Read the signature of each score of a table, by its column.

    The signatures are in Parquet's metadata, in the second sheet of Excel, or in `<file>.signatures.json` for other
    formats. The result is {} if they are missing or unreadable.
    """
    try:
        match path.suffix.lower():
            case ".parquet":
                return _signatures(read_metadata(path))
            case ".xlsx":
                return _from_excel(path)
            case _:
                return _signatures(read_sidecar(path))
    except (OSError, ValueError):
        return {}


def parse_signatures(metadata: Mapping[bytes, bytes] | None) -> dict[str, Signature]:
    """Read the signatures in the metadata of Parquet; raises ValueError for invalid JSON."""
    return _signatures(parse_json((metadata or {}).get(METADATA.encode(), b"{}").decode("utf-8")))


def _from_excel(path: Path) -> dict[str, Signature]:
    try:
        rows = open_sheet(path.read_bytes(), path, "signatures").rows
    except CorpusError:
        return {}
    fields = {str(score): _fields(cells) for score, *cells in rows[1:]}
    remarks = {
        str(score): {"remarks": str(cells[2] or "").splitlines(), "cost": str(cells[3] or "")}
        for score, *cells in rows[1:]
        if len(cells) == 4
    }
    return _signatures({"signatures": fields, REMARKS: remarks})


def _fields(cells: Sequence[object]) -> Mapping[str, object]:
    """Parse the fields of a signature from the cells after the column's name, which hold its text, then its JSON."""
    try:
        fields = parse_json(str(cells[1])) if len(cells) > 1 else None
    except ValueError:
        fields = None
    if isinstance(fields, dict):
        return fields
    # The JSON was cut to the length of an Excel cell.
    parts = [part.partition(":") for part in str(cells[0]).split("|")] if cells else []
    return {key: value for key, _, value in parts}


def _signatures(data: object) -> dict[str, Signature]:
    signatures = data.get("signatures") if isinstance(data, dict) else None
    if not isinstance(signatures, dict):
        return {}
    read = {str(score): _signature(score, fields) for score, fields in signatures.items() if isinstance(fields, dict)}
    remarks = data.get(REMARKS) if isinstance(data, dict) else None
    for score, entry in remarks.items() if isinstance(remarks, dict) else ():
        if score in read and isinstance(entry, dict):
            sentences = entry.get("remarks")
            for sentence in sentences if isinstance(sentences, list) else ():
                read[score] = read[score].with_remark(str(sentence))
            read[score] = read[score].with_remark("", str(entry.get("cost") or ""))
    return read


def _signature(score: object, fields: Mapping[str, object]) -> Signature:
    """Build the signature of a score, whose plain name does not include the judge."""
    return Signature.from_fields(without_judge(str(score)), fields)
