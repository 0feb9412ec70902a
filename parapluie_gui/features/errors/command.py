"""`parapluie errors`: what wrong verdicts have in common, as tables and as figures."""

# Each call describes one argument of the command.
# ruff: noqa: RUF009

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.commands import analysis
from parapluie_gui.commands.arguments import file, option
from parapluie_gui.commands.options import Analysing
from parapluie_gui.errors import ParapluieError


@dataclass(frozen=True, kw_only=True)
class Options(Analysing):
    """Find what wrong verdicts have in common."""

    set: str | None = option("instead of errors: what is special about the pairs that satisfy it", "EXPR")
    figure: Path | None = file("draw the groups of errors, as SVG, PNG or PDF", "FILE")
    heat_map: Path | None = file("draw the wrong verdicts of each score by kind of change, likewise", "FILE")


def run(options: Options) -> int:
    """Analyse, print, and write the files asked for. Returns the exit status.

    Raises:
        ParapluieError: Something asked for is not there, or nothing can be analysed.
    """
    wanted = {"error-groups": options.figure, "errors-by-change": options.heat_map}
    figures = {name: path for name, path in wanted.items() if path is not None}
    if figures and (options.set is not None or len(options.corpus) > 1):
        raise ParapluieError("A figure shows the errors in one file. Leave out --set and other files.")
    return analysis.run(options, select=options.set, figures=figures)
