"""What `parapluie concordance` can be given."""

# Each call describes one argument of one command; none is shared between dataclasses.
# ruff: noqa: RUF009

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from parapluie_gui.commands.arguments import argument, at_least, file, option, shared, switch
from parapluie_gui.commands.options import Printing, Reading
from parapluie_gui.places import expand_user_path


@dataclass(frozen=True, kw_only=True)
class Concordance:
    """Print every place where words stand in sources and hypotheses, what pairs they are in, and what stands near."""

    corpus: Path = argument("file of pairs, scored or not", "CORPUS", type=expand_user_path)
    pattern: str = argument("words, or a regular expression as /…/ or /…/i", "PATTERN")
    whole_words: bool = switch("words must not be part of longer ones")
    side: Literal["either", "source", "hypothesis", "both", "one"] = option(
        "where: either, source, hypothesis, both, one and not the other (either)",
        choices=("either", "source", "hypothesis", "both", "one"),
        default="either",
    )
    sort: Literal["corpus", "left", "right", "hit"] = option(
        "corpus, left or right neighbours, hit (corpus)", choices=("corpus", "left", "right", "hit"), default="corpus"
    )
    score: str | None = option("score that outcomes are counted by (default: labels only)", "COL[=X]")
    filter: str | None = option("only pairs that satisfy it, as in the window's filter box", "EXPR")
    limit: int = option("lines to print (40)", "N", type=at_least(0), default=40)
    width: int = option("characters to either side of a hit (36)", "N", type=at_least(5), default=36)
    span: int = option("words to either side that count as collocates (5)", "N", type=at_least(1), default=5)
    output: Path | None = file("write all lines there as CSV", "OUT.csv", short="-o")
    no_formulas: bool = switch("CSV: an apostrophe before texts that a spreadsheet would run")
    printing: Printing = shared(Printing)
    reading: Reading = shared(Reading, "reading")
