"""`parapluie meta`: corpora with human scores in, ParaScore's evaluation of metrics out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from parapluie_gui.analysis.protocols.parascore import MetaEvaluation, meta
from parapluie_gui.analysis.protocols.parascore_extension import extend
from parapluie_gui.api.material import no_known_score
from parapluie_gui.api.notices import progress
from parapluie_gui.commands.chosen_scores import chosen_scores
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import Meta
from parapluie_gui.commands.output import corpora_record, json_text, print_tables
from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import Corpus
from parapluie_gui.report.benchmarks import meta_grids
from parapluie_gui.scores.signature import Signature, lines_of

#: Grows when a key of --json changes its meaning or goes.
FORMAT = 2

#: Scores that tell meaning from wording, the best first: the first that is there is used for S_sim, S_div and ω.
SIMILARITIES = ("bertscore", "sbert", "simcse")


@dataclass(frozen=True, eq=False)
class Result:
    """The evaluation of one corpus's scores, and what they were computed with."""

    evaluation: MetaEvaluation
    signatures: Mapping[str, Signature]


def run(options: Meta) -> int:
    """Evaluate each corpus and print the tables. Returns the exit status.

    Raises:
        ParapluieError: A corpus has no human scores, or there is no score to evaluate.
    """
    results: dict[str, Result] = {}
    for path in options.corpus:
        corpus = read_corpus(path, options.reading, options.choosing.named)
        if corpus.human is None:
            raise CorpusError("no column holds human scores", "name it with --human", path)
        results[corpus.name] = _evaluate(extend(corpus) if options.extend else corpus, path, options)
    if options.printing.json:
        print(json_text(record(results)), end="")
        return 0
    for number, result in enumerate(results.values()):
        print("\n" if number else "", end="")
        print_tables(meta_grids(result.evaluation), options.printing.latex, lines_of(result.signatures))
    return 0


def _evaluate(corpus: Corpus, path: Path, options: Meta) -> Result:
    found, signatures = chosen_scores(corpus, path, options.choosing, options.scoring)
    if not found:
        raise no_known_score(corpus, path)
    there = {each.name for each in found}
    similarity = options.similarity or next((name for name in SIMILARITIES if name in there), None)
    with progress() as tick:
        evaluation = meta(found, corpus, similarity=similarity, draws=options.draws, seed=options.seed, tick=tick)
    return Result(evaluation, signatures)


def record(results: Mapping[str, Result]) -> dict[str, object]:
    """Return the results as dicts, lists, numbers and None (where one is not defined); the manual lists the keys."""
    return corpora_record(
        FORMAT, {name: (each.signatures, {"evaluation": each.evaluation}) for name, each in results.items()}
    )
