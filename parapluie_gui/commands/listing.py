"""Prints lists of models, metrics and the like as text, JSON or CSV."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Mapping, Sequence

from parapluie_gui.commands.options import ListModels

#: One entry of a list: the names and values of its fields.
Record = Mapping[str, object]


def print_list(records: Sequence[Record], lines: Iterable[str], options: ListModels) -> int:
    """Print a list in the format that was asked for; `lines` are its plain text. Returns the exit status."""
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


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of texts as lines in which columns stand below each other; the last column is as long as it is."""
    widths = [max(map(len, column)) for column in zip(*(row[:-1] for row in rows), strict=True)] if rows else []
    return ["  ".join([*map(str.ljust, row[:-1], widths), row[-1]]).rstrip() for row in rows]


def _cell(value: object) -> object:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {each}" for name, each in value.items())
    return "" if value is None else value
