"""`parapluie describe`: what corpora are like, without any score."""

from __future__ import annotations

from parapluie_gui import __version__
from parapluie_gui.analysis.corpus_statistics import describe, measure
from parapluie_gui.analysis.plain import plain
from parapluie_gui.analysis.score_column import parts
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import Describe
from parapluie_gui.commands.output import json_text, print_tables
from parapluie_gui.pairs.pool import pool
from parapluie_gui.report.description import description_grids

#: Grows when a key of --json changes its meaning or goes.
FORMAT = 1


def run(options: Describe) -> int:
    """Print what each corpus is like, and all of them together. Returns the exit status.

    Raises:
        CorpusError: One cannot be read.
    """
    corpus = pool([read_corpus(path, options.reading) for path in options.corpus])
    found = describe(corpus, measure(corpus), parts(corpus))
    if options.printing.json:
        record = {"format": FORMAT, "written_by": f"ParaPLUIE Inspector {__version__}", "corpora": plain(found)}
        print(json_text(record), end="")
    else:
        print_tables(description_grids(found), options.printing.latex, digits=2)
    return 0
