"""`parapluie demo`: a sample corpus as a file, to try the other commands on."""

from __future__ import annotations

from parapluie_gui import places
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import Demo
from parapluie_gui.errors import ParapluieError
from parapluie_gui.report.table import check_target, write_table
from parapluie_gui.scores.table import ScoreTable


def run(options: Demo) -> int:
    """Write the demo corpus; returns the exit status.

    Raises:
        ParapluieError: There is such a file already, or it cannot be written.
    """
    check_target(options.output)
    if options.output.exists():
        raise ParapluieError(f"{options.output} is there already. Name another file.")
    corpus = read_corpus(places.resources() / "demo" / "demo.tsv")
    write_table(options.output, corpus, ScoreTable(len(corpus)))
    print(f"{len(corpus):,} pairs → {options.output}")
    return 0
