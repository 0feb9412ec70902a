"""The analyses of the Analysis tab and of `parapluie analyse` as a function: tables and figures of some scores."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from parapluie_gui.analysis.base import analyse as compute
from parapluie_gui.analysis.catalogue import analysis
from parapluie_gui.analysis.material import Facts, Material
from parapluie_gui.analysis.own_scores import own_scores, put_own_scores
from parapluie_gui.analysis.score_column import score_column
from parapluie_gui.analysis.study import DISTANCE
from parapluie_gui.api.judges import names_of
from parapluie_gui.api.notices import progress as progress_bar
from parapluie_gui.api.scores import Scores
from parapluie_gui.api.shown import ResultFigure, ResultTable
from parapluie_gui.errors import ParapluieError
from parapluie_gui.pairs import Corpus
from parapluie_gui.report.signatures import read_signatures
from parapluie_gui.scores.table import ScoreTable


@dataclass(frozen=True, eq=False, repr=False)
class Analysed:
    """What an analysis found; a notebook draws its tables.

    Attributes:
        name, title: The analysis.
        tables: Its tables by their names.
        figures: Its figures by their names.
        notes: Sentences between them.
    """

    name: str
    title: str
    tables: Mapping[str, ResultTable]
    figures: Mapping[str, ResultFigure]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return "\n".join([*map(str, self.tables.values()), *self.notes])

    def _repr_html_(self) -> str:
        figures = (figure.svg() for figure in self.figures.values())
        return "".join([*(table._repr_html_() for table in self.tables.values()), *figures])


def analyse(
    scores: Scores | Corpus,
    name: str,
    *,
    columns: str | Iterable[str] = (),
    distances: str | Collection[str] = (),
    thresholds: Mapping[str, float] | None = None,
    filter: str | None = None,
    draws: int = 0,
    seed: int = 0,
    progress: bool | None = None,
    **options: Any,
) -> Analysed:
    """Compute one of the analyses.

    Args:
        scores: What `score` returned, or a corpus whose file has columns of scores.
        name: The analysis ("thresholds", "curves"); the sentence for an unknown one lists them all.
        columns: The scores to analyse; by default all.
        distances: Those of them where lower is closer though their names do not say so.
        thresholds: Where paraphrases begin, by score, instead of the natural or the best threshold.
        filter: Only the pairs that satisfy it, as in the window's filter box.
        draws: Resamples of confidence intervals and tests; 0: none.
        seed: Of their random numbers.
        progress: Whether a bar on stderr says how far it is; None: in a terminal or notebook.
        **options: The options of the analysis, as the manual lists them.

    Raises:
        ParapluieError: There is no such analysis, the pairs lack what it needs, or an option is wrong.
    """
    chosen = analysis(name)
    known = {each.name for each in fields(chosen.options)}
    if strange := [option for option in options if option not in known]:
        todo = f"Choose among {', '.join(sorted(known))}." if known else "It has none."
        raise ParapluieError(f'The analysis "{name}" has no option "{strange[0]}". {todo}')
    material = material_of(
        scores, names_of(columns), names_of(distances), thresholds or {}, filter, draws=draws, seed=seed
    )
    with progress_bar(progress) as tick:
        run = compute(chosen, material, chosen.options(**options), tick)
    lines = material.signature_lines
    tables = {each.name: ResultTable(each, lines(each.scores)) for each in chosen.tables(run)}
    figures = {each.name: ResultFigure(each, lines(each.scores)) for each in chosen.figures(run)}
    notes = tuple(text for block in chosen.blocks(run) if isinstance(text := getattr(block, "text", None), str))
    return Analysed(chosen.name, chosen.title, tables, figures, notes)


def material_of(
    scores: Scores | Corpus,
    columns: tuple[str, ...] = (),
    distances: tuple[str, ...] = (),
    thresholds: Mapping[str, float] | None = None,
    filter: str | None = None,
    *,
    draws: int = 0,
    seed: int = 0,
) -> Material:
    """Return what an analysis computes from; arguments and errors as `analyse`."""
    if isinstance(scores, Corpus):
        signatures = {} if scores.path is None else read_signatures(scores.path)
        wanted = columns or own_scores(scores, signatures)
        table = put_own_scores(ScoreTable(len(scores)), scores, [n for n in wanted if n in scores.extra], signatures)
        scores = Scores(scores, table)
    elif not isinstance(scores, Scores):
        what = type(scores).__name__
        raise ParapluieError(f"Scores or a corpus are analysed, not {what}. Pass what score(…) or read(…) returned.")
    has = [name for name in scores if not np.isnan(scores[name]).all()]
    if not has:
        raise ParapluieError("There is no score. Score the pairs first: score(corpus, metrics=[…]).")
    for name in (*columns, *distances, *(thresholds or {})):
        if name not in has:
            raise ParapluieError(f'"{name}" is not one of the scores. Choose among {", ".join(has)}.')
    if filter is not None:
        scores = scores.filter(filter)
    corpus, table = scores.corpus, scores.table
    found = tuple(
        replace(
            score_column(name, table[name], name in distances or None, table.signatures.get(name)),
            bounds=table.all_bounds(name),
        )
        for name in columns or has
    )
    facts = Facts.of(corpus)
    return Material(
        facts=facts,
        score_columns=found,
        labels=corpus.labels,
        parts=facts.parts,
        draws=draws,
        seed=seed,
        y=found[0].name,
        given=dict(thresholds or {}),
        distance=table[DISTANCE] if DISTANCE in table.scores else None,
        signatures=scores.signatures,
        own=frozenset(table.own),
    )
