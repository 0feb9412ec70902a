"""`parapluie systems`: who writes the better paraphrases, and which score tells it as people do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from parapluie_gui.analysis.protocols.systems import MOST_SYSTEMS, SYSTEM, SystemEvaluation, evaluate
from parapluie_gui.analysis.score_column import ScoreColumn
from parapluie_gui.api.corpora import filter_mask
from parapluie_gui.api.material import no_column, no_known_score
from parapluie_gui.api.notices import progress
from parapluie_gui.arrays import Mask
from parapluie_gui.commands.chosen_scores import chosen_scores
from parapluie_gui.commands.corpora import read_corpus
from parapluie_gui.commands.options import Systems
from parapluie_gui.commands.output import corpora_record, json_text, print_tables
from parapluie_gui.errors import CorpusError
from parapluie_gui.pairs import Corpus
from parapluie_gui.pairs.reading.evaluation_set import LAYOUT
from parapluie_gui.report.systems import system_grids
from parapluie_gui.scores.signature import Signature, lines_of
from parapluie_gui.scores.table import ScoreTable

#: Grows when a key of --json changes its meaning or goes.
FORMAT = 1


@dataclass(frozen=True, eq=False)
class Result:
    """The evaluation of one corpus, and what its scores were computed with."""

    evaluation: SystemEvaluation
    signatures: Mapping[str, Signature]


def run(options: Systems) -> int:
    """Evaluate each corpus and print the tables. Returns the exit status.

    Raises:
        ParapluieError: There is no score, no such column, or nothing to compare.
    """
    results: dict[str, Result] = {}
    for path in options.corpus:
        corpus = read_corpus(path, options.reading, options.choosing.named)
        results[corpus.name] = _evaluate(corpus, path, options)
    if options.printing.json:
        print(json_text(record(results)), end="")
        return 0
    for number, result in enumerate(results.values()):
        print("\n" if number else "", end="")
        print_tables(system_grids(result.evaluation), options.printing.latex, lines_of(result.signatures))
    return 0


def _evaluate(corpus: Corpus, path: Path, options: Systems) -> Result:
    usual = [name for name in corpus.extra if corpus.layout == LAYOUT and not name.startswith("human ")]
    numeric = tuple(name for name in usual if corpus.numbers(name) is not None)
    found, signatures = chosen_scores(corpus, path, options.choosing, options.scoring, numeric)
    if not found:
        raise no_known_score(corpus, path)
    where = None if options.filter is None else _filter(corpus, found, options.filter)
    systems = _systems(corpus, path, options.system)
    if systems is None and corpus.human is None:
        raise CorpusError("it has neither systems nor human scores", "name a column with --system or --human", path)
    with progress() as tick:
        evaluation = evaluate(
            corpus.name,
            found,
            corpus.source,
            corpus.human,
            systems,
            column=options.system or SYSTEM,
            where=where,
            draws=options.draws,
            seed=options.seed,
            tick=tick,
        )
    return Result(evaluation, signatures)


def _systems(corpus: Corpus, path: Path, name: str | None) -> list[object] | None:
    """Return the system of each pair; None where no column is named and none is called "system"."""
    own = corpus.group if name == "group" else None
    cells: list[object] | None = None
    if own is not None:
        cells = list(own)
    elif (name or SYSTEM) in corpus.extra:
        cells = corpus.extra[name or SYSTEM].cells()
    elif name is not None:
        raise no_column(name, [*corpus.extra, *(["group"] if corpus.group is not None else [])], path)
    distinct = len({cell for cell in cells or () if cell is not None})
    if distinct > MOST_SYSTEMS:
        what = f'the column "{name or SYSTEM}" has {distinct:,} values, and {MOST_SYSTEMS} systems are compared at most'
        raise CorpusError(what, "choose another with --system", path)
    return cells


def _filter(corpus: Corpus, found: list[ScoreColumn], text: str) -> Mask:
    table = ScoreTable(len(corpus))
    for each in found:
        table.put(np.arange(len(corpus)), {each.name: each.values})
        table.own |= {each.name} & set(corpus.extra)
    return filter_mask(corpus, table, text)


def record(results: Mapping[str, Result]) -> dict[str, object]:
    """Return the results as dicts, lists, numbers and None (where one is not defined); the manual lists the keys."""
    return corpora_record(
        FORMAT, {name: (each.signatures, {"evaluation": each.evaluation}) for name, each in results.items()}
    )
