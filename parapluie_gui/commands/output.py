"""What the commands print: sentences and progress on stderr, tables on stdout."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from parapluie_gui.analysis.table import Table, table_text
from parapluie_gui.report.latex import booktabs
from parapluie_gui.ui.widgets.svg_file import check_ending


def check_figure(path: Path | None) -> None:
    """Raise a ParapluieError unless a figure can be written under this name, if one is wanted."""
    if path is not None:
        check_ending(path)


def json_text(data: object) -> str:
    """Return data as JSON for people and programs; NaN is refused."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def print_tables(grids: Sequence[Table], latex: bool, digits: int) -> None:
    """Print tables as text or as LaTeX."""
    print("\n".join((booktabs if latex else table_text)(grid, digits) for grid in grids), end="")
