"""Unpacks objects and lists inside the cells of JSON and Parquet: "doc": {"sentence1": …}, "references": [a, b]."""

from __future__ import annotations

from dataclasses import replace

from parapluie_gui.pairs.corpus import name_references
from parapluie_gui.pairs.reading.cells import to_json_cell
from parapluie_gui.pairs.reading.mapping import OTHER_NAMES, Columns, normalise_name
from parapluie_gui.pairs.reading.people import parse_cell
from parapluie_gui.pairs.reading.raw_table import RawTable, as_text, unique_names

#: Maximum number of different members; objects with more are data, not records.
_MOST_MEMBERS = 100
#: Number of levels of nested objects that are unpacked.
_DEPTH = 3
#: Maximum number of references of a pair with a column each.
_MOST_REFERENCES = 20


def unpack_objects(table: RawTable) -> RawTable:
    """Replace each column of objects by columns of their members, "doc.sentence1"; others stay as they are."""
    if not _has_nested_cells(table):
        return table
    for _ in range(_DEPTH):
        unpacked = _unpack_level(table)
        if unpacked is table:
            break
        table = unpacked
    return table


def _has_nested_cells(table: RawTable) -> bool:
    return table.origin.kind.startswith("json") or table.origin.kind == "parquet"


def _unpack_level(table: RawTable) -> RawTable:
    names: list[str] = []
    columns: list[list[object]] = []
    for name, column in zip(table.names, table.columns, strict=True):
        members = _members(column)
        names += [name] if members is None else [f"{name}.{member}" for member in members]
        columns += [column] if members is None else list(members.values())
    if len(columns) == len(table.columns) and names == table.names:
        return table
    return replace(table, names=unique_names(names)[0], columns=columns)


def _members(column: list[object]) -> dict[str, list[object]] | None:
    """Return the members of a column's objects, or None if it holds anything else."""
    first = next((cell for cell in column if as_text(cell).strip()), None)
    if not isinstance(first, str) or not first.startswith("{"):
        return None
    objects = [parse_cell(cell) for cell in column]
    if not all(isinstance(value, dict) or not as_text(value).strip() for value in objects):
        return None
    members = list(dict.fromkeys(key for value in objects if isinstance(value, dict) for key in value))
    if not 0 < len(members) <= _MOST_MEMBERS:
        return None
    return {
        member: [to_json_cell(value.get(member)) if isinstance(value, dict) else None for value in objects]
        for member in members
    }


def spread_references(table: RawTable, named: Columns = None) -> RawTable:
    """Put each reference of a list into a separate column, "reference", "reference 2" and so on.

    The list is in a column with a usual name, or in the one that the user `named`.
    """
    for name, column in zip(table.names, table.columns, strict=True):
        usual = normalise_name(name) in OTHER_NAMES["reference"]
        if not _has_nested_cells(table) or not (usual if named is None else name == named):
            continue
        lists = [parse_cell(cell) for cell in column]
        if not any(isinstance(value, list) for value in lists):
            continue
        texts = [value if isinstance(value, list) else [value] for value in lists]
        if not all(isinstance(text, str | None) for value in texts for text in value):
            continue
        most = min(max(map(len, texts)), _MOST_REFERENCES)
        spread = [[value[at] if at < len(value) else None for value in texts] for at in range(most)]
        at = table.names.index(name)
        names = unique_names([*table.names[:at], *name_references(most), *table.names[at + 1 :]])[0]
        return replace(table, names=names, columns=[*table.columns[:at], *spread, *table.columns[at + 1 :]])
    return table
