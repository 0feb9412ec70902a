"""The scores that a command is to evaluate: those of the file, those named, and those computed now."""

from __future__ import annotations

from pathlib import Path

from parapluie_gui.analysis.own_scores import own_scores
from parapluie_gui.analysis.score_column import ScoreColumn, score_column
from parapluie_gui.api.material import score_values
from parapluie_gui.commands.judge import score_now
from parapluie_gui.commands.options import Choosing, Scoring
from parapluie_gui.pairs import Corpus
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.signature import Signature
from parapluie_gui.scores.table import ScoreTable


def chosen_scores(
    corpus: Corpus, path: Path, choosing: Choosing, scoring: Scoring, usual: tuple[str, ...] = ()
) -> tuple[list[ScoreColumn], dict[str, Signature]]:
    """Return the scores to evaluate, and the signatures of those that have one.

    Without names they are the known scores of the file and the `usual` columns. A score computed now replaces the one
    in the file.

    Raises:
        ParapluieError: A column is not there or holds no numbers, or something cannot be computed.
    """
    table = ScoreTable(len(corpus))
    if scoring.asked:
        table = score_now(corpus, scoring.metric, scoring)
    signatures = read_signatures(path) | table.signatures
    known = dict.fromkeys([*own_scores(corpus, signatures), *usual])
    names = [name for name in choosing.named or known if name not in table]
    found = [
        *(
            score_column(
                name, score_values(corpus, name, path), name in choosing.distance or None, signatures.get(name)
            )
            for name in names
        ),
        *(score_column(name, table[name], signature=table.signatures.get(name)) for name in table.scores),
    ]
    there = {each.name for each in found}
    return found, {name: signature for name, signature in signatures.items() if name in there}
