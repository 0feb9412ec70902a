"""Converts tables with a row for each error that a rater marked (MQM, ESA) to a row for each translation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from parapluie_gui.pairs.reading.mapping import Columns, index_names
from parapluie_gui.pairs.reading.raw_table import RawTable, as_text

#: Names of the columns of such a table.
_SOURCE, _TARGET = ("source", "src"), ("target", "hypothesis", "translation", "mt", "tgt")
_SYSTEM, _RATER, _SEGMENT = ("system", "sys"), ("rater", "annotator", "rater id"), ("doc", "doc id", "seg id", "segid")
#: The marked part of a sentence.
_MARK = re.compile(r"</?v>")
_SPAN = re.compile(r"<v>(.*?)</v>", re.DOTALL)
#: Categories of rows without an error.
_NO_ERROR = ("no-error", "no error", "no_error", "")


def fold_errors(table: RawTable, named: Mapping[str, Columns]) -> RawTable:
    """Return a row for each translation without the marks, with the number of errors and their list.

    With several raters, each has a column with the number of errors, "errors.rater1". Other tables are unchanged.
    """
    by_plain = index_names(table.names)

    def first(words: tuple[str, ...]) -> str | None:
        return next((by_plain[word] for word in words if word in by_plain), None)

    source, target, severity = first(_SOURCE), first(_TARGET), by_plain.get("severity")
    category = by_plain.get("category")
    if source is None or target is None or severity is None or category is None:
        return table
    marked = [as_text(cell) for cell in table.column(target)]
    if not any("<v>" in text for text in marked + [as_text(cell) for cell in table.column(source)]):
        return table
    sources, targets = ([_MARK.sub("", as_text(cell)) for cell in table.column(name)] for name in (source, target))
    place = [table.column(by_plain[word]) for word in (*_SYSTEM[:1], *_SEGMENT) if word in by_plain]
    keys = list(zip(sources, targets, *(map(as_text, column) for column in place), strict=True))
    rows: dict[tuple[str, ...], list[int]] = {}
    for row, key in enumerate(keys):
        rows.setdefault(key, []).append(row)
    rater = first(_RATER)
    raters = [as_text(cell) for cell in table.column(rater)] if rater else [""] * len(table)
    errors: dict[str, list[object]] = {}
    for name in dict.fromkeys(raters):
        column = f"errors.{name}" if len(set(raters)) > 1 else "errors"
        errors[column] = [
            _count(table, category, [row for row in group if raters[row] == name]) for group in rows.values()
        ]
    list_of_errors: list[object] = [
        "; ".join(filter(None, (_describe(table, row, category, severity, marked[row]) for row in group)))
        for group in rows.values()
    ]
    heads = [group[0] for group in rows.values()]
    gone = {category, severity, rater}
    columns = {name: [table.column(name)[row] for row in heads] for name in table.names if name not in gone}
    columns[source], columns[target] = [sources[row] for row in heads], [targets[row] for row in heads]
    columns |= errors | {"marked errors": list_of_errors}
    roles: dict[str, str | None] = {"source": source, "hypothesis": target, "label": None, "human": None}
    return replace(
        table,
        names=list(columns),
        columns=list(columns.values()),
        lines=[table.lines[row] for row in heads],
        roles=roles,
        origin=replace(table.origin, reshaped="one row per marked error"),
    )


def _count(table: RawTable, category: str, rows: list[int]) -> int | None:
    """Return the number of a rater's errors, or None if the rater did not see the translation."""
    cells = table.column(category)
    return sum(as_text(cells[row]).strip().casefold() not in _NO_ERROR for row in rows) if rows else None


def _describe(table: RawTable, row: int, category: str, severity: str, text: str) -> str:
    kind = as_text(table.column(category)[row]).strip()
    if kind.casefold() in _NO_ERROR:
        return ""
    span = _SPAN.search(text)
    where = f": {span[1]}" if span else ""
    return f"{as_text(table.column(severity)[row]).strip()} {kind}{where}".strip()
