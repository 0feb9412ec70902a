"""What the commands print: sentences and progress on stderr, tables on stdout."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from parapluie_gui import __version__
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.table import DIGITS, Table, table_text
from parapluie_gui.report.latex import booktabs
from parapluie_gui.scores.signature import Signature
from parapluie_gui.ui.widgets.svg_file import check_ending


def check_figure(path: Path | None) -> None:
    """Raise a ParapluieError unless a figure can be written under this name, if one is wanted."""
    if path is not None:
        check_ending(path)


def json_text(data: object) -> str:
    """Return data as JSON for people and programs; NaN is refused."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def corpora_record(
    format: int, corpora: Mapping[str, tuple[Mapping[str, Signature], Mapping[str, object]]]
) -> dict[str, object]:
    """Return results as `json_text` takes them: of each corpus the signatures of its scores, and what was found."""
    return {
        "format": format,
        "written_by": f"ParaPLUIE Inspector {__version__}",
        "corpora": {
            name: {
                "signatures": {score: dict(signature.fields) for score, signature in signatures.items()},
                **{key: plain(value) for key, value in found.items()},
            }
            for name, (signatures, found) in corpora.items()
        },
    }


def print_tables(grids: Sequence[Table], latex: bool, signatures: tuple[str, ...] = (), digits: int = DIGITS) -> None:
    """Print tables as text, with the signatures under them, or as LaTeX, with the signatures as comments."""
    if latex:
        blocks = [booktabs(grid, digits, signatures) for grid in grids]
    else:
        blocks = [table_text(grid, digits) for grid in grids]
        blocks += ["".join(f"{line}\n" for line in signatures)] if signatures else []
    print("\n".join(blocks), end="")
