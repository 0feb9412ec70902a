"""`parapluie errors`: tables and figures of what wrong verdicts have in common."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.commands import analysis
from parapluie_gui.commands.arguments import option, output_file
from parapluie_gui.commands.options import AnalyseOptions
from parapluie_gui.errors import ParapluieError


@dataclass(frozen=True, kw_only=True)
class ErrorsArguments(AnalyseOptions):
    """Find what wrong verdicts have in common."""

    set: str | None = option("analyse the pairs that match a filter instead of errors", "EXPR")
    figure: Path | None = output_file("draw the groups of errors, as SVG, PNG or PDF", "FILE")
    heat_map: Path | None = output_file(
        "draw the wrong verdicts of each score by kind of change, as SVG, PNG or PDF", "FILE"
    )


def run(options: ErrorsArguments) -> int:
    """Analyse the errors, print the tables and write the figures. Return the exit status.

    Raises:
        ParapluieError: A file is missing, or it has nothing to analyse.
    """
    paths = {"error-groups": options.figure, "errors-by-change": options.heat_map}
    figures = {name: path for name, path in paths.items() if path is not None}
    if figures and (options.set is not None or len(options.corpus) > 1):
        raise ParapluieError("A figure shows the errors in one file. Leave out --set and other files.")
    return analysis.run(options, select=options.set, figures=figures)
