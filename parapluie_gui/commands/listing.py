"""Prints lists, such as those of models and metrics, as text, JSON or CSV."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Mapping, Sequence

from parapluie_gui.commands.options import ListOptions

#: One entry of a list: the names and values of its fields.
Record = Mapping[str, object]


def print_list(records: Sequence[Record], lines: Iterable[str], options: ListOptions) -> int:
    """Print a list in the requested format; `lines` are its plain text. Return the exit status."""
    if options.json:
        print(json.dumps(records, ensure_ascii=False, indent=2))
    elif options.csv:
        names = list(dict.fromkeys(name for record in records for name in record))
        writer = csv.DictWriter(sys.stdout, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _cell(value) for name, value in record.items()} for record in records)
    else:
        for line in lines:
            print(line)
    return 0


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of texts as lines with aligned columns; the last column is not padded."""
    widths = [max(map(len, column)) for column in zip(*(row[:-1] for row in rows), strict=True)] if rows else []
    return ["  ".join([*map(str.ljust, row[:-1], widths), row[-1]]).rstrip() for row in rows]


def _cell(value: object) -> object:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {item}" for name, item in value.items())
    return "" if value is None else value
