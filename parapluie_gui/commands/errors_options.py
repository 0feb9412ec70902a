"""What `parapluie errors` can be given."""

# Each call describes one argument; none is shared between dataclasses.
# ruff: noqa: RUF009

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.commands.arguments import argument, at_least, file, many, option, shared, switch
from parapluie_gui.commands.options import Choosing, Printing, Reading, Scoring
from parapluie_gui.places import expand_user_path


@dataclass(frozen=True, kw_only=True)
class Errors:
    """Show what the errors of scores have in common, what is special about a set of pairs, and doubtful labels."""

    corpus: Path = argument("labelled pairs, scored or not", "CORPUS", type=expand_user_path)
    choosing: Choosing = shared(Choosing)
    threshold: tuple[str, ...] = many("threshold of a score; may be repeated", "COL=X")
    set: str | None = option("instead of errors: what is special about the pairs that satisfy it", "EXPR")
    labels: bool = switch("only labels that may be wrong")
    most: int = option("rows of a table (20)", "N", type=at_least(1), default=20)
    figure: Path | None = file("draw the groups of errors, as SVG, PNG or PDF", "FILE")
    heat_map: Path | None = file("draw the wrong verdicts of each score by kind of change, likewise", "FILE")
    printing: Printing = shared(Printing)
    reading: Reading = shared(Reading, "reading")
    scoring: Scoring = shared(Scoring, "scores to be computed now")
