"""The command `parapluie demo`: write a sample corpus with which to try the other commands."""

from __future__ import annotations

from parapluie_gui import places
from parapluie_gui.analysis.own_scores import put_own_scores
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import DemoOptions
from parapluie_gui.errors import ParapluieError
from parapluie_gui.report.judged_demo import add_demo_scores
from parapluie_gui.report.table import check_target, write_table
from parapluie_gui.scores.table import ScoreTable


def run(options: DemoOptions) -> int:
    """Write the demo corpus; return the exit status.

    Raises:
        ParapluieError: The file exists, or cannot be written.
    """
    check_target(options.output)
    if options.output.exists():
        raise ParapluieError(f"{options.output} already exists. Choose a different file.")
    corpus = read_corpus(places.resources() / "demo" / "demo.tsv")
    table = ScoreTable(len(corpus))
    if options.judged:
        judged = add_demo_scores(corpus)
        put_own_scores(table, judged.corpus, tuple(judged.signatures), judged.signatures)
    write_table(options.output, corpus, table)
    print(f"{len(corpus):,} pairs → {options.output}")
    return 0
